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
use crate::task::Task;
use crate::template::{self, Effort, Escape, Language, RenderError, TemplateFile, Texts};
use crate::wire::wire_fields;

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
            Some(Language::Mustache) => self.mustache(file, media_type, record),
            Some(Language::Ejs) => {
                let callee = self.callee(HOOK, file, record.log.clone());
                self.submit(callee, Embedded { file: file.to_string(), record, request: request() }, |text| text)
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
    fn mustache(&self, file: &str, media_type: &str, record: Record) -> Call<String> {
        let log = record.log;
        let scope = Datum::object([("params", record.params), ("statement", record.statement)]);
        if is_small(scope.view()) {
            let text =
                template::render(&partials(self.files(), self.texts(), file), file, &scope, (Escape::of(media_type), Effort::LITTLE));
            if !matches!(text, Err(RenderError::TooLarge)) {
                return Call::answered(text.map_err(|error| HookError::new(error.into(), HOOK, file)));
            }
        }
        let task = MustacheText { file: file.to_string(), media_type: media_type.to_string(), scope };
        self.submit(self.callee(HOOK, file, log), task, |text| text)
    }
}

/// A template in Mustache that may be much work.
pub(crate) struct MustacheText {
    file: String,
    media_type: String,
    scope: Datum,
}

wire_fields!(MustacheText { file, media_type, scope });

impl Task for MustacheText {
    type Answer = String;

    const NUMBER: u8 = 8;

    fn run(self, call: &ModuleCall<'_, '_>) -> Result<String, Raised> {
        let partials = partials(call.files(), call.texts(), &self.file);
        let text = template::render(&partials, &self.file, &self.scope, (Escape::of(&self.media_type), Effort::MOST));
        Ok(text.map_err(ScriptError::from)?)
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

/// A template in EJS.
pub(crate) struct Embedded {
    file: String,
    record: Record,
    request: Request,
}

wire_fields!(Embedded { file, record, request });

impl Task for Embedded {
    type Answer = String;

    const NUMBER: u8 = 9;

    fn run(self, call: &ModuleCall<'_, '_>) -> Result<String, Raised> {
        let scope = Object::new(call.ctx.clone())?;
        scope.set("statement", call.inward(self.record.statement.view())?)?;
        scope.set("params", call.inward(self.record.params.view())?)?;
        scope.set("log", call.log_function()?)?;
        scope.set("uri", self.request.uri.as_str())?;
        scope.set("headers", wire::headers_in(call, &self.request.headers)?)?;
        let made: Value<'_> = call.call("template", (self.file, scope))?;
        Ok(call.text_of(&made)?.unwrap_or_default())
    }
}
