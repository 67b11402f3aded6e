//! From words to descriptors, with places, comments, and options as they were written.
//!
//! Each function reads one construct of the grammar. A construct that fails is skipped, so that one
//! run finds the faults of several.

mod cursor;
mod enums;
mod extend;
mod field;
mod files;
mod message;
mod option;
mod ranges;
mod service;

pub(super) use cursor::{Parser, shortened};
pub(super) use field::{entry_name, scalar};

/// A construct that was given up. Its fault is noted.
pub(super) struct Failed;

type Parsed<T = ()> = Result<T, Failed>;
