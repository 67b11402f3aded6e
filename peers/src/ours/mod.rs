//! Polywire as a peer.

pub mod protobuf;
pub mod psyc;
pub mod walk;
