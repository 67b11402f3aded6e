//! `polywire schema`.

mod check;
mod compile;
mod convert;
mod format;
mod infer;
pub mod text;

use crate::args::schema::{SchemaArgs, SchemaVerb};
use crate::failure::Failure;

/// Runs the verb.
pub fn run(args: &SchemaArgs) -> Result<(), Failure> {
    match &args.verb {
        SchemaVerb::Infer(args) => infer::run(args),
        SchemaVerb::Check(args) => check::run(args),
        SchemaVerb::Format(args) => format::run(args),
        SchemaVerb::Convert(args) => convert::run(args),
        SchemaVerb::Compile(args) => compile::run(args),
    }
}
