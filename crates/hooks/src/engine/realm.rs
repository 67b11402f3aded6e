//! What is in a realm: the language, the modules of `js/`, and the functions that these lean on.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::context::{EvalOptions, intrinsic};
use rquickjs::function::Opt;
use rquickjs::{ArrayBuffer, Context, Ctx, Exception, FromJs, Function, Object, Persistent, Runtime, String as JsString, Value};

use super::values::{Inward, text};
use super::{Live, Shared, Trouble, bytes, digest, encoding, failure, limits, throw};
use crate::error::{HookError, HookErrorKind};
use crate::files::{self, Files};
use crate::settings::Settings;
use crate::template;

/// The language without what needs a host: no clocks beyond `Date`, no weak references, whose clearing a script could watch.
type Language = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
);

/// Our own scripts, in the order in which they lean on each other. Each is a function of `native` and `host`.
const SCRIPTS: &[(&str, &str)] = &[
    ("polywire:harden", include_str!("../js/harden.js")),
    ("polywire:lazy", include_str!("../js/lazy.js")),
    ("polywire:modules", include_str!("../js/modules.js")),
    ("polywire:timers", include_str!("../js/timers.js")),
    ("polywire:globals", include_str!("../js/globals.js")),
    ("polywire:uri", include_str!("../js/uri.js")),
    ("polywire:templates", include_str!("../js/templates.js")),
    ("polywire:calls", include_str!("../js/calls.js")),
];

/// The built-in modules.
const MODULES: &[(&str, &str, &str)] = &[
    ("assert", "polywire:assert", include_str!("../js/modules/assert.js")),
    ("buffer", "polywire:buffer", include_str!("../js/modules/buffer.js")),
    ("crypto", "polywire:crypto", include_str!("../js/modules/crypto.js")),
    ("events", "polywire:events", include_str!("../js/modules/events.js")),
    ("fs", "polywire:fs", include_str!("../js/modules/fs.js")),
    ("http", "polywire:http", include_str!("../js/modules/http.js")),
    ("https", "polywire:http", include_str!("../js/modules/http.js")),
    ("path", "polywire:path", include_str!("../js/modules/path.js")),
    ("querystring", "polywire:querystring", include_str!("../js/modules/querystring.js")),
    // As util was called before it was util.
    ("sys", "polywire:util", include_str!("../js/modules/util.js")),
    ("url", "polywire:url", include_str!("../js/modules/url.js")),
    ("util", "polywire:util", include_str!("../js/modules/util.js")),
];

/// A new runtime with its realm.
pub(super) fn make(settings: &Settings, files: Arc<Files>) -> Result<Live, HookError> {
    let broken = |error: rquickjs::Error| HookError::new(HookErrorKind::Internal, format!("the engine does not start: {error}"));
    let runtime = Runtime::new().map_err(broken)?;
    runtime.set_memory_limit(settings.memory);
    runtime.set_max_stack_size(settings.stack);
    // Each collection visits the whole realm, and calls leave few cycles behind.
    runtime.set_gc_threshold(settings.memory / 8);
    let shared = Rc::new(Shared {
        files,
        clock: limits::Clock::new(),
        scope: Default::default(),
        callee: Default::default(),
        named: Default::default(),
        logged: Default::default(),
    });
    let watched = shared.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || watched.clock.check())));
    let context = Context::custom::<Language>(&runtime).map_err(broken)?;
    let host = context.with(|ctx| {
        let made = furnish(&ctx, &shared).map(|host| Persistent::save(&ctx, host));
        made.map_err(|error| {
            let error = failure::of(&ctx, Trouble::Engine(error), &shared);
            let kind = if error.kind() == HookErrorKind::Memory { HookErrorKind::Memory } else { HookErrorKind::Internal };
            HookError::new(kind, format!("the engine does not start: {error}"))
        })
    })?;
    Ok(Live { host, shared, context, _runtime: runtime })
}

