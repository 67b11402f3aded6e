//! Body templates (specification 8.3): EJS and Mustache. URI templates are the query language's.
//!
//! | file | holds |
//! |---|---|
//! | `ejs` | EJS to JavaScript, which runs in the sandbox |
//! | `mustache` | Mustache, without any script |
//! | `texts` | what was read of Mustache's files |
//! | `escape` | how values are escaped for a media type |

mod ejs;
mod escape;
mod mustache;
mod texts;

use std::path::{Path, PathBuf};

use polywire_doc::{Datum, Ref};
use rquickjs::Value;

use crate::engine::{Trouble, Turn};
use crate::error::{HookError, HookErrorKind, Place};
use crate::files::{self, Files};
use crate::hook::{Record, Request, wire};
use crate::pool::{Call, Hooks};

use mustache::{Effort, Failure};
use texts::Text;

pub use escape::Escape;
pub(crate) use texts::Texts;

/// The language of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Embedded JavaScript: `.ejs`.
    Ejs,
    /// Mustache: `.mu`, or a name without ending.
    Mustache,
}

impl Language {
    /// The language of a file by its name; `None` if the ending is unknown.
    pub fn of(file: &str) -> Option<Language> {
        match Path::new(file).extension().and_then(|ending| ending.to_str()) {
            Some("ejs") => Some(Language::Ejs),
            Some("mu" | "mustache") | None => Some(Language::Mustache),
            Some(_) => None,
        }
    }

    /// Whether a text is a template of the language, so that a table's can be checked when it is loaded. The scripts in EJS are checked when it is used.
    ///
    /// # Errors
    /// What is wrong, under the name `file`.
    pub fn check(self, file: &str, text: &str) -> Result<(), HookError> {
        match self {
            Language::Ejs => compiled(text, file).map(|_| ()),
            Language::Mustache => mustache::check(text, file),
        }
    }
}

impl Hooks {
    /// The text that the template `file`, named by its path below the table directory, makes of the parameters. `media_type` is that of the body, which says how Mustache escapes values. Templates see
    /// `params` and `statement`, those in EJS also `uri`, `headers` and `log`, and only for them `request` is called.
    ///
    /// # Errors
    /// The file is not there, is malformed, or throws.
    pub fn template(&self, file: &str, media_type: &str, record: Record, request: impl FnOnce() -> Request) -> Call<String> {
        match Language::of(file) {
            Some(Language::Mustache) => self.mustache(file, Escape::of(media_type), record),
            Some(Language::Ejs) => {
                let (file, request) = (file.to_string(), request());
                self.submit(self.callee(HOOK, &file.clone(), record.log.clone()), move |turn| embedded(turn, &file, &record, &request))
            }
            None => Call::answered(Err(error(format!("{file} is in no known template language"))
                .hint("there are .ejs, and .mu or no ending for Mustache")
                .of(HOOK, file))),
        }
    }

    /// A template that needs no engine is rendered at once, on the thread of the caller, unless that could take long.
    fn mustache(&self, file: &str, escape: Escape, record: Record) -> Call<String> {
        let log = record.log;
        let scope = Datum::object([("params", record.params), ("statement", record.statement)]);
        if is_small(scope.view()) {
            let text = mustache::render(&partials(self.files(), self.texts(), file), file, &scope, (escape, Effort::LITTLE));
            if !matches!(text, Err(Failure::TooLarge)) {
                return Call::answered(text.map_err(|failure| HookError::from(failure).of(HOOK, file)));
            }
        }
        let (file, texts) = (file.to_string(), self.texts().clone());
        self.submit(self.callee(HOOK, &file.clone(), log), move |turn| {
            Ok(mustache::render(&partials(turn.files(), &texts, &file), &file, &scope, (escape, Effort::MOST)).map_err(HookError::from)?)
        })
    }
}

const HOOK: &str = "body template";

/// Whether a value is so small that looking for names in it takes no time.
fn is_small<'r>(value: Ref<'r>) -> bool {
    const MOST: usize = 1000;
    let (mut seen, mut open) = (0, vec![value]);
    while let Some(value) = open.pop() {
        seen += 1 + value.len();
        if seen > MOST {
            return false;
        }
        let mut add = |member: Ref<'r>| {
            if !member.is_empty() {
                open.push(member);
            }
        };
        value.items().for_each(&mut add);
        value.members().for_each(|(_, member)| add(member));
    }
    true
}

fn error(message: impl Into<String>) -> HookError {
    HookError::new(HookErrorKind::Template, message)
}

/// The text of a template, or of one that another includes: from the directory of that one downwards, or from the table directory.
fn source(files: &Files, from: &Path, name: &str, ending: &str) -> Result<(PathBuf, String), HookError> {
    let found =
        [name.to_string(), format!("{name}{ending}")].into_iter().find_map(|name| files.find(from, &name).filter(|path| path.is_file()));
    let Some(path) = found else { return Err(error(format!("no template {name} below the table directory"))) };
    let shown = path.to_string_lossy().into_owned();
    let text = files.text(files.root(), &shown).map_err(error)?;
    Ok((path, text))
}

fn partials<'f>(files: &'f Files, texts: &'f Texts, file: &'f str) -> impl Fn(Option<&str>) -> Result<Text, HookError> + use<'f> {
    move |name| {
        let whole = texts.get(files, files.root(), file)?;
        match name {
            None => Ok(whole),
            Some(name) => texts.get(files, files::folder(&whole.path), name),
        }
    }
}

fn embedded(turn: &Turn<'_, '_>, file: &str, record: &Record, request: &Request) -> Result<String, Trouble> {
    let scope = rquickjs::Object::new(turn.ctx.clone())?;
    scope.set("statement", turn.inward(record.statement.view())?)?;
    scope.set("params", turn.inward(record.params.view())?)?;
    scope.set("log", turn.log_function()?)?;
    scope.set("uri", request.uri.as_str())?;
    scope.set("headers", wire::headers_in(turn, &request.headers)?)?;
    let made: Value<'_> = turn.call("template", (file, scope))?;
    Ok(turn.text_of(&made)?.unwrap_or_default())
}

/// The script of an EJS file, for the engine.
pub(crate) fn script(files: &Files, from: &Path, name: &str) -> Result<(PathBuf, String), HookError> {
    let (path, text) = source(files, from, name, ".ejs")?;
    let script = compiled(&text, &files.shown(&path))?;
    Ok((path, script))
}

fn compiled(text: &str, file: &str) -> Result<String, HookError> {
    ejs::compile(text).map_err(|mistake| error(mistake.message).at(Some(Place { file: file.to_string(), line: mistake.line, column: 0 })))
}
