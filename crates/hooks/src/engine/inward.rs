//! Values on their way into the engine.
//!
//! A list or object becomes a proxy that asks for its members when a script looks at them
//! (`js/lazy.js`). A value that a script has not changed comes back as the very value that went in.

use std::cell::RefCell;

use polywire_doc::{Ref, View};
use rquickjs::function::This;
use rquickjs::object::Property;
use rquickjs::{ArrayBuffer, BigInt, Ctx, Exception, Function, Object, Result, String as JsString, Value};

use super::number::SAFE;
use super::part::{Held, Spot};
use super::scope::Scope;

/// Values on their way in.
pub(super) struct Inward<'a, 'js> {
    pub ctx: &'a Ctx<'js>,
    pub scope: &'a RefCell<Scope>,
    /// `host.wrap`, which makes a proxy.
    pub wrap: &'a Function<'js>,
    /// `host.buffer`, which makes a `Buffer`.
    pub buffer: &'a Function<'js>,
}

impl<'js> Inward<'_, 'js> {
    /// Makes a value for scripts. `up` is the handler of the proxy that the value is a member of.
    pub fn value(&self, value: Ref<'_>, up: Option<&Value<'js>>) -> Result<Value<'js>> {
        self.value_at(value, None, up)
    }

    /// As [`Inward::value`], for a value at `spot` of a body that is decoded in part.
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
                // A script can change bytes unnoticed.
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

    /// Makes a `Buffer` of a copy: only what the engine allocates itself counts towards its limit.
    pub fn bytes(&self, bytes: &[u8]) -> Result<Value<'js>> {
        self.buffer.call((ArrayBuffer::new_copy(self.ctx.clone(), bytes)?,))
    }

    fn proxy(&self, value: Ref<'_>, count: usize, list: bool, spot: Option<Spot>, up: Option<&Value<'js>>) -> Result<Value<'js>> {
        let in_part = spot.is_some();
        let (call, at) = self.scope.borrow_mut().hold(Held { datum: value.to_datum(), spot });
        match up {
            Some(up) => self.wrap.call((call, at, count, list, in_part, up.clone())),
            None => self.wrap.call((call, at, count, list, in_part)),
        }
    }

    /// Works with the value that a proxy stands for.
    fn held<T>(&self, call: u32, at: u32, act: impl FnOnce(&mut Held) -> std::result::Result<T, String>) -> Result<T> {
        let mut scope = self.scope.borrow_mut();
        let Some(held) = scope.get(call, at) else {
            return Err(Exception::throw_message(
                self.ctx,
                "this value came with an earlier call and is gone; copy what a module keeps from call to call",
            ));
        };
        held.settle().and_then(|()| act(held)).map_err(|message| Exception::throw_message(self.ctx, &message))
    }

    /// Fills the empty `target` with all members of a held value; `fetched` has those that the
    /// script has seen already.
    pub fn fill(&self, call: u32, at: u32, target: &Object<'js>, handler: &Value<'js>, fetched: Option<&Object<'js>>) -> Result<()> {
        // Lists have all elements, though these may be decoded in part.
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

    /// Returns one member of a held value, or undefined.
    pub fn member(&self, call: u32, at: u32, name: &str, handler: &Value<'js>) -> Result<Value<'js>> {
        match self.held(call, at, |held| held.member(name))? {
            Some(member) => self.value_at(member.datum.view(), member.spot, Some(handler)),
            None => Ok(Value::new_undefined(self.ctx.clone())),
        }
    }
}

/// Marks the value of a proxy, and all values that contain it, as changed.
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
