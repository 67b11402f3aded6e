//! One view of all values, wherever they are kept.

use std::sync::Arc;

use super::datum::Datum;
use super::nodes::{Doc, DocNode, Tag};
use polywire_core::Timestamp;
use polywire_core::value::Value;

/// A borrowed value.
#[derive(Debug, Clone, Copy)]
pub struct Ref<'d>(Inner<'d>);

#[derive(Debug, Clone, Copy)]
enum Inner<'d> {
    /// Never a [`Datum::Node`].
    Datum(&'d Datum),
    Node(&'d Arc<Doc>, u32),
}

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatumKind {
    /// No value.
    Null,
    /// Truth value.
    Bool,
    /// A number of any kind.
    Number,
    /// Unicode text.
    Text,
    /// Binary data.
    Bytes,
    /// A moment in time.
    Time,
    /// Values in order.
    List,
    /// Named values.
    Object,
}

/// A value, for matching.
#[derive(Debug, Clone)]
pub enum View<'d> {
    /// No value.
    Null,
    /// Truth value.
    Bool(bool),
    /// A negative whole number.
    Int(i64),
    /// A whole number that is not negative.
    UInt(u64),
    /// IEEE 754 binary32.
    F32(f32),
    /// IEEE 754 binary64.
    F64(f64),
    /// Decimal digits of a whole number outside `i64` and `u64`.
    Big(&'d str),
    /// A decimal number that an `f64` would change.
    Decimal(&'d str),
    /// Unicode text.
    Text(&'d str),
    /// Binary data.
    Bytes(&'d [u8]),
    /// A moment in time.
    Time(Timestamp),
    /// Values in order.
    List(Items<'d>),
    /// Named values.
    Object(Members<'d>),
}

impl<'d> Ref<'d> {
    #[inline]
    pub(super) fn datum(datum: &'d Datum) -> Ref<'d> {
        match datum {
            Datum::Node(node) => Ref::node(&node.doc, node.at),
            datum => Ref(Inner::Datum(datum)),
        }
    }

    #[inline]
    pub(super) fn node(doc: &'d Arc<Doc>, at: u32) -> Ref<'d> {
        Ref(Inner::Node(doc, at))
    }

    /// Returns the document and the number of the value there, for a value in one. It identifies
    /// the value among all of its document, but says nothing about the order.
    #[inline]
    pub fn place(self) -> Option<(&'d Arc<Doc>, u32)> {
        match self.0 {
            Inner::Datum(_) => None,
            Inner::Node(doc, at) => Some((doc, at)),
        }
    }

    /// Returns the value to keep. Copies no text, list or object.
    #[inline]
    pub fn to_datum(self) -> Datum {
        match self.0 {
            Inner::Datum(datum) => datum.clone(),
            Inner::Node(doc, at) => Datum::at(doc, at),
        }
    }

    /// Returns the value for matching.
    #[inline]
    pub fn view(self) -> View<'d> {
        let (doc, at) = match self.0 {
            Inner::Node(doc, at) => (doc, at),
            Inner::Datum(datum) => {
                return match datum {
                    Datum::Null => View::Null,
                    Datum::Bool(value) => View::Bool(*value),
                    Datum::Int(value) => View::Int(*value),
                    Datum::UInt(value) => View::UInt(*value),
                    Datum::F32(value) => View::F32(*value),
                    Datum::F64(value) => View::F64(*value),
                    Datum::Big(text) => View::Big(text),
                    Datum::Decimal(text) => View::Decimal(text),
                    Datum::Text(text) => View::Text(text),
                    Datum::Bytes(bytes) => View::Bytes(bytes),
                    Datum::Time(moment) => View::Time(*moment),
                    Datum::List(list) => View::List(Items(ItemsInner::List(list.iter()))),
                    Datum::Object(object) => View::Object(Members(MembersInner::Object(object.iter()))),
                    Datum::Node(DocNode { doc, at }) => Ref::node(doc, *at).view(),
                };
            }
        };
        let node = doc.node(at);
        match node.tag {
            Tag::Null => View::Null,
            Tag::False => View::Bool(false),
            Tag::True => View::Bool(true),
            Tag::Int => View::Int(node.bits() as i64),
            Tag::UInt => View::UInt(node.bits()),
            Tag::F32 => View::F32(f32::from_bits(node.a)),
            Tag::F64 => View::F64(f64::from_bits(node.bits())),
            // Digits enter as those of a float.
            Tag::Spelled => View::F64(doc.text(node).parse().unwrap_or(f64::NAN)),
            Tag::Time => doc.time(node).map_or(View::Null, View::Time),
            Tag::Text => View::Text(doc.text(node)),
            Tag::Big => View::Big(doc.text(node)),
            Tag::Decimal => View::Decimal(doc.text(node)),
            Tag::Bytes => View::Bytes(doc.slice(node)),
            Tag::Written => View::Text(std::str::from_utf8(doc.json(node)).unwrap_or_default()),
            Tag::List => View::List(Items(ItemsInner::Node { doc, at: node.a, end: node.a + node.b })),
            Tag::Object => View::Object(Members(MembersInner::Node { doc, at: node.a, end: node.a + node.b })),
        }
    }

    /// Returns the digits of a float as they came, in JSON's number syntax, if they are known and
    /// a writer may need them.
    pub(super) fn digits(self) -> Option<&'d str> {
        let (doc, at) = self.place()?;
        let node = doc.node(at);
        (node.tag == Tag::Spelled).then(|| doc.text(node))
    }

    /// Returns the kind of the value.
    pub fn kind(self) -> DatumKind {
        match self.view() {
            View::Null => DatumKind::Null,
            View::Bool(_) => DatumKind::Bool,
            View::Int(_) | View::UInt(_) | View::F32(_) | View::F64(_) | View::Big(_) | View::Decimal(_) => DatumKind::Number,
            View::Text(_) => DatumKind::Text,
            View::Bytes(_) => DatumKind::Bytes,
            View::Time(_) => DatumKind::Time,
            View::List(_) => DatumKind::List,
            View::Object(_) => DatumKind::Object,
        }
    }

    /// Returns the number of elements or members; 0 for a scalar.
    pub fn len(self) -> usize {
        match self.view() {
            View::List(items) => items.len(),
            View::Object(members) => members.len(),
            _ => 0,
        }
    }

    /// Returns true for a scalar, and for a list or object without entries.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the member `name` of an object.
    pub fn get(self, name: &str) -> Option<Ref<'d>> {
        match self.0 {
            Inner::Datum(Datum::Object(object)) => object.get(name).map(Ref::datum),
            Inner::Datum(_) => None,
            Inner::Node(doc, at) => {
                let node = doc.node(at);
                if node.tag != Tag::Object {
                    return None;
                }
                let id = doc.names.find(name)?;
                let found = doc.entries(node).iter().position(|member| member.name == id)?;
                Some(Ref::node(doc, node.a + found as u32))
            }
        }
    }

    /// Returns the element at `index` of a list, counted from 0.
    pub fn index(self, index: usize) -> Option<Ref<'d>> {
        match self.view() {
            View::List(items) => items.at(index),
            _ => None,
        }
    }

    /// Returns the value at a path of names, through objects only.
    pub fn path<'p>(self, path: impl IntoIterator<Item = &'p str>) -> Option<Ref<'d>> {
        path.into_iter().try_fold(self, |value, name| value.get(name))
    }

    /// Returns the elements of a list; none for any other value.
    pub fn items(self) -> Items<'d> {
        match self.view() {
            View::List(items) => items,
            _ => Items(ItemsInner::List([].iter())),
        }
    }

    /// Returns the members of an object; none for any other value.
    pub fn members(self) -> Members<'d> {
        match self.view() {
            View::Object(members) => members,
            _ => Members(MembersInner::Object([].iter())),
        }
    }

    /// Returns the text of a text value.
    pub fn as_str(self) -> Option<&'d str> {
        match self.view() {
            View::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns true for null.
    pub fn is_null(self) -> bool {
        matches!(self.view(), View::Null)
    }

    /// Returns true for a list.
    pub fn is_list(self) -> bool {
        self.kind() == DatumKind::List
    }

    /// Returns true for an object.
    pub fn is_object(self) -> bool {
        self.kind() == DatumKind::Object
    }
}

impl Datum {
    /// Returns a view of the value.
    #[inline]
    pub fn view(&self) -> Ref<'_> {
        match self {
            Datum::Node(node) => Ref::node(&node.doc, node.at),
            datum => Ref::datum(datum),
        }
    }
}

