//! The numbers that inference decides by. Each bounds memory, or says how much evidence a guess
//! takes.

/// Most levels of nested containers; deeper values are of any type.
pub const MAX_DEPTH: usize = 64;

/// Most places in the inferred types at a time. Beyond, the deepest level is given up, and is of
/// any type.
pub const MAX_PLACES: usize = 20_000;

/// Most names of a record; with more it is a map.
pub const MAX_FIELDS: usize = 1024;

/// Most bytes of a field's name; a record with a longer one is a map.
pub const MAX_NAME: usize = 256;

/// Most different fields right before a field that are remembered. With more, only the mean
/// position orders it.
pub const MAX_BEFORE: usize = 16;

/// Most type names of records at one place; with more the names are given up.
pub const MAX_RECORD_NAMES: usize = 16;

/// Most cases of a sum type; with more the value is of any type, or no sum.
pub const MAX_CASES: usize = 32;

/// Most kinds of tagged values at one place; with more the value is of any type.
pub const MAX_TAGS: usize = 16;

/// Most values in a tuple that comes as a list, or in one case of a sum type.
pub const MAX_TUPLE: usize = 8;

/// Most different texts of an enumeration.
pub const MAX_MEMBERS: usize = 24;

/// Most bytes of a text of an enumeration.
pub const MAX_MEMBER_NAME: usize = 40;

/// Values needed before texts become an enumeration.
///
/// An enumeration refuses every text that it does not list, so a wrong guess costs a new version of
/// the schema; a text that is no enumeration costs a few bytes. After `n` values without a new
/// text, the chance that the next one is new is below `3 / n` at a confidence of 95 % (the rule of
/// three): here 1 %.
pub const ENUMERATION_SAMPLES: u64 = 300;

/// Times that each text of an enumeration must come.
///
/// Texts that came once estimate the share of those that never came (Good and Turing). A member
/// that came a few times only shows that rare ones exist, and that there may be more of them.
pub const TIMES_PER_MEMBER: u64 = 5;

/// Fewest bits of a whole number's type.
///
/// The samples' largest number is no limit of the traffic's: 8 bits for a count that reached 200
/// break at 256. 32 and 64 bits are the widths that all schema languages have, and formats with
/// numbers of variable length pay nothing for them.
pub const LEAST_BITS: u32 = 32;

/// Bits that a whole number's type has to spare above the samples' largest: the traffic's largest
/// may be twice as large.
pub const SPARE_BITS: u32 = 1;

/// Values needed before records of one field each become a sum type.
pub const SUM_SAMPLES: u64 = 6;

/// Names from which on a record may be a map because hardly any record has them all.
pub const MAP_NAMES: usize = 16;

/// Names from which on a record is a map if all of them look like data: numbers, dates, identifiers
/// with more digits than letters.
pub const MAP_DATA_NAMES: usize = 2;
