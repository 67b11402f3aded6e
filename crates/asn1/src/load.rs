//! Texts of a schema: a file, and the files of the modules that it imports.
//!
//! A module is imported by its name, which is no file name. It is sought in the folder of the file
//! that names it first, then in the include folders and the folders in them.

use std::collections::HashSet;
use std::path::Path;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::{Loader, MAX_TEXT, identity};
use smol_str::SmolStr;

use crate::Modules;
use crate::resolve::Import;

/// File extensions of modules, the preferred one first.
pub const EXTENSIONS: &[&str] = &["asn", "asn1"];

/// Most bytes of files that are looked into for a module.
const MAX_SOUGHT: usize = 256 << 20;

/// Returns the modules of a text, and those that they import as far as there are files of them. An
/// include folder may also be a file, whose modules count as found.
pub fn load(text: &SchemaText<'_>, files: &mut dyn Loader) -> Modules {
    let mut modules = Modules::new();
    if text.bytes.len() > MAX_TEXT {
        modules.too_long(text.name, MAX_TEXT);
        return modules;
    }
    modules.add(text.name, text.bytes);
    modules.library();
    let mut search = Search { files, far: None, loaded: HashSet::new(), sought: 0 };
    search.loaded.insert(text.identity.to_string());
    let from = home(text);
    let mut tried: HashSet<SmolStr> = HashSet::new();
    loop {
        let missing: Vec<Import> = modules.missing_imports().into_iter().filter(|import| !tried.contains(&import.name)).collect();
        if missing.is_empty() {
            return modules;
        }
        for import in missing {
            // A file that was loaded for another module may have it.
            if tried.insert(import.name.clone()) && modules.modules().iter().all(|module| module.name.text != import.name) {
                let from = if import.source == 1 { from.clone() } else { folder(modules.name(import.source)) };
                search.add(&import, &from, &mut modules);
            }
        }
    }
}

/// Returns the folder of a text. The name of an older version is no path, but its identity is.
fn home(text: &SchemaText<'_>) -> String {
    let is_path = text.identity.is_empty() || identity(Path::new(text.name)) == text.identity;
    folder(if is_path { text.name } else { text.identity })
}

fn folder(path: &str) -> String {
    Path::new(path).parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default()
}

fn is_module(path: &str) -> bool {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

/// File that has a module, perhaps the one that is sought.
struct Candidate {
    path: String,
    identity: String,
    bytes: Vec<u8>,
    rank: (bool, usize),
}

struct Search<'f> {
    files: &'f mut dyn Loader,
    /// Files of the include folders, once they are known.
    far: Option<Vec<String>>,
    loaded: HashSet<String>,
    sought: usize,
}

impl Search<'_> {
    /// Adds the text of a module that is imported from a file in the folder `from`.
    fn add(&mut self, import: &Import, from: &str, modules: &mut Modules) {
        let near = self.files.list(if from.is_empty() { "." } else { from }, false);
        let near: Vec<String> = near.into_iter().map(|path| path.strip_prefix("./").map(str::to_string).unwrap_or(path)).collect();
        // A loader that cannot list may still have files of the module's name.
        let plain = EXTENSIONS.iter().map(|extension| {
            let name = format!("{}.{extension}", import.name);
            if from.is_empty() { name } else { format!("{from}/{name}") }
        });
        let plain: Vec<String> = plain.collect();
        let found = self.among(import, from, &plain, true);
        let found = found.or_else(|| self.among(import, from, &near, false)).or_else(|| {
            let far = self.far();
            // Most files are named after their module.
            self.among(import, from, &far, true).or_else(|| self.among(import, from, &far, false))
        });
        if let Some(found) = found {
            modules.add(&found.path, &found.bytes);
            self.loaded.insert(found.identity);
        }
    }

    fn far(&mut self) -> Vec<String> {
        if let Some(known) = &self.far {
            return known.clone();
        }
        let mut far = Vec::new();
        for include in self.files.include().to_vec() {
            if is_module(&include) {
                far.push(include);
            } else {
                // Loaders that cannot list have at least the modules' own names.
                far.extend(self.files.list(&include, true));
            }
        }
        self.far = Some(far.clone());
        far
    }

    /// Returns the file that fits best: that with the object identifier of the import, else the one
    /// whose folders are most like those of the importing file.
    fn among(&mut self, import: &Import, from: &str, paths: &[String], named: bool) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        let parts: HashSet<&str> = from.split(['/', '\\']).collect();
        for path in paths.iter().filter(|path| is_module(path)) {
            let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            if named != stem.eq_ignore_ascii_case(&import.name) || self.sought > MAX_SOUGHT {
                continue;
            }
            let Ok(loaded) = self.files.load(path) else { continue };
            self.sought += loaded.bytes.len();
            let may_have = loaded.bytes.windows(import.name.len()).any(|window| window == import.name.as_bytes());
            if !may_have || loaded.bytes.len() > MAX_TEXT || self.loaded.contains(&loaded.identity) {
                continue;
            }
            let Some(oid) = Modules::oid_in(&loaded.bytes, &import.name) else { continue };
            let alike = path.split(['/', '\\']).filter(|part| parts.contains(part)).count();
            let rank = (!import.oid.is_empty() && import.oid == oid, alike);
            // The last of equals counts: its folder is often that of a later edition.
            if best.as_ref().is_none_or(|best| best.rank <= rank) {
                best = Some(Candidate { path: path.clone(), identity: loaded.identity, bytes: loaded.bytes, rank });
            }
        }
        best
    }
}
