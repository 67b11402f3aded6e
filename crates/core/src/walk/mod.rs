//! The walk: events, the readers that emit them, the sinks and writers that receive them.

pub(crate) mod entries;
pub(crate) mod event;
pub(crate) mod forward;
pub(crate) mod key_cost;
pub(crate) mod layout;
pub(crate) mod loss;
pub(crate) mod path;
mod path_text;
pub(crate) mod read;
pub(crate) mod sink;
pub(crate) mod slice;
pub(crate) mod time;
pub(crate) mod track;
pub(crate) mod write;

pub use entries::{Amended, EntryPath, Shape, Step, Structure};
pub use event::{Field, Hint, Len, Next, Note, Open, Part, PartKind, Scalar, Span, Spelling, Str};
pub use forward::Forward;
pub use key_cost::KeyCost;
pub use layout::{Colors, Indent, Layout};
pub use loss::{LossKind, Losses, Lost};
pub use path::{Path, PathStep};
pub use read::{Frame, Reader, Surrogates};
pub use sink::{Needs, Sink};
pub use slice::Slice;
pub use time::Timestamp;
pub use track::Tracker;
pub use write::Writer;