fn furnish<'js>(ctx: &Ctx<'js>, shared: &Rc<Shared>) -> rquickjs::Result<Object<'js>> {
    let host = Object::new(ctx.clone())?;
    let native = natives(ctx, shared)?;
    for (name, script) in SCRIPTS {
        let install: Function<'js> = evaluate(ctx, name, *script)?;
        install.call::<_, ()>((native.clone(), host.clone()))?;
    }
    host.set("log", native.get::<_, Function<'js>>("log")?)?;
    host.get::<_, Function<'js>>("lockDown")?.call::<_, ()>(())?;
    Ok(host)
}

/// Runs a script in the way of old modules, not strict, under a file name.
pub(super) fn evaluate<'js, V: FromJs<'js>>(ctx: &Ctx<'js>, name: &str, script: impl Into<Vec<u8>>) -> rquickjs::Result<V> {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(name.to_string());
    ctx.eval_with_options(script, options)
}

/// What the text of a `package.json` says of the main file.
pub(super) fn main_of(ctx: &Ctx<'_>, text: String) -> Option<String> {
    let main =
        ctx.json_parse(text).and_then(|value| Object::from_value(value)?.get::<_, JsString<'_>>("main")).and_then(|main| main.to_string());
    if main.is_err() {
        ctx.catch();
    }
    main.ok()
}

/// A copy, since only what the engine has allocated itself counts towards its limit.
fn buffer<'js>(ctx: &Ctx<'js>, bytes: &[u8]) -> rquickjs::Result<ArrayBuffer<'js>> {
    ArrayBuffer::new_copy(ctx.clone(), bytes)
}

