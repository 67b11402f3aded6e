//! Running scripts, and exceptions from functions that they call.

use rquickjs::context::EvalOptions;
use rquickjs::{Ctx, Exception, FromJs};

use super::error::ScriptError;

/// Runs a script under a file name, as old modules run: not in strict mode.
pub(crate) fn evaluate<'js, V: FromJs<'js>>(ctx: &Ctx<'js>, name: &str, script: impl Into<Vec<u8>>) -> rquickjs::Result<V> {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(name.to_string());
    ctx.eval_with_options(script, options)
}

/// Throws an error with a message, from a function that a script called.
pub(crate) fn throw<'js>(ctx: &Ctx<'js>, message: &str) -> rquickjs::Error {
    Exception::throw_message(ctx, message)
}

/// Throws an error that keeps its kind, if that has a code, until the call ends.
pub(crate) fn throw_error<'js>(ctx: &Ctx<'js>, error: &ScriptError) -> rquickjs::Error {
    let made = Exception::from_message(ctx.clone(), &error.to_string()).and_then(|thrown| {
        if let Some(code) = error.kind().code() {
            thrown.set("code", code)?;
        }
        Ok(thrown)
    });
    match made {
        Ok(thrown) => thrown.throw(),
        Err(error) => error,
    }
}
