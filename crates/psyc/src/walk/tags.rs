//! Codes of tagged values: operators and states.

use crate::packet::{Operator, State};

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
