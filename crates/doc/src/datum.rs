//! A value that is cheap to clone.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::build::Repeated;
use super::list::List;
use super::nodes::{Doc, Node, Tag};
use super::object::Object;
use super::sink::DocSink;
use super::view::Ref;
use super::wanted::Wanted;
use polywire_core::value::Value;
use polywire_core::{Result, Sink, Timestamp};

/// A value: its own, or a place in a shared [`Doc`]. Cloning copies no text, list or object. What is undefined in a language that knows that is `None` of
/// an `Option<Datum>`.
///
/// To look at one, take [`Datum::view`]; it makes no difference then where the value is.
#[derive(Debug, Clone, Default)]
pub enum Datum {
    /// No value.
    #[default]
    Null,
    /// Truth value.
    Bool(bool),
    /// A whole number below zero.
    Int(i64),
    /// A whole number from zero up.
    UInt(u64),
    /// IEEE 754 binary32. It stands for the shortest decimal that it is the nearest to.
    F32(f32),
    /// IEEE 754 binary64.
    F64(f64),
    /// Decimal digits of a whole number outside `i64` and `u64`.
    Big(Arc<str>),
    /// A decimal number that an `f64` would change, in JSON's number syntax.
    Decimal(Arc<str>),
    /// Unicode text.
    Text(Arc<str>),
    /// Binary data.
    Bytes(Arc<[u8]>),
    /// A moment in time.
    Time(Timestamp),
    /// Values in order.
    List(List),
    /// Named values.
    Object(Object),
    /// A text, byte string, list or object in a document. An object that was only [to be written](Wanted::write) is looked at as its JSON text.
    Node(DocNode),
}

/// A value in a shared document.
#[derive(Clone)]
pub struct DocNode {
    pub(super) doc: Arc<Doc>,
    pub(super) at: u32,
}

impl DocNode {
    /// The document.
    pub fn doc(&self) -> &Arc<Doc> {
        &self.doc
    }
}

/// Its JSON text.
impl fmt::Debug for DocNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        Ref::node(&self.doc, self.at).write_json(&mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

impl Datum {
    /// Text.
    pub fn text(text: impl Into<Arc<str>>) -> Datum {
        Datum::Text(text.into())
    }

    /// A whole number in its one spelling.
    pub fn int(value: i64) -> Datum {
        if value < 0 { Datum::Int(value) } else { Datum::UInt(value as u64) }
    }

    /// A list.
    pub fn list(values: impl IntoIterator<Item = Datum>) -> Datum {
        Datum::List(values.into_iter().collect())
    }

    /// An object.
    pub fn object<N: Into<Arc<str>>>(members: impl IntoIterator<Item = (N, Datum)>) -> Datum {
        Datum::Object(members.into_iter().collect())
    }

    /// A look at it.
    #[inline]
    pub fn view(&self) -> Ref<'_> {
        match self {
            Datum::Node(node) => Ref::node(&node.doc, node.at),
            datum => Ref::datum(datum),
        }
    }

    /// The datum of what `emit` tells a sink.
    ///
    /// # Errors
    /// Those of `emit`, and it told no whole value.
    pub fn told<'m>(emit: impl FnOnce(&mut dyn Sink<'m>) -> Result<()>) -> Result<Datum> {
        let wanted = Wanted::everything();
        let mut sink = DocSink::new(Bytes::new(), &wanted, Repeated::Last);
        emit(&mut sink)?;
        Ok(Datum::from(sink.finish(0)?.0))
    }

    /// The value at `at` of `doc`: small ones by themselves.
    #[inline]
    pub(super) fn at(doc: &Arc<Doc>, at: u32) -> Datum {
        let node: Node = doc.node(at);
        match node.tag {
            Tag::Null => Datum::Null,
            Tag::False => Datum::Bool(false),
            Tag::True => Datum::Bool(true),
            Tag::Int => Datum::Int(node.bits() as i64),
            Tag::UInt => Datum::UInt(node.bits()),
            Tag::F32 => Datum::F32(f32::from_bits(node.a)),
            Tag::F64 => Datum::F64(f64::from_bits(node.bits())),
            Tag::Time => doc.time(node).map_or(Datum::Null, Datum::Time),
            Tag::Text | Tag::Big | Tag::Decimal | Tag::Bytes | Tag::List | Tag::Object | Tag::Written => {
                Datum::Node(DocNode { doc: doc.clone(), at })
            }
        }
    }
}

impl From<Doc> for Datum {
    fn from(doc: Doc) -> Datum {
        Datum::from(Arc::new(doc))
    }
}

impl From<Arc<Doc>> for Datum {
    fn from(doc: Arc<Doc>) -> Datum {
        Datum::at(&doc, doc.root())
    }
}

impl From<bool> for Datum {
    fn from(value: bool) -> Datum {
        Datum::Bool(value)
    }
}

impl From<&str> for Datum {
    fn from(text: &str) -> Datum {
        Datum::text(text)
    }
}

impl From<String> for Datum {
    fn from(text: String) -> Datum {
        Datum::text(text)
    }
}

impl From<Vec<Datum>> for Datum {
    fn from(values: Vec<Datum>) -> Datum {
        Datum::List(values.into())
    }
}

impl From<Object> for Datum {
    fn from(object: Object) -> Datum {
        Datum::Object(object)
    }
}

/// As [`DocSink`] takes it; null where it is nested deeper than [`Limits::MAX_DEPTH`](polywire_core::Limits::MAX_DEPTH).
impl From<&Value> for Datum {
    fn from(value: &Value) -> Datum {
        let wanted = Wanted::everything();
        let mut sink = DocSink::new(Bytes::new(), &wanted, Repeated::Last);
        match value.emit(&mut sink).and_then(|()| sink.finish(0)) {
            Ok((doc, _)) => Datum::from(doc),
            Err(_) => Datum::Null,
        }
    }
}

impl From<&Datum> for Value {
    fn from(datum: &Datum) -> Value {
        Value::from(datum.view())
    }
}
