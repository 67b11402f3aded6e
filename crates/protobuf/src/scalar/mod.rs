//! Scalar values, and their spellings in canonical JSON. The writer accepts the same spellings for
//! numbers and moments.

mod number;
mod value;
mod well_known;

pub(crate) use number::{double, double_of, float, float_of, whole, whole_of};
pub(crate) use value::{Value, is_default};
pub(crate) use well_known::{duration, has_form, mask_path, parse_duration, parse_timestamp, path_of_mask, timestamp};
