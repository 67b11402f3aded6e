//! The character set of the input: `--charset`, `--charset-errors`.

use clap::{Args, ValueEnum};
use polywire_core::Error;
use polywire_core::format::{Format, Nature};
use polywire_formats::charset::{Charset, Invalid};

#[derive(Debug, Args)]
pub struct CharsetArg {
    /// Character set of text, such as latin1, windows-1252, utf-16le or shift_jis [default: UTF-8,
    /// or UTF-16 by its byte order mark]
    #[arg(long, value_name = "NAME", value_parser = Charset::named)]
    pub charset: Option<Charset>,

    /// Bytes that are no character of the character set
    #[arg(long, value_name = "POLICY", value_enum, default_value_t = CharsetErrors::Error, requires = "charset")]
    pub charset_errors: CharsetErrors,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum CharsetErrors {
    /// An error
    Error,
    /// They become U+FFFD
    Replace,
}

impl CharsetArg {
    /// Returns the policy as decoders take it.
    pub fn policy(&self) -> Invalid {
        match self.charset_errors {
            CharsetErrors::Error => Invalid::Refuse,
            CharsetErrors::Replace => Invalid::Replace,
        }
    }

    /// Fails if there is a character set and `format` takes none.
    pub fn is_for(&self, format: &Format) -> Result<(), Error> {
        let error = || Error::usage(format!("--charset for {}", format.name));
        match (self.charset, format.nature, format.names_charset) {
            (None, ..) | (_, Nature::Text, false) => Ok(()),
            (_, Nature::Binary, _) => Err(error().expected("a text format")),
            (_, Nature::Text, true) => Err(error().expected("none, as its messages name their character set")),
        }
    }
}
