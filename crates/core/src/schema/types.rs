//! The common schema: types for everything that the formats of this project can express.
//!
//! A schema language is read into these types and written from them. Operations on schemas
//! (inference, compatibility, translation) work on them alone. The types also hold what only one
//! language expresses, so that a translation can report its losses.

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::value::owned::Value;

/// A set of named types that may refer to each other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schema {
    /// Types in the order of their definition.
    pub types: Vec<NamedType>,
    /// Name of the type of a whole message, if the language declares one.
    pub root: Option<String>,
}

/// A type under a name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedType {
    /// Full name; languages with packages join the parts by `.`.
    pub name: String,
    /// Text of the documentation comment.
    pub doc: String,
    /// The type.
    pub ty: Type,
}

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// No value but null.
    Null,
    /// Truth value.
    Bool,
    /// Signed integer of a width.
    Int(Width),
    /// Unsigned integer of a width.
    UInt(Width),
    /// Whole number of any size, within optional bounds.
    Integer(Constraint),
    /// Decimal number of any size.
    Decimal,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// A number that a binary64 holds: an integer if it is whole, else a float.
    Number,
    /// Unicode text.
    Text(Constraint),
    /// Text in an unknown character set.
    Octets(Constraint),
    /// Binary data.
    Bytes(Constraint),
    /// ASN.1's string of bits (X.680 clause 22), with the names of single bits.
    BitString {
        /// Names of bits, with their numbers.
        bits: Vec<(String, u64)>,
        /// Bounds on the number of bits.
        size: Constraint,
    },
    /// ASN.1's object identifier (X.680 clause 32).
    ObjectIdentifier,
    /// A moment in time, in the finest unit of the type.
    Timestamp(TimeUnit),
    /// Values of one type in order.
    List(Box<Type>, Constraint),
    /// ASN.1's SET OF: values of one type without order.
    Set(Box<Type>, Constraint),
    /// Keys of one type, values of another.
    Map(Box<Type>, Box<Type>),
    /// A fixed number of values, each of its own type.
    Tuple(Vec<Type>),
    /// Named fields in order.
    Record(Record),
    /// One of several cases.
    Sum(Sum),
    /// One of several numbered names.
    Enumeration(Enumeration),
    /// A value or null.
    Nullable(Box<Type>),
    /// A named type of the schema, with arguments if it is polymorphic.
    Reference(String, Vec<Type>),
    /// A parameter of the enclosing polymorphic type.
    Parameter(String),
    /// A value with a mark of its format, as in [`Open::Tagged`](crate::walk::event::Open::Tagged).
    Tagged {
        /// Tag space: the numbering that `code` belongs to.
        space: String,
        /// The mark.
        code: u64,
        /// Type of the marked value.
        inner: Box<Type>,
    },
    /// Any value, as in formats without a schema.
    Any,
}

/// Width of an integer in bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// 8 bits.
    W8,
    /// 16 bits.
    W16,
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
}

impl Width {
    /// Returns the number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Width::W8 => 8,
            Width::W16 => 16,
            Width::W32 => 32,
            Width::W64 => 64,
        }
    }

    /// Returns the narrowest width whose signed integers include both bounds.
    pub const fn signed(low: i64, high: i64) -> Width {
        const fn fits(low: i64, high: i64, bits: u32) -> bool {
            low >= -(1 << (bits - 1)) && high < 1 << (bits - 1)
        }
        match (fits(low, high, 8), fits(low, high, 16), fits(low, high, 32)) {
            (true, _, _) => Width::W8,
            (_, true, _) => Width::W16,
            (_, _, true) => Width::W32,
            _ => Width::W64,
        }
    }

    /// Returns the narrowest width whose unsigned integers include `high`.
    pub const fn unsigned(high: u64) -> Width {
        match high {
            0..=0xff => Width::W8,
            0x100..=0xffff => Width::W16,
            0x1_0000..=0xffff_ffff => Width::W32,
            _ => Width::W64,
        }
    }
}

/// Finest unit of a timestamp type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimeUnit {
    /// Whole seconds.
    Second,
    /// Thousandths of a second.
    Millisecond,
    /// Millionths of a second.
    Microsecond,
    /// Billionths of a second.
    Nanosecond,
}

impl TimeUnit {
    /// Returns the nanoseconds in one unit.
    pub const fn nanos(self) -> u32 {
        match self {
            TimeUnit::Second => 1_000_000_000,
            TimeUnit::Millisecond => 1_000_000,
            TimeUnit::Microsecond => 1_000,
            TimeUnit::Nanosecond => 1,
        }
    }
}

