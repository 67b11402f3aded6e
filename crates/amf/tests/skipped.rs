//! Members that a sink steps over: what is open is closed, and what follows is read.

use polywire_amf::{AMF0, AMF3, PACKET, SHARED_OBJECT};
use polywire_core::{Budget, Field, Format, Limits, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span};

/// Steps over one field or container by its number, and holds that the others are whole.
#[derive(Default)]
struct Skips {
    due: usize,
    open: usize,
    seen: usize,
}

impl Skips {
    fn next(&mut self) -> Next {
        self.seen += 1;
        if self.seen == self.due { Next::Skip } else { Next::Enter }
    }
}

impl<'m> Sink<'m> for Skips {
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        let next = self.next();
        self.open += usize::from(next == Next::Enter);
        Ok(next)
    }

    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
        Ok(self.next())
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.open = self.open.checked_sub(1).expect("a close for each container that was opened");
        Ok(())
    }

    fn note(&mut self, _: Note<'_>, _: Span) -> Result<()> {
        Ok(())
    }
}

#[test]
fn each_part_can_be_stepped_over() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/corpus");
    for format in [&AMF0, &AMF3, &PACKET, &SHARED_OBJECT] {
        let format: &Format = format;
        let mut files = 0;
        for file in std::fs::read_dir(folder.join(format.name)).unwrap().flatten() {
            let bytes = std::fs::read(file.path()).unwrap();
            for due in 0..200 {
                let mut sink = Skips { due, ..Skips::default() };
                let walked = (format.reader)().walk(&bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT));
                walked.unwrap_or_else(|error| panic!("{:?} {due}: {error}", file.path()));
                assert_eq!(sink.open, 0, "{:?} {due}", file.path());
            }
            files += 1;
        }
        assert!(files > 0, "{}", format.name);
    }
}
