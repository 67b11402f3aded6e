//! Random protocols, their later versions, and values of them. Everything is a function of a seed.

use polywire_core::value::Value;
use polywire_extprot::model::{Field, Kind, NodeId, Primitive, Protocol};
use polywire_testing::Rng;

/// A protocol as declarations that can be changed one by one.
#[derive(Debug, Clone)]
pub struct Text(Vec<Declaration>);

#[derive(Debug, Clone)]
struct Declaration {
    name: String,
    body: Body,
}

#[derive(Debug, Clone)]
enum Body {
    Alias(String),
    Sum(Vec<(String, Vec<String>)>),
    Record(Vec<(String, String)>),
    Message(Vec<(String, String)>),
    Union(Vec<(String, Vec<(String, String)>)>),
    Subset(String, bool, Vec<String>),
}

impl Text {
    /// The last declaration, `m`, is a message.
    pub fn new(rng: &mut Rng) -> Text {
        let mut text = Text(Vec::new());
        for n in 0..rng.usize(1..6) {
            let name = format!("t{n}");
            let body = match rng.u8(..12) {
                0 => Body::Alias(text.simple(rng, 2)),
                1..=4 => Body::Sum((0..rng.usize(1..5)).map(|case| (format!("C{case}"), text.arguments(rng))).collect()),
                5..=6 => Body::Record(text.fields(rng)),
                7..=8 => Body::Message(text.fields(rng)),
                9..=10 => Body::Union((0..rng.usize(1..4)).map(|case| (format!("V{case}"), text.fields(rng))).collect()),
                _ => match text.0.iter().rev().find_map(|found| match &found.body {
                    Body::Message(fields) | Body::Record(fields) => Some((found.name.clone(), fields.clone())),
                    _ => None,
                }) {
                    Some((source, fields)) => {
                        let kept = rng.usize(..fields.len());
                        Body::Subset(source, false, vec![fields[kept].0.clone()])
                    }
                    None => Body::Alias(text.simple(rng, 2)),
                },
            };
            text.0.push(Declaration { name, body });
        }
        let fields = text.fields(rng);
        let body = if rng.u8(..3) == 0 {
            Body::Union(vec![("V0".into(), fields.clone()), ("V1".into(), text.fields(rng))])
        } else {
            Body::Message(fields)
        };
        text.0.push(Declaration { name: "m".into(), body });
        text
    }

    fn primitive(rng: &mut Rng) -> String {
        let plain = ["bool", "byte", "int", "long", "float", "string"][rng.usize(..6)];
        let default = match (plain, rng.u8(..3)) {
            ("bool", 0) => " [@default true]",
            ("byte", 0) => " [@default 7]",
            ("int", 0) => " [@default -5]",
            ("long", 0) => " [@default 77]",
            ("float", 0) => " [@default 1.5]",
            ("string", 0) => " [@default \"none\"]",
            _ => "",
        };
        format!("{plain}{default}")
    }

    fn simple(&self, rng: &mut Rng, depth: u32) -> String {
        match rng.u8(..10) {
            0..=3 => Text::primitive(rng),
            4..=5 if depth > 0 => format!("[ {} ]", self.simple(rng, depth - 1)),
            6 if depth > 0 => {
                let parts: Vec<String> = (0..rng.usize(2..4)).map(|_| self.simple(rng, depth - 1)).collect();
                format!("({})", parts.join(" * "))
            }
            _ if !self.0.is_empty() => self.0[rng.usize(..self.0.len())].name.clone(),
            _ => Text::primitive(rng),
        }
    }

    fn arguments(&self, rng: &mut Rng) -> Vec<String> {
        (0..rng.usize(..3)).map(|_| self.simple(rng, 1)).collect()
    }

    fn fields(&self, rng: &mut Rng) -> Vec<(String, String)> {
        (0..rng.usize(1..5)).map(|n| (format!("f{n}"), self.simple(rng, 2))).collect()
    }