/// Bounds on a number or on a length, as in ASN.1's constraints and other languages' ranges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Constraint {
    /// Smallest allowed number.
    pub low: Option<i128>,
    /// Largest allowed number.
    pub high: Option<i128>,
    /// ASN.1's extension marker `...`: values outside of the bounds may come from later versions.
    pub extensible: bool,
    /// Characters that text may have, if the language limits them.
    pub alphabet: Option<String>,
}

impl Constraint {
    /// No bounds.
    pub const NONE: Constraint = Constraint { low: None, high: None, extensible: false, alphabet: None };

    /// Returns a constraint with both bounds, inclusive.
    pub const fn range(low: i128, high: i128) -> Constraint {
        Constraint { low: Some(low), high: Some(high), extensible: false, alphabet: None }
    }

    /// Returns whether a number, or a length, is within the bounds.
    pub fn allows(&self, number: i128) -> bool {
        self.extensible || (self.low.is_none_or(|low| number >= low) && self.high.is_none_or(|high| number <= high))
    }
}

/// A type of named fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// Fields in order. The position of a field is its slot.
    pub fields: Vec<FieldType>,
    /// Position of fields that later versions may add: in ASN.1 the index of the first extension
    /// field, in formats that are always open the number of fields. `None` for a closed record.
    pub extension: Option<usize>,
    /// ASN.1's SET: the order on the wire is free.
    pub unordered: bool,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldType {
    /// Name.
    pub name: String,
    /// Number on the wire, in formats that number fields.
    pub id: Option<u64>,
    /// Type of one value.
    pub ty: Type,
    /// Number of occurrences in a record.
    pub presence: Presence,
    /// Value of an absent field.
    pub default: Option<Value>,
    /// True if new uses are discouraged.
    pub deprecated: bool,
    /// Text of the documentation comment.
    pub doc: String,
}

impl FieldType {
    /// Returns a required field without number, default or documentation.
    pub fn required(name: impl Into<String>, ty: Type) -> FieldType {
        FieldType { name: name.into(), id: None, ty, presence: Presence::Required, default: None, deprecated: false, doc: String::new() }
    }

    /// Makes the field optional.
    #[must_use]
    pub fn optional(self) -> FieldType {
        FieldType { presence: Presence::Optional, ..self }
    }
}

/// Number of occurrences of a field in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Once.
    Required,
    /// Once or not at all.
    Optional,
    /// Any number of times.
    Repeated,
}

/// A type of several cases.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sum {
    /// Cases in order.
    pub cases: Vec<Case>,
    /// True if later versions may have more.
    pub extensible: bool,
    /// True if the wire does not name the case, so that the value itself decides (Avro's unions,
    /// JSON Schema's `anyOf`). Each case then carries one type.
    pub untagged: bool,
}

/// A case of a sum type.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Name.
    pub name: String,
    /// Number on the wire, in formats that number cases.
    pub id: Option<u64>,
    /// Types of its values; empty for a constant case.
    pub carries: Vec<Type>,
    /// Text of the documentation comment.
    pub doc: String,
}

/// A type of names with numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Enumeration {
    /// Names with their numbers, in order of definition.
    pub members: Vec<(String, i64)>,
    /// True if later versions may have more.
    pub extensible: bool,
}

impl Schema {
    /// Returns the type named `name`.
    pub fn get(&self, name: &str) -> Option<&Type> {
        self.types.iter().find(|named| named.name == name).map(|named| &named.ty)
    }

    /// Follows references without arguments, and returns the type that `ty` stands for.
    ///
    /// # Errors
    /// A reference leads to no type, or only back to itself.
    pub fn resolve<'s>(&'s self, ty: &'s Type) -> Result<&'s Type> {
        let mut seen = HashSet::new();
        let mut ty = ty;
        while let Type::Reference(name, arguments) = ty {
            if !arguments.is_empty() {
                break;
            }
            if !seen.insert(name) {
                return Err(wrong(format!("type {name}, which refers only to itself")).expected("a type that holds something"));
            }
            ty = self.get(name).ok_or_else(|| wrong(format!("type {name}")).expected("a type that the schema defines"))?;
        }
        Ok(ty)
    }

