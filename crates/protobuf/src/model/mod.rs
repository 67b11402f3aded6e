//! Descriptors resolved: names to indices, features to their meaning, defaults to values. Code that
//! uses the model never looks at a syntax or an edition.

mod default;
mod enumeration;
mod features;
mod file;
mod ids;
mod kind;
mod message;
mod names;
mod pool;
mod resolve;
mod service;
mod shape;
mod spans;
mod well_known;

pub use default::Default;
pub(crate) use default::unescape;
pub use enumeration::{Enum, EnumValue};
pub use file::{Edition, File, Span};
pub use ids::{EnumId, ExtensionId, FileId, MessageId};
pub use kind::{Cardinality, Kind, Presence};
pub use message::{Extension, Field, MAX_NUMBER, Message, Oneof, RESERVED_NUMBERS};
pub use names::json_name;
pub(crate) use names::{candidates, short};
pub use pool::{Pool, Symbol};
pub use service::{Method, Service};
pub use well_known::WellKnown;
