//! Patch modules: the hooks of a table's verb (docs/spec/ql.md 10), each a function here.
//!
//! | file | holds |
//! |---|---|
//! | `name` | the hooks by name |
//! | `record` | the record that all hooks get, and their answers |
//! | `patch` | a patch module, and how its hooks are called |
//! | `request` | the hooks before the request |
//! | `reply` | the hooks after it |
//! | `wire` | headers and bodies as hooks see them |

mod name;
mod patch;
mod record;
mod reply;
mod request;
pub(crate) mod wire;

pub use name::Hook;
pub use patch::Patch;
pub use record::{Answer, Record};
pub use reply::Reply;
pub use request::{CacheKey, Request};
pub use wire::{Body, Content, Headers};
