//! Small sample messages that show how a reader decodes them.

use polywire_core::bytes::zigzag;

use crate::model::{Kind, NodeId, Primitive, Protocol};
use crate::wire::vint;

/// Most bytes of a sample. A type whose smallest message is larger has no sample.
const MOST_BYTES: usize = 1 << 11;

/// A value of the type that it was made for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sample {
    Bool(bool),
    Byte(u8),
    /// Value of an `int` or a `long`.
    Int(i64),
    Float(f64),
    Bytes(Vec<u8>),
    List(Vec<Sample>),
    /// Elements of a tuple, or fields of a record.
    Parts(Vec<Sample>),
    /// A constant constructor, by number.
    Constant(u32),
    /// A constructor with arguments, or a variant, by number.
    Case(u32, Vec<Sample>),
}

/// Returns the smallest readable value of a type; `None` if the type is unknown or too large.
pub(super) fn smallest(protocol: &Protocol, node: NodeId) -> Option<Sample> {
    let sizes = sizes(protocol, node);
    if sizes[node.index()]? > MOST_BYTES {
        return None;
    }
    Some(build(protocol, &sizes, node))
}

/// Returns the minimum length in bytes of each type up to `node`, `None` for a type without a value
/// that can be written. Nodes come after their parts.
fn sizes(protocol: &Protocol, node: NodeId) -> Vec<Option<usize>> {
    let mut sizes: Vec<Option<usize>> = Vec::with_capacity(node.index() + 1);
    for (id, node) in protocol.nodes().take(node.index() + 1) {
        debug_assert_eq!(id.index(), sizes.len());
        let sum = |parts: &mut dyn Iterator<Item = NodeId>| total(parts.map(|part| sizes[part.index()]));
        let size = match &node.kind {
            Kind::Primitive { .. } => Some(2),
            Kind::List { .. } => Some(3),
            Kind::Tuple(parts) => sum(&mut parts.iter().copied()),
            Kind::Record(record) => sum(&mut record.fields.iter().map(|field| field.ty)),
            Kind::Sum(of) if of.constant(0).is_some() => Some(1),
            Kind::Sum(of) => of.constructors.iter().filter_map(|constructor| sum(&mut constructor.arguments.iter().copied())).min(),
            Kind::Union(of) => of.variants.iter().filter_map(|variant| sum(&mut variant.fields.iter().map(|field| field.ty))).min(),
            Kind::Subset(_) | Kind::External(_) => None,
        };
        sizes.push(size);
    }
    sizes
}

/// Returns the length of a composite in bytes, if all its parts have values.
fn total(mut parts: impl Iterator<Item = Option<usize>>) -> Option<usize> {
    parts.try_fold(3usize, |sum, part| Some(sum.saturating_add(part?)))
}

/// Builds a value by the lengths in `sizes`.
fn build(protocol: &Protocol, sizes: &[Option<usize>], node: NodeId) -> Sample {
    let all = |parts: &mut dyn Iterator<Item = NodeId>| parts.map(|part| build(protocol, sizes, part)).collect::<Vec<_>>();
    let least = |parts: &mut dyn Iterator<Item = NodeId>| total(parts.map(|part| sizes[part.index()])).unwrap_or(usize::MAX);
    match &protocol[node].kind {
        Kind::Primitive { primitive, .. } => match primitive {
            Primitive::Bool => Sample::Bool(true),
            Primitive::Byte => Sample::Byte(7),
            Primitive::Int | Primitive::Long => Sample::Int(7),
            Primitive::Float => Sample::Float(0.5),
            Primitive::String => Sample::Bytes(b"x".to_vec()),
        },
        Kind::List { .. } => Sample::List(Vec::new()),
        Kind::Tuple(parts) => Sample::Parts(all(&mut parts.iter().copied())),
        Kind::Record(record) => Sample::Parts(all(&mut record.fields.iter().map(|field| field.ty))),
        Kind::Sum(of) => match of.constant(0) {
            Some(_) => Sample::Constant(0),
            None => {
                let case = of.constructors.iter().min_by_key(|constructor| least(&mut constructor.arguments.iter().copied()));
                case.map_or(Sample::Constant(0), |case| Sample::Case(case.number, all(&mut case.arguments.iter().copied())))
            }
        },
        Kind::Union(of) => {
            let least = of.variants.iter().enumerate().min_by_key(|(_, variant)| least(&mut variant.fields.iter().map(|field| field.ty)));
            least.map_or(Sample::Constant(0), |(n, variant)| Sample::Case(n as u32, all(&mut variant.fields.iter().map(|field| field.ty))))
        }
        // It has no size, so no value contains one.
        Kind::Subset(_) | Kind::External(_) => Sample::Constant(0),
    }
}

/// Appends the bytes of a value of `node`'s type (docs/spec/extprot.md 4.3).
pub(super) fn encode(protocol: &Protocol, node: NodeId, sample: &Sample, out: &mut Vec<u8>) {
    match (&protocol[node].kind, sample) {
        (_, Sample::Bool(value)) => out.extend([0x02, u8::from(*value)]),
        (_, Sample::Byte(value)) => out.extend([0x02, *value]),
        (Kind::Primitive { primitive: Primitive::Long, .. }, Sample::Int(value)) => {
            out.push(0x06);
            out.extend(value.to_le_bytes());
        }
        (_, Sample::Int(value)) => {
            out.push(0x00);
            vint::write(out, zigzag(*value));
        }
        (_, Sample::Float(value)) => {
            out.push(0x08);
            out.extend(value.to_bits().to_le_bytes());
        }
        (_, Sample::Bytes(bytes)) => {
            out.push(0x03);
            vint::write(out, bytes.len() as u64);
            out.extend(bytes);
        }
        (_, Sample::Constant(number)) => vint::write(out, u64::from(*number) << 4 | 10),
        (Kind::List { element, .. }, Sample::List(values)) => {
            composite(protocol, 5, 0, &mut values.iter().map(|value| (*element, value)), out);
        }
        (Kind::Tuple(parts), Sample::Parts(values)) => composite(protocol, 1, 0, &mut parts.iter().copied().zip(values), out),
        (Kind::Record(record), Sample::Parts(values)) => {
            composite(protocol, 1, 0, &mut record.fields.iter().map(|field| field.ty).zip(values), out);
        }
        (Kind::Sum(of), Sample::Case(number, values)) => {
            let types = of.carrying(u64::from(*number)).map_or(&[][..], |constructor| &constructor.arguments);
            composite(protocol, 1, *number, &mut types.iter().copied().zip(values), out);
        }
        (Kind::Union(of), Sample::Case(number, values)) => {
            let fields = of.variants.get(*number as usize).map_or(&[][..], |variant| &variant.fields);
            composite(protocol, 1, *number, &mut fields.iter().map(|field| field.ty).zip(values), out);
        }
        _ => debug_assert!(false, "a sample that was made for another type"),
    }
}

fn composite(protocol: &Protocol, wire: u64, tag: u32, parts: &mut dyn Iterator<Item = (NodeId, &Sample)>, out: &mut Vec<u8>) {
    let mut inner = Vec::new();
    let mut count = 0;
    for (node, value) in parts {
        count += 1;
        encode(protocol, node, value, &mut inner);
    }
    let mut head = Vec::new();
    vint::write(&mut head, count);
    vint::write(out, u64::from(tag) << 4 | wire);
    vint::write(out, (head.len() + inner.len()) as u64);
    out.extend(head);
    out.extend(inner);
}
