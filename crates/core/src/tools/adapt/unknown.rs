//! The treatment of bytes that the reader does not understand, such as a later schema's fields.

use crate::error::{Error, ErrorKind, Result};
use crate::walk::event::{Note, Span};
use crate::walk::forward::Forward;
use crate::walk::sink::{Needs, Sink};

/// The treatment of bytes that the reader does not understand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unknown {
    /// The sink gets them. A writer keeps them where it can, and else reports a loss.
    #[default]
    Keep,
    /// They are left out, as if they were not there.
    Drop,
    /// They are an error.
    Fail,
}

/// Keeps what the reader does not understand from a sink.
pub struct WithoutUnknown<'s, S: ?Sized> {
    sink: &'s mut S,
    unknown: Unknown,
}

impl<'s, S: ?Sized> WithoutUnknown<'s, S> {
    /// Makes an adapter before `sink`.
    pub fn new(sink: &'s mut S, unknown: Unknown) -> WithoutUnknown<'s, S> {
        WithoutUnknown { sink, unknown }
    }
}

impl<'m, S: Sink<'m> + ?Sized> Forward<'m> for WithoutUnknown<'_, S> {
    type To = S;

    fn to(&mut self) -> &mut S {
        self.sink
    }

    fn needs(&self) -> Needs {
        self.sink.needs()
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        match (note, self.unknown) {
            (Note::Unknown(_), Unknown::Drop) => Ok(()),
            (Note::Unknown(bytes), Unknown::Fail) => Err(Error::data(ErrorKind::Unsupported, at.start)
                .seen(format!("{} bytes that the schema does not explain", bytes.len()))
                .expected("fields of the schema only")),
            _ => self.sink.note(note, at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Tree;

    #[test]
    fn unknown_bytes_are_kept_dropped_or_refused() {
        let noted = |unknown| {
            let mut tree = Tree::new();
            Sink::note(&mut WithoutUnknown::new(&mut tree, unknown), Note::Unknown(&[8, 1]), Span::new(7, 9))
                .map_err(|error| error.offset())
        };
        assert_eq!([Unknown::Keep, Unknown::Drop, Unknown::Fail].map(noted), [Ok(()), Ok(()), Err(Some(7))]);
        let mut tree = Tree::new();
        assert!(Sink::note(&mut WithoutUnknown::new(&mut tree, Unknown::Fail), Note::Comment("kept"), Span::NONE).is_ok());
    }
}
