//! The conformance vectors: every file of `testdata/extprot`, and of `$POLYWIRE_VECTORS/extprot` if
//! that is set.
//!
//! One line a file; a failure names the case, what was expected and what came. So does a case of a
//! kind that no module runs.

#[path = "conformance/codec.rs"]
mod codec;
#[path = "conformance/compat.rs"]
mod compat;
#[path = "conformance/compile.rs"]
mod compile;
#[path = "conformance/inspect.rs"]
mod inspect;
mod twin;
#[path = "conformance/values.rs"]
mod values;

use std::process::ExitCode;

use polywire_testing::vectors;
use serde_json::Value;

/// The actual and the expected result of a case; `None` for cases of another module.
type Outcome = fn(&Value) -> Option<(Value, Value)>;

/// One line per module.
const MODULES: &[Outcome] = &[compile::outcome, compat::outcome, codec::outcome, inspect::outcome];

fn main() -> ExitCode {
    vectors::run("extprot", |case| match MODULES.iter().find_map(|outcome| outcome(case)) {
        Some((came, expected)) => vectors::same(&came, &expected),
        None => Err("a kind of case that no module runs".into()),
    })
}
