//! The compact form: short names for the standard ones (docs/spec/psyc.md 17). It is used on
//! request only.
//!
//! The first byte of a name decides its kind: `_`, a long name; a lowercase letter, a short one,
//! which may be followed by long words; an uppercase letter, one that two ends agreed on, which is
//! never changed. Routing variables, entity variables and methods each have a table of whole names
//! and their short forms; `docs/psyc-compact.md` shows it. The longest prefix of a long name that
//! the table holds is made short, and the words after it stay.
//!
//! ```
//! use polywire_psyc::compact::{Change, Layer, contract, expand};
//!
//! let Change::To(name) = contract(Layer::Method, b"_notice_presence_here") else { panic!() };
//! assert_eq!((name.head, name.tail), (&b"np"[..], &b"_here"[..]));
//! let Change::To(name) = expand(Layer::Method, b"np_here") else { panic!() };
//! assert_eq!((name.head, name.tail), (&b"_notice_presence"[..], &b"_here"[..]));
//! assert_eq!(expand(Layer::Method, b"xyz"), Change::Unknown);
//! ```

use alloc::vec::Vec;

use crate::batch;
use crate::keyword;
use crate::packet::Modifier;
use crate::wire::{END, LF};

/// Which names a table is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layer {
    /// Variables of the routing header.
    Routing,
    /// Variables of the entity header.
    Entity,
    /// Methods.
    Method,
}

/// A short name and what it is short for.
pub type Row = (&'static str, &'static str);

/// The published names (docs/spec/psyc.md 17.2), then those of Polywire (docs/spec/psyc.md 17.3).
const ROUTING: &[Row] = &[
    ("c", "_context"),
    ("s", "_source"),
    ("t", "_target"),
    ("sr", "_source_relay"),
    ("tr", "_target_relay"),
    ("g", "_tag"),
    ("gr", "_tag_relay"),
    ("n", "_counter"),
    ("f", "_fragment"),
    ("af", "_amount_fragments"),
];

const ENTITY: &[Row] = &[
    ("da", "_degree_availability"),
    ("j", "_subject"),
    ("tc", "_type_content"),
    ("d", "_degree"),
    ("a", "_amount"),
    ("l", "_list"),
    ("k", "_dict"),
    ("n", "_nick"),
    ("g", "_page"),
    ("u", "_uniform"),
    ("w", "_date"),
    ("z", "_time"),
    ("ip", "_description_presence"),
    ("t", "_type"),
];

const METHOD: &[Row] = &[
    ("np", "_notice_presence"),
    ("m", "_message"),
    ("reto", "_reply_error_invalidTarget_noSuchObject"),
    ("ret", "_reply_error_invalidTarget"),
    ("n", "_notice"),
    ("q", "_request"),
    ("s", "_status"),
    ("f", "_failure"),
    ("e", "_error"),
    ("w", "_warning"),
    ("i", "_info"),
    ("d", "_data"),
    ("o", "_echo"),
    ("v", "_converse"),
    ("ma", "_message_action"),
    ("nce", "_notice_context_enter"),
    ("ncl", "_notice_context_leave"),
    ("qce", "_request_context_enter"),
    ("qcl", "_request_context_leave"),
    ("oce", "_echo_context_enter"),
    ("ocl", "_echo_context_leave"),
    ("r", "_reply"),
];

impl Layer {
    /// Returns its table.
    pub const fn table(self) -> &'static [Row] {
        match self {
            Layer::Routing => ROUTING,
            Layer::Entity => ENTITY,
            Layer::Method => METHOD,
        }
    }
}

/// A name in two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'a> {
    /// Out of the table.
    pub head: &'static [u8],
    /// The words that stay.
    pub tail: &'a [u8],
}

/// The new form of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<'a> {
    /// The name has another form.
    To(Name<'a>),
    /// The name stays.
    Same,
    /// The name stays but should not. In [`expand`]: a short name that the table does not hold. In
    /// [`contract`]: a name that would be read as the short form of another.
    Unknown,
}

