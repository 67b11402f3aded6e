//! Canonical JSON (ProtoJSON format, <https://protobuf.dev/programming-guides/json/>).

mod text;

pub(crate) use text::string;
