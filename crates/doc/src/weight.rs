//! Weight of values: the bytes that they would take if nothing in them were shared.

use super::datum::Datum;
use super::view::{Items, Members, Ref, View};

/// Bytes of a value beside its text.
const VALUE: u64 = 32;

enum OpenContainer<'d> {
    List(Items<'d>),
    Object(Members<'d>),
}

impl Ref<'_> {
    /// Returns the weight of the value: 32 bytes for each value in it, and its texts. Lists and
    /// objects that several share weigh as often as they occur. A weight above `most` is not
    /// counted to its end.
    ///
    /// ```
    /// use polywire_doc::Datum;
    ///
    /// let text = Datum::from("12345678");
    /// let list = Datum::list([text.clone(), text]);
    /// assert_eq!(list.view().weight(1_000), 32 + 2 * (32 + 8));
    /// assert!(Datum::list([list.clone(), list]).view().weight(100) > 100);
    /// ```
    pub fn weight(self, most: u64) -> u64 {
        let mut levels: Vec<OpenContainer<'_>> = Vec::new();
        let mut value = self;
        let mut weight = 0;
        loop {
            weight += VALUE;
            match value.view() {
                View::Text(text) | View::Big(text) | View::Decimal(text) => weight += text.len() as u64,
                View::Bytes(bytes) => weight += bytes.len() as u64,
                View::List(items) => levels.push(OpenContainer::List(items)),
                View::Object(members) => levels.push(OpenContainer::Object(members)),
                _ => {}
            }
            value = loop {
                if weight > most {
                    return weight;
                }
                match levels.last_mut() {
                    None => return weight,
                    Some(OpenContainer::List(items)) => {
                        if let Some(item) = items.next() {
                            break item;
                        }
                    }
                    Some(OpenContainer::Object(members)) => {
                        if let Some((name, member)) = members.next() {
                            weight += name.len() as u64;
                            break member;
                        }
                    }
                }
                levels.pop();
            };
        }
    }
}

impl Datum {
    /// Returns true for a list or an object outside of a document. Such containers can hold each
    /// other many times, so that a small value in memory is a large one when it is written.
    pub fn is_made(&self) -> bool {
        matches!(self, Datum::List(_) | Datum::Object(_))
    }
}
