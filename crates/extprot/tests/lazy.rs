//! Lazy fields in a walk: they are marked, and whoever does not want one has it stepped over
//! undecoded.

use std::sync::Arc;

use polywire_core::{Budget, Field, Limits, Next, Note, Open, Part, Result, Scalar, Sink, Span};
use polywire_extprot::error::Cause;
use polywire_extprot::plan::Plan;
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_extprot::walk::{ExtprotReader, Refusal};

/// Skips the given fields, and records the rest.
#[derive(Default)]
struct Seen {
    skips: Vec<&'static str>,
    seen: Vec<String>,
}

impl<'m> Sink<'m> for Seen {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        self.seen.push(open.kind().to_string());
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        let name = field.name.get();
        self.seen.push(format!("{name}:"));
        Ok(if self.skips.contains(&name) { Next::Skip } else { Next::Enter })
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.seen.push(value.kind().to_string());
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, _: Span) -> Result<()> {
        if let Note::Coerced(remark) = note {
            self.seen.push(remark.to_uppercase());
        }
        Ok(())
    }
}

/// `l` is a list whose element is no int, but as long as it says.
const BROKEN: &[u8] = &[0x01, 0x0b, 0x03, 0x02, 0x01, 0x05, 0x03, 0x01, 0x03, 0x00, 0x00, 0x04, 0x00];

fn walked(protocol: &str, bytes: &[u8], skips: &[&'static str]) -> (Vec<String>, std::result::Result<Option<usize>, Refusal>) {
    let protocol = compile("lazy", protocol.as_bytes(), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
    let reader = ExtprotReader::new(Arc::new(Plan::new(&protocol, None).expect("a message")));
    let mut sink = Seen { skips: skips.to_vec(), seen: Vec::new() };
    let outcome = reader.walk_into(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT));
    (sink.seen, outcome)
}

#[test]
fn lazy_fields_are_marked_and_can_be_stepped_over() {
    let protocol = "message m = { b [@lazy] : bool; l [@lazy] : [ int ]; i : int }";
    let (seen, outcome) = walked(protocol, BROKEN, &["l"]);
    assert_eq!(seen, ["record", "b:", "bool", "LAZY", "l:", "i:", "integer"]);
    assert!(matches!(outcome, Ok(Some(end)) if end == BROKEN.len()), "{outcome:?}");
    let (_, outcome) = walked(protocol, BROKEN, &[]);
    assert!(matches!(outcome, Err(Refusal::Message(failure)) if failure.at == 8 && matches!(failure.cause, Cause::BadWireType(_))));
}

#[test]
fn the_compiler_decides_in_an_autolazy_message() {
    let protocol = "message m [@autolazy] = { b : bool; l : [ int ]; p : (int * int); s [@eager] : [ int ] }";
    let (seen, _) =
        walked(protocol, &[0x01, 0x0f, 0x04, 0x02, 0x01, 0x05, 0x01, 0x00, 0x01, 0x05, 0x02, 0x00, 0x00, 0x00, 0x00, 0x05, 0x01], &[]);
    assert_eq!(&seen[..5], ["record", "b:", "bool", "LAZY", "l:"]);
    assert_eq!(seen.iter().filter(|seen| *seen == "LAZY").count(), 1);
}
