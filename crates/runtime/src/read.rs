//! The results and stores of all readers.

/// The failure of a fast reader. The slow reader of the encoding finds out why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed;

/// The result of a function that reads.
pub type Read<T> = Result<T, Failed>;

/// A store that gives each list and string memory of its own.
#[derive(Debug, Clone, Copy)]
pub struct Own;

/// A store that keeps nothing: values are only checked.
#[derive(Debug, Clone, Copy)]
pub struct Check;
