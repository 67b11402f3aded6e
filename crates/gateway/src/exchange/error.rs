//! Errors of exchanges.
//!
//! The gateway answers them with status 502 (docs/spec/ql.md 8.9, 12), since the fault lies with
//! the service or the way to it; only the deadline of the whole answer is a 504. Their texts hold
//! neither header values nor user information of URIs.

use std::fmt;
use std::time::{Duration, SystemTime};

use super::policy::Refusal;
use crate::observe::ErrorClass;

/// The error of an exchange without a reply. One word wide.
#[derive(Debug, Clone)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    kind: ErrorKind,
    uri: String,
    retries: u32,
}

/// Kinds of errors.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The policy refuses the target.
    Refused(Refusal),
    /// There was no progress within the idle timeout.
    Timeout {
        /// The idle timeout.
        idle: Duration,
    },
    /// The deadline of the statement or of the whole answer passed.
    Deadline,
    /// The target failed too often in a row, and was not tried (docs/spec/ql.md 8.10).
    BackOff {
        /// The beginning of this back-off.
        start: SystemTime,
        /// Failures in a row.
        count: u32,
        /// Its whole length.
        delay: Duration,
    },
    /// The host mostly failed, and was not asked.
    CircuitOpen {
        /// The time until it is tried again; zero while it is being tried.
        wait: Duration,
    },
    /// The reply is longer than the configuration allows.
    TooLong {
        /// In bytes.
        limit: u64,
        /// True if the limit was reached after content coding was removed.
        decoded: bool,
    },
    /// Other replies, and values of scripts, have the memory.
    Full,
    /// The content coding is unknown, or the body is not in it.
    Coding {
        /// The coding, as the reply named it.
        coding: String,
        /// The mistake.
        reason: String,
    },
    /// A redirect that cannot be followed.
    Redirect {
        /// The mistake.
        reason: String,
    },
    /// The host's name has no address.
    Resolve {
        /// The resolver's message.
        reason: String,
    },
    /// No connection.
    Connect {
        /// The conventional name of the system's error.
        code: &'static str,
        /// The system's message.
        reason: String,
    },
    /// No secure connection.
    Tls {
        /// The mistake.
        reason: String,
    },
    /// The connection ended before the reply did.
    Closed {
        /// Bytes of the body that came; none = the head was not complete.
        received: Option<u64>,
        /// Bytes that the head had promised.
        expected: Option<u64>,
    },
    /// The bytes are not HTTP, or exceed the limits for heads.
    Protocol {
        /// The mistake.
        reason: String,
    },
    /// The request cannot be sent: a fault of the table.
    Request {
        /// The mistake.
        reason: String,
    },
    /// No recorded exchange exists for a replayed request.
    Unrecorded {
        /// The file that would hold it.
        file: String,
    },
    /// The files of exchanges cannot be read or written.
    Tape {
        /// The file.
        file: String,
        /// The mistake.
        reason: String,
    },
}

impl Error {
    /// Makes an error. `uri` is shown unchanged: secrets must have been removed.
    pub fn new(kind: ErrorKind, uri: impl Into<String>) -> Self {
        Error(Box::new(Inner { kind, uri: uri.into(), retries: 0 }))
    }

    /// Sets the number of retries.
    #[must_use]
    pub fn retried(mut self, retries: u32) -> Self {
        self.0.retries = retries;
        self
    }

    /// Returns the number of retries.
    pub fn retries(&self) -> u32 {
        self.0.retries
    }

    /// Returns the kind.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the URI that was called, without secrets.
    pub fn uri(&self) -> &str {
        &self.0.uri
    }

    /// Returns the HTTP status that stands for it.
    pub fn status(&self) -> u16 {
        if self.0.kind == ErrorKind::Full { 503 } else { 502 }
    }

    /// Returns the class that it is counted in.
    pub fn class(&self) -> ErrorClass {
        match &self.0.kind {
            ErrorKind::Refused(_) => ErrorClass::Refused,
            ErrorKind::Timeout { .. } | ErrorKind::Deadline => ErrorClass::TimedOut,
            ErrorKind::BackOff { .. } | ErrorKind::CircuitOpen { .. } => ErrorClass::LeftAlone,
            _ => ErrorClass::Other,
        }
    }

