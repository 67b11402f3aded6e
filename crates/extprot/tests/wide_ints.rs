//! Ints that the original cannot hold are read, and remarked.

use std::sync::Arc;

use polywire_core::value::Value;
use polywire_core::{Budget, Field, Limits, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};
use polywire_extprot::plan::Plan;
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_extprot::walk::{ExtprotReader, ExtprotWriter};

/// The number of a message, and remarks.
#[derive(Default)]
struct Found {
    number: Option<Value>,
    remarks: Vec<&'static str>,
}

impl<'m> Sink<'m> for Found {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        Ok(Next::Enter)
    }

    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.number = match value {
            Scalar::Int(value, _) => Some(Value::Int(value)),
            Scalar::UInt(value, _) => Some(Value::UInt(value)),
            other => panic!("{other:?}"),
        };
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, _: Span) -> Result<()> {
        match note {
            Note::Coerced(remark) => self.remarks.push(remark),
            other => panic!("{other:?}"),
        }
        Ok(())
    }
}

#[test]
fn ints_beyond_the_original_are_remarked() {
    let protocol = compile("wide", b"message m = { v : int }", &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
    let plan = Arc::new(Plan::new(&protocol, None).expect("a message"));
    for (number, beyond) in [
        (0, false),
        ((1 << 62) - 1, false),
        (1 << 62, true),
        (-(1 << 62), false),
        (-(1 << 62) - 1, true),
        (i64::MAX, true),
        (i64::MIN, true),
    ] {
        let mut writer = ExtprotWriter::new(Arc::clone(&plan)).expect("it can be written");
        let value = Value::Record { name: String::new(), fields: vec![("v".to_string(), Value::int(number))] };
        value.emit(&mut writer).expect("a message");
        let mut bytes = Vec::new();
        writer.finish(&mut bytes).expect("a message");
        let mut found = Found::default();
        let reader = ExtprotReader::new(Arc::clone(&plan));
        reader.walk_into(&bytes, 0, &mut found, &mut Budget::new(&Limits::DEFAULT)).expect("a message");
        assert_eq!((found.number, found.remarks.len()), (Some(Value::int(number)), usize::from(beyond)), "{number}");
    }
}
