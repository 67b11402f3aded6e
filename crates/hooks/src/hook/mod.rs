//! Patch modules: the hooks of a table's verb (docs/spec/ql.md 10), each a function here.
//!
//! | file | holds |
//! |---|---|
//! | `name` | the hooks by name |
//! | `record` | the record that all hooks get, and their answers |
//! | `args` | arguments of a hook besides the record, and its value |
//! | `patch` | a patch module, and how its hooks are called |
//! | `request` | the hooks before the request |
//! | `reply` | the hooks after it |
//! | `reply_body`, `seen` | bodies on their way to workers, and the parts that hooks look at |
//! | `wire` | headers and bodies as hooks see them |

mod args;
mod name;
mod patch;
mod record;
mod reply;
mod reply_body;
mod request;
mod seen;
pub(crate) mod wire;

pub(crate) use patch::{HookCall, PatchLoad};
pub(crate) use reply::{MediaTypeArgs, ParseArgs, ResponseArgs, StatusArgs};
pub(crate) use request::{BodyArgs, HeadersArgs, KeyArgs, TemplateArgs, UriArgs, ValidateArgs};
pub(crate) use seen::Seen;

pub use name::Hook;
pub use patch::Patch;
pub use record::{Answer, Record};
pub use reply::Reply;
pub use request::{CacheKey, Request};
pub use wire::{Body, Content, Headers};
