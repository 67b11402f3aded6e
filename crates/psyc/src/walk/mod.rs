//! A packet as events, and any message as a packet, by the profile of `docs/psyc-records.md`.

mod read;
mod recognise;
mod write;

use polywire_core::format::{Format, Nature, Repeats};

use crate::packet::{Operator, State};

pub use crate::value::PSYC_EPOCH as EPOCH;
pub use read::PsycReader;
pub use write::PsycWriter;

/// Name in the registry, in errors, and the space of its tagged values.
pub const NAME: &str = "psyc";

/// The code of a value in the entity header whose operator is not `:`; [`ROUTING`] more in the routing header, whatever the operator.
pub const fn operator_code(operator: Operator) -> u64 {
    operator.byte() as u64
}

/// What the code of a value in the routing header has more than that of its operator.
pub const ROUTING: u64 = 256;

/// The code of a packet with a state line.
pub const fn state_code(state: State) -> u64 {
    512 + state.byte() as u64
}

/// PSYC's line in the registry.
pub static FORMAT: Format = Format::new(NAME, "PSYC 1.0", Nature::Text, recognise::recognise, || Box::<PsycReader>::default())
    .media_types(&["application/psyc", "application/x-psyc"])
    .extensions(&["psyc"])
    .magic("none; lines of an operator, a name, a tab and a value, up to a line of `|`")
    .repeats(Repeats::List)
    .writer(|| Box::<PsycWriter>::default());
