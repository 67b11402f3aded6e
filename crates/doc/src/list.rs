//! A list of values that is cheap to clone.

use std::ops::Deref;
use std::sync::Arc;

use super::datum::Datum;

/// Values in order, shared by those who hold them.
#[derive(Debug, Clone, Default)]
pub struct List(Arc<Elements>);

#[derive(Debug, Clone, Default)]
struct Elements(Vec<Datum>);

impl List {
    /// The values, to change them; those that others hold too are copied first.
    pub fn to_mut(&mut self) -> &mut Vec<Datum> {
        &mut Arc::make_mut(&mut self.0).0
    }

    /// Adds a value at the end.
    pub fn push(&mut self, value: Datum) {
        self.to_mut().push(value);
    }

    /// The values, if nobody else holds them.
    pub(super) fn into_only(self) -> Option<Vec<Datum>> {
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

/// Drops values without recursion, however deep they hold each other.
pub(super) fn release(mut values: Vec<Datum>) {
    while let Some(value) = values.pop() {
        match value {
            Datum::List(list) => values.extend(list.into_only().unwrap_or_default()),
            Datum::Object(object) => object.into_only(&mut values),
            _ => {}
        }
    }
}
