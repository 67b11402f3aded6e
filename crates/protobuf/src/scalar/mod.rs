//! Scalar values, and how canonical JSON spells them. The writer takes the same spellings in place of numbers and moments.

mod number;
mod value;
mod well_known;

pub(crate) use number::{double, float, whole};
pub(crate) use value::{Value, is_default};
pub(crate) use well_known::{duration, has_form, mask_path, parse_duration, parse_timestamp, path_of_mask, timestamp};
