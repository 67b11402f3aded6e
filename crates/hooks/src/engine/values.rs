//! Values on their way into the engine and back.
//!
//! A list or object becomes a proxy that asks for its members when a script looks at them (`js/lazy.js`). What a script has not changed comes back as the very value that
//! went in.

use std::cell::RefCell;
use std::rc::Rc;

use polywire_doc::{Datum, Kind, Ref, View};
use rquickjs::function::This;
use rquickjs::object::{Filter, Property};
use rquickjs::{ArrayBuffer, BigInt, Ctx, Exception, Function, Object, Result, String as JsString, Value};

use super::bytes;
use super::part::{Body, Held, Spot};

/// The values that the running call has in proxies. When it ends, they go, and proxies that a module kept can no longer be asked.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    call: u32,
    held: Vec<Held>,
    /// Those of the values that are there in part.
    bodies: Vec<Rc<Body>>,
}

impl Scope {
    /// Ends the call, and begins the next.
    pub fn next(&mut self) {
        self.call = self.call.wrapping_add(1);
        self.held.clear();
        self.bodies.drain(..).for_each(|body| body.tell());
    }

    /// Takes up a body that is there in part.
    pub fn body(&mut self, body: Rc<Body>) {
        self.bodies.push(body);
    }

    fn get(&mut self, call: u32, at: u32) -> Option<&mut Held> {
        if call == self.call { self.held.get_mut(at as usize) } else { None }
    }
}

/// The largest whole number that JavaScript's numbers keep apart from its neighbours.
const SAFE: u64 = (1 << 53) - 1;
/// How deep values may be nested on their way back.
const DEEPEST: usize = 256;
/// Cost of a value beyond its text, when an answer is measured.
const VALUE: usize = 32;

/// The way in.
pub(crate) struct Inward<'a, 'js> {
    pub ctx: &'a Ctx<'js>,
    pub scope: &'a RefCell<Scope>,
    /// `host.wrap`, which makes a proxy.
    pub wrap: &'a Function<'js>,
    /// `host.buffer`, which makes a `Buffer`.
    pub buffer: &'a Function<'js>,
}

