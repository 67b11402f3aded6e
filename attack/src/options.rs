//! The command line of this program.

use std::path::PathBuf;

use crate::registry::ATTACKS;

/// Options of a run.
#[derive(Debug, Default)]
pub struct Options {
    /// True for the list of names, and nothing else.
    pub list: bool,
    /// The program to attack.
    pub polywire: Option<PathBuf>,
    /// h2spec.
    pub h2spec: Option<PathBuf>,
    /// True if the first miss ends the run.
    pub stop: bool,
    /// True if latencies are not judged.
    pub slow: bool,
    /// Beginnings of the names to run; all if empty.
    names: Vec<String>,
}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// An option is unknown or has no value, or no attack has a name that begins so.
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options::default();
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().map(PathBuf::from).ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--list" => options.list = true,
                "--stop" => options.stop = true,
                "--slow" => options.slow = true,
                "--polywire" => options.polywire = Some(value()?),
                "--h2spec" => options.h2spec = Some(value()?),
                option if option.starts_with('-') => {
                    return Err(format!("{option} is no option; the attacks run against a gateway that they start"));
                }
                name if ATTACKS.iter().any(|attack| attack.name.starts_with(name)) => options.names.push(name.to_owned()),
                name => return Err(format!("no attack has a name that begins with {name}; --list shows them")),
            }
        }
        Ok(options)
    }

    /// Returns true for an attack that the caller asked for.
    pub fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|start| name.starts_with(start.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Options, String> {
        Options::parse(arguments.iter().map(|argument| (*argument).to_owned()))
    }

    #[test]
    fn no_target_can_be_named() {
        for argument in ["http://example.com", "example.com:80", "--host", "--url=http://127.0.0.1"] {
            assert!(parse(&[argument]).is_err(), "{argument}");
        }
    }

    #[test]
    fn names_are_beginnings() {
        let options = parse(&["http2", "--stop"]).unwrap();
        assert!(options.stop && options.wants("http2-reset") && !options.wants("heads-id"));
        assert!(parse(&[]).unwrap().wants("heads-id"));
        assert!(parse(&["--polywire"]).is_err());
    }
}
