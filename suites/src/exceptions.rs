//! Known exceptions of a suite, which are data: `exceptions/NAME.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::outcome::Miss;

/// Cases that are missed knowingly, for one reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// Names of the cases.
    pub cases: Vec<String>,
    /// What we do instead: a word of [`Miss`].
    pub ours: String,
    /// Why that is right, or where the limit is documented.
    pub reason: String,
    /// The paragraph that decides, or the page of ours that says it.
    pub paragraph: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    exception: Vec<Exception>,
}

/// Exceptions of one suite.
#[derive(Debug, Default)]
pub struct Exceptions {
    /// In the order of the file.
    pub all: Vec<Exception>,
    by_case: BTreeMap<String, (usize, Miss)>,
}

impl Exceptions {
    /// Reads the exceptions of a suite. Without a file there are none.
    ///
    /// # Errors
    /// The file is malformed, names a case twice, or lacks a reason.
    pub fn load(path: &Path) -> Result<Exceptions, String> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Exceptions::default()),
            Err(error) => return Err(format!("{}: {error}", path.display())),
        };
        Exceptions::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn parse(text: &str) -> Result<Exceptions, String> {
        let File { exception: all } = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut by_case = BTreeMap::new();
        for (index, exception) in all.iter().enumerate() {
            let kind = Miss::ALL.into_iter().find(|kind| kind.word() == exception.ours);
            let Some(kind) = kind else {
                let words = Miss::ALL.map(Miss::word).join(", ");
                return Err(format!("saw `ours = \"{}\"`, expected one of {words}", exception.ours));
            };
            if exception.cases.is_empty() || exception.reason.trim().is_empty() || exception.paragraph.trim().is_empty() {
                return Err(format!("exception {} has no cases, no reason or no paragraph", index + 1));
            }
            for case in &exception.cases {
                if by_case.insert(case.clone(), (index, kind)).is_some() {
                    return Err(format!("the case `{case}` is excepted twice"));
                }
            }
        }
        Ok(Exceptions { all, by_case })
    }

    /// Returns whether a miss is a known one.
    pub fn has(&self, case: &str, kind: Miss) -> bool {
        self.by_case.get(case).is_some_and(|&(_, known)| known == kind)
    }

    /// Returns the names of all excepted cases.
    pub fn cases(&self) -> impl Iterator<Item = &str> {
        self.by_case.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_has_a_verdict_a_reason_and_a_paragraph() {
        let text = "[[exception]]\ncases = [\"a\", \"b\"]\nours = \"limit\"\nreason = \"r\"\nparagraph = \"p\"\n";
        let known = Exceptions::parse(text).unwrap();
        assert!(known.has("a", Miss::Limit) && known.has("b", Miss::Limit));
        assert!(!known.has("a", Miss::Accepted) && !known.has("c", Miss::Limit));
        for (from, to) in [("limit", "perhaps"), ("\"r\"", "\"\""), ("\"p\"", "\" \""), ("\"b\"", "\"a\""), ("reason", "because")] {
            assert!(Exceptions::parse(&text.replace(from, to)).is_err(), "{from} -> {to}");
        }
    }
}
