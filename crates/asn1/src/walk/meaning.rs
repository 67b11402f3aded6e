//! The meaning of values as people read it: names of object identifiers and numbers, and the digits
//! and addresses in octets of well-known types.
//!
//! A meaning is a remark for `inspect`. The modules say in comments alone which digits an octet
//! string has, so a table of the names of types decides; octets that do not fit have no meaning.

mod address;
mod digits;
mod types;

use polywire_core::text::oids;
use polywire_core::{Budget, Limits, Note, Result, Sink, Span};

use super::plan::{Op, Plan};
use super::{octets, raise};
use crate::model::{Kind, TypeId};

/// Content of an octet or bit string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Digits of telephony, the low half of an octet first.
    Tbcd,
    /// Decimal digits, the high half of an octet first.
    Bcd,
    /// Nature and plan of a number, then its digits.
    Address,
    /// Country and network of a mobile network.
    Plmn,
    /// Date, time and offset from UTC.
    TimeStamp,
    /// IPv4 or IPv6 address, perhaps with its mask.
    Ip,
    /// IP address behind an octet of its kind and length.
    Gsn,
    /// IPv4 address, IPv6 address or both, in a bit string.
    TransportLayer,
}

impl Meaning {
    /// Returns the meaning of a type, by the nearest of the names that it has.
    pub(crate) fn of(model: &crate::model::Model, ty: TypeId) -> Option<Meaning> {
        if !matches!(model.ty(ty).kind, Kind::Octets | Kind::Bits(_)) {
            return None;
        }
        let mut next = Some(ty);
        // Types that refer to each other in a circle were reported before.
        for _ in 0..16 {
            let known = model.ty(next?);
            if let Some((module, name)) = &known.name
                && let Some(module) = model.modules.get(*module as usize)
                && let Some(meaning) = types::meaning(&module.name, name)
            {
                return Some(meaning);
            }
            next = known.base;
        }
        None
    }

    /// Writes the meaning of octets, if they fit. Returns whether they do.
    pub(crate) fn show(self, octets: &[u8], out: &mut String) -> bool {
        let shown = match self {
            Meaning::Tbcd => digits::tbcd(octets, out),
            Meaning::Bcd => digits::bcd(octets, out),
            Meaning::Address => digits::address(octets, out),
            Meaning::Plmn => digits::plmn(octets, out),
            Meaning::TimeStamp => digits::time_stamp(octets, out),
            Meaning::Ip => address::ip(octets, out),
            Meaning::Gsn => address::gsn(octets, out),
            Meaning::TransportLayer => address::transport_layer(octets, out),
        };
        shown.is_some()
    }
}

/// Notes the meaning of a value without components, of its contents octets of X.690, if it has one.
///
/// # Errors
/// Errors of the sink.
pub(crate) fn note<'m, S: Sink<'m> + ?Sized>(plan: &Plan, ty: TypeId, raw: &[u8], at: Span, sink: &mut S, text: &mut String) -> Result<()> {
    let node = plan.node(ty);
    text.clear();
    match (node.op, node.meaning) {
        (Op::Oid, _) => {
            // Longer ones have no name.
            if raw.len() <= 32
                && raise::oid(raw, false, at.start, &mut Budget::new(&Limits::DEFAULT), text).is_ok()
                && let Some(name) = oids::name(text)
            {
                return sink.note(Note::Meaning(name), at);
            }
        }
        (Op::Integer, _) => {
            if let Kind::Integer(names) = &plan.model().ty(ty).kind
                && !names.is_empty()
                && let Some(number) = octets::integer(raw)
                && let Some((name, _)) = names.iter().find(|(_, known)| *known == number)
            {
                return sink.note(Note::Meaning(name), at);
            }
        }
        (_, Some(meaning)) if meaning.show(raw, text) => return sink.note(Note::Meaning(text), at),
        _ => {}
    }
    Ok(())
}

/// Returns what `show` makes of the octets.
#[cfg(test)]
fn shown(show: fn(&[u8], &mut String) -> Option<()>, octets: &[u8]) -> Option<String> {
    let mut out = String::new();
    show(octets, &mut out).map(|()| out)
}