    /// Checks that names and numbers are unique where they must be, and that every reference leads
    /// to a type.
    ///
    /// # Errors
    /// The first violation.
    pub fn check(&self) -> Result<()> {
        unique("type", self.types.iter().map(|named| named.name.as_str()))?;
        if let Some(root) = &self.root
            && self.get(root).is_none()
        {
            return Err(wrong(format!("the root type {root}")).expected("a type that the schema defines"));
        }
        let types: HashMap<&str, &Type> = self.types.iter().map(|named| (named.name.as_str(), &named.ty)).collect();
        // Names that lead to a type.
        let mut sound: HashSet<&str> = HashSet::new();
        let mut due: Vec<&Type> = self.types.iter().map(|named| &named.ty).collect();
        while let Some(ty) = due.pop() {
            let mut path = HashSet::new();
            let mut at = ty;
            while let Type::Reference(name, arguments) = at
                && !sound.contains(name.as_str())
            {
                if !path.insert(name.as_str()) {
                    return Err(wrong(format!("type {name}, which refers only to itself")).expected("a type that holds something"));
                }
                let Some(target) = types.get(name.as_str()) else {
                    return Err(wrong(format!("type {name}")).expected("a type that the schema defines"));
                };
                if !arguments.is_empty() {
                    break;
                }
                at = target;
            }
            sound.extend(path);
            match ty {
                Type::List(inner, _) | Type::Set(inner, _) | Type::Nullable(inner) | Type::Tagged { inner, .. } => due.push(inner),
                Type::Map(key, value) => due.extend([&**key, &**value]),
                Type::Tuple(parts) => due.extend(parts),
                Type::Reference(_, arguments) => due.extend(arguments),
                Type::Record(record) => {
                    unique("field", record.fields.iter().map(|field| field.name.as_str()))?;
                    distinct("field", record.fields.iter().filter_map(|field| Some((field.id?, field.name.as_str()))))?;
                    due.extend(record.fields.iter().map(|field| &field.ty));
                }
                Type::Sum(sum) => {
                    unique("case", sum.cases.iter().map(|case| case.name.as_str()))?;
                    distinct("case", sum.cases.iter().filter_map(|case| Some((case.id?, case.name.as_str()))))?;
                    due.extend(sum.cases.iter().flat_map(|case| &case.carries));
                }
                Type::Enumeration(members) => unique("member", members.members.iter().map(|(name, _)| name.as_str()))?,
                Type::BitString { bits, .. } => unique("bit", bits.iter().map(|(name, _)| name.as_str()))?,
                _ => {}
            }
        }
        Ok(())
    }
}

#[cold]
fn wrong(seen: String) -> Error {
    Error::new(ErrorKind::Syntax, Fault::Schema).seen(seen)
}

fn unique<'s>(what: &str, names: impl Iterator<Item = &'s str>) -> Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(wrong(format!("the {what} {name} for the second time")).expected("each name once"));
        }
    }
    Ok(())
}

fn distinct<'s>(what: &str, numbers: impl Iterator<Item = (u64, &'s str)>) -> Result<()> {
    let mut seen = HashMap::new();
    for (number, name) in numbers {
        if let Some(first) = seen.insert(number, name) {
            return Err(wrong(format!("number {number} of the {what}s {first} and {name}")).expected("each number once"));
        }
    }
    Ok(())
}

/// Writes the type on one line, in the terms of this module.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, types: &[Type]| -> fmt::Result {
            for (n, ty) in types.iter().enumerate() {
                write!(f, "{}{ty}", if n > 0 { ", " } else { "" })?;
            }
            Ok(())
        };
        match self {
            Type::Null => f.write_str("null"),
            Type::Bool => f.write_str("bool"),
            Type::Int(width) => write!(f, "int{}", width.bits()),
            Type::UInt(width) => write!(f, "uint{}", width.bits()),
            Type::Integer(bounds) => write!(f, "integer{bounds}"),
            Type::Decimal => f.write_str("decimal"),
            Type::F32 => f.write_str("float32"),
            Type::F64 => f.write_str("float64"),
            Type::Number => f.write_str("number"),
            Type::Text(size) => write!(f, "text{size}"),
            Type::Octets(size) => write!(f, "octets{size}"),
            Type::Bytes(size) => write!(f, "bytes{size}"),
            Type::BitString { size, .. } => write!(f, "bits{size}"),
            Type::ObjectIdentifier => f.write_str("object identifier"),
            Type::Timestamp(unit) => write!(f, "timestamp in {unit:?}s"),
            Type::List(inner, size) => write!(f, "list of {inner}{size}"),
            Type::Set(inner, size) => write!(f, "set of {inner}{size}"),
            Type::Map(key, value) => write!(f, "map of {key} to {value}"),
            Type::Tuple(parts) => {
                f.write_str("(")?;
                list(f, parts)?;
                f.write_str(")")
            }
            Type::Record(record) => {
                f.write_str("{")?;
                for (n, field) in record.fields.iter().enumerate() {
                    let mark = match field.presence {
                        Presence::Required => "",
                        Presence::Optional => "?",
                        Presence::Repeated => "*",
                    };
                    write!(f, "{}{}{mark}: {}", if n > 0 { ", " } else { "" }, field.name, field.ty)?;
                }
                f.write_str("}")
            }
            Type::Sum(sum) => {
                for (n, case) in sum.cases.iter().enumerate() {
                    write!(f, "{}{}", if n > 0 { " | " } else { "" }, case.name)?;
                    if !case.carries.is_empty() {
                        f.write_str("(")?;
                        list(f, &case.carries)?;
                        f.write_str(")")?;
                    }
                }
                Ok(())
            }
            Type::Enumeration(members) => {
                let names: Vec<&str> = members.members.iter().map(|(name, _)| name.as_str()).collect();
                write!(f, "one of {}", names.join(", "))
            }
            Type::Nullable(inner) => write!(f, "{inner} or null"),
            Type::Reference(name, arguments) if arguments.is_empty() => f.write_str(name),
            Type::Reference(name, arguments) => {
                write!(f, "{name}<")?;
                list(f, arguments)?;
                f.write_str(">")
            }
            Type::Parameter(name) => write!(f, "'{name}"),
            Type::Tagged { space, code, inner } => write!(f, "tag {space}:{code} of {inner}"),
            Type::Any => f.write_str("any"),
        }
    }
}

