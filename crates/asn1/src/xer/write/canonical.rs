//! The canonical rules (X.693 9): the order of components and elements, values of defaults, and the
//! one form of numbers and times.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use polywire_core::{Error, ErrorKind, Fault, Losses, Result, Tree};

use super::super::CANONICAL;
use super::{DEEPEST, Encode, XerWriter};
use crate::ber::is_canonical_time;
use crate::model::{Addition, Kind, Presence, StringKind};
use crate::walk::keys::Keys;
use crate::walk::lower::Value;
use crate::walk::plan::Bits;
use crate::walk::{Plan, values};

/// Offset in a text, and the rule that holds from there on.
pub(super) type Mark = (usize, &'static str);

/// Rules, as errors name them.
pub(super) mod rule {
    use crate::model::StringKind;
    use crate::walk::Op;

    pub const SEQUENCE: &str = "components in their order, defaults too: X.693 9.5";
    pub const SET: &str = "components in the order of their tags, defaults too: X.693 9.6";
    pub const LIST: &str = "elements with the name of their type, those of a SET OF in order: X.693 9.7";

    /// Returns the rule of a value's own form.
    pub fn of(op: Op) -> &'static str {
        match op {
            Op::Real => "a digit, a point, a fraction without zeros at the end, E and the exponent: X.693 9.2",
            Op::Bits(_) => "digits alone, and no zeros at the end of named bits: X.693 9.3",
            Op::Octets => "capital digits alone: X.693 9.4",
            Op::Oid => "numbers alone: X.693 9.8",
            Op::RelativeOid => "numbers alone: X.693 9.9",
            Op::Text(StringKind::GeneralizedTime) => "seconds, no zeros at the end of a fraction, Z: X.693 9.10",
            Op::Text(StringKind::UtcTime) => "seconds, and Z: X.693 9.11",
            _ => "X.693 9.1",
        }
    }
}

/// Tables of the canonical rules for the structures of a plan.
#[derive(Debug)]
pub(crate) struct Canonical {
    /// Values of defaults, by structure and component.
    defaults: HashMap<(u32, u32), Tree<'static>, RandomState>,
    /// Components of each SET in the order of their tags, additions behind them.
    orders: HashMap<u32, Box<[u32]>, RandomState>,
}

impl Canonical {
    /// Prepares the structures of a plan.
    pub(crate) fn new(plan: &Plan) -> Canonical {
        let mut all = Canonical { defaults: HashMap::default(), orders: HashMap::default() };
        for ty in &plan.model().types {
            let (Kind::Sequence(known) | Kind::Set(known)) = &ty.kind else { continue };
            let Some(structure) = plan.structure_of(known) else { continue };
            let additions = known.additions.iter().flat_map(|addition| match addition {
                Addition::Component(component) => std::slice::from_ref(component),
                Addition::Group(group, _) => group.as_slice(),
            });
            let sorted = known.order.iter().filter_map(|index| known.root.get(*index as usize));
            let mut order = Vec::with_capacity(known.root.len());
            for component in sorted.chain(additions) {
                let Some(index) = plan.structure(structure).named(&component.name, 0) else { continue };
                order.push(index);
                let Presence::Default(value) = &component.presence else { continue };
                let mut tree = Tree::new();
                if values::emit(plan, component.ty, value, &mut tree).is_some() {
                    all.defaults.insert((structure, index), tree);
                }
            }
            // Anything else would leave a component out.
            if plan.structure(structure).is_set && order.len() == plan.structure(structure).components.len() {
                all.orders.insert(structure, order.into());
            }
        }
        all
    }

    /// Returns the order of a structure's components, if it is not that of the text.
    pub(super) fn order(&self, structure: u32) -> Option<&[u32]> {
        self.orders.get(&structure).map(|order| &**order)
    }
}

impl XerWriter {
    /// Returns a relay that notes which rule holds where.
    pub(crate) fn marking(plan: Arc<Plan>, rules: Arc<Canonical>) -> XerWriter {
        XerWriter { marks: Some(Vec::new()), ..XerWriter::new(plan, Some(rules), true) }
    }

    /// Returns the rule that holds at an offset in the last message.
    pub(crate) fn rule_at(&self, at: usize) -> &'static str {
        let marks = self.marks.as_deref().unwrap_or_default();
        let behind = marks.partition_point(|(from, _)| *from <= at);
        behind.checked_sub(1).map_or("X.693 9.1", |last| marks[last].1)
    }
}

