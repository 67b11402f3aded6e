//! Paths into values: those of columns, conditions and references (docs/spec/ql.md 3 and 5.1).
//!
//! | file | holds |
//! |---|---|
//! | `step` | paths and their steps |
//! | `read`, `print` | paths from text, as it stands in references; paths as scripts spell them |
//! | `expression` | expressions of filters |
//! | `evaluate`, `judge` | values that a path finds; values of expressions |

mod evaluate;
mod expression;
mod judge;
mod print;
mod read;
mod step;

pub use evaluate::{column, matches};
pub use expression::Expression;
pub use step::{JsonPath, PathStep};

pub(crate) use print::{Behind, Quoting, is_word};
