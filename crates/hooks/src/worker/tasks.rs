//! All tasks by number.

use std::rc::Rc;

use crate::auth::Authenticate;
use crate::body_template::{Embedded, MustacheText};
use crate::engine::{Console, ErrorKind, ScriptError};
use crate::function::{Apply, ApplyToRow, ApplyToRows, Functions};
use crate::hook::{
    BodyArgs, HeadersArgs, HookCall, KeyArgs, MediaTypeArgs, ParseArgs, PatchLoad, ResponseArgs, StatusArgs, TemplateArgs, UriArgs,
    ValidateArgs,
};
use crate::sandbox::Sandbox;
use crate::task::Task;
use crate::transformer::{ToJson, TransformerLoad};
use crate::wire::{Get, Put, Wire};

/// Reads a task, makes the call, and returns the writer of its answer or error.
pub(super) fn run(number: u8, from: Get<'_>, sandbox: &mut Sandbox, console: Rc<dyn Console>) -> Box<dyn Answered> {
    macro_rules! tasks {
        ($($task:ty),* $(,)?) => {
            match number {
                $(<$task>::NUMBER => answered::<$task>(from, sandbox, console),)*
                _ => Box::new(Err::<(), _>(internal(format!("no task has the number {number}")))),
            }
        };
    }
    tasks!(
        PatchLoad,
        Functions,
        Apply,
        ApplyToRows,
        ApplyToRow,
        TransformerLoad,
        ToJson,
        Authenticate,
        MustacheText,
        Embedded,
        HookCall<ValidateArgs>,
        HookCall<UriArgs>,
        HookCall<HeadersArgs>,
        HookCall<TemplateArgs>,
        HookCall<BodyArgs>,
        HookCall<KeyArgs>,
        HookCall<ParseArgs>,
        HookCall<MediaTypeArgs>,
        HookCall<StatusArgs>,
        HookCall<ResponseArgs>,
    )
}

/// An answer or error, whatever its type.
pub(super) trait Answered {
    /// Writes it.
    fn put<'t>(&'t self, out: &mut Put<'t>);
}

impl<A: Wire> Answered for Result<A, ScriptError> {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        match self {
            Err(error) => {
                out.byte(0);
                error.put(out);
            }
            Ok(answer) => {
                out.byte(1);
                answer.put(out);
            }
        }
    }
}

fn answered<T: Task>(mut from: Get<'_>, sandbox: &mut Sandbox, console: Rc<dyn Console>) -> Box<dyn Answered> {
    let read = T::get(&mut from).and_then(|task| from.end().map(|()| task));
    Box::new(match read {
        Ok(task) => sandbox.call(console, |call| task.run(call)),
        Err(malformed) => Err(internal(format!("a malformed task: {malformed}"))),
    })
}

fn internal(message: String) -> ScriptError {
    ScriptError::new(ErrorKind::Internal, message).with_hint("please report it")
}