/// Returns the long form of a name.
pub fn expand(layer: Layer, name: &[u8]) -> Change<'_> {
    if !name.first().is_some_and(u8::is_ascii_lowercase) {
        return Change::Same;
    }
    let (short, tail) = name.split_at(name.iter().position(|byte| *byte == b'_').unwrap_or(name.len()));
    match layer.table().iter().find(|row| row.0.as_bytes() == short) {
        Some((_, long)) => Change::To(Name { head: long.as_bytes(), tail }),
        None => Change::Unknown,
    }
}

/// Returns the short form of a name, which [`expand`] turns back into that name. A name without
/// such a form is [`Change::Unknown`].
pub fn contract(layer: Layer, name: &[u8]) -> Change<'_> {
    if name.first() != Some(&b'_') {
        return if let Change::To(_) = expand(layer, name) { Change::Unknown } else { Change::Same };
    }
    let found = keyword::lineage(name).find_map(|known| {
        let row = layer.table().iter().find(|row| row.1.as_bytes() == known)?;
        Some(Name { head: row.0.as_bytes(), tail: &name[known.len()..] })
    });
    found.map_or(Change::Same, Change::To)
}

/// The two directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Long names.
    Expand,
    /// Short names.
    Contract,
}

impl Way {
    /// Returns the new form of a name.
    pub fn name(self, layer: Layer, name: &[u8]) -> Change<'_> {
        match self {
            Way::Expand => expand(layer, name),
            Way::Contract => contract(layer, name),
        }
    }
}

