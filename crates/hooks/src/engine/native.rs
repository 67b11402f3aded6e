//! The functions that the scripts in `js/` call: clock, messages, promises, members of values.

use std::rc::Rc;
use std::time::Instant;

use rquickjs::function::Opt;
use rquickjs::{Coerced, Ctx, FromJs, Function, Object, String as JsString, Value};

use super::inward::Inward;
use super::script::throw;
use super::shared::Shared;
use super::text::text;

/// Makes the functions. Modules of table directories never see them.
pub(super) fn make<'js>(ctx: &Ctx<'js>, shared: &Rc<Shared>) -> rquickjs::Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    macro_rules! function {
        ($name:literal, $act:expr) => {
            native.set($name, Function::new(ctx.clone(), $act)?)?;
        };
    }

    let state = shared.clone();
    function!("log", move |severity: JsString<'js>, message: Value<'js>| -> rquickjs::Result<()> {
        let message: Coerced<JsString<'js>> = FromJs::from_js(severity.ctx(), message)?;
        state.log(&text(&severity)?, text(&message.0)?);
        Ok(())
    });
    let clock = shared.clock.clone();
    function!("now", move || clock.now());
    let clock = shared.clock.clone();
    function!("sleep", move |ctx: Ctx<'js>, milliseconds: f64| -> rquickjs::Result<()> {
        if milliseconds <= 0.0 || clock.sleep(milliseconds) { Ok(()) } else { Err(throw(&ctx, "the time is over")) }
    });
    function!("job", |ctx: Ctx<'js>| ctx.execute_pending_job());

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
    let state = shared.clone();
    function!("later", move |ctx: Ctx<'js>, host: Object<'js>| -> rquickjs::Result<Value<'js>> {
        let fetched = state.later.borrow().as_ref().map(|later| {
            let start = Instant::now();
            let fetched = later.get();
            // The time for it is not the script's.
            state.clock.extend(start.elapsed());
            fetched
        });
        let gone = || Err("this value came with an earlier call and is gone".to_string());
        let value = fetched.unwrap_or_else(gone).map_err(|message| throw(&ctx, &message))?;
        let (wrap, buffer) = (host.get("wrap")?, host.get("buffer")?);
        Inward { ctx: &ctx, scope: &state.scope, wrap: &wrap, buffer: &buffer }.value(value.view(), None)
    });
    Ok(native)
}
