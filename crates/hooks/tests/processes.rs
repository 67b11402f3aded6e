//! The tests of calls, in worker processes: scripts and callers see no difference.
#![allow(clippy::duplicate_mod, reason = "each file is a test of its own too")]

#[path = "functions.rs"]
mod functions;
#[path = "lazy.rs"]
mod lazy;
#[path = "limits.rs"]
mod limits;
#[path = "modules.rs"]
mod modules;
#[path = "node.rs"]
mod node;
#[path = "old_patches.rs"]
mod old_patches;
#[path = "part.rs"]
mod part;
#[path = "patch.rs"]
mod patch;
#[path = "templates.rs"]
mod templates;
#[path = "visit.rs"]
mod visit;
