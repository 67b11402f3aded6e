//! Random messages of a protocol, encoded by docs/spec/extprot.md 4.

use fastrand::Rng;
use polywire_extprot::model::{Field, Kind, NodeId, Primitive, Protocol};

/// Returns the bytes of a random value of a type.
pub fn sample(protocol: &Protocol, node: NodeId, random: &mut Rng) -> Vec<u8> {
    let all = |parts: &mut dyn Iterator<Item = NodeId>, random: &mut Rng| {
        let parts: Vec<Vec<u8>> = parts.map(|part| sample(protocol, part, random)).collect();
        (parts.len(), parts.concat())
    };
    let fields = |fields: &[Field], random: &mut Rng| all(&mut fields.iter().map(|field| field.ty), random);
    match &protocol[node].kind {
        Kind::Primitive { primitive, .. } => scalar(*primitive, random),
        Kind::List { element, .. } => {
            let count = random.usize(0..6);
            composite(5, all(&mut std::iter::repeat_n(*element, count), random))
        }
        Kind::Tuple(parts) => composite(1, all(&mut parts.iter().copied(), random)),
        Kind::Record(record) => composite(1, fields(&record.fields, random)),
        Kind::Union(union) => {
            let tag = random.usize(0..union.variants.len());
            composite((tag as u64) << 4 | 1, fields(&union.variants[tag].fields, random))
        }
        Kind::Sum(sum) => {
            let one = &sum.constructors[random.usize(0..sum.constructors.len())];
            let tag = u64::from(one.number) << 4;
            if one.is_constant() { vint(tag | 10) } else { composite(tag | 1, all(&mut one.arguments.iter().copied(), random)) }
        }
        Kind::Subset(subset) => sample(protocol, subset.source, random),
        Kind::External(_) => Vec::new(),
    }
}

fn scalar(primitive: Primitive, random: &mut Rng) -> Vec<u8> {
    let number = random.u64(..) >> random.u32(0..64);
    match primitive {
        Primitive::Bool => vec![2, random.u8(0..2)],
        Primitive::Byte => vec![2, random.u8(..)],
        Primitive::Int => [vec![0], vint(number)].concat(),
        Primitive::Long => [&[6][..], &number.to_le_bytes()].concat(),
        Primitive::Float => [&[8][..], &(number as f64).to_le_bytes()].concat(),
        Primitive::String => {
            let text: Vec<u8> = (0..random.usize(0..12)).map(|_| random.u8(..)).collect();
            [vec![3], vint(text.len() as u64), text].concat()
        }
    }
}

fn composite(prefix: u64, (count, elements): (usize, Vec<u8>)) -> Vec<u8> {
    let inside = [vint(count as u64), elements].concat();
    [vint(prefix), vint(inside.len() as u64), inside].concat()
}

fn vint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}