/// Iterator over the elements of a list.
#[derive(Debug, Clone)]
pub struct Items<'d>(ItemsInner<'d>);

#[derive(Debug, Clone)]
enum ItemsInner<'d> {
    List(std::slice::Iter<'d, Datum>),
    Node { doc: &'d Arc<Doc>, at: u32, end: u32 },
}

impl<'d> Items<'d> {
    fn at(&self, index: usize) -> Option<Ref<'d>> {
        match &self.0 {
            ItemsInner::List(list) => list.as_slice().get(index).map(Ref::datum),
            ItemsInner::Node { doc, at, end } => {
                let at = u32::try_from(index).ok().and_then(|index| at.checked_add(index)).filter(|at| at < end)?;
                Some(Ref::node(doc, at))
            }
        }
    }
}

impl<'d> Iterator for Items<'d> {
    type Item = Ref<'d>;

    #[inline]
    fn next(&mut self) -> Option<Ref<'d>> {
        match &mut self.0 {
            ItemsInner::List(list) => list.next().map(Ref::datum),
            ItemsInner::Node { doc, at, end } if *at < *end => {
                *at += 1;
                Some(Ref::node(doc, *at - 1))
            }
            ItemsInner::Node { .. } => None,
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = match &self.0 {
            ItemsInner::List(list) => list.len(),
            ItemsInner::Node { at, end, .. } => (end - at) as usize,
        };
        (len, Some(len))
    }
}