    /// Returns a short constant for programs.
    pub fn code(&self) -> &'static str {
        match &self.0.kind {
            ErrorKind::Refused(_) => "EACCES",
            ErrorKind::Timeout { .. } | ErrorKind::Deadline => "ETIMEDOUT",
            ErrorKind::BackOff { .. } => "EBACKOFF",
            ErrorKind::CircuitOpen { .. } => "ECIRCUIT",
            ErrorKind::TooLong { .. } => "EMSGSIZE",
            ErrorKind::Full => "ENOMEM",
            ErrorKind::Coding { .. } => "ECODING",
            ErrorKind::Redirect { .. } => "EREDIRECT",
            ErrorKind::Resolve { .. } => "ENOTFOUND",
            ErrorKind::Connect { code, .. } => code,
            ErrorKind::Tls { .. } => "ETLS",
            ErrorKind::Closed { .. } => "ECONNRESET",
            ErrorKind::Protocol { .. } => "EPROTO",
            ErrorKind::Request { .. } => "EINVAL",
            ErrorKind::Unrecorded { .. } => "ENOENT",
            ErrorKind::Tape { .. } => "EIO",
        }
    }
}

impl ErrorKind {
    /// Returns true for an error of the network or the service: a retry may help (docs/spec/ql.md
    /// 8.9), and back-off counts it (docs/spec/ql.md 8.10).
    pub fn is_network(&self) -> bool {
        matches!(
            self,
            ErrorKind::Timeout { .. }
                | ErrorKind::Resolve { .. }
                | ErrorKind::Connect { .. }
                | ErrorKind::Tls { .. }
                | ErrorKind::Closed { .. }
                | ErrorKind::Protocol { .. }
        )
    }
}

/// The message, without the URI.
impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Refused(refusal) => refusal.fmt(f),
            // The texts of docs/spec/ql.md 8.9 and 8.10.
            ErrorKind::Timeout { .. } => f.write_str("Request timed out"),
            ErrorKind::BackOff { .. } => f.write_str("Back-off in progress"),
            ErrorKind::CircuitOpen { wait } => {
                write!(f, "The host mostly failed just now, and is left alone; it is tried again in {} ms", wait.as_millis())
            }
            ErrorKind::Deadline => f.write_str("The deadline passed before the reply arrived"),
            ErrorKind::TooLong { limit, decoded: false } => write!(f, "The reply is longer than maxResponseLength, {limit} bytes"),
            ErrorKind::TooLong { limit, decoded: true } => {
                write!(f, "The decompressed reply is longer than maxDecodedLength, {limit} bytes")
            }
            ErrorKind::Full => f.write_str("There is no memory left for the reply; others have all of totalMemory"),
            ErrorKind::Coding { coding, reason } => write!(f, "The reply's content coding '{coding}' cannot be removed: {reason}"),
            ErrorKind::Redirect { reason } => write!(f, "The redirect cannot be followed: {reason}"),
            ErrorKind::Resolve { reason } => write!(f, "The host has no address: {reason}"),
            ErrorKind::Connect { reason, .. } => write!(f, "No connection to the service: {reason}"),
            ErrorKind::Tls { reason } => write!(f, "No secure connection to the service: {reason}"),
            ErrorKind::Closed { received: Some(received), expected: Some(expected) } => {
                write!(f, "The service closed the connection after {received} of {expected} bytes")
            }
            ErrorKind::Closed { received: Some(received), expected: None } => {
                write!(f, "The service closed the connection after {received} bytes, before the end of the reply")
            }
            ErrorKind::Closed { received: None, .. } => f.write_str("The service closed the connection before it replied"),
            ErrorKind::Protocol { reason } => write!(f, "The reply is not HTTP: {reason}"),
            ErrorKind::Request { reason } => write!(f, "The request cannot be sent: {reason}"),
            ErrorKind::Unrecorded { file } => write!(f, "There is no recorded exchange; expected {file}"),
            ErrorKind::Tape { file, reason } => write!(f, "The recorded exchange {file}: {reason}"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.uri, self.0.kind)
    }
}

impl std::error::Error for Error {}
