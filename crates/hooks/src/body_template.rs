//! Bodies of requests by template (docs/spec/ql.md 8.3).

use std::sync::Arc;

use polywire_doc::{Datum, Ref};
use rquickjs::{Object, Value};

use crate::engine::{Raised, ScriptError};
use crate::error::HookError;
use crate::files::{self, Files};
use crate::hook::{Record, Request, wire};
use crate::pool::{Call, Hooks};
use crate::sandbox::ModuleCall;
use crate::template::{self, Effort, Escape, Language, RenderError, TemplateFile, Texts};

/// The name of the hook that a template stands in for.
const HOOK: &str = "body template";

impl Hooks {
    /// Renders the template `file`, named by its path in the table directory. `media_type` is that
    /// of the body; Mustache escapes values for it. Templates see `params` and `statement`. Those
    /// in EJS also see `uri`, `headers` and `log`; `request` is called only for them.
    ///
    /// # Errors
    /// The file is missing, is malformed, or throws.
    pub fn template(&self, file: &str, media_type: &str, record: Record, request: impl FnOnce() -> Request) -> Call<String> {
        match Language::of(file) {
            Some(Language::Mustache) => self.mustache(file, Escape::of(media_type), record),
            Some(Language::Ejs) => {
                let (file, request) = (file.to_string(), request());
                self.submit(self.callee(HOOK, &file.clone(), record.log.clone()), move |call| embedded(call, &file, &record, &request))
            }
            None => {
                let error = template::error(format!("{file} is in no known template language"))
                    .with_hint("extensions are .ejs, and .mu or none for Mustache");
                Call::answered(Err(HookError::new(error, HOOK, file)))
            }
        }
    }

    /// Renders a template that needs no engine: at once, on the thread of the caller, unless that
    /// could take long.
    fn mustache(&self, file: &str, escape: Escape, record: Record) -> Call<String> {
        let log = record.log;
        let scope = Datum::object([("params", record.params), ("statement", record.statement)]);
        if is_small(scope.view()) {
            let text = template::render(&partials(self.files(), self.texts(), file), file, &scope, (escape, Effort::LITTLE));
            if !matches!(text, Err(RenderError::TooLarge)) {
                return Call::answered(text.map_err(|error| HookError::new(error.into(), HOOK, file)));
            }
        }
        let (file, texts) = (file.to_string(), self.texts().clone());
        self.submit(self.callee(HOOK, &file.clone(), log), move |call| {
            let text = template::render(&partials(call.files(), &texts, &file), &file, &scope, (escape, Effort::MOST));
            Ok(text.map_err(ScriptError::from)?)
        })
    }
}

/// Returns whether a value is so small that looking names up in it takes no time.
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

fn partials<'f>(
    files: &'f Files,
    texts: &'f Texts,
    file: &'f str,
) -> impl Fn(Option<&str>) -> Result<Arc<TemplateFile>, ScriptError> + use<'f> {
    move |name| {
        let whole = texts.get(files, files.root(), file)?;
        match name {
            None => Ok(whole),
            Some(name) => texts.get(files, files::folder(whole.path()), name),
        }
    }
}

fn embedded(call: &ModuleCall<'_, '_>, file: &str, record: &Record, request: &Request) -> Result<String, Raised> {
    let scope = Object::new(call.ctx.clone())?;
    scope.set("statement", call.inward(record.statement.view())?)?;
    scope.set("params", call.inward(record.params.view())?)?;
    scope.set("log", call.log_function()?)?;
    scope.set("uri", request.uri.as_str())?;
    scope.set("headers", wire::headers_in(call, &request.headers)?)?;
    let made: Value<'_> = call.call("template", (file, scope))?;
    Ok(call.text_of(&made)?.unwrap_or_default())
}
