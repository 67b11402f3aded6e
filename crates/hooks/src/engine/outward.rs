//! Values on their way back from the engine.

use std::cell::RefCell;

use polywire_doc::{Datum, DatumKind, Ref, View};
use rquickjs::function::This;
use rquickjs::object::Filter;
use rquickjs::{Ctx, Exception, Function, Object, Result, String as JsString, Value};

use super::bytes;
use super::number::SAFE;
use super::part::{Held, Spot};
use super::scope::Scope;
use super::text::text;

/// Deepest nesting of a returned value.
const DEEPEST: usize = 256;
/// Cost of a value beyond its text, when an answer is measured.
const VALUE: usize = 32;

/// Values on their way back.
pub(super) struct Outward<'a, 'js> {
    pub ctx: &'a Ctx<'js>,
    pub scope: &'a RefCell<Scope>,
    /// `host.Handler`, the prototype of the handlers of our proxies.
    pub handler: &'a Object<'js>,
    /// Bytes that the answer may still take.
    pub budget: usize,
}

impl<'js> Outward<'_, 'js> {
    /// Copies a value out; returns `None` if it is undefined. The rules are those of JSON:
    /// functions and symbols are undefined, in lists null; `toJSON` is called; NaN and infinities
    /// are null. Bytes stay bytes, and big integers stay exact.
    pub fn value(&mut self, value: &Value<'js>) -> Result<Option<Datum>> {
        self.at_depth(value, 0)
    }

    fn spend(&mut self, cost: usize) -> Result<()> {
        match self.budget.checked_sub(cost) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => Err(Exception::throw_range(self.ctx, "the returned value is too large")),
        }
    }

    fn at_depth(&mut self, value: &Value<'js>, depth: usize) -> Result<Option<Datum>> {
        self.spend(VALUE)?;
        if depth > DEEPEST {
            return Err(Exception::throw_range(self.ctx, "the returned value is nested too deeply, or contains itself"));
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

    /// Returns handler and place in the scope, if the value is one of our proxies of this call.
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

    /// Returns a value that went in and is unchanged, with its place, if it may be decoded in part.
    pub fn untouched_part(&self, value: &Value<'js>) -> Result<Option<(Datum, Spot)>> {
        match self.ours(value)? {
            Some((handler, at)) if !handler.get::<_, bool>("dirty")? => {
                self.held(at, |held| Ok(held.spot.clone().map(|spot| (held.datum.clone(), spot))))
            }
            _ => Ok(None),
        }
    }

    /// Returns whether it is a value that went in, unchanged.
    pub fn is_untouched(&self, value: &Value<'js>) -> Result<bool> {
        Ok(match self.ours(value)? {
            Some((handler, _)) => !handler.get::<_, bool>("dirty")?,
            None => false,
        })
    }

    fn changed(&mut self, handler: &Object<'js>, origin: &Datum, value: &Value<'js>, depth: usize) -> Result<Datum> {
        let proxy = value.as_proxy().map(|proxy| proxy.target()).transpose()?;
        // An object that is marked only since a member of it changed may have no members of its own
        // yet.
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

    /// Copies a list or object member by member. Numbers and times that equal those of `origin` are
    /// taken from there, where they have more digits.
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

    /// Returns `origin`, if it is a number or time that a script sees as `value`.
    fn kept(&self, value: &Value<'js>, origin: Ref<'_>) -> Option<Datum> {
        let same = match origin.kind() {
            DatumKind::Number => value.as_number() == origin.as_f64(),
            DatumKind::Time => match origin.view() {
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

/// Returns whether it is an array, or a proxy of one.
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
    // Larger floats do not know all of their digits.
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
