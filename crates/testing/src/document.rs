//! The bodies of the fuzz targets of documents.

use bytes::Bytes;

use polywire_core::format::Format;
use polywire_core::value::{Value, ValueSink};
use polywire_core::walk::Forward;
use polywire_core::{Budget, Limits, Result, Scalar, Sink, Span};
use polywire_doc::{Conventions, Datum, Doc, DocSink, Reading, Repeated, Shape, Wanted};

/// Returns the selections of the fuzz bodies.
fn selections() -> [Wanted; 3] {
    [Wanted::everything(), Wanted::nothing(), Wanted::paths([vec!["a"], vec!["item", "b"]])]
}

fn limits() -> Limits {
    Limits::DEFAULT.with_decoded(1 << 20)
}

/// Checks, as the body of a fuzz target, that the events of any bytes make a document or an error,
/// and that all views of a document agree.
///
/// # Panics
/// A check fails.
pub fn fuzz_document(format: &'static Format, bytes: &[u8]) {
    let body = Bytes::copy_from_slice(bytes);
    for wanted in selections() {
        for repeated in [Repeated::Group, Repeated::Last] {
            let mut sink = DocSink::new(body.clone(), &wanted, repeated);
            if (format.reader)().walk(&body, 0, &mut sink, &mut Budget::new(&limits())).is_err() {
                continue;
            }
            let (doc, skipped) = sink.finish(bytes.len() as u64).unwrap_or_else(|error| panic!("{}: {error}", format.name));
            check(doc, skipped, bytes);
        }
    }
}

/// Checks the same as [`fuzz_document`] for the conventions of a format.
///
/// # Panics
/// A check fails, or an error has no offset in the bytes.
pub fn fuzz_conventions(conventions: &dyn Conventions, bytes: &[u8]) {
    let body = Bytes::copy_from_slice(bytes);
    let shape = Shape::default();
    for wanted in selections() {
        for convention in conventions.list() {
            for header in [false, true] {
                let reading = Reading { wanted: &wanted, shape: &shape, header, utf8: header };
                match conventions.read(convention.name, &body, &reading, &mut Budget::new(&limits())) {
                    Ok(read) => check(read.doc, read.skipped, bytes),
                    Err(error) => {
                        assert!(error.offset().is_some_and(|offset| offset <= bytes.len() as u64), "{}: {error}", convention.name);
                    }
                }
            }
        }
    }
}

fn check(doc: Doc, skipped: u64, bytes: &[u8]) {
    assert!(skipped <= bytes.len() as u64, "{skipped} bytes skipped of {}", bytes.len());
    let datum = Datum::from(doc);
    let value = Value::from(&datum);
    assert_eq!(Datum::from(&value), datum);
    let mut seen = Seen::default();
    datum.emit(&mut seen).expect("a sink that takes all");
    // A value has no digits of its own.
    if !seen.digits {
        assert_eq!(Datum::from(&value).to_json(), datum.to_json());
    }
    crate::assert_same(&seen.value.finish().expect("a document has a value"), &value, "the events of a document");
}

/// A value, and whether one of its floats has digits beside it.
#[derive(Default)]
struct Seen {
    value: ValueSink,
    digits: bool,
}

impl<'m> Forward<'m> for Seen {
    type To = ValueSink;

    fn to(&mut self) -> &mut ValueSink {
        &mut self.value
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if let Scalar::F64(float, hint) = value
            && let Some(digits) = hint.digits()
        {
            assert!(digits.parse::<f64>().is_ok_and(|read| read.to_bits() == float.to_bits()), "{digits} is not {float:?}");
            self.digits = true;
        }
        self.value.scalar(value, at)
    }
}
