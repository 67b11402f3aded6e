//! The form of errors on stderr.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub struct ErrorsArg {
    /// Form of errors, losses and remarks on stderr
    #[arg(long, global = true, value_name = "FORM", value_enum, default_value_t = Form::Text)]
    pub errors: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For people
    Text,
    /// One JSON object on each line, for programs: docs/errors.md
    Json,
}

/// Reports whether arguments that cannot be parsed ask for JSON.
pub fn asks_for_json(args: &[OsString]) -> bool {
    let args: Vec<&OsString> = args.iter().take_while(|arg| *arg != "--").collect();
    let Some(form) = Form::Json.to_possible_value() else { return false };
    let apart = args.windows(2).any(|pair| pair[0] == "--errors" && pair[1] == form.get_name());
    apart || args.iter().any(|arg| **arg == *format!("--errors={}", form.get_name()))
}
