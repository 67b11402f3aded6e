//! The arguments of `polywire schema`.

pub mod check;
pub mod compile;
pub mod convert;
pub mod format;
pub mod infer;

use clap::{Args, Subcommand};

use check::CheckArgs;
use compile::CompileArgs;
use convert::ConvertSchemaArgs;
use format::FormatSchemaArgs;
use infer::InferArgs;

/// Work with schemas
#[derive(Debug, Args)]
pub struct SchemaArgs {
    #[command(subcommand)]
    pub verb: SchemaVerb,
}

#[derive(Debug, Subcommand)]
pub enum SchemaVerb {
    Infer(InferArgs),
    Check(CheckArgs),
    Format(FormatSchemaArgs),
    Convert(ConvertSchemaArgs),
    Compile(CompileArgs),
}
