//! The serializer of XML.

mod write;

pub(crate) use write::push;