/// The functions that the scripts of `js/` lean on. Modules of table directories never see them.
fn natives<'js>(ctx: &Ctx<'js>, shared: &Rc<Shared>) -> rquickjs::Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("root", shared.files.root().to_string_lossy().into_owned())?;
    macro_rules! function {
        ($name:literal, $act:expr) => {
            native.set($name, Function::new(ctx.clone(), $act)?)?;
        };
    }

    let state = shared.clone();
    function!("log", move |severity: JsString<'js>, message: Value<'js>| -> rquickjs::Result<()> {
        let message: rquickjs::Coerced<JsString<'js>> = FromJs::from_js(severity.ctx(), message)?;
        state.log(&text(&severity)?, text(&message.0)?);
        Ok(())
    });
    let state = shared.clone();
    function!("now", move || state.clock.now());
    let state = shared.clone();
    function!("sleep", move |ctx: Ctx<'js>, milliseconds: f64| -> rquickjs::Result<()> {
        if milliseconds <= 0.0 || state.clock.sleep(milliseconds) { Ok(()) } else { Err(throw(&ctx, "the time is over")) }
    });
    function!("job", |ctx: Ctx<'js>| ctx.execute_pending_job());

    function!("encode", |ctx: Ctx<'js>, given: JsString<'js>, name: String| buffer(&ctx, &encoding::encode(&text(&given)?, &name)));
    function!("decode", |ctx: Ctx<'js>, given: Value<'js>, name: String| match bytes::copy(&given) {
        Some(bytes) => Ok(encoding::decode(&bytes, &name)),
        None => Err(Exception::throw_type(&ctx, "no bytes")),
    });
    function!("digest", |ctx: Ctx<'js>, name: String, key: Value<'js>, data: Value<'js>| {
        match digest::digest(&name, bytes::copy(&key).as_deref(), &bytes::copy(&data).unwrap_or_default()) {
            Some(made) => buffer(&ctx, &made),
            None => Err(Exception::throw_type(&ctx, "an unknown digest")),
        }
    });

    let state = shared.clone();
    function!("resolve", move |ctx: Ctx<'js>, folder: String, name: String| {
        let main = |text: String| main_of(&ctx, text);
        state.files.module(Path::new(&folder), &name, &main).map(|path| path.to_string_lossy().into_owned()).map_err(|message| {
            match Exception::from_message(ctx.clone(), &message).and_then(|error| error.set("code", "MODULE_NOT_FOUND").map(|()| error)) {
                Ok(error) => error.throw(),
                Err(error) => error,
            }
        })
    });
    function!("directory", |path: String| files::folder(Path::new(&path)).to_string_lossy().into_owned());
    let state = shared.clone();
    function!("compile", move |ctx: Ctx<'js>, path: String| -> rquickjs::Result<Function<'js>> {
        let source = state.files.text(state.files.root(), &path).map_err(|message| throw(&ctx, &message))?;
        // A first line for a shell is none for JavaScript, but counts.
        let source = source.strip_prefix('\u{feff}').unwrap_or(&source);
        let mark = if source.starts_with("#!") { "//" } else { "" };
        // Before the first line, so that lines keep their numbers.
        evaluate(
            &ctx,
            &state.files.shown(Path::new(&path)),
            format!("(function (exports, require, module, __filename, __dirname) {{{mark}{source}\n}})"),
        )
    });
    let state = shared.clone();
    function!("json", move |ctx: Ctx<'js>, path: String| -> rquickjs::Result<Value<'js>> {
        let source = state.files.text(state.files.root(), &path).map_err(|message| throw(&ctx, &message))?;
        ctx.json_parse(source).map_err(|_| {
            let message = ctx.catch().into_exception().and_then(|error| error.message()).unwrap_or_default();
            Exception::throw_syntax(&ctx, &format!("{}: {message}", state.files.shown(Path::new(&path))))
        })
    });
    let state = shared.clone();
    function!("template", move |ctx: Ctx<'js>, from: String, name: String| -> rquickjs::Result<Object<'js>> {
        let (path, script) = template::script(&state.files, Path::new(&from), &name).map_err(|error| {
            match Exception::from_message(ctx.clone(), &error.to_string())
                .and_then(|thrown| thrown.set("code", failure::TEMPLATE).map(|()| thrown))
            {
                Ok(thrown) => thrown.throw(),
                Err(error) => error,
            }
        })?;
        let made = Object::new(ctx.clone())?;
        made.set("folder", files::folder(&path).to_string_lossy().into_owned())?;
        made.set("make", evaluate::<Function<'js>>(&ctx, &state.files.shown(&path), script)?)?;
        Ok(made)
    });
    let state = shared.clone();
    function!("readFile", move |ctx: Ctx<'js>, path: String| match state.files.read(state.files.root(), &path) {
        Ok(bytes) => buffer(&ctx, &bytes),
        Err(message) => Err(throw(&ctx, &message)),
    });
    let state = shared.clone();
    function!("exists", move |path: String| state.files.find(state.files.root(), &path).is_some());
    function!("builtIn", |ctx: Ctx<'js>, name: String| -> rquickjs::Result<Option<Function<'js>>> {
        MODULES.iter().find(|(known, _, _)| *known == name).map(|(_, file, script)| evaluate(&ctx, file, *script)).transpose()
    });

    let state = shared.clone();
    function!("fill", move |ctx: Ctx<'js>,
                            host: Object<'js>,
                            call: u32,
                            at: u32,
                            target: Object<'js>,
                            handler: Value<'js>,
                            fetched: Opt<Option<Object<'js>>>| {
        let (wrap, buffer) = (host.get("wrap")?, host.get("buffer")?);
        let inward = Inward { ctx: &ctx, scope: &state.scope, wrap: &wrap, buffer: &buffer };
        inward.fill(call, at, &target, &handler, fetched.0.flatten().as_ref())
    });
    let state = shared.clone();
    function!("member", move |ctx: Ctx<'js>, host: Object<'js>, call: u32, at: u32, name: JsString<'js>, handler: Value<'js>| {
        let (wrap, buffer) = (host.get("wrap")?, host.get("buffer")?);
        let inward = Inward { ctx: &ctx, scope: &state.scope, wrap: &wrap, buffer: &buffer };
        inward.member(call, at, &text(&name)?, &handler)
    });
    Ok(native)
}
