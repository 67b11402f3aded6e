//! Texts of a schema: a file, and those that it includes, each relative to the folder of the file
//! that names it, or to an include folder.

use std::path::Path;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use polywire_core::text::sources::{Loader, MAX_TEXT, identity};

use super::parse::parse;
use super::syntax::Document;

/// File extensions, the preferred one first.
pub(crate) const EXTENSIONS: &[&str] = &["thrift"];

/// Most texts of a schema.
const MAX_TEXTS: usize = 1000;

/// A text that was read.
#[derive(Debug)]
pub(crate) struct Text {
    pub document: Document,
    /// Name by which others refer to its definitions: that of its file without the extension.
    pub stem: String,
    /// Its includes, by their index.
    pub includes: Vec<usize>,
    identity: String,
    folder: String,
}

/// The texts of a schema: the one that was given comes first.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    pub texts: Vec<Text>,
    pub sources: Vec<Source>,
    pub findings: Vec<Diagnostic>,
}

impl Texts {
    /// Returns the diagnostics, if there are errors.
    pub fn checked(self) -> Result<Texts, Diagnostics> {
        if self.findings.is_empty() { Ok(self) } else { Err(Diagnostics { sources: self.sources, findings: self.findings }) }
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

fn below(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_string() } else { format!("{folder}/{path}") }
}

/// Reads a text and those that it includes.
///
/// # Errors
/// A text is malformed, or is not found.
pub(crate) fn load(text: &SchemaText<'_>, files: &mut dyn Loader) -> Result<Texts, Diagnostics> {
    let mut texts = Texts::default();
    texts.add(text.name, text.bytes, text.identity.to_string(), home(text));
    let mut at = 0;
    while at < texts.texts.len() {
        let includes = std::mem::take(&mut texts.texts[at].document.includes);
        for include in &includes {
            let near = below(&texts.texts[at].folder, &include.text);
            let far: Vec<String> = files.include().iter().map(|folder| below(folder, &include.text)).collect();
            let found = std::iter::once(near).chain(far).find_map(|path| files.load(&path).ok().map(|loaded| (path, loaded)));
            let Some((path, loaded)) = found else {
                texts.findings.push(
                    Diagnostic::error("missing_include", include.at, format!("there is no text `{}`", include.text))
                        .hint("name its folder by `-I`"),
                );
                continue;
            };
            let known = texts.texts.iter().position(|known| known.identity == loaded.identity);
            let index = match known {
                Some(known) => known,
                None if texts.texts.len() >= MAX_TEXTS => {
                    texts.findings.push(Diagnostic::error("many_texts", include.at, format!("more than {MAX_TEXTS} texts")));
                    continue;
                }
                None => {
                    let folder = folder(&path);
                    texts.add(&path, &loaded.bytes, loaded.identity, folder)
                }
            };
            if texts.leads(index, at) {
                let message = format!("the text `{}` includes itself", include.text);
                texts.findings.push(Diagnostic::error("circle", include.at, message));
                continue;
            }
            texts.texts[at].includes.push(index);
        }
        at += 1;
    }
    texts.checked()
}

impl Texts {
    /// Reports whether a text is another one, or includes it.
    fn leads(&self, from: usize, to: usize) -> bool {
        let (mut seen, mut due) = (vec![false; self.texts.len()], vec![from]);
        while let Some(at) = due.pop() {
            if at == to {
                return true;
            }
            if !std::mem::replace(&mut seen[at], true) {
                due.extend(&self.texts[at].includes);
            }
        }
        false
    }

    fn add(&mut self, name: &str, bytes: &[u8], identity: String, folder: String) -> usize {
        let source = self.sources.len() as u32;
        let at = Place { source, start: 0, end: 0 };
        let (text, document) = match std::str::from_utf8(bytes) {
            _ if bytes.len() > MAX_TEXT => {
                self.findings.push(Diagnostic::error("large_text", at, format!("a text of more than {MAX_TEXT} bytes")));
                ("", Document::default())
            }
            Err(_) => {
                self.findings.push(Diagnostic::error("no_text", at, "a text that is not UTF-8"));
                ("", Document::default())
            }
            Ok(text) => match parse(text, source) {
                Ok(document) => (text, document),
                Err(finding) => {
                    self.findings.push(*finding);
                    (text, Document::default())
                }
            },
        };
        self.sources.push(Source::new(name, text));
        let stem = Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        self.texts.push(Text { document, stem, includes: Vec::new(), identity, folder });
        self.texts.len() - 1
    }
}
