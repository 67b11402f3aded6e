//! Packets to events, and any message to a packet, by the profile of `docs/psyc-records.md`.

mod read;
mod recognise;
mod tags;
mod write;

use polywire_core::format::{Format, Nature, Repeats};

pub use crate::value::PSYC_EPOCH as EPOCH;
pub use read::PsycReader;
pub use tags::{NAME, ROUTING, operator_code, state_code};
pub use write::PsycWriter;

/// The entry of PSYC in the registry.
pub static FORMAT: Format = Format::new(NAME, "PSYC 1.0", Nature::Text, recognise::recognise, || Box::<PsycReader>::default())
    .media_types(&["application/psyc", "application/x-psyc"])
    .extensions(&["psyc"])
    .magic("none; lines of an operator, a name, a tab and a value, up to a line of `|`")
    .repeats(Repeats::List)
    .writer(|| Box::<PsycWriter>::default());
