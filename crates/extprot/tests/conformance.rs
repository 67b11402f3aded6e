//! The conformance vectors.

fn main() {}
