//! Contents octets to events, for the types whose values have no components.

use polywire_core::{Budget, Field, Len, Next, Open, Result, Scalar, Sink, Span, Str};

use super::plan::{Enumeration, Op, Plan};
use super::raise::{self, bad};
use super::{LENGTH, VALUE};
use crate::model::TimeKind;

/// Value to be emitted: its contents octets, and its place.
#[derive(Clone, Copy)]
pub(crate) struct Contents<'m, 's> {
    /// Contents octets of X.690, without those of a bit string that counts unused bits.
    pub octets: Str<'m, 's, [u8]>,
    /// Number of bits of a bit string.
    pub bits: u64,
    /// Offset of the first contents octet.
    pub at: u64,
    /// All bytes of the value.
    pub span: Span,
}

/// Emits a value of a type without components: any but structures, lists, choices and open types.
///
/// Returns false if the sink stops the walk.
///
/// # Errors
/// The octets are no value of the type, or the budget is spent; errors of the sink.
#[inline]
pub(crate) fn emit<'m, S: Sink<'m> + ?Sized>(
    plan: &Plan,
    op: Op,
    contents: Contents<'m, '_>,
    sink: &mut S,
    budget: &mut Budget,
    scratch: &mut String,
) -> Result<bool> {
    let Contents { octets, at, span, .. } = contents;
    let raw = octets.get();
    let emitted: Result<()> = match op {
        Op::Integer => sink.scalar(raise::integer(raw, at, budget, scratch)?, span),
        Op::Text(kind) => {
            let scalar = raise::text(kind, octets, at, budget, scratch)?;
            sink.scalar(scalar, span)
        }
        Op::Octets => sink.scalar(Scalar::Bytes(octets), span),
        Op::Boolean => match raw {
            [octet] => sink.scalar(Scalar::Bool(*octet != 0), span),
            _ => Err(bad(format!("BOOLEAN of {} contents octets", raw.len()), "one octet (X.690 8.2)", at)),
        },
        Op::Enumerated(index) => enumerated(&plan.enumerations[index as usize], raw, at, span, sink),
        Op::Real => raise::real(raw, at, budget, |scalar| sink.scalar(scalar, span)),
        Op::Oid => sink.scalar(raise::oid(raw, false, at, budget, scratch)?, span),
        Op::RelativeOid => sink.scalar(raise::oid(raw, true, at, budget, scratch)?, span),
        Op::Null => match raw {
            [] => sink.scalar(Scalar::Null, span),
            _ => Err(bad(format!("NULL of {} contents octets", raw.len()), "none (X.690 8.8)", at)),
        },
        Op::Bits(index) => return bits(plan, index, contents, sink, budget),
        Op::Iri => match raise::utf8(octets) {
            Some(text) => sink.scalar(Scalar::Text(text), span),
            None => Err(bad("an OID-IRI that is no text", "UTF-8 (X.690 8.21)", at)),
        },
        Op::Time(kind) => time(kind, octets, at, span, sink, budget, scratch),
        Op::Structure(_) | Op::List(_) | Op::Choice(_) | Op::Open => Err(polywire_core::Error::internal("a structure as a scalar")),
    };
    emitted.map(|()| true)
}

fn enumerated<'m, S: Sink<'m> + ?Sized>(enumeration: &Enumeration, raw: &[u8], at: u64, span: Span, sink: &mut S) -> Result<()> {
    let number = super::octets::integer(raw)
        .ok_or_else(|| bad(format!("ENUMERATED of {} contents octets", raw.len()), "one octet or more, of a number of 128 bits", at))?;
    enumerator(enumeration, number, at, span, sink)
}

/// Emits an enumerator of a number.
///
/// # Errors
/// The type has none of the number, and no marker; errors of the sink.
pub(crate) fn enumerator<'m, S: Sink<'m> + ?Sized>(
    enumeration: &Enumeration,
    number: i128,
    at: u64,
    span: Span,
    sink: &mut S,
) -> Result<()> {
    match enumeration.numbered(number) {
        Some(index) => sink.scalar(Scalar::Text(Str::Scratch(&enumeration.items[index as usize].0)), span),
        None if enumeration.extensible => sink.scalar(raise::whole(number, &mut String::new()), span),
        None => {
            let names: Vec<String> = enumeration.items.iter().take(8).map(|(name, number)| format!("{name}({number})")).collect();
            Err(bad(format!("the number {number}"), "an enumerator", at).expected(format!("an enumerator: {}", names.join(", "))))
        }
    }
}

