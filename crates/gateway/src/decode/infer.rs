//! Inference of a table's declarations from recorded replies.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use polywire_core::walk::{Path, PathStep};
use polywire_doc::{DatumKind, Reads, Ref, Shape, View, Wanted};
use polywire_formats::{coerce, registry};

use super::decoder::Decoder;
use super::failure::Undecodable;
use super::media_type::BodyType;

/// Declarations for a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The path of the rows: the list with the most objects, the first of them if several have as
    /// many. `None` if the reply is one object or one list.
    pub result_set: Option<Path>,
    /// Lists: names that repeat or, in markup, whose parent is their plural. Numbers: texts that
    /// are numeric in every sample and lose no digits. Everything else is text.
    pub shape: Shape,
    /// The convention that the table has to name, if media types do not decide for it: that of
    /// tables whose first row names the columns.
    pub convention: Option<&'static str>,
}

/// The longest number, in digits; a longer one is a code.
const DIGITS: u32 = 40;

/// The convention of markup that leaves texts unread.
const UNREAD: &str = "text";

/// The convention of tables whose first row names the columns.
const HEADER: &str = "header";

/// Infers the declarations of a table from replies with their media types. More replies give more
/// evidence: a list of one element in one of them may have several in another.
///
/// # Errors
/// A reply cannot be read.
pub fn infer<'b>(replies: impl IntoIterator<Item = (&'b Bytes, Option<&'b str>)>) -> Result<Draft, Undecodable> {
    let decoder = Decoder::by_media_type();
    let decoder = decoder.clone().convention(UNREAD).unwrap_or(decoder);
    let with_header = decoder.clone().convention(HEADER).unwrap_or(decoder.clone());
    let mut survey = Survey::default();
    for (body, content_type) in replies {
        let body_type = BodyType::parse(content_type);
        let mut value = decoder.decode(body, content_type, &Wanted::everything())?.value;
        if has(&body_type, HEADER) && !body_type.header && !body_type.headless && names_columns(value.view()) {
            value = with_header.decode(body, content_type, &Wanted::everything())?.value;
            survey.convention = Some(HEADER);
        }
        survey.visit(value.view());
        // In documents, a list of one element does not look like a list.
        survey.markup |= has(&body_type, UNREAD);
    }
    Ok(survey.draft())
}

/// Returns true if a type's format has the convention `name`.
fn has(body_type: &BodyType, name: &str) -> bool {
    let conventions = body_type.format().and_then(registry::conventions);
    conventions.is_some_and(|conventions| conventions.list().iter().any(|convention| convention.name == name))
}

/// Returns true if the first of several rows has different names, none of them a number.
fn names_columns(table: Ref<'_>) -> bool {
    let View::List(mut rows) = table.view() else { return false };
    let (Some(first), Some(_)) = (rows.next(), rows.next()) else { return false };
    let View::List(cells) = first.view() else { return false };
    let mut names = HashSet::new();
    let mut is_name = |cell: Ref<'_>| match cell.view() {
        View::Text(text) => {
            let name = text.trim();
            !name.is_empty() && coerce::number(name, &mut String::new(), DIGITS).is_none() && names.insert(name.to_string())
        }
        _ => false,
    };
    cells.into_iter().all(&mut is_name)
}

#[derive(Default)]
struct Survey {
    /// In the order of their first occurrence.
    places: Vec<Place>,
    markup: bool,
    convention: Option<&'static str>,
    /// From a place and a name to another place.
    members: HashMap<(usize, String), usize>,
}

#[derive(Default)]
struct Place {
    path: Path,
    /// The most objects in one list.
    rows: usize,
    is_list: bool,
    is_object: bool,
    numbers: usize,
    others: usize,
    /// Texts that are numbers in a spelling which a number would change.
    codes: usize,
}

impl Survey {
    fn visit(&mut self, value: Ref<'_>) {
        if self.places.is_empty() {
            self.places.push(Place::default());
        }
        let mut open = vec![(0, value)];
        while let Some((at, value)) = open.pop() {
            match value.view() {
                View::Object(members) => {
                    self.places[at].is_object = true;
                    let found: Vec<_> = members.map(|(name, member)| (self.member(at, name), member)).collect();
                    open.extend(found.into_iter().rev());
                }
                View::List(items) => {
                    let place = &mut self.places[at];
                    place.is_list = true;
                    place.rows = place.rows.max(items.clone().filter(|item| item.kind() == DatumKind::Object).count());
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
        path.0.push(PathStep::Name(name.to_string()));
        self.places.push(Place { path, ..Place::default() });
        let member = self.places.len() - 1;
        self.members.insert((at, name.to_string()), member);
        member
    }

    fn draft(mut self) -> Draft {
        if self.markup {
            for place in &mut self.places {
                if !place.is_list && is_element(&place.path) {
                    place.is_list = true;
                    place.rows = usize::from(place.is_object);
                }
            }
        }
        let most = self.places.iter().map(|place| place.rows).max().unwrap_or(0);
        let rows = self.places.iter().find(|place| most > 0 && place.rows == most);
        let result_set = rows.map(|place| place.path.clone()).filter(|path| !path.0.is_empty());
        let mut shape = Shape::default();
        for place in &self.places {
            if place.is_list && !place.path.0.is_empty() {
                shape.list(&place.path);
            }
            match (place.numbers, place.codes, place.others) {
                // The message itself has no path to declare.
                _ if place.path.0.is_empty() => {}
                (0, 0, _) => {}
                (_, 0, 0) => shape.reads(&place.path, Reads::Number),
                _ => shape.reads(&place.path, Reads::Text),
            }
        }
        Draft { result_set, shape, convention: self.convention }
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

/// Returns true if a path ends in a name below its plural or list: `items.item`,
/// `categories.category`, `ItemArray.Item`.
fn is_element(path: &Path) -> bool {
    let [.., PathStep::Name(parent), PathStep::Name(name)] = &path.0[..] else { return false };
    // Without prefixes of namespaces.
    let local = |name: &str| name.rsplit(':').next().unwrap_or(name).to_ascii_lowercase();
    let (parent, name) = (local(parent), local(name));
    let stem = name.strip_suffix('y').unwrap_or(&name);
    let ending = parent.strip_prefix(&name).or(parent.strip_prefix(stem)).unwrap_or_default();
    matches!(ending, "s" | "es" | "list" | "array") || ending == "ies" && stem.len() < name.len()
}

/// Returns true if `text` is a number that would be written otherwise: `007`, `+49`, `0x1f`, `1e5`.
fn is_code(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let leading_zero = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    leading_zero || !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') || digits.starts_with('.') || digits.ends_with('.')
}