    /// A later version: some things are added, removed, or of another type.
    pub fn evolved(&self, rng: &mut Rng) -> Text {
        let mut next = self.clone();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(..next.0.len());
            // Only what was declared before can be used.
            let before = Text(next.0[..at].to_vec());
            match &mut next.0[at].body {
                Body::Alias(of) => *of = before.simple(rng, 2),
                Body::Sum(cases) => match rng.u8(..4) {
                    0 => {
                        let name = format!("C{}", cases.len());
                        cases.push((name, before.arguments(rng)));
                    }
                    1 if cases.len() > 1 => drop(cases.pop()),
                    _ => {
                        let case = rng.usize(..cases.len());
                        let arguments = &mut cases[case].1;
                        if rng.bool() { arguments.push(before.simple(rng, 1)) } else { drop(arguments.pop()) }
                    }
                },
                Body::Record(fields) | Body::Message(fields) => change(&before, rng, fields),
                Body::Union(variants) => match rng.u8(..4) {
                    0 => {
                        let name = format!("V{}", variants.len());
                        variants.push((name, before.fields(rng)));
                    }
                    1 if variants.len() > 1 => drop(variants.pop()),
                    _ => {
                        let variant = rng.usize(..variants.len());
                        change(&before, rng, &mut variants[variant].1);
                    }
                },
                Body::Subset(..) => {}
            }
        }
        next
    }

    /// The text.
    pub fn text(&self) -> String {
        let fields = |fields: &[(String, String)]| {
            format!("{{ {} }}", fields.iter().map(|(name, ty)| format!("{name} : {ty}")).collect::<Vec<String>>().join("; "))
        };
        let mut out = String::new();
        for Declaration { name, body } in &self.0 {
            let line = match body {
                Body::Alias(of) => format!("type {name} = {of}"),
                Body::Sum(cases) => {
                    let cases: Vec<String> = cases.iter().map(|(name, arguments)| format!("{name} {}", arguments.join(" "))).collect();
                    format!("type {name} = {}", cases.join(" | "))
                }
                Body::Record(found) => format!("type {name} = {}", fields(found)),
                Body::Message(found) => format!("message {name} = {}", fields(found)),
                Body::Union(variants) => {
                    let variants: Vec<String> = variants.iter().map(|(name, found)| format!("{name} {}", fields(found))).collect();
                    format!("message {name} = {}", variants.join(" | "))
                }
                Body::Subset(source, not, names) => {
                    format!("message {name} = {{| {source} | {}{} |}}", if *not { "not " } else { "" }, names.join("; "))
                }
            };
            out.push_str(&line);
            out.push('\n');
        }
        out
    }
}

fn change(before: &Text, rng: &mut Rng, fields: &mut Vec<(String, String)>) {
    match rng.u8(..4) {
        0 | 1 => fields.push((format!("g{}", fields.len()), before.simple(rng, 2))),
        2 if fields.len() > 1 => drop(fields.pop()),
        _ => {
            let field = rng.usize(..fields.len());
            fields[field].1 = before.simple(rng, 2);
        }
    }
}

/// A random value of type `node`.
pub fn value(protocol: &Protocol, node: NodeId, rng: &mut Rng) -> Value {
    let record = |fields: &[Field], rng: &mut Rng| Value::Record {
        name: String::new(),
        fields: fields.iter().map(|field| (field.name.clone(), value(protocol, field.ty, rng))).collect(),
    };
    match &protocol[node].kind {
        Kind::Primitive { primitive, .. } => scalar(*primitive, rng),
        Kind::List { element, .. } => {
            // Lists of lists of lists would be large.
            let most = if matches!(protocol[*element].kind, Kind::Primitive { .. }) { 12 } else { 3 };
            Value::List((0..rng.usize(..most)).map(|_| value(protocol, *element, rng)).collect())
        }
        Kind::Tuple(parts) => Value::Tuple(parts.iter().map(|part| value(protocol, *part, rng)).collect()),
        Kind::Sum(sum) => {
            let index = rng.usize(..sum.constructors.len());
            let found = &sum.constructors[index];
            let values = found.arguments.iter().map(|part| value(protocol, *part, rng)).collect();
            Value::Variant { name: found.name.clone(), index: index as u32, values }
        }
        Kind::Record(found) => record(&found.fields, rng),
        Kind::Union(union) => {
            let index = rng.usize(..union.variants.len());
            let found = &union.variants[index];
            Value::Variant { name: found.name.clone(), index: index as u32, values: vec![record(&found.fields, rng)] }
        }
        Kind::Subset(_) | Kind::External(_) => panic!("a type without values of its own"),
    }
}

fn scalar(primitive: Primitive, rng: &mut Rng) -> Value {
    match primitive {
        Primitive::Bool => Value::Bool(rng.bool()),
        Primitive::Byte => Value::UInt(u64::from(rng.u8(..))),
        Primitive::Int | Primitive::Long => Value::int(rng.i64(..) >> rng.u32(..64)),
        Primitive::Float => Value::F64(if rng.bool() { f64::from_bits(rng.u64(..)) } else { f64::from(rng.i16(..)) / 4.0 }),
        Primitive::String => {
            let most = if rng.u8(..20) == 0 { 300 } else { 12 };
            let bytes: Vec<u8> = (0..rng.usize(..most)).map(|_| rng.u8(..) & if rng.bool() { 0x7f } else { 0xff }).collect();
            String::from_utf8(bytes).map_or_else(|error| Value::Octets(error.into_bytes()), Value::Text)
        }
    }
}