/// Writes ` low..high`, with `…` for an open side, and ` and later ones` if the bounds are
/// extensible. Writes nothing if both sides are open.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |bound: Option<i128>| bound.map_or("…".to_string(), |bound| bound.to_string());
        match (self.low, self.high) {
            (None, None) => Ok(()),
            (low, high) => write!(f, " {}..{}{}", side(low), side(high), if self.extensible { " and later ones" } else { "" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, ty: Type) -> NamedType {
        NamedType { name: name.into(), doc: String::new(), ty }
    }

    fn reference(name: &str) -> Type {
        Type::Reference(name.into(), vec![])
    }

    #[test]
    fn a_sound_schema_passes_and_prints() {
        let voucher = Record {
            fields: vec![
                FieldType::required("number", Type::UInt(Width::W32)),
                FieldType::required("sum", Type::F64),
                FieldType::required("state", reference("State")).optional(),
                FieldType::required("links", Type::List(Box::new(reference("Voucher")), Constraint::range(0, 9))),
            ],
            ..Record::default()
        };
        let case = |name: &str, carries: Vec<Type>| Case { name: name.into(), id: None, carries, doc: String::new() };
        let state =
            Sum { cases: vec![case("Open", vec![]), case("Paid", vec![Type::Timestamp(TimeUnit::Second), Type::Bool])], ..Sum::default() };
        let schema =
            Schema { types: vec![named("Voucher", Type::Record(voucher)), named("State", Type::Sum(state))], root: Some("Voucher".into()) };
        schema.check().unwrap();
        assert_eq!(schema.types[0].ty.to_string(), "{number: uint32, sum: float64, state?: State, links: list of Voucher 0..9}");
        assert_eq!(schema.types[1].ty.to_string(), "Open | Paid(timestamp in Seconds, bool)");
    }

    #[test]
    fn mistakes_are_the_schemas_fault() {
        let field = |id| FieldType { id: Some(id), ..FieldType::required(format!("f{id}"), Type::Bool) };
        let same_number = Record { fields: vec![field(1), FieldType { name: "other".into(), ..field(1) }], ..Record::default() };
        for (ty, seen) in [
            (reference("Nowhere"), "type Nowhere"),
            (reference("T"), "type T, which refers only to itself"),
            (Type::Record(same_number), "number 1 of the fields f1 and other"),
            (
                Type::Enumeration(Enumeration { members: vec![("a".into(), 1), ("a".into(), 2)], extensible: false }),
                "the member a for the second time",
            ),
        ] {
            let error = Schema { types: vec![named("T", ty)], root: None }.check().unwrap_err();
            assert_eq!(error.fault(), Fault::Schema);
            assert!(error.what().contains(seen), "{error}");
        }
    }

    #[test]
    fn widths_are_the_narrowest() {
        assert_eq!(Width::signed(-128, 127), Width::W8);
        assert_eq!(Width::signed(-129, 0), Width::W16);
        assert_eq!(Width::signed(0, 1 << 31), Width::W64);
        assert_eq!(Width::unsigned(255), Width::W8);
        assert_eq!(Width::unsigned(1 << 32), Width::W64);
        assert!(Constraint::range(1, 3).allows(3) && !Constraint::range(1, 3).allows(4));
    }
}
