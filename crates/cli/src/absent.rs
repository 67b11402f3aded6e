//! Parts of the command line that this program was built without.

use std::ffi::{OsStr, OsString};
#[cfg(any(test, not(feature = "gateway")))]
use std::iter;

#[cfg(any(test, not(feature = "gateway")))]
use clap::Args;
use polywire_core::Error;

#[cfg(any(test, not(feature = "gateway"), not(feature = "rivals")))]
use crate::failure::Failure;
use crate::started;

/// The arguments of a verb that a feature brings.
#[cfg(any(test, not(feature = "gateway")))]
#[derive(Debug, Args)]
pub struct Absent {
    /// Arguments, unread
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<OsString>,
}

#[cfg(any(test, not(feature = "gateway")))]
impl Absent {
    /// Returns the failure of a verb that `feature` brings.
    pub fn verb(&self, verb: &str, feature: &str) -> Failure {
        missing(verb, feature, iter::once(OsStr::new(verb)).chain(self.arguments.iter().map(OsString::as_os_str)))
    }
}

/// Returns the failure of an option that `feature` brings, in a command of these words.
#[cfg(any(test, not(feature = "rivals")))]
pub fn option(option: &str, feature: &str, words: &[OsString]) -> Failure {
    missing(option, feature, words.iter().map(OsString::as_os_str))
}

/// Returns the error of a name, such as a format's, that `feature` brings.
pub fn name(name: &str, feature: &str) -> Error {
    lacking(name, feature, started::arguments().iter().skip(1).map(OsString::as_os_str))
}

#[cfg(any(test, not(feature = "gateway"), not(feature = "rivals")))]
fn missing<'a>(what: &str, feature: &str, words: impl Iterator<Item = &'a OsStr>) -> Failure {
    if cfg!(windows) && feature == "gateway" {
        return Error::usage(format!("`{what}` is not in this program: the gateway needs Linux or macOS")).into();
    }
    lacking(what, feature, words).into()
}

/// Returns the usage error that shows the command which builds the feature in and runs `words`.
fn lacking<'a>(what: &str, feature: &str, words: impl Iterator<Item = &'a OsStr>) -> Error {
    let words: Vec<String> = words.map(|word| quoted(&word.to_string_lossy())).collect();
    let command = format!("cargo run --profile dist --features {feature} -- {}", words.join(" "));
    Error::usage(format!("`{what}` is not in this program; build it in with\n    {command}"))
}

/// Returns a word as a POSIX shell takes it.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=,@+%".contains(&byte);
    match !word.is_empty() && word.bytes().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(failure: Failure) -> String {
        match failure {
            Failure::Error(error, None) => error.to_string(),
            _ => panic!("no usage error"),
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_verb_says_the_command_that_has_it() {
        let absent = Absent { arguments: ["shop", "--port", "0", "it's", ""].map(OsString::from).to_vec() };
        assert_eq!(
            said(absent.verb("serve", "gateway")),
            "`serve` is not in this program; build it in with\n    cargo run --profile dist --features gateway -- serve shop --port 0 'it'\\''s' ''"
        );
    }

    #[test]
    fn an_option_says_the_command_that_has_it() {
        let words = ["compare", "--rivals", "a b.jsonl"].map(OsString::from);
        assert_eq!(
            said(option("--rivals", "rivals", &words)),
            "`--rivals` is not in this program; build it in with\n    cargo run --profile dist --features rivals -- compare --rivals 'a b.jsonl'"
        );
    }
}