impl<'t> Encode<'_, 't> {
    /// Notes that a rule holds from here on.
    pub(super) fn mark(&mut self, rule: &'static str) {
        let at = self.out.len();
        if let Some(marks) = &mut self.marks {
            // A text that was cut off to be written again has no rule.
            while marks.last().is_some_and(|(from, _)| *from > at) {
                marks.pop();
            }
            marks.push((at, rule));
        }
    }

    /// Puts an absent component that has its default (X.693 9.5, 9.6). Returns false without one: a
    /// relay leaves out the additions that a sender of an earlier version does not know.
    ///
    /// # Errors
    /// The default is not known.
    pub(super) fn default(&mut self, structure: u32, at: u32) -> Result<bool> {
        let Some(rules) = self.rules else { return Ok(false) };
        let component = &self.plan.structure(structure).components[at as usize];
        if self.relay && component.addition.is_some() {
            return Ok(false);
        }
        let Some(root) = rules.defaults.get(&(structure, at)).and_then(Tree::root) else {
            let error = Error::new(ErrorKind::Unsupported, Fault::Schema).seen(format!("the absent component `{}`", component.name));
            return Err(error.expected("a default that is known, as the canonical rules write it").format_is(CANONICAL));
        };
        let mut encode = Encode {
            plan: self.plan,
            losses: &mut Losses::default(),
            relay: false,
            indent: None,
            rules: self.rules,
            marks: None,
            out: &mut *self.out,
            keys: Keys::default(),
            octets: Vec::new(),
            text: String::new(),
            given: Vec::new(),
            depth: self.depth.min(DEEPEST),
            level: self.level,
        };
        encode.element(&component.name, component.ty, root)?;
        Ok(true)
    }

    /// Sorts the elements of a SET OF by their characters (X.693 9.7). `starts` are their offsets.
    pub(super) fn sort(&mut self, from: usize, starts: &[usize]) {
        let ends = starts.iter().skip(1).copied().chain([self.out.len()]);
        let mut elements: Vec<&[u8]> = starts.iter().zip(ends).map(|(start, end)| &self.out[*start..end]).collect();
        // The order of UTF-8 is that of the characters.
        if !elements.is_sorted() {
            elements.sort_unstable();
            let sorted = elements.concat();
            self.out.truncate(from);
            self.out.extend_from_slice(&sorted);
        }
        if let Some(marks) = &mut self.marks {
            marks.truncate(marks.partition_point(|(at, _)| *at < from));
            marks.push((from, rule::LIST));
        }
    }

    /// Gives the digits from an offset on their one form, if the rules are canonical.
    pub(super) fn canonical_real(&mut self, from: usize) {
        if self.rules.is_none() {
            return;
        }
        if let Some(one) = std::str::from_utf8(&self.out[from..]).ok().and_then(normal) {
            self.out.truncate(from);
            self.out.extend_from_slice(one.as_bytes());
        }
    }

    /// Returns a string as the rules write it: times have one form (X.693 9.10, 9.11).
    ///
    /// # Errors
    /// The time is local, or has no such form.
    pub(super) fn one_time<'s>(&self, kind: StringKind, text: &'s str, item: Value<'t>) -> Result<Cow<'s, str>> {
        let expected = match kind {
            StringKind::GeneralizedTime => "a time in UTC, as YYYYMMDDhhmmssZ (X.693 9.10)",
            StringKind::UtcTime => "a time in UTC, as YYMMDDhhmmssZ (X.693 9.11)",
            _ => return Ok(Cow::Borrowed(text)),
        };
        if self.rules.is_none() || is_canonical_time(kind, text.as_bytes()) {
            return Ok(Cow::Borrowed(text));
        }
        if let Some(one) = normal_time(kind, text).filter(|one| is_canonical_time(kind, one.as_bytes())) {
            return Ok(Cow::Owned(one));
        }
        let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen(format!("a {} in another form", kind.keyword()));
        Err(error.expected(expected).at(item.opening().start).format_is(CANONICAL))
    }
}

/// Returns a time in UTC with its seconds, a point and no zeros at the end of its fraction.
fn normal_time(kind: StringKind, text: &str) -> Option<String> {
    let text = text.strip_suffix('Z')?.replace(',', ".");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let wanted = if kind == StringKind::GeneralizedTime { 14 } else { 12 };
    let fraction = fraction.trim_end_matches('0');
    if whole.len() > wanted || whole.len() < wanted && !fraction.is_empty() {
        // A fraction of a minute or hour.
        return None;
    }
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{whole:0<wanted$}{point}{fraction}Z"))
}

/// Returns the number of bits without the zeros at the end of named bits (X.693 9.3).
pub(super) fn shortest(shape: &Bits, octets: &[u8], count: u64) -> u64 {
    if shape.names.is_empty() {
        return count;
    }
    let is_set = |bit: &u64| octets[(*bit / 8) as usize] & 0x80 >> (*bit % 8) != 0;
    (0..count).rev().find(is_set).map_or(0, |last| last + 1).max(shape.least.min(count))
}

/// Makes the error of bytes that no element holds: the canonical rules have no digits for an open
/// type.
#[cold]
pub(super) fn no_digits(item: Value<'_>) -> Error {
    let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen("bytes of another encoding, for a value of an open type");
    error.expected("a value whose type a table has, as the canonical rules have no digits of octets here").at(item.opening().start)
}

/// Returns digits in the one form (X.693 9.2): a digit that is not zero, a point, the fraction
/// without zeros at its end, `E` and the exponent. `None` for what is no number.
fn normal(text: &str) -> Option<String> {
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |text| ("-", text));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = [whole, fraction].concat();
    if all.is_empty() || !all.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let digits = all.trim_start_matches('0');
    let leading = all.len() - digits.len();
    let digits = digits.trim_end_matches('0');
    if digits.is_empty() {
        return Some(format!("{sign}0"));
    }
    let exponent: i64 = exponent.parse().ok()?;
    // The point stands behind the first digit that is not zero.
    let moved = i64::try_from(whole.len()).ok()? - i64::try_from(leading).ok()? - 1;
    let (first, rest) = digits.split_at(1);
    Some(format!("{sign}{first}.{}E{}", if rest.is_empty() { "0" } else { rest }, exponent.checked_add(moved)?))
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn a_number_has_one_form() {
        for (text, one) in [
            ("0", "0"),
            ("-0.000", "-0"),
            ("1", "1.0E0"),
            ("1500.0", "1.5E3"),
            ("-0.00125", "-1.25E-3"),
            ("15e-1", "1.5E0"),
            ("1e300", "1.0E300"),
            ("100.010e2", "1.0001E4"),
        ] {
            assert_eq!(normal(text).as_deref(), Some(one), "{text}");
        }
        assert_eq!(normal("x"), None);
    }
}
