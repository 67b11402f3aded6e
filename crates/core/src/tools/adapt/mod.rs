//! Adapters between a reader and a sink that needs more than the reader promises, and [`Walker`],
//! which inserts them.

mod arrange;
mod chain;
mod opened;
mod select;
mod unique;
mod unknown;
mod walker;
mod whole;

pub use arrange::{Arrange, Order};
pub use opened::Opening;
pub use select::{Projection, Select};
pub use unique::Unique;
pub use unknown::{Unknown, WithoutUnknown};
pub use walker::{Doubles, Walker};
pub use whole::Whole;