/// Appends a packet with its names rewritten. A content size is computed anew; all other bytes
/// stay. Names that are [`Change::Unknown`] are left and reported: a packet with one does not come
/// back as it was.
pub fn rewrite(way: Way, packet: &batch::Packet<'_, '_>, out: &mut Vec<u8>, mut report: impl FnMut(Layer, &[u8])) {
    let mut put = |layer: Layer, name: &[u8], out: &mut Vec<u8>| match way.name(layer, name) {
        Change::To(Name { head, tail }) => {
            out.extend_from_slice(head);
            out.extend_from_slice(tail);
        }
        Change::Same => out.extend_from_slice(name),
        Change::Unknown => {
            report(layer, name);
            out.extend_from_slice(name);
        }
    };
    let bytes = packet.bytes();
    let offset = |part: &[u8]| part.as_ptr().addr() - bytes.as_ptr().addr();
    let mut line = |layer: Layer, modifier: Modifier<'_>, out: &mut Vec<u8>| {
        out.push(modifier.operator.byte());
        put(layer, modifier.name, out);
        // A size, if there is one, the value, and the end of the line.
        out.extend_from_slice(&bytes[offset(modifier.name) + modifier.name.len()..=offset(modifier.value) + modifier.value.len()]);
    };
    for modifier in packet.routing() {
        line(Layer::Routing, modifier, out);
    }
    if packet.has_content() {
        let start = out.len();
        if let Some(state) = packet.state() {
            out.extend_from_slice(&[state.byte(), LF]);
        }
        for modifier in packet.entity() {
            line(Layer::Entity, modifier, out);
        }
        let method = packet.method();
        if !method.is_empty() {
            put(Layer::Method, method, out);
            out.extend_from_slice(&bytes[offset(method) + method.len()..bytes.len() - END.len()]);
        }
        let mut head = [0; 21];
        let mut used = 0;
        if packet.content_size().is_some() {
            let mut digits = itoa::Buffer::new();
            let digits = digits.format(out.len() - start).as_bytes();
            head[..digits.len()].copy_from_slice(digits);
            used = digits.len();
        }
        head[used] = LF;
        out.splice(start..start, head[..=used].iter().copied());
    }
    out.extend_from_slice(END);
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::batch::{End, Tape};

    const LAYERS: [Layer; 3] = [Layer::Routing, Layer::Entity, Layer::Method];

    fn rewritten(way: Way, bytes: &[u8]) -> (Vec<u8>, usize) {
        let mut tape = Tape::default();
        let batch = tape.parse(bytes);
        assert_eq!(batch.end(), End::Complete, "{:?}", bytes.escape_ascii().to_string());
        let (mut out, mut reports) = (Vec::new(), 0);
        for packet in batch {
            rewrite(way, &packet, &mut out, |_, _| reports += 1);
        }
        (out, reports)
    }

    fn joined(change: Change<'_>, name: &[u8]) -> Vec<u8> {
        match change {
            Change::To(Name { head, tail }) => [head, tail].concat(),
            Change::Same | Change::Unknown => name.to_vec(),
        }
    }

    #[test]
    fn the_tables_have_no_doubles() {
        for layer in LAYERS {
            for (n, row) in layer.table().iter().enumerate() {
                assert!(row.0.bytes().all(|byte| byte.is_ascii_lowercase()) && row.1.starts_with('_'));
                assert!(layer.table()[..n].iter().all(|other| other.0 != row.0 && other.1 != row.1), "{row:?}");
                assert_eq!(joined(contract(layer, row.1.as_bytes()), b""), row.0.as_bytes());
                assert_eq!(joined(expand(layer, row.0.as_bytes()), b""), row.1.as_bytes());
            }
        }
    }

    #[test]
    fn either_way_takes_the_other_back() {
        let mut rng = Rng::with_seed(17);
        let (mut short, mut unknown) = (0, 0);
        for _ in 0..20_000 {
            let layer = LAYERS[rng.usize(..3)];
            let mut name = Vec::new();
            match rng.u8(..3) {
                0 => name.extend_from_slice(rng.choice(layer.table()).unwrap().1.as_bytes()),
                1 => name.extend_from_slice(rng.choice(layer.table()).unwrap().0.as_bytes()),
                _ => {}
            }
            for _ in 0..rng.usize(..6) {
                name.push(*rng.choice(b"__acXmnt0").unwrap());
            }
            let once = contract(layer, &name);
            let contracted = joined(once, &name);
            if once == Change::Unknown {
                unknown += 1;
                assert!(name[0].is_ascii_lowercase());
            } else {
                assert_eq!(joined(expand(layer, &contracted), &contracted), name, "{:?}", contracted.escape_ascii().to_string());
            }
            // Every name that expands to a long name is one of its short forms, and the written one
            // expands back.
            let long = joined(expand(layer, &name), &name);
            if matches!(expand(layer, &name), Change::To(_)) {
                let written = joined(contract(layer, &long), &long);
                assert_eq!(joined(expand(layer, &written), &written), long);
            }
            short += usize::from(matches!(once, Change::To(_)));
        }
        assert!(short > 3000 && unknown > 2000, "{short} {unknown}");
    }

    #[test]
    fn uppercase_and_digits_are_not_touched() {
        for name in [&b"Xyz"[..], b"M", b"1c", b"C_context", b""] {
            assert_eq!((expand(Layer::Entity, name), contract(Layer::Entity, name)), (Change::Same, Change::Same));
        }
    }

    #[test]
    fn packets_and_their_compact_twins() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/packets");
        for name in ["activity", "chat_msg", "presence"] {
            let long = std::fs::read(format!("{folder}/{name}.psyc")).unwrap();
            let short = std::fs::read(format!("{folder}/{name}-c.psyc")).unwrap();
            assert_eq!(rewritten(Way::Contract, &long), (short.clone(), 0), "{name}");
            assert_eq!(rewritten(Way::Expand, &short), (long, 0), "{name}");
        }
    }

    #[test]
    fn sizes_are_those_of_the_new_names() {
        let long = b":_tag_relay\tx\n42\n?\n=_degree_availability 3\t4\n|\n_message\nHi\n|\n";
        let (short, _) = rewritten(Way::Contract, long);
        assert_eq!(short, b":gr\tx\n17\n?\n=da 3\t4\n|\nm\nHi\n|\n".as_slice());
        assert_eq!(rewritten(Way::Expand, &short).0, long);
        for same in [&b"|\n"[..], b"\n|\n", b"0\n|\n", b"\n=\n|\n", b"\n_x\n\n|\n", b":A\tx\n\n:B 00\t\nC\n|\n"] {
            assert_eq!(rewritten(Way::Contract, same), (same.to_vec(), 0));
            assert_eq!(rewritten(Way::Expand, same), (same.to_vec(), 0));
        }
    }

    #[test]
    fn what_is_not_known_stays_and_is_reported() {
        let bytes = b":xx\ta\n\n:yy_z\tb\nzz\n|\n";
        assert_eq!(rewritten(Way::Expand, bytes), (bytes.to_vec(), 3));
        assert_eq!(rewritten(Way::Contract, b":c\ta\n|\n"), (b":c\ta\n|\n".to_vec(), 1));
    }
}
