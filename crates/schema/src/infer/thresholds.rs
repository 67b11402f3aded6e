//! The numbers that inference decides by. All of them bound memory, or say how much evidence a guess takes.

/// Containers within containers that are told apart; what lies deeper is of any type.
pub const MAX_DEPTH: usize = 64;

/// Places in the inferred types that are told apart at a time. When there are more, the deepest level is given up, and is of any type.
pub const MAX_PLACES: usize = 20_000;

/// Names that a record may have; with more it is a map.
pub const MAX_FIELDS: usize = 1024;

/// Length of a field's name in bytes; a record with a longer one is a map.
pub const MAX_NAME: usize = 256;

/// Type names of records at one place; with more the names are given up.
pub const MAX_RECORD_NAMES: usize = 16;

/// Cases of a sum type; with more the value is of any type, or no sum.
pub const MAX_CASES: usize = 32;

/// Kinds of tagged values at one place; with more the value is of any type.
pub const MAX_TAGS: usize = 16;

/// Values in a tuple that comes as a list, or in one case of a sum type.
pub const MAX_TUPLE: usize = 8;

/// Different texts of an enumeration.
pub const MAX_MEMBERS: usize = 24;

/// Length of a text of an enumeration in bytes.
pub const MAX_MEMBER_NAME: usize = 40;

/// A text must come this often, on average, to belong to an enumeration.
pub const SAMPLES_PER_MEMBER: u64 = 4;

/// Values that it takes before texts are called an enumeration.
pub const ENUMERATION_SAMPLES: u64 = 16;

/// Values that it takes before records of one field each are called a sum type.
pub const SUM_SAMPLES: u64 = 6;

/// Names from which on a record may be a map because hardly any record has them all.
pub const MAP_NAMES: usize = 16;

/// Names from which on a record is a map if all of them look like data: numbers, dates, identifiers with more digits than letters.
pub const MAP_DATA_NAMES: usize = 2;
