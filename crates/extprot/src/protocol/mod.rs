//! The protocol language (section 2): from text to a [`Protocol`](crate::model::Protocol).
