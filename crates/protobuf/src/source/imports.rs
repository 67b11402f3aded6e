//! The lookup of imports.

use std::io;
use std::path::{Component, Path};

use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::{Loaded, Loader};

/// Largest number of folders above a text in which its imports are looked up.
const MAX_ABOVE: usize = 32;

/// Folders for the lookup of imports, in order.
pub(super) struct Roots(Vec<String>);

impl Roots {
    pub fn new(text: &SchemaText<'_>, include: &[String]) -> Roots {
        if !include.is_empty() {
            return Roots(include.to_vec());
        }
        let own = if text.identity.is_empty() { text.name } else { text.identity };
        let above = Path::new(own).ancestors().skip(1).take(MAX_ABOVE).map(|folder| folder.to_string_lossy().into_owned());
        let mut roots: Vec<String> = above.collect();
        roots.push(String::new());
        roots.dedup();
        Roots(roots)
    }

    /// Loads the text of an import from the first folder that has it.
    pub fn load(&self, import: &str, files: &mut dyn Loader) -> io::Result<Loaded> {
        let sound = !Path::new(import).is_absolute() && import.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !sound {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a path with `.`, `..`, or empty parts"));
        }
        let mut failure = None;
        for root in &self.0 {
            match files.load(&Path::new(root).join(import).to_string_lossy()) {
                Ok(loaded) => return Ok(loaded),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        Err(failure.unwrap_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file")))
    }

    /// Returns the name by which imports refer to a text: its path below its include folder, or
    /// else its last part.
    pub fn name_of(&self, text: &SchemaText<'_>) -> String {
        let own = Path::new(text.name);
        let below = self.0.iter().filter(|root| !root.is_empty()).find_map(|root| own.strip_prefix(root).ok());
        let sound = |path: &&Path| path.components().all(|part| matches!(part, Component::Normal(_))) && path.components().next().is_some();
        let name = below.filter(sound).or(own.file_name().map(Path::new)).unwrap_or(Path::new("schema.proto"));
        name.to_string_lossy().into_owned()
    }
}