fn bits<'m, S: Sink<'m> + ?Sized>(plan: &Plan, index: u32, contents: Contents<'m, '_>, sink: &mut S, budget: &mut Budget) -> Result<bool> {
    let Contents { octets, bits: count, at, span } = contents;
    let shape = &plan.bits[index as usize];
    let end = Span::new(span.end, span.end);
    if !shape.names.is_empty() {
        match sink.open(Open::List(Len::Unknown), Span::new(span.start, at))? {
            Next::Enter => {}
            other => return Ok(other == Next::Skip),
        }
        for (octet, byte) in (0u64..).zip(octets.get()) {
            let span = Span::new(at + octet, at + octet + 1);
            for bit in 0..8 {
                let number = octet * 8 + bit;
                if byte & 0x80 >> bit == 0 || number >= count {
                    continue;
                }
                budget.item(span.start)?;
                match shape.names.iter().find(|(_, known)| *known == i128::from(number)) {
                    Some((name, _)) => sink.scalar(Scalar::Text(Str::Scratch(name)), span)?,
                    None => sink.scalar(Scalar::uint(number), span)?,
                }
            }
        }
        return sink.close(end).map(|()| true);
    }
    if shape.fixed == Some(count) {
        return sink.scalar(Scalar::Bytes(octets), span).map(|()| true);
    }
    match sink.open(Open::Record { name: "", len: Len::Claimed(2) }, Span::new(span.start, at))? {
        Next::Enter => {}
        other => return Ok(other == Next::Skip),
    }
    let fields = [(VALUE, Scalar::Bytes(octets), Span::new(at, span.end)), (LENGTH, Scalar::uint(count), Span::NONE)];
    for ((name, scalar, span), slot) in fields.into_iter().zip(0..) {
        budget.item(at)?;
        match sink.field(Field { name: Str::Scratch(name), id: None, slot: Some(slot) }, Span::NONE)? {
            Next::Enter => sink.scalar(scalar, span)?,
            Next::Skip => {}
            Next::Stop => return Ok(false),
        }
    }
    sink.close(end).map(|()| true)
}

/// Places of the separators that X.690 8.26 leaves out, as bytes of the text with them.
const fn separators(kind: TimeKind) -> &'static [(usize, u8)] {
    match kind {
        TimeKind::Date => &[(4, b'-'), (7, b'-')],
        TimeKind::TimeOfDay => &[(2, b':'), (5, b':')],
        TimeKind::DateTime => &[(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')],
        TimeKind::Duration => &[(0, b'P')],
        TimeKind::Time => &[],
    }
}

/// Emits a time of X.680 38. Its contents octets lack the separators that every value has (X.690
/// 8.26).
fn time<'m, S: Sink<'m> + ?Sized>(
    kind: TimeKind,
    octets: Str<'m, '_, [u8]>,
    at: u64,
    span: Span,
    sink: &mut S,
    budget: &mut Budget,
    scratch: &mut String,
) -> Result<()> {
    let text = raise::utf8(octets).filter(|text| text.get().is_ascii());
    let text = text.ok_or_else(|| bad("a time that is no text", kind.keyword(), at))?;
    if kind == TimeKind::Time {
        return sink.scalar(Scalar::Text(text), span);
    }
    budget.decode(text.get().len() as u64 + 5, at)?;
    scratch.clear();
    let mut left = separators(kind);
    for character in text.get().chars() {
        while let [(place, separator), rest @ ..] = left
            && *place == scratch.len()
        {
            scratch.push(char::from(*separator));
            left = rest;
        }
        scratch.push(character);
    }
    if !left.is_empty() || !is_time(kind, scratch) {
        return Err(bad(format!("`{}`", text.get().chars().take(40).collect::<String>()), kind.keyword(), at));
    }
    sink.scalar(Scalar::Text(Str::Scratch(scratch)), span)
}

/// Returns whether text is a value of a time type, as X.680 38 writes it.
pub(crate) fn is_time(kind: TimeKind, text: &str) -> bool {
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let pattern = match kind {
        TimeKind::Date => "0000-00-00",
        TimeKind::TimeOfDay => "00:00:00",
        TimeKind::DateTime => "0000-00-00T00:00:00",
        TimeKind::Duration => {
            let known = |byte: u8| byte.is_ascii_digit() || b"YMWDTHS.,".contains(&byte);
            return text.strip_prefix('P').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(known));
        }
        TimeKind::Time => return text.is_ascii(),
    };
    text.len() == pattern.len()
        && text.is_ascii()
        && pattern.bytes().zip(0..).all(|(wanted, at)| if wanted == b'0' { plain(&text[at..=at]) } else { text.as_bytes()[at] == wanted })
}

/// Appends the contents octets of a time of X.680 38 to `out`. Returns false if the text is none.
pub(crate) fn put_time(kind: TimeKind, text: &str, out: &mut Vec<u8>) -> bool {
    if !is_time(kind, text) {
        return false;
    }
    let left_out = separators(kind);
    out.extend(text.bytes().zip(0..).filter(|(_, at)| !left_out.iter().any(|(place, _)| place == at)).map(|(byte, _)| byte));
    true
}
