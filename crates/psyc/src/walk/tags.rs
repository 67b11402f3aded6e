//! Codes of tagged values: operators and states.

use crate::packet::{Operator, State};

/// The name in the registry and in errors, and the space of its tagged values.
pub const NAME: &str = "psyc";

/// Returns the code of a value in the entity header whose operator is not `:`. In the routing
/// header [`ROUTING`] is added, whatever the operator.
pub const fn operator_code(operator: Operator) -> u64 {
    operator.byte() as u64
}

/// The summand that marks the code of a value in the routing header.
pub const ROUTING: u64 = 256;

/// Returns the code of a packet with a state line.
pub const fn state_code(state: State) -> u64 {
    512 + state.byte() as u64
}
