//! Why an exchange gave no reply.
//!
//! To the caller of the gateway these are a status 502 (spec 8.9, 12): the service, or the way to it, is at fault; only the deadline of the whole answer
//! is a 504. What is shown holds neither header values nor user information of URIs.

use std::fmt;
use std::time::{Duration, SystemTime};

use super::policy::Refusal;
use crate::observe::ErrorClass;

/// An exchange that gave no reply. One word wide.
#[derive(Debug, Clone)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    kind: ErrorKind,
    uri: String,
    retries: u32,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The policy does not let the gateway call there.
    Refused(Refusal),
    /// No progress for so long.
    Timeout {
        /// The idle timeout.
        idle: Duration,
    },
    /// The deadline of the statement or of the whole answer passed.
    Deadline,
    /// Too many failures in a row before: not tried (spec 8.10).
    BackOff {
        /// When this back-off began.
        start: SystemTime,
        /// Failures in a row.
        count: u32,
        /// How long it lasts in all.
        delay: Duration,
    },
    /// The reply is longer than the configuration allows.
    TooLong {
        /// In bytes.
        limit: u64,
        /// Whether that was seen after taking the content coding off.
        decoded: bool,
    },
    /// The content coding is unknown, or the body is not what it says.
    Coding {
        /// The coding, as the reply named it.
        coding: String,
        /// What is wrong.
        reason: String,
    },
    /// A redirect that cannot be followed.
    Redirect {
        /// What is wrong with it.
        reason: String,
    },
    /// The host's name has no address.
    Resolve {
        /// What the resolver says.
        reason: String,
    },
    /// No connection.
    Connect {
        /// The conventional name of the system's error.
        code: &'static str,
        /// What the system says.
        reason: String,
    },
    /// No secure connection.
    Tls {
        /// What is wrong.
        reason: String,
    },
    /// The connection ended before the reply did.
    Closed {
        /// Bytes of the body that came; none = the head was not complete.
        received: Option<u64>,
        /// Bytes that the head had promised.
        expected: Option<u64>,
    },
    /// What came is not HTTP, or more of it than the limits for heads allow.
    Protocol {
        /// What is wrong.
        reason: String,
    },
    /// The request cannot be sent as it is: the table is at fault.
    Request {
        /// What is wrong with it.
        reason: String,
    },
    /// Replaying, and there is no such exchange.
    Unrecorded {
        /// The file that would hold it.
        file: String,
    },
    /// The files of exchanges cannot be read or written.
    Tape {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
}

impl Error {
    /// `uri` is shown as it is: secrets must have been taken out.
    pub fn new(kind: ErrorKind, uri: impl Into<String>) -> Self {
        Error(Box::new(Inner { kind, uri: uri.into(), retries: 0 }))
    }

    /// Says how often the request was sent again.
    #[must_use]
    pub fn retried(mut self, retries: u32) -> Self {
        self.0.retries = retries;
        self
    }

    /// How often the request was sent again.
    pub fn retries(&self) -> u32 {
        self.0.retries
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The URI that was called, without secrets.
    pub fn uri(&self) -> &str {
        &self.0.uri
    }

    /// The HTTP status that stands for it.
    pub fn status(&self) -> u16 {
        502
    }

    /// The class that it is counted in.
    pub fn class(&self) -> ErrorClass {
        match &self.0.kind {
            ErrorKind::Refused(_) => ErrorClass::Refused,
            ErrorKind::Timeout { .. } | ErrorKind::Deadline => ErrorClass::TimedOut,
            ErrorKind::BackOff { .. } => ErrorClass::LeftAlone,
            _ => ErrorClass::Other,
        }
    }

    /// A short constant for programs.
    pub fn code(&self) -> &'static str {
        match &self.0.kind {
            ErrorKind::Refused(_) => "EACCES",
            ErrorKind::Timeout { .. } | ErrorKind::Deadline => "ETIMEDOUT",
            ErrorKind::BackOff { .. } => "EBACKOFF",
            ErrorKind::TooLong { .. } => "EMSGSIZE",
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
    /// Whether the network or the service failed, so that a second try may help (spec 8.9) and back-off counts it (spec 8.10).
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
            // The words of spec 8.9 and 8.10.
            ErrorKind::Timeout { .. } => f.write_str("Request timed out"),
            ErrorKind::BackOff { .. } => f.write_str("Back-off in progress"),
            ErrorKind::Deadline => f.write_str("The deadline passed before the reply was there"),
            ErrorKind::TooLong { limit, decoded: false } => write!(f, "The reply is longer than maxResponseLength, {limit} bytes"),
            ErrorKind::TooLong { limit, decoded: true } => {
                write!(f, "The decompressed reply is longer than maxDecodedLength, {limit} bytes")
            }
            ErrorKind::Coding { coding, reason } => write!(f, "The reply's content coding '{coding}' cannot be taken off: {reason}"),
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
