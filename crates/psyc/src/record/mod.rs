//! The lossless profile: how any message is a packet (`docs/psyc-records.md`). Reader and writer
//! share these rules, so that one is the other's inverse.

pub(crate) mod name;
pub(crate) mod words;
