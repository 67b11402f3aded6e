//! The functions that the scripts in `js/` call: files, modules, templates, encodings, digests.

use std::path::Path;
use std::sync::Arc;

use rquickjs::{ArrayBuffer, Ctx, Exception, Function, Object, String as JsString, Value};

use super::package::main_of;
use super::scripts::MODULES;
use super::{digest, encoding};
use crate::engine::{ErrorKind, ScriptError, copy_bytes, evaluate, text, throw, throw_error};
use crate::files::{self, Files};
use crate::template;

/// Makes a copy: only what the engine allocates itself counts towards its limit.
fn buffer<'js>(ctx: &Ctx<'js>, bytes: &[u8]) -> rquickjs::Result<ArrayBuffer<'js>> {
    ArrayBuffer::new_copy(ctx.clone(), bytes)
}

/// Adds the functions to `native`. Modules of table directories never see them.
pub(super) fn add<'js>(ctx: &Ctx<'js>, native: &Object<'js>, files: &Arc<Files>) -> rquickjs::Result<()> {
    native.set("root", files.root().to_string_lossy().into_owned())?;
    macro_rules! function {
        ($name:literal, $act:expr) => {
            native.set($name, Function::new(ctx.clone(), $act)?)?;
        };
    }

    function!("encode", |ctx: Ctx<'js>, given: JsString<'js>, name: String| buffer(&ctx, &encoding::encode(&text(&given)?, &name)));
    function!("decode", |ctx: Ctx<'js>, given: Value<'js>, name: String| match copy_bytes(&given) {
        Some(bytes) => Ok(encoding::decode(&bytes, &name)),
        None => Err(Exception::throw_type(&ctx, "no bytes")),
    });
    function!("digest", |ctx: Ctx<'js>, name: String, key: Value<'js>, data: Value<'js>| {
        match digest::digest(&name, copy_bytes(&key).as_deref(), &copy_bytes(&data).unwrap_or_default()) {
            Some(made) => buffer(&ctx, &made),
            None => Err(Exception::throw_type(&ctx, "an unknown digest")),
        }
    });

    let seen = files.clone();
    function!("resolve", move |ctx: Ctx<'js>, folder: String, name: String| {
        let main = |text: String| main_of(&ctx, text);
        let found = seen.module(Path::new(&folder), &name, &main);
        found
            .map(|path| path.to_string_lossy().into_owned())
            .map_err(|message| throw_error(&ctx, &ScriptError::new(ErrorKind::Load, message)))
    });
    function!("directory", |path: String| files::folder(Path::new(&path)).to_string_lossy().into_owned());
    let seen = files.clone();
    function!("compile", move |ctx: Ctx<'js>, path: String| -> rquickjs::Result<Function<'js>> {
        let source = seen.text(seen.root(), &path).map_err(|message| throw(&ctx, &message))?;
        // A first line for a shell is not JavaScript, but it is a line.
        let source = source.strip_prefix('\u{feff}').unwrap_or(&source);
        let mark = if source.starts_with("#!") { "//" } else { "" };
        // Before the first line, so that lines keep their numbers.
        evaluate(
            &ctx,
            &seen.shown(Path::new(&path)),
            format!("(function (exports, require, module, __filename, __dirname) {{{mark}{source}\n}})"),
        )
    });
    let seen = files.clone();
    function!("json", move |ctx: Ctx<'js>, path: String| -> rquickjs::Result<Value<'js>> {
        let source = seen.text(seen.root(), &path).map_err(|message| throw(&ctx, &message))?;
        ctx.json_parse(source).map_err(|_| {
            let message = ctx.catch().into_exception().and_then(|error| error.message()).unwrap_or_default();
            Exception::throw_syntax(&ctx, &format!("{}: {message}", seen.shown(Path::new(&path))))
        })
    });
    let seen = files.clone();
    function!("template", move |ctx: Ctx<'js>, from: String, name: String| -> rquickjs::Result<Object<'js>> {
        let (path, script) = template::script(&seen, Path::new(&from), &name).map_err(|error| throw_error(&ctx, &error))?;
        let made = Object::new(ctx.clone())?;
        made.set("folder", files::folder(&path).to_string_lossy().into_owned())?;
        made.set("make", evaluate::<Function<'js>>(&ctx, &seen.shown(&path), script)?)?;
        Ok(made)
    });
    let seen = files.clone();
    function!("readFile", move |ctx: Ctx<'js>, path: String| match seen.read(seen.root(), &path) {
        Ok(bytes) => buffer(&ctx, &bytes),
        Err(message) => Err(throw(&ctx, &message)),
    });
    let seen = files.clone();
    function!("exists", move |path: String| seen.find(seen.root(), &path).is_some());
    function!("builtIn", |ctx: Ctx<'js>, name: String| -> rquickjs::Result<Option<Function<'js>>> {
        MODULES.iter().find(|(known, _, _)| *known == name).map(|(_, file, script)| evaluate(&ctx, file, *script)).transpose()
    });
    Ok(())
}
