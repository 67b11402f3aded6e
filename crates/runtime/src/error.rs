//! Why a decoder refuses bytes, where, and in which field.

use std::fmt;

use crate::encoding::Encoding;

/// Why bytes are refused, where, and in which field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error<E: Encoding>(Box<Found<E>>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Found<E: Encoding> {
    cause: E::Cause,
    offset: usize,
    path: Vec<PathStep>,
}

/// One step on the way to a refused value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// The name of the outermost type, a field, or a case.
    Name(&'static str),
    /// The position of an element of a list, or of an entry of a map, in the order of the message.
    Index(u32),
}

impl PathStep {
    /// Returns the name, or none for a position.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            PathStep::Name(name) => Some(name),
            PathStep::Index(_) => None,
        }
    }
}

impl<E: Encoding> Error<E> {
    /// Makes an error of its parts. The path goes from the outside in.
    #[cold]
    pub fn new(cause: E::Cause, offset: usize, path: Vec<PathStep>) -> Error<E> {
        Error(Box::new(Found { cause, offset, path }))
    }

    /// Returns what is wrong.
    pub fn cause(&self) -> E::Cause {
        self.0.cause
    }

    /// Returns the offset in the message (for a lazy field: in the field) of the refused value, tag
    /// or number. Where bytes or a field are missing, it is where the bytes that should hold them
    /// end.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// Returns the steps from the outermost type to the refused value.
    pub fn path(&self) -> &[PathStep] {
        &self.0.path
    }
}

impl<E: Encoding> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at byte {}", self.0.cause, self.0.offset)?;
        for (n, step) in self.0.path.iter().enumerate() {
            if n == 0 {
                f.write_str(", in ")?;
            }
            match step {
                PathStep::Name(name) if n == 0 => f.write_str(name)?,
                PathStep::Name(name) => write!(f, "{}{name}", E::SEPARATOR)?,
                PathStep::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

impl<E: Encoding> std::error::Error for Error<E> {}
