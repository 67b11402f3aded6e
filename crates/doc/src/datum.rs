//! Values that are cheap to clone, and the lists and objects of values that they hold.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::nodes::{Doc, DocNode, Node, Tag};
use polywire_core::Timestamp;

/// A value of its own, or a place in a shared [`Doc`]. Cloning copies no text, list or object.
/// Languages with an undefined value represent it by `None` of `Option<Datum>`.
///
/// [`Datum::view`] shows any value in the same way, wherever it is kept.
#[derive(Debug, Clone, Default)]
pub enum Datum {
    /// No value.
    #[default]
    Null,
    /// Truth value.
    Bool(bool),
    /// A negative whole number.
    Int(i64),
    /// A whole number that is not negative.
    UInt(u64),
    /// IEEE 754 binary32. It means the shortest decimal that rounds to it.
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
    /// A text, byte string, list or object in a document. An object that is kept [for writing
    /// only](crate::Wanted::write) shows as its JSON text.
    Node(DocNode),
}

impl Datum {
    /// Returns a text value.
    pub fn text(text: impl Into<Arc<str>>) -> Datum {
        Datum::Text(text.into())
    }

    /// Returns a whole number in its canonical variant: `Int` if negative, else `UInt`.
    pub fn int(value: i64) -> Datum {
        if value < 0 { Datum::Int(value) } else { Datum::UInt(value as u64) }
    }

    /// Returns a list.
    pub fn list(values: impl IntoIterator<Item = Datum>) -> Datum {
        Datum::List(values.into_iter().collect())
    }

    /// Returns an object.
    pub fn object<N: Into<Arc<str>>>(members: impl IntoIterator<Item = (N, Datum)>) -> Datum {
        Datum::Object(members.into_iter().collect())
    }

    /// Returns the value at `at` of `doc`. Small values are copied out of the document.
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
            Tag::Spelled | Tag::Text | Tag::Big | Tag::Decimal | Tag::Bytes | Tag::List | Tag::Object | Tag::Written => {
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

/// A shared list of values. Cloning copies no values.
#[derive(Debug, Clone, Default)]
pub struct List(Arc<Elements>);

#[derive(Debug, Clone, Default)]
struct Elements(Vec<Datum>);

impl List {
    /// Returns the values for changing. Copies them first if others share the list.
    pub fn to_mut(&mut self) -> &mut Vec<Datum> {
        &mut Arc::make_mut(&mut self.0).0
    }

    /// Appends a value.
    pub fn push(&mut self, value: Datum) {
        self.to_mut().push(value);
    }

    /// Returns the values if nobody else shares them.
    fn into_only(self) -> Option<Vec<Datum>> {
        Arc::into_inner(self.0).map(|mut elements| std::mem::take(&mut elements.0))
    }
}

impl Deref for List {
    type Target = [Datum];

    fn deref(&self) -> &[Datum] {
        &self.0.0
    }
}

impl From<Vec<Datum>> for List {
    fn from(values: Vec<Datum>) -> List {
        List(Arc::new(Elements(values)))
    }
}

impl FromIterator<Datum> for List {
    fn from_iter<I: IntoIterator<Item = Datum>>(values: I) -> List {
        List::from(values.into_iter().collect::<Vec<_>>())
    }
}

impl Drop for Elements {
    fn drop(&mut self) {
        release(std::mem::take(&mut self.0));
    }
}

/// A shared object: named values in order, each name once. Cloning copies no values.
#[derive(Debug, Clone, Default)]
pub struct Object(Arc<NamedValues>);

#[derive(Debug, Clone, Default)]
struct NamedValues {
    list: Vec<(Arc<str>, Datum)>,
    /// Index of each name, once there are more than `FEW`.
    index: Option<HashMap<Arc<str>, usize, RandomState>>,
}

/// Up to this number of members, comparing with each is faster than hashing.
const FEW: usize = 16;

impl Object {
    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.0.list.len()
    }

    /// Returns true if the object has no members.
    pub fn is_empty(&self) -> bool {
        self.0.list.is_empty()
    }

    /// Returns the member `name`.
    pub fn get(&self, name: &str) -> Option<&Datum> {
        self.0.find(name).map(|at| &self.0.list[at].1)
    }

    /// Sets a member. A known name keeps its place; a new one goes to the end.
    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: Datum) {
        let name = name.into();
        let members = Arc::make_mut(&mut self.0);
        match members.find(&name) {
            Some(at) => members.list[at].1 = value,
            None => {
                if members.list.len() == FEW {
                    let names = members.list.iter().enumerate();
                    members.index = Some(names.map(|(at, (name, _))| (name.clone(), at)).collect());
                }
                if let Some(index) = &mut members.index {
                    index.insert(name.clone(), members.list.len());
                }
                members.list.push((name, value));
            }
        }
    }

    /// Removes the members for which `keep` returns false.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Datum) -> bool) {
        let members = Arc::make_mut(&mut self.0);
        members.list.retain(|(name, value)| keep(name, value));
        members.index =
            (members.list.len() > FEW).then(|| members.list.iter().enumerate().map(|(at, (name, _))| (name.clone(), at)).collect());
    }

    /// Returns the members in order.
    pub fn iter(&self) -> std::slice::Iter<'_, (Arc<str>, Datum)> {
        self.0.list.iter()
    }

    /// Moves the values to `values` if nobody else shares them.
    fn into_only(self, values: &mut Vec<Datum>) {
        if let Some(mut members) = Arc::into_inner(self.0) {
            values.extend(std::mem::take(&mut members.list).into_iter().map(|(_, value)| value));
        }
    }
}

impl NamedValues {
    fn find(&self, name: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(name).copied(),
            None => self.list.iter().position(|(known, _)| **known == *name),
        }
    }
}

impl Drop for NamedValues {
    fn drop(&mut self) {
        release(std::mem::take(&mut self.list).into_iter().map(|(_, value)| value).collect());
    }
}

impl<N: Into<Arc<str>>> FromIterator<(N, Datum)> for Object {
    fn from_iter<I: IntoIterator<Item = (N, Datum)>>(members: I) -> Object {
        let mut object = Object::default();
        for (name, value) in members {
            object.insert(name, value);
        }
        object
    }
}

impl<'o> IntoIterator for &'o Object {
    type Item = &'o (Arc<str>, Datum);
    type IntoIter = std::slice::Iter<'o, (Arc<str>, Datum)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Drops values without recursion, however deeply they are nested.
fn release(mut values: Vec<Datum>) {
    while let Some(value) = values.pop() {
        match value {
            Datum::List(list) => values.extend(list.into_only().unwrap_or_default()),
            Datum::Object(object) => object.into_only(&mut values),
            _ => {}
        }
    }
}