impl ExactSizeIterator for Items<'_> {}

/// Iterator over the members of an object, in order.
#[derive(Debug, Clone)]
pub struct Members<'d>(MembersInner<'d>);

#[derive(Debug, Clone)]
enum MembersInner<'d> {
    Object(std::slice::Iter<'d, (Arc<str>, Datum)>),
    Node { doc: &'d Arc<Doc>, at: u32, end: u32 },
}

impl<'d> Iterator for Members<'d> {
    type Item = (&'d str, Ref<'d>);

    #[inline]
    fn next(&mut self) -> Option<(&'d str, Ref<'d>)> {
        match &mut self.0 {
            MembersInner::Object(object) => object.next().map(|(name, value)| (&**name, Ref::datum(value))),
            MembersInner::Node { doc, at, end } if *at < *end => {
                *at += 1;
                let doc: &'d Arc<Doc> = doc;
                Some((doc.names.get(doc.node(*at - 1).name), Ref::node(doc, *at - 1)))
            }
            MembersInner::Node { .. } => None,
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = match &self.0 {
            MembersInner::Object(object) => object.len(),
            MembersInner::Node { at, end, .. } => (end - at) as usize,
        };
        (len, Some(len))
    }
}

impl ExactSizeIterator for Members<'_> {}

/// Copies the value.
impl From<Ref<'_>> for Value {
    fn from(value: Ref<'_>) -> Value {
        match value.view() {
            View::Null => Value::Null,
            View::Bool(value) => Value::Bool(value),
            View::Int(value) => Value::Int(value),
            View::UInt(value) => Value::UInt(value),
            View::F32(value) => Value::F32(value),
            View::F64(value) => Value::F64(value),
            View::Big(text) => Value::Big(text.to_string()),
            View::Decimal(text) => Value::Decimal(text.to_string()),
            View::Text(text) => Value::text(text),
            View::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
            View::Time(moment) => Value::Time(moment),
            View::List(items) => Value::List(items.map(Value::from).collect()),
            View::Object(members) => Value::record(members.map(|(name, value)| (name, Value::from(value)))),
        }
    }
}

impl From<&Datum> for Value {
    fn from(datum: &Datum) -> Value {
        Value::from(datum.view())
    }
}
