//! Adapters between a reader and a sink that needs more than the reader promises, and [`Walker`],
//! which inserts them.

mod arrange;
mod chain;
mod entries;
mod flatten;
mod hits;
mod key;
mod numbers;
mod opened;
mod pick;
mod places;
mod projection;
mod select;
mod sought;
mod unflatten;
mod unique;
mod unknown;
mod walker;
mod whole;
mod whole_entries;

pub(crate) use hits::Hits;
pub(crate) use pick::chosen;
pub(crate) use places::Places;
pub(crate) use sought::Sought;

pub use arrange::{Arrange, Order};
pub use flatten::Flatten;
pub use numbers::{Numbers, Unrounded};
pub use opened::Opening;
pub use projection::Projection;
pub use select::Select;
pub use sought::Missed;
pub use unflatten::Unflatten;
pub use unique::Unique;
pub use unknown::{Unknown, WithoutUnknown};
pub use walker::{Doubles, Shape, Walker};
pub use whole::Whole;
