//! Values of the configuration that lie elsewhere: `{"$env": "NAME"}` is a variable of the
//! environment, `{"$file": "PATH"}` the text of a file. They are secrets.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use polywire_doc::{Datum, Ref, View};

/// The longest value, in bytes.
const LONGEST: u64 = 64 << 10;

/// A configuration with the values that lie elsewhere.
#[derive(Debug, Default)]
pub(super) struct Resolved {
    /// The configuration with all values.
    pub all: Datum,
    /// The configuration without the values from elsewhere, for scripts of callers.
    pub public: Datum,
    /// The values.
    pub secrets: Vec<String>,
    /// The files.
    pub files: Vec<PathBuf>,
}

/// Reads the values of a configuration that lie elsewhere. Files are named from `folder`.
///
/// # Errors
/// A variable or a file is missing, is no text, or is too long.
pub(super) fn resolve(config: &Datum, folder: &Path) -> Result<Resolved, String> {
    let mut reader = Reader { folder, path: Vec::new(), found: Resolved::default() };
    let (all, public) = reader.value(config.view())?;
    Ok(Resolved { all, public: public.unwrap_or_default(), ..reader.found })
}

struct Reader<'r> {
    folder: &'r Path,
    path: Vec<String>,
    found: Resolved,
}

impl Reader<'_> {
    /// Returns a value, and what of it may be shown.
    fn value(&mut self, value: Ref<'_>) -> Result<(Datum, Option<Datum>), String> {
        match value.view() {
            View::List(items) => {
                let (mut all, mut public) = (Vec::new(), Vec::new());
                for (n, item) in items.enumerate() {
                    self.path.push(format!("[{n}]"));
                    let (known, shown) = self.value(item)?;
                    self.path.pop();
                    all.push(known);
                    public.push(shown.unwrap_or_default());
                }
                Ok((Datum::from(all), Some(Datum::from(public))))
            }
            View::Object(members) => {
                let members: Vec<(&str, Ref<'_>)> = members.collect();
                if let [(name @ ("$env" | "$file"), source)] = members.as_slice() {
                    let text = match (source.as_str(), *name) {
                        (None, _) => Err("expected a text".to_owned()),
                        (Some(source), "$env") => variable(source),
                        (Some(source), _) => self.file(source),
                    };
                    let text = text.map_err(|what| format!("{}: {{\"{name}\": …}}: {what}", self.path.concat().trim_start_matches('.')))?;
                    self.found.secrets.push(text.clone());
                    return Ok((Datum::from(text), None));
                }
                let (mut all, mut public) = (Vec::new(), Vec::new());
                for (name, member) in members {
                    self.path.push(format!(".{name}"));
                    let (known, shown) = self.value(member)?;
                    self.path.pop();
                    all.push((name, known));
                    public.extend(shown.map(|shown| (name, shown)));
                }
                Ok((Datum::object(all), Some(Datum::object(public))))
            }
            _ => Ok((value.to_datum(), Some(value.to_datum()))),
        }
    }

    fn file(&mut self, name: &str) -> Result<String, String> {
        let path = self.folder.join(name);
        let shown = path.display();
        let file = File::open(&path).map_err(|error| format!("{shown}: {error}"))?;
        let mut text = String::new();
        file.take(LONGEST + 1).read_to_string(&mut text).map_err(|error| format!("{shown}: {error}"))?;
        if text.len() as u64 > LONGEST {
            return Err(format!("{shown} has more than {LONGEST} bytes"));
        }
        self.found.files.push(path);
        // Editors and tools end a file with a line end, which is no part of the value.
        Ok(text.strip_suffix('\n').map_or(text.as_str(), |line| line.strip_suffix('\r').unwrap_or(line)).to_owned())
    }
}

fn variable(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|error| match error {
        std::env::VarError::NotPresent => format!("the environment has no variable {name}"),
        std::env::VarError::NotUnicode(_) => format!("the variable {name} is not UTF-8"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::{data_type, request_body};
    use polywire_core::Limits;

    fn read(text: &str, folder: &Path) -> Result<Resolved, String> {
        let config = request_body(&text.to_owned().into(), Some(data_type()), &Limits::DEFAULT).unwrap();
        resolve(&config, folder)
    }

    #[test]
    fn values_from_files_and_the_environment() {
        let folder = std::env::temp_dir().join(format!("polywire-sources-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("key"), "s3cret\r\n").unwrap();
        let found =
            read(r#"{"a": {"k": {"$file": "key"}, "n": 1.50}, "l": [{"$env": "PATH"}, 2], "o": {"$file": "x", "b": 1}}"#, &folder).unwrap();
        let path = std::env::var("PATH").unwrap();
        let all = String::from_utf8(found.all.to_json()).unwrap();
        assert!(all.starts_with(r#"{"a":{"k":"s3cret","n":1.5"#) && all.contains(&path), "{all}");
        assert_eq!(
            String::from_utf8(found.public.to_json()).unwrap().replace("1.50", "1.5"),
            r#"{"a":{"n":1.5},"l":[null,2],"o":{"$file":"x","b":1}}"#
        );
        assert_eq!((found.secrets, found.files), (vec!["s3cret".to_owned(), path], vec![folder.join("key")]));
        for (text, what) in [
            (r#"{"a": {"k": {"$env": "NO_SUCH_VARIABLE"}}}"#, "a.k: {\"$env\": …}: the environment has no variable NO_SUCH_VARIABLE"),
            (r#"{"l": [{"$file": "absent"}]}"#, "l[0]: {\"$file\": …}: "),
            (r#"{"l": {"$file": 5}}"#, "expected a text"),
        ] {
            let error = read(text, &folder).unwrap_err();
            assert!(error.contains(what), "{error}");
        }
        std::fs::write(folder.join("long"), "x".repeat(70_000)).unwrap();
        assert!(read(r#"{"a": {"$file": "long"}}"#, &folder).unwrap_err().contains("more than 65536 bytes"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
