//! `include` (docs/spec/extprot.md 2.3): all entries of a protocol in one list, with included files
//! in place.

use polywire_core::text::diagnostic::{Diagnostic, Place, Source};
use polywire_core::text::sources::Loader;
pub use polywire_core::text::sources::MAX_TEXT;

use super::parse;
use super::syntax::{Entry, Include};

/// Most files of a protocol.
pub const MAX_FILES: usize = 1000;

/// Most bytes of all texts of a protocol.
pub const MAX_TEXTS: usize = 64 << 20;

/// Maximum nesting of includes.
pub const MAX_INCLUDES: usize = 64;

/// All entries of a protocol, with included files in place.
#[derive(Debug, Default)]
pub struct Unit {
    /// Texts; that of the protocol itself is first.
    pub sources: Vec<Source>,
    /// Declarations in order, each with whether it was included.
    pub entries: Vec<(Entry, bool)>,
    /// True if a declaration with an unknown name is missing.
    pub incomplete: bool,
    /// Syntax errors and unreadable files, in order.
    pub findings: Vec<Diagnostic>,
}

/// Reads a protocol and its includes. `identity` is that of the protocol's file, or empty if there
/// is no file.
pub fn read(name: &str, bytes: &[u8], identity: &str, loader: &mut dyn Loader) -> Unit {
    let mut reading = Reading { unit: Unit::default(), loader, open: vec![identity.to_string()], total: 0 };
    reading.text(name, bytes);
    reading.unit
}

/// Returns the finding for bytes that are not text, at byte `at`.
pub(crate) fn not_text(source: u32, at: usize, message: String) -> Diagnostic {
    let place = Place { source, start: at as u32, end: at as u32 };
    Diagnostic::error("syntax_error", place, message).hint("save the file as UTF-8; in a string, `\\xhh` stands for any byte")
}

struct Reading<'l> {
    unit: Unit,
    loader: &'l mut dyn Loader,
    /// Files being read, outermost first.
    open: Vec<String>,
    total: usize,
}

impl Reading<'_> {
    fn text(&mut self, name: &str, bytes: &[u8]) {
        let source = self.unit.sources.len() as u32;
        let text = match std::str::from_utf8(bytes) {
            Ok(text) if text.len() <= MAX_TEXT => text,
            Ok(_) => {
                self.unit.sources.push(Source::new(name, ""));
                let message = format!("{name} has more than {MAX_TEXT} bytes");
                self.unit.findings.push(Diagnostic::error("too_large", Place { source, start: 0, end: 0 }, message));
                return;
            }
            Err(error) => {
                let at = error.valid_up_to();
                let text = String::from_utf8_lossy(&bytes[..at]).into_owned();
                let place = Place { source, start: at as u32, end: at as u32 };
                self.unit.sources.push(Source::new(name, text));
                let message = format!("byte {:#04x} is not valid UTF-8", bytes[at]);
                self.unit.findings.push(
                    Diagnostic::error("syntax_error", place, message)
                        .hint("save the file as UTF-8; in a string, `\\xhh` stands for any byte"),
                );
                return;
            }
        };
        self.unit.sources.push(Source::new(name, text));
        let parsed = parse::parse(text, source);
        self.unit.incomplete |= parsed.file.incomplete;
        self.unit.findings.extend(parsed.findings);
        for entry in parsed.file.entries {
            match entry {
                Entry::Include(include) => self.include(&include),
                entry => self.unit.entries.push((entry, self.open.len() > 1)),
            }
        }
    }

    fn include(&mut self, include: &Include) {
        let path = String::from_utf8_lossy(&include.path).into_owned();
        let wrong = |what: String, hint: &str| {
            Diagnostic::error("file_error", include.at.0, what).label("included here").hint(hint).detail("name", &path)
        };
        let finding = if self.open.len() > MAX_INCLUDES {
            wrong(format!("more than {MAX_INCLUDES} files include each other in a row"), "")
        } else if self.unit.sources.len() >= MAX_FILES {
            wrong(format!("more than {MAX_FILES} files make up this protocol"), "")
        } else {
            match self.loader.load(&path) {
                Err(error) => wrong(format!("the file {path:?} cannot be read: {error}"), "paths are relative to the working directory"),
                Ok(loaded) if self.open.contains(&loaded.identity) => {
                    wrong(format!("the file {path:?} includes itself"), "move what both need to a third file")
                }
                Ok(loaded) if self.total + loaded.bytes.len() > MAX_TEXTS => {
                    wrong(format!("the files of this protocol have more than {MAX_TEXTS} bytes"), "")
                }
                Ok(loaded) => {
                    self.total += loaded.bytes.len();
                    self.open.push(loaded.identity);
                    self.text(&path, &loaded.bytes);
                    self.open.pop();
                    return;
                }
            }
        };
        // A missing name may be declared in that file.
        self.unit.incomplete = true;
        self.unit.findings.push(finding);
    }
}
