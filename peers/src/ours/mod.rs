//! Polywire as a peer.

pub mod encode;
pub mod protobuf;
pub mod psyc;
pub mod walk;
