//! An object that is cheap to clone.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::datum::Datum;
use super::list::release;

/// Named values in order, each name once, shared by those who hold them.
#[derive(Debug, Clone, Default)]
pub struct Object(Arc<Members>);

#[derive(Debug, Clone, Default)]
struct Members {
    list: Vec<(Arc<str>, Datum)>,
    /// Where each name is, once there are many.
    index: Option<HashMap<Arc<str>, usize, RandomState>>,
}

/// Up to so many members, comparing with each is faster than hashing.
const FEW: usize = 16;

impl Object {
    /// Number of members.
    pub fn len(&self) -> usize {
        self.0.list.len()
    }

    /// Whether it has no members.
    pub fn is_empty(&self) -> bool {
        self.0.list.is_empty()
    }

    /// The member `name`.
    pub fn get(&self, name: &str) -> Option<&Datum> {
        self.0.find(name).map(|at| &self.0.list[at].1)
    }

    /// Sets a member: at the place of the one that has the name, else at the end.
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

    /// Takes out the members for which `keep` is false.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Datum) -> bool) {
        let members = Arc::make_mut(&mut self.0);
        members.list.retain(|(name, value)| keep(name, value));
        members.index =
            (members.list.len() > FEW).then(|| members.list.iter().enumerate().map(|(at, (name, _))| (name.clone(), at)).collect());
    }

    /// The members in order.
    pub fn iter(&self) -> std::slice::Iter<'_, (Arc<str>, Datum)> {
        self.0.list.iter()
    }

    /// Moves the values to `values`, if nobody else holds them.
    pub(super) fn into_only(self, values: &mut Vec<Datum>) {
        if let Some(mut members) = Arc::into_inner(self.0) {
            values.extend(std::mem::take(&mut members.list).into_iter().map(|(_, value)| value));
        }
    }
}

impl Members {
    fn find(&self, name: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(name).copied(),
            None => self.list.iter().position(|(known, _)| **known == *name),
        }
    }
}

impl Drop for Members {
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
