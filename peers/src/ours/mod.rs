//! Polywire as a peer.

pub mod asn1;
pub mod encode;
pub mod protobuf;
pub mod psyc;
pub mod walk;
