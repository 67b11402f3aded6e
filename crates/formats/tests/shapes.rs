//! Records as columns, and columns as the records that they were, over random values.

use std::io::Cursor;

use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Shape, Walker};
use polywire_core::tools::convert::convert;
use polywire_core::{ErrorKind, Limits};
use polywire_formats::registry;
use polywire_testing::{self as testing, Rng};

/// Converts a message of CBOR, and returns it with the number of remarks.
fn reshaped(message: &[u8], shape: Option<Shape>) -> Result<(Vec<u8>, usize), ErrorKind> {
    let cbor = registry::find("cbor").expect("a format");
    let mut walker = Walker::new(cbor, &Limits::DEFAULT).doubles(Doubles::Refuse).shape(shape);
    let mut out = Vec::new();
    let done = convert(&mut Stream::new(Cursor::new(message)), &mut out, &mut walker, cbor).map_err(|error| error.kind())?;
    Ok((out, done.losses.iter().count() + done.losses.cautions().count()))
}

#[test]
fn columns_without_a_remark_come_back() {
    let cbor = registry::find("cbor").expect("a format");
    let mut rng = Rng::with_seed(11);
    let (mut back, mut remarked, mut refused) = (0, 0, 0);
    for n in 0..4_000 {
        let value = testing::value(&mut rng, if n % 2 == 0 { testing::Shape::PLAIN } else { testing::Shape::ANY });
        let Ok(message) = testing::write(cbor, &value) else { continue };
        // The same message in the form that a conversion of CBOR to itself gives it.
        let Ok((message, 0)) = reshaped(&message, None) else { continue };
        match reshaped(&message, Some(Shape::Flat("/".into()))) {
            Ok((flat, 0)) => {
                let unflat = reshaped(&flat, Some(Shape::Nested("/".into()))).expect("columns can be read");
                let same = |bytes: &[u8]| {
                    let mut sink = polywire_core::value::ValueSink::default();
                    let mut walker = Walker::new(cbor, &Limits::DEFAULT);
                    walker.walk(bytes, 0, &mut sink).expect("a message");
                    sink.finish().expect("a value")
                };
                assert_eq!(same(&unflat.0), same(&message), "{value:?}");
                back += 1;
            }
            Ok(_) => remarked += 1,
            Err(ErrorKind::DoubledKey | ErrorKind::Unsupported) => refused += 1,
            Err(other) => panic!("{other:?}: {value:?}"),
        }
    }
    assert!(back > 1_000, "{back} came back, {remarked} with a remark, {refused} refused");
}
