//! The arguments of `polywire schema compile`.

use std::path::PathBuf;

use clap::Args;

/// Generate typed code from a schema: types, and functions that encode, decode and check them
///
/// The same schema always gives the same code. Build scripts use the library `polywire-codegen` for
/// this.
#[derive(Debug, Args)]
pub struct CompileArgs {
    /// Schema file, in a language with a code generator
    pub file: PathBuf,

    /// Language of the code
    #[arg(long, value_name = "LANGUAGE", default_value = "rust", value_parser = ["rust"])]
    #[allow(dead_code, reason = "it has one value")]
    pub lang: String,

    /// Encodings of the types, such as extprot,usds [default: the schema language's own]
    #[arg(long, value_name = "ENCODING", value_delimiter = ',')]
    pub encoding: Vec<String>,

    /// File to write the code to [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Folder with imported files; may be repeated [default: the file's folder and those above]
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<String>,

    /// Keep unknown fields, in encodings that have them
    #[arg(long)]
    pub unknown_fields: bool,

    /// Derive serde's traits; the generated code then depends on serde
    #[arg(long)]
    pub serde: bool,

    /// Leave out the types that own their data
    #[arg(long)]
    pub borrowed_only: bool,

    /// Leave out the types that borrow from the message and an arena
    #[arg(long, conflicts_with = "borrowed_only")]
    pub owned_only: bool,
}
