//! A call into a realm, while it runs.

use std::rc::Rc;

use polywire_doc::{Datum, Ref};
use rquickjs::function::IntoArgs;
use rquickjs::object::Filter;
use rquickjs::{Atom, Ctx, FromJs, Function, Object, Value};

use super::bytes;
use super::error::{ErrorKind, Raised, ScriptError};
use super::inward::Inward;
use super::later::Later;
use super::outward::Outward;
use super::parsed::Parsed;
use super::part::{PartialBody, Spot};
use super::shared::Shared;
use super::text::text;

/// A call into a realm, while it runs.
pub(crate) struct ScriptCall<'a, 'js> {
    pub ctx: Ctx<'js>,
    host: Object<'js>,
    wrap: Function<'js>,
    buffer: Function<'js>,
    shared: &'a Rc<Shared>,
    budget: usize,
}

impl<'a, 'js> ScriptCall<'a, 'js> {
    pub(super) fn new(ctx: &Ctx<'js>, host: Object<'js>, shared: &'a Rc<Shared>, budget: usize) -> rquickjs::Result<ScriptCall<'a, 'js>> {
        let (wrap, buffer) = (host.get("wrap")?, host.get("buffer")?);
        Ok(ScriptCall { ctx: ctx.clone(), host, wrap, buffer, shared, budget })
    }

    /// Calls a function that a script has set in `host`.
    pub fn call<A: IntoArgs<'js>, R: FromJs<'js>>(&self, name: &str, args: A) -> rquickjs::Result<R> {
        self.host.get::<_, Function<'js>>(name)?.call(args)
    }

    /// Runs jobs that the call has left, such as handlers of promises.
    pub(super) fn settle(&self) -> rquickjs::Result<()> {
        if self.ctx.execute_pending_job() {
            self.call::<_, ()>("settle", (self.host.get::<_, Function<'js>>("never")?,))?;
        }
        Ok(())
    }

    /// Removes what the call has left behind.
    pub(super) fn finish(&self) -> rquickjs::Result<()> {
        // Counting the globals is cheaper here than in a script, and most calls make none.
        let globals = self.ctx.globals();
        let count = globals.own_keys::<Atom<'js>>(Filter::new().string().symbol()).count();
        let same = count == self.host.get::<_, usize>("knownCount")?
            && globals.get_prototype().as_ref() == Some(&self.host.get::<_, Object<'js>>("objectPrototype")?);
        self.call("finish", (!same,))
    }

    /// Makes a value for scripts.
    pub fn inward(&self, value: Ref<'_>) -> rquickjs::Result<Value<'js>> {
        self.way_in().value(value, None)
    }

    /// Makes a value for scripts, or undefined.
    pub fn inward_or_undefined(&self, value: Option<&Datum>) -> rquickjs::Result<Value<'js>> {
        match value {
            Some(value) => self.inward(value.view()),
            None => Ok(Value::new_undefined(self.ctx.clone())),
        }
    }

    /// Makes a body for scripts, which may be decoded in part.
    pub fn parsed(&self, body: &Parsed) -> rquickjs::Result<Value<'js>> {
        let spot = body.part.as_ref().map(|part| {
            let body = PartialBody::new(part.clone(), &self.shared.clock);
            self.shared.scope.borrow_mut().add_body(body.clone());
            Spot::root(body)
        });
        self.way_in().value_at(body.value.view(), spot.filter(|spot| !spot.is_whole()), None)
    }

    /// Keeps the value that `native.later` fetches.
    pub fn later(&self, value: Later) {
        *self.shared.later.borrow_mut() = Some(value);
    }

    /// Makes a `Buffer`.
    pub fn bytes(&self, bytes: &[u8]) -> rquickjs::Result<Value<'js>> {
        self.way_in().bytes(bytes)
    }

    /// Copies a value of a script out; returns `None` if it is undefined.
    pub fn outward(&self, value: &Value<'js>) -> rquickjs::Result<Option<Datum>> {
        self.way_out(&self.handler()?, self.budget).value(value)
    }

    /// Copies a value out that stands in place of a body; returns `None` if it is undefined. An
    /// unchanged part of a body is fetched only as far as the caller needs.
    pub fn outward_parsed(&self, value: &Value<'js>) -> rquickjs::Result<Option<Datum>> {
        let handler = self.handler()?;
        let mut outward = self.way_out(&handler, self.budget);
        match outward.untouched_part(value)? {
            Some((datum, spot)) if spot.part().suffices(&spot.names()) => Ok(Some(datum)),
            _ => outward.value(value),
        }
    }

    /// Returns whether it is a value that went in, unchanged.
    pub fn is_untouched(&self, value: &Value<'js>) -> rquickjs::Result<bool> {
        self.way_out(&self.handler()?, 0).is_untouched(value)
    }

    /// Copies a value out that went in by `inward`; returns `None` if the script left it unchanged.
    pub fn if_changed(&self, value: &Value<'js>) -> rquickjs::Result<Option<Datum>> {
        let handler = self.handler()?;
        let mut outward = self.way_out(&handler, self.budget);
        if outward.is_untouched(value)? { Ok(None) } else { outward.value(value) }
    }

    /// Copies the bytes of a `Buffer` or its kin.
    pub fn bytes_of(&self, value: &Value<'js>) -> Option<Vec<u8>> {
        bytes::copy(value)
    }

    /// Returns a value of a script as text; `None` if it is undefined or null.
    pub fn text_of(&self, value: &Value<'js>) -> Result<Option<String>, Raised> {
        if value.is_undefined() || value.is_null() {
            return Ok(None);
        }
        if let Some(string) = value.as_string() {
            return Ok(Some(text(string)?));
        }
        let string: rquickjs::String<'js> = self.ctx.globals().get::<_, Function<'js>>("String")?.call((value.clone(),))?;
        Ok(Some(text(&string)?))
    }

    /// Returns whether a value is true for scripts.
    pub fn truth_of(&self, value: &Value<'js>) -> rquickjs::Result<bool> {
        self.ctx.globals().get::<_, Function<'js>>("Boolean")?.call((value.clone(),))
    }

    /// Makes the error of a returned value that has no meaning.
    pub fn answer_error(&self, message: impl Into<String>) -> Raised {
        ScriptError::new(ErrorKind::Answer, message).into()
    }

    /// Returns the function that logs.
    pub fn log_function(&self) -> rquickjs::Result<Function<'js>> {
        self.host.get("log")
    }

    fn handler(&self) -> rquickjs::Result<Object<'js>> {
        self.host.get("Handler")
    }

    fn way_in(&self) -> Inward<'_, 'js> {
        Inward { ctx: &self.ctx, scope: &self.shared.scope, wrap: &self.wrap, buffer: &self.buffer }
    }

    fn way_out<'o>(&'o self, handler: &'o Object<'js>, budget: usize) -> Outward<'o, 'js> {
        Outward { ctx: &self.ctx, scope: &self.shared.scope, handler, budget }
    }
}