impl<'js> Inward<'_, 'js> {
    /// A value for scripts. `up` is the handler of the proxy that it is found in.
    pub fn value(&self, value: Ref<'_>, up: Option<&Value<'js>>) -> Result<Value<'js>> {
        self.value_at(value, None, up)
    }

    /// As [`Inward::value`], for a value at `spot` of a body that is there in part.
    pub fn value_at(&self, value: Ref<'_>, spot: Option<Spot>, up: Option<&Value<'js>>) -> Result<Value<'js>> {
        let ctx = self.ctx;
        match value.view() {
            View::List(items) => self.proxy(value, items.len(), true, spot, up),
            View::Object(members) => self.proxy(value, members.len(), false, spot, up),
            View::Text(text) => Ok(JsString::from_str(ctx.clone(), text)?.into_value()),
            View::Null => Ok(Value::new_null(ctx.clone())),
            View::Bool(value) => Ok(Value::new_bool(ctx.clone(), value)),
            View::Bytes(bytes) => {
                let value = self.bytes(bytes)?;
                // A script can change bytes without its being noticed.
                if let Some(up) = up {
                    soil(up)?;
                }
                Ok(value)
            }
            View::Time(moment) => Ok(JsString::from_str(ctx.clone(), &moment.to_string())?.into_value()),
            View::UInt(number) if number > SAFE => Ok(BigInt::from_u64(ctx.clone(), number)?.into_value()),
            View::Int(number) if number.unsigned_abs() > SAFE => Ok(BigInt::from_i64(ctx.clone(), number)?.into_value()),
            View::Big(digits) => ctx.globals().get::<_, Function<'js>>("BigInt")?.call((digits,)),
            View::Int(_) | View::UInt(_) | View::F32(_) | View::F64(_) | View::Decimal(_) => {
                Ok(Value::new_number(ctx.clone(), value.as_f64().unwrap_or(f64::NAN)))
            }
        }
    }

    /// A `Buffer`: a copy, since only what the engine has allocated itself counts towards its limit.
    pub fn bytes(&self, bytes: &[u8]) -> Result<Value<'js>> {
        self.buffer.call((ArrayBuffer::new_copy(self.ctx.clone(), bytes)?,))
    }

    fn proxy(&self, value: Ref<'_>, count: usize, list: bool, spot: Option<Spot>, up: Option<&Value<'js>>) -> Result<Value<'js>> {
        let in_part = spot.is_some();
        let (call, at) = {
            let mut scope = self.scope.borrow_mut();
            scope.held.push(Held { datum: value.to_datum(), spot });
            (scope.call, scope.held.len() - 1)
        };
        match up {
            Some(up) => self.wrap.call((call, at, count, list, in_part, up.clone())),
            None => self.wrap.call((call, at, count, list, in_part)),
        }
    }

    /// Works with a held value.
    fn held<T>(&self, call: u32, at: u32, act: impl FnOnce(&mut Held) -> std::result::Result<T, String>) -> Result<T> {
        let mut scope = self.scope.borrow_mut();
        let Some(held) = scope.get(call, at) else {
            return Err(Exception::throw_message(
                self.ctx,
                "this value came with an earlier call and is gone; copy what is to be kept from call to call",
            ));
        };
        held.settle().and_then(|()| act(held)).map_err(|message| Exception::throw_message(self.ctx, &message))
    }

    /// Gives `target`, which is empty, all members of a held value; `fetched` has those that the script has seen already.
    pub fn fill(&self, call: u32, at: u32, target: &Object<'js>, handler: &Value<'js>, fetched: Option<&Object<'js>>) -> Result<()> {
        // Lists are there as a whole, though their elements may not be.
        let held = self.held(call, at, |held| {
            if !held.datum.view().is_list() {
                held.complete()?;
            }
            Ok(held.clone())
        })?;
        let known = match fetched {
            Some(map) => Some((map.get::<_, Function<'js>>("get")?, map)),
            None => None,
        };
        let seen = |name: &str| -> Result<Option<Value<'js>>> {
            let Some((get, map)) = &known else { return Ok(None) };
            let value: Value<'js> = get.call((This((*map).clone()), name))?;
            Ok((!value.is_undefined()).then_some(value))
        };
        match held.datum.view().view() {
            View::List(items) => {
                for (index, item) in items.enumerate() {
                    let value = match if known.is_some() { seen(&index.to_string())? } else { None } {
                        Some(value) => value,
                        None => self.value_at(item, held.element(index, item).spot, Some(handler))?,
                    };
                    target.set(index as u32, value)?;
                }
            }
            View::Object(members) => {
                for (name, member) in members {
                    let value = match seen(name)? {
                        Some(value) => value,
                        None => self.value(member, Some(handler))?,
                    };
                    // Not by assignment: a member may be called `__proto__`.
                    target.prop(name, Property::from(value).configurable().enumerable().writable())?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// One member of a held value, or undefined.
    pub fn member(&self, call: u32, at: u32, name: &str, handler: &Value<'js>) -> Result<Value<'js>> {
        match self.held(call, at, |held| held.member(name))? {
            Some(member) => self.value_at(member.datum.view(), member.spot, Some(handler)),
            None => Ok(Value::new_undefined(self.ctx.clone())),
        }
    }
}

/// Marks the value of a proxy, and all that it lies in, as changed.
fn soil(handler: &Value<'_>) -> Result<()> {
    let mut next = handler.as_object().cloned();
    while let Some(handler) = next {
        if handler.get::<_, bool>("dirty")? {
            break;
        }
        handler.set("dirty", true)?;
        next = handler.get::<_, Option<Object<'_>>>("up")?;
    }
    Ok(())
}

/// The text of a string; halves of surrogate pairs become U+FFFD.
pub(crate) fn text<'js>(string: &JsString<'js>) -> Result<String> {
    match string.to_string() {
        Err(rquickjs::Error::Utf8(_)) => {
            let prototype: Object<'js> = string.ctx().globals().get::<_, Object<'js>>("String")?.get("prototype")?;
            prototype.get::<_, Function<'js>>("toWellFormed")?.call::<_, JsString<'js>>((This(string.clone()),))?.to_string()
        }
        text => text,
    }
}

/// The way back.
pub(crate) struct Outward<'a, 'js> {
    pub ctx: &'a Ctx<'js>,
    pub scope: &'a RefCell<Scope>,
    /// `host.Handler`, the prototype of the handlers of our proxies.
    pub handler: &'a Object<'js>,
    /// How many bytes more the answer may take.
    pub budget: usize,
}

impl<'js> Outward<'_, 'js> {
    /// The value, `None` if it is undefined. It is taken as JSON takes values: functions and symbols are undefined, in lists null; `toJSON` is asked; numbers that are none are null. Bytes stay bytes, and
    /// big integers stay exact.
    pub fn value(&mut self, value: &Value<'js>) -> Result<Option<Datum>> {
        self.at_depth(value, 0)
    }

    fn spend(&mut self, cost: usize) -> Result<()> {
        match self.budget.checked_sub(cost) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => Err(Exception::throw_range(self.ctx, "the value that was given back is too large")),
        }
    }

    fn at_depth(&mut self, value: &Value<'js>, depth: usize) -> Result<Option<Datum>> {
        self.spend(VALUE)?;
        if depth > DEEPEST {
            return Err(Exception::throw_range(self.ctx, "the value that was given back is nested too deeply, or holds itself"));
        }
        if let Some(string) = value.as_string() {
            let text = text(string)?;
            self.spend(text.len())?;
            return Ok(Some(Datum::text(text)));
        }
        if value.is_undefined() || value.is_function() || value.is_symbol() {
            return Ok(None);
        }
        if let Some(truth) = value.as_bool() {
            return Ok(Some(Datum::Bool(truth)));
        }
        if let Some(number) = value.as_number() {
            return Ok(Some(number_datum(number)));
        }
        if value.is_big_int() {
            let digits: String = value.ctx().globals().get::<_, Function<'js>>("String")?.call((value.clone(),))?;
            self.spend(digits.len())?;
            return Ok(Some(integer(&digits)));
        }
        let Some(object) = value.as_object() else { return Ok(Some(Datum::Null)) };
        if let Some((handler, at)) = self.ours(value)? {
            let datum = self.held(at, |held| {
                held.complete()?;
                Ok(held.datum.clone())
            })?;
            return if handler.get::<_, bool>("dirty")? { self.changed(&handler, &datum, value, depth).map(Some) } else { Ok(Some(datum)) };
        }
        if let Some(bytes) = bytes::copy(value) {
            self.spend(bytes.len())?;
            return Ok(Some(Datum::Bytes(bytes.into())));
        }
        let plain: Value<'js> = object.get("toJSON")?;
        if let Some(plain) = plain.as_function() {
            let plain: Value<'js> = plain.call((This(value.clone()),))?;
            return self.at_depth(&plain, depth + 1);
        }
        self.spelt_out(object, None, depth).map(Some)
    }

    /// Handler and place in the scope of one of our proxies, made in this call.
    fn ours(&self, value: &Value<'js>) -> Result<Option<(Object<'js>, (u32, u32))>> {
        let Some(proxy) = value.as_proxy() else { return Ok(None) };
        let handler = proxy.handler()?;
        if handler.get_prototype().as_ref() != Some(self.handler) {
            return Ok(None);
        }
        let at = (handler.get::<_, u32>("call")?, handler.get::<_, u32>("at")?);
        let known = self.scope.borrow_mut().get(at.0, at.1).is_some();
        Ok(known.then_some((handler, at)))
    }

    /// Works with the value that a proxy of ours stands for.
    fn held<T>(&self, (call, at): (u32, u32), act: impl FnOnce(&mut Held) -> std::result::Result<T, String>) -> Result<T> {
        let mut scope = self.scope.borrow_mut();
        let outcome = match scope.get(call, at) {
            Some(held) => held.settle().and_then(|()| act(held)),
            None => Err("this value is gone".to_string()),
        };
        outcome.map_err(|message| Exception::throw_message(self.ctx, &message))
    }

    /// A value that went in and is as it was, with its place if there may be more of it than is here.
    pub fn untouched_part(&self, value: &Value<'js>) -> Result<Option<(Datum, Spot)>> {
        match self.ours(value)? {
            Some((handler, at)) if !handler.get::<_, bool>("dirty")? => {
                self.held(at, |held| Ok(held.spot.clone().map(|spot| (held.datum.clone(), spot))))
            }
            _ => Ok(None),
        }
    }

    /// Whether it is a value that went in, as it was.
    pub fn is_untouched(&self, value: &Value<'js>) -> Result<bool> {
        Ok(match self.ours(value)? {
            Some((handler, _)) => !handler.get::<_, bool>("dirty")?,
            None => false,
        })
    }

    fn changed(&mut self, handler: &Object<'js>, origin: &Datum, value: &Value<'js>, depth: usize) -> Result<Datum> {
        let proxy = value.as_proxy().map(|proxy| proxy.target()).transpose()?;
        // One that was only soiled from below, by one that was fetched alone, has no members of its own yet.
        let target = if handler.get::<_, bool>("full")? { proxy } else { None };
        let object = match &target {
            Some(target) => target,
            None => match value.as_object() {
                Some(object) => object,
                None => return Ok(origin.clone()),
            },
        };
        self.spelt_out(object, Some(origin), depth)
    }

    /// A list or object by its members. Numbers, times and the like that are still those of `origin` are taken from there, where they have more digits.
    fn spelt_out(&mut self, object: &Object<'js>, origin: Option<&Datum>, depth: usize) -> Result<Datum> {
        let origin = origin.map(Datum::view);
        if is_array(object)? {
            let length = object.get::<_, f64>("length")?;
            self.spend((length as usize).saturating_mul(VALUE))?;
            let mut values = Vec::new();
            for index in 0..length as u32 {
                let value: Value<'js> = object.get(index)?;
                let datum = match origin.and_then(|origin| origin.index(index as usize)).and_then(|origin| self.kept(&value, origin)) {
                    Some(kept) => kept,
                    None => self.at_depth(&value, depth + 1)?.unwrap_or(Datum::Null),
                };
                values.push(datum);
            }
            return Ok(Datum::from(values));
        }
        let mut members = polywire_doc::Object::default();
        let names = object.own_keys::<JsString<'js>>(Filter::new().string().enum_only()).collect::<Result<Vec<_>>>()?;
        for name in names {
            let value: Value<'js> = object.get(name.clone())?;
            let name = text(&name)?;
            self.spend(name.len())?;
            let datum = match origin.and_then(|origin| origin.get(&name)).and_then(|origin| self.kept(&value, origin)) {
                Some(kept) => kept,
                None => match self.at_depth(&value, depth + 1)? {
                    Some(datum) => datum,
                    None => continue,
                },
            };
            members.insert(name, datum);
        }
        Ok(Datum::from(members))
    }

    /// The origin, if it is a number or time that a script sees as `value`.
    fn kept(&self, value: &Value<'js>, origin: Ref<'_>) -> Option<Datum> {
        let same = match origin.kind() {
            Kind::Number => value.as_number() == origin.as_f64(),
            Kind::Time => match origin.view() {
                View::Time(moment) => {
                    value.as_string().and_then(|text| text.to_string().ok()).is_some_and(|text| text == moment.to_string())
                }
                _ => false,
            },
            _ => false,
        };
        same.then(|| origin.to_datum())
    }
}

/// Whether it is an array, or a proxy of one.
fn is_array<'js>(object: &Object<'js>) -> Result<bool> {
    if object.is_array() {
        return Ok(true);
    }
    if !object.is_proxy() {
        return Ok(false);
    }
    object.ctx().globals().get::<_, Object<'js>>("Array")?.get::<_, Function<'js>>("isArray")?.call((object.clone(),))
}

fn number_datum(number: f64) -> Datum {
    if !number.is_finite() {
        return Datum::Null;
    }
    // Beyond, a float's digits claim more than it knows.
    if number.fract() == 0.0 && number.abs() <= SAFE as f64 && !(number == 0.0 && number.is_sign_negative()) {
        return Datum::int(number as i64);
    }
    Datum::F64(number)
}

fn integer(digits: &str) -> Datum {
    match (digits.parse::<u64>(), digits.parse::<i64>()) {
        (Ok(value), _) => Datum::UInt(value),
        (_, Ok(value)) => Datum::Int(value),
        _ => Datum::Big(digits.into()),
    }
}
