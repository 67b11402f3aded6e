//! Headers and bodies as hooks see them.

use polywire_doc::Datum;
use rquickjs::object::Filter;
use rquickjs::{Object, String as JsString, Value};

use crate::engine::{Raised, text};
use crate::sandbox::ModuleCall;
use crate::wire::{Get, Malformed, Put, Wire, wire_fields};

/// Headers by name, in order. A name may come more than once; hooks then see a list.
pub type Headers = Vec<(String, String)>;

/// The content of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A structure, already parsed.
    Data(Datum),
}

/// A body with its media type.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// The content.
    pub content: Content,
    /// The media type, if known.
    pub media_type: Option<String>,
}

impl Wire for Content {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        match self {
            Content::Text(text) => {
                out.byte(0);
                text.put(out);
            }
            Content::Bytes(bytes) => {
                out.byte(1);
                out.bytes(bytes);
            }
            Content::Data(data) => {
                out.byte(2);
                data.put(out);
            }
        }
    }

    fn get(from: &mut Get<'_>) -> Result<Content, Malformed> {
        Ok(match from.byte()? {
            0 => Content::Text(Wire::get(from)?),
            1 => Content::Bytes(from.bytes()?.to_vec()),
            2 => Content::Data(Wire::get(from)?),
            _ => return Err(from.wrong("a kind of content")),
        })
    }
}

wire_fields!(Body { content, media_type });

/// Makes headers for scripts: an object.
pub(crate) fn headers_in<'js>(call: &ModuleCall<'_, 'js>, headers: &[(String, String)]) -> rquickjs::Result<Object<'js>> {
    let object = Object::new(call.ctx.clone())?;
    for (index, (name, value)) in headers.iter().enumerate() {
        if headers[..index].iter().any(|(before, _)| before == name) {
            continue;
        }
        let mut values = headers[index + 1..].iter().filter(|(other, _)| other == name).peekable();
        if values.peek().is_none() {
            object.set(name.as_str(), value.as_str())?;
        } else {
            let all: Vec<&str> = std::iter::once(value.as_str()).chain(values.map(|(_, value)| value.as_str())).collect();
            object.set(name.as_str(), all)?;
        }
    }
    Ok(object)
}

/// Copies headers out: an object of texts, numbers, and lists of them. Undefined, null and false
/// are left out.
pub(crate) fn headers_out<'js>(call: &ModuleCall<'_, 'js>, value: &Value<'js>) -> Result<Headers, Raised> {
    let Some(object) = value.as_object().filter(|object| !object.is_array() && !object.is_function()) else {
        return Err(call.answer_error(format!("headers have to be an object, not {}", value.type_name())));
    };
    let mut headers = Headers::new();
    for name in object.own_keys::<JsString<'js>>(Filter::new().string().enum_only()) {
        let name = name?;
        let value: Value<'js> = object.get(name.clone())?;
        let name = text(&name)?;
        if value.as_bool() == Some(false) {
            continue;
        }
        match value.as_array() {
            Some(list) => {
                for value in list.iter::<Value<'js>>() {
                    headers.extend(call.text_of(&value?)?.map(|value| (name.clone(), value)));
                }
            }
            None => headers.extend(call.text_of(&value)?.map(|value| (name, value))),
        }
    }
    Ok(headers)
}

/// Makes content for scripts: text, a `Buffer`, or a structure.
pub(crate) fn content_in<'js>(call: &ModuleCall<'_, 'js>, content: &Content) -> rquickjs::Result<Value<'js>> {
    match content {
        Content::Text(text) => Ok(JsString::from_str(call.ctx.clone(), text)?.into_value()),
        Content::Bytes(bytes) => call.bytes(bytes),
        Content::Data(data) => call.inward(data.view()),
    }
}

/// Makes a body for scripts: `{content, type}`, both undefined where there is none.
pub(crate) fn body_in<'js>(call: &ModuleCall<'_, 'js>, body: Option<&Body>) -> rquickjs::Result<Object<'js>> {
    let object = Object::new(call.ctx.clone())?;
    object.set("content", body.map(|body| content_in(call, &body.content)).transpose()?)?;
    object.set("type", body.and_then(|body| body.media_type.as_deref()))?;
    Ok(object)
}

/// Copies a body out: `{content, type}`, or the content alone.
pub(crate) fn body_out<'js>(call: &ModuleCall<'_, 'js>, value: &Value<'js>) -> Result<Option<Body>, Raised> {
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
    let whole = value.as_object().filter(|_| !value.is_array() && call.bytes_of(value).is_none());
    let (content, media_type) = match whole {
        Some(object) if object.contains_key("content")? => (object.get::<_, Value<'js>>("content")?, call.text_of(&object.get("type")?)?),
        Some(_) => return Err(call.answer_error("a body has to be {content, type}; the returned object has no content")),
        None => (value.clone(), None),
    };
    let content = if let Some(string) = content.as_string() {
        Content::Text(text(string)?)
    } else if let Some(bytes) = call.bytes_of(&content) {
        Content::Bytes(bytes)
    } else {
        match call.outward(&content)? {
            Some(data) => Content::Data(data),
            None => return Ok(None),
        }
    };
    Ok(Some(Body { content, media_type: media_type.filter(|text| !text.is_empty()) }))
}
