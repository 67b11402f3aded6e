//! What a table should declare of a service, from a reply that was recorded.

use std::collections::HashMap;

use bytes::Bytes;
use polywire_core::doc::{Kind, Reads, Ref, Shape, View, Wanted};
use polywire_core::path::{Path, Step};
use polywire_formats::coerce;

use super::decoder::Decoder;
use super::failure::Undecodable;

/// Declarations for a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Where the rows are: the list of the most objects, the first of them if there are several. `None` if the reply is one object or one list.
    pub result_set: Option<Path>,
    /// What came more than once anywhere is a list; texts that are numbers wherever they came are numbers, and texts that are numbers here and something
    /// else there, or numbers with digits that a number would lose, are
    /// text.
    pub shape: Shape,
}

/// Digits of a number that may be one; what is longer is a code.
const DIGITS: u32 = 40;

/// The convention of markup that leaves texts as they are.
const UNREAD: &str = "text";

/// What a table should declare, from one reply.
///
/// # Errors
/// The reply cannot be read.
pub fn infer(body: &Bytes, content_type: Option<&str>) -> Result<Draft, Undecodable> {
    let decoder = Decoder::by_media_type();
    let decoder = decoder.clone().convention(UNREAD).unwrap_or(decoder);
    let value = decoder.decode(body, content_type, &Wanted::everything())?.value;
    let mut survey = Survey::default();
    survey.visit(value.view());
    Ok(survey.draft())
}

#[derive(Default)]
struct Survey {
    /// In the order in which they came up.
    places: Vec<Place>,
    /// From a place by name to another.
    members: HashMap<(usize, String), usize>,
}

#[derive(Default)]
struct Place {
    path: Path,
    /// Most objects of one list.
    rows: usize,
    is_list: bool,
    numbers: usize,
    others: usize,
    /// Texts that are numbers in a spelling which a number would not give back.
    codes: usize,
}

impl Survey {
    fn visit(&mut self, value: Ref<'_>) {
        self.places.push(Place::default());
        let mut open = vec![(0, value)];
        while let Some((at, value)) = open.pop() {
            match value.view() {
                View::Object(members) => {
                    let found: Vec<_> = members.map(|(name, member)| (self.member(at, name), member)).collect();
                    open.extend(found.into_iter().rev());
                }
                View::List(items) => {
                    let place = &mut self.places[at];
                    place.is_list = true;
                    place.rows = place.rows.max(items.clone().filter(|item| item.kind() == Kind::Object).count());
                    let items: Vec<_> = items.map(|item| (at, item)).collect();
                    open.extend(items.into_iter().rev());
                }
                View::Text(text) => self.places[at].text(text),
                _ => {}
            }
        }
    }

    fn member(&mut self, at: usize, name: &str) -> usize {
        if let Some(&member) = self.members.get(&(at, name.to_string())) {
            return member;
        }
        let mut path = self.places[at].path.clone();
        path.0.push(Step::Name(name.to_string()));
        self.places.push(Place { path, ..Place::default() });
        let member = self.places.len() - 1;
        self.members.insert((at, name.to_string()), member);
        member
    }

    fn draft(&self) -> Draft {
        let most = self.places.iter().map(|place| place.rows).max().unwrap_or(0);
        let rows = self.places.iter().find(|place| most > 0 && place.rows == most);
        let result_set = rows.map(|place| place.path.clone()).filter(|path| !path.0.is_empty());
        let mut shape = Shape::default();
        for place in &self.places {
            if place.is_list && !place.path.0.is_empty() {
                shape.list(&place.path);
            }
            match (place.numbers, place.codes, place.others) {
                (0, 0, _) => {}
                (_, 0, 0) => shape.reads(&place.path, Reads::Number),
                _ => shape.reads(&place.path, Reads::Text),
            }
        }
        Draft { result_set, shape }
    }
}

impl Place {
    fn text(&mut self, text: &str) {
        let text = text.trim();
        if coerce::number(text, &mut String::new(), DIGITS).is_none() {
            self.others += 1;
        } else if is_code(text) {
            self.codes += 1;
        } else {
            self.numbers += 1;
        }
    }
}

/// Whether `text` is a number that would be written otherwise: `007`, `+49`, `0x1f`, `1e5`.
fn is_code(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let leading_zero = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    leading_zero || !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') || digits.starts_with('.') || digits.ends_with('.')
}
