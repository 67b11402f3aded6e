//! The result of one case.

use std::fmt;

use polywire_core::{Error, ErrorKind, Fault};

/// The result of one case of a suite.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The library did as the suite demands.
    Right,
    /// The suite leaves the answer open; the library gave one without a panic.
    Free,
    /// The library did something else.
    Miss(Miss, String),
}

/// The way in which a case was missed. Exceptions name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Miss {
    /// A message was read that has to be refused.
    Accepted,
    /// A message was refused that has to be read.
    Refused,
    /// A message was refused for a limit, whichever answer is right.
    Limit,
    /// The value is another one.
    Value,
    /// The bytes written are others.
    Bytes,
    /// A deviation was read without a remark, or a remark was made without one.
    Remark,
    /// The library panicked.
    Panic,
    /// A judge that is a program of its own found a failure.
    Failed,
}

impl Miss {
    /// All of them.
    pub const ALL: [Miss; 8] =
        [Miss::Accepted, Miss::Refused, Miss::Limit, Miss::Value, Miss::Bytes, Miss::Remark, Miss::Panic, Miss::Failed];

    /// Returns the word that exceptions have.
    pub fn word(self) -> &'static str {
        match self {
            Miss::Accepted => "accepted",
            Miss::Refused => "refused",
            Miss::Limit => "limit",
            Miss::Value => "value",
            Miss::Bytes => "bytes",
            Miss::Remark => "remark",
            Miss::Panic => "panic",
            Miss::Failed => "failed",
        }
    }
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Outcome {
    /// Makes a miss with what was seen.
    pub fn miss(kind: Miss, seen: impl Into<String>) -> Outcome {
        Outcome::Miss(kind, seen.into())
    }

    /// Returns the outcome of a message that has to be refused: by an error of its data, which is
    /// not a limit's.
    pub fn refused<T>(outcome: Result<T, Error>) -> Outcome {
        match outcome {
            Ok(_) => Outcome::miss(Miss::Accepted, "read without an error"),
            Err(error) if error.kind() == ErrorKind::Limit => Outcome::miss(Miss::Limit, error.to_string()),
            Err(error) if error.fault() != Fault::Data => Outcome::miss(Miss::Failed, error.to_string()),
            Err(_) => Outcome::Right,
        }
    }

    /// Returns the outcome of an error where a value was demanded.
    pub fn error(error: &Error) -> Outcome {
        let kind = if error.kind() == ErrorKind::Limit { Miss::Limit } else { Miss::Refused };
        Outcome::miss(kind, error.to_string())
    }

    /// Returns the outcome of a value that has to be read, and judges it by `judge`.
    pub fn read<T>(outcome: Result<T, Error>, judge: impl FnOnce(T) -> Outcome) -> Outcome {
        match outcome {
            Ok(value) => judge(value),
            Err(error) => Outcome::error(&error),
        }
    }

    /// Compares bytes that were written with those that were demanded.
    pub fn same_bytes(written: &[u8], demanded: &[u8]) -> Outcome {
        if written == demanded {
            return Outcome::Right;
        }
        Outcome::miss(Miss::Bytes, format!("wrote {}, not {}", short(written), short(demanded)))
    }

    /// Returns right, or a miss in the value with what `seen` says.
    pub fn value(right: bool, seen: impl FnOnce() -> String) -> Outcome {
        if right { Outcome::Right } else { Outcome::miss(Miss::Value, seen()) }
    }
}

/// Returns the first bytes in hexadecimal, or as they are if they are text.
pub fn short(bytes: &[u8]) -> String {
    const MOST: usize = 120;
    let cut = &bytes[..bytes.len().min(MOST)];
    let more = if bytes.len() > MOST { format!("… ({} bytes)", bytes.len()) } else { String::new() };
    match std::str::from_utf8(cut) {
        Ok(text) if !text.is_empty() && text.chars().all(|letter| !letter.is_control() || letter == '\n') => format!("{text:?}{more}"),
        _ => format!("{}{more}", data_encoding::HEXLOWER.encode(cut)),
    }
}
