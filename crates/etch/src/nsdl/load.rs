//! Texts of a schema: a file, those that it includes, and the services that it mixes in.

use std::collections::HashSet;
use std::path::Path;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use polywire_core::text::sources::{Loaded, Loader, MAX_TEXT};

use super::parse;
use super::syntax::{Declaration, Name, Statement};

/// File extensions, the preferred one first.
pub(crate) const EXTENSIONS: &[&str] = &["etch"];

/// Most texts of a schema.
const MAX_TEXTS: usize = 256;
/// Most declarations of a schema: a text may be included in several places.
const MAX_DECLARATIONS: usize = 100_000;
/// Deepest nesting of texts that include each other.
const DEPTH: usize = 64;

/// A service with its module.
#[derive(Debug)]
pub(crate) struct Service {
    /// Name of the module and of the service, with a period.
    pub name: String,
    pub declarations: Vec<Declaration>,
    /// Services that are mixed in, by their index.
    pub mixins: Vec<usize>,
    /// True if messages have no reply unless they say otherwise.
    pub oneway: bool,
}

/// The services of a schema: that of the text that was given comes first.
#[derive(Debug, Default)]
pub(crate) struct Services {
    pub services: Vec<Service>,
    pub sources: Vec<Source>,
}

impl Services {
    /// Returns a service and those that it mixes in, themselves or by others.
    pub fn visible(&self, index: usize) -> Vec<usize> {
        let (mut found, mut at) = (vec![index], 0);
        let mut seen = HashSet::from([index]);
        while let Some(next) = found.get(at) {
            let more: Vec<usize> = self.services[*next].mixins.iter().copied().filter(|mixin| seen.insert(*mixin)).collect();
            found.extend(more);
            at += 1;
        }
        found
    }
}

/// Reads a text and those that it names.
///
/// # Errors
/// A text is malformed, or is not found.
pub(crate) fn load(text: &SchemaText<'_>, files: &mut dyn Loader) -> Result<Services, Diagnostics> {
    let folder = Path::new(text.name).parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
    let first = Loaded { bytes: text.bytes.to_vec(), identity: text.identity.to_owned() };
    let mut loading = Loading { files, folder, found: Services::default(), due: vec![(text.name.to_owned(), first)], declarations: 0 };
    let mut outcome = Ok(());
    while outcome.is_ok() && loading.found.services.len() < loading.due.len() {
        outcome = loading.service();
    }
    let found = loading.found;
    outcome.map_err(|finding| Diagnostics { sources: found.sources.clone(), findings: vec![*finding] })?;
    Ok(found)
}

type Result<T, E = Box<Diagnostic>> = std::result::Result<T, E>;

/// Statements that wait for their place in a service, with the identity of the text that they are
/// from.
type Open = (std::vec::IntoIter<Statement>, String);

struct Loading<'l> {
    files: &'l mut dyn Loader,
    /// Folder of the text that was given.
    folder: String,
    found: Services,
    /// Texts of services, with their paths; those at the start are in `found`.
    due: Vec<(String, Loaded)>,
    declarations: usize,
}

impl Loading<'_> {
    /// Enters a text.
    fn source<'b>(&mut self, name: &str, bytes: &'b [u8]) -> Result<(&'b str, u32)> {
        let number = self.found.sources.len() as u32;
        let at = Place { source: number, start: 0, end: 0 };
        let text = match std::str::from_utf8(bytes) {
            _ if bytes.len() > MAX_TEXT => Err(Diagnostic::error("large_text", at, format!("a text of more than {MAX_TEXT} bytes"))),
            _ if number as usize >= MAX_TEXTS => Err(Diagnostic::error("many_texts", at, format!("more than {MAX_TEXTS} texts"))),
            Err(_) => Err(Diagnostic::error("no_text", at, "a text that is not UTF-8")),
            Ok(text) => Ok(text),
        };
        self.found.sources.push(Source::new(name, text.as_ref().map_or("", |text| text)));
        Ok((text?, number))
    }

    /// Finds the first file of several paths, beside the text that was given or in an include
    /// folder.
    fn find(&mut self, paths: &[String]) -> Option<(String, Loaded)> {
        let below = |folder: &str, path: &str| if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
        let folders: Vec<String> = std::iter::once(self.folder.clone()).chain(self.files.include().iter().cloned()).collect();
        let tried = paths.iter().flat_map(|path| folders.iter().map(move |folder| below(folder, path)));
        tried.into_iter().find_map(|path| self.files.load(&path).ok().map(|loaded| (path, loaded)))
    }

    /// Reads the next service, with the texts that it includes.
    fn service(&mut self) -> Result<()> {
        let (name, Loaded { bytes, identity }) = self.due[self.found.services.len()].clone();
        let (text, source) = self.source(&name, &bytes)?;
        let document = parse::document(text, source)?;
        let mut service = Service {
            name: format!("{}.{}", document.module, document.service.text),
            oneway: document.oneway,
            declarations: Vec::new(),
            mixins: Vec::new(),
        };
        let mut open: Vec<Open> = vec![(document.statements.into_iter(), identity)];
        while let Some((statements, _)) = open.last_mut() {
            match statements.next() {
                None => {
                    open.pop();
                }
                Some(Statement::Declaration(declaration)) => {
                    self.declarations += 1;
                    if self.declarations > MAX_DECLARATIONS {
                        let message = format!("more than {MAX_DECLARATIONS} declarations");
                        return Err(Diagnostic::error("large_text", declaration.name.at, message).into());
                    }
                    service.declarations.push(declaration);
                }
                Some(Statement::Mixin(name)) => service.mixins.push(self.mixin(&name)?),
                Some(Statement::Include(name)) => {
                    let (path, loaded) = self.find(std::slice::from_ref(&name.text)).ok_or_else(|| {
                        Diagnostic::error("missing_include", name.at, format!("there is no text `{}`", name.text))
                            .hint("name its folder by `-I`")
                    })?;
                    if open.len() >= DEPTH || open.iter().any(|(_, identity)| *identity == loaded.identity) {
                        return Err(Diagnostic::error("circle", name.at, format!("the text `{}` includes itself", name.text)).into());
                    }
                    let (text, source) = self.source(&path, &loaded.bytes)?;
                    open.push((parse::included(text, source)?.into_iter(), loaded.identity));
                }
            }
        }
        self.found.services.push(service);
        Ok(())
    }

    /// Returns the index of a service that is mixed in. The file has the name of the service; its
    /// folder may have that of the module (`docs/spec/etch.md 7`).
    fn mixin(&mut self, name: &Name) -> Result<usize> {
        let paths = match name.text.rsplit_once('.') {
            None => vec![format!("{}.etch", name.text)],
            Some((module, service)) => {
                let plain = format!("{service}.etch");
                vec![plain.clone(), format!("{module}/{plain}"), format!("{}/{plain}", module.replace('.', "/"))]
            }
        };
        let Some((path, loaded)) = self.find(&paths) else {
            return Err(Diagnostic::error("missing_mixin", name.at, format!("there is no text `{}`, which has the service", paths[0]))
                .hint("name its folder by `-I`")
                .into());
        };
        Ok(self.due.iter().position(|(_, known)| known.identity == loaded.identity).unwrap_or_else(|| {
            self.due.push((path, loaded));
            self.due.len() - 1
        }))
    }
}
