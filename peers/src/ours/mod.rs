//! Polywire as a peer.

pub mod psyc;
pub mod walk;
