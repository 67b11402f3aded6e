//! The attacks, a file for each family.

pub mod bombs;
pub mod browsers;
pub mod cache;
pub mod fanout;
pub mod framing;
pub mod heads;
pub mod hooks;
pub mod http2;
pub mod itself;
pub mod lines;
pub mod mixed;
pub mod parsing;
pub mod pollution;
pub mod replicas;
pub mod sandbox;
pub mod scripts;
pub mod secrets;
pub mod slow;
pub mod smuggling;
pub mod sockets;
pub mod ssrf;
pub mod uris;
