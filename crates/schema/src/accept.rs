//! Checks whether a schema accepts a value.
//!
//! - A number fits a type that holds it exactly, whatever the kind of number: 20 is a `float64`
//!   too.
//! - Records and maps with text keys are the same. A record has no other fields than its type,
//!   unless the type is open for later versions.
//! - A repeated field comes any number of times, or as one list.
//! - Lists and tuples are the same, but a tuple has a fixed number of items.
//! - A case of a sum type comes as a variant, or in the notation of records: `"Name"`, `{"Name":
//!   value}`, `{"Name": [values]}`. Values missing at the end are null.
//! - A member of an enumeration comes as its name, or as its number.
//! - Text in an unknown character set may come as text.
//! - A parameter of a polymorphic type, an object identifier and a string of bits are spelled
//!   differently by each format: they accept any value.

use std::collections::HashMap;
use std::fmt;

use polywire_core::schema::{Constraint, Presence, Record, Schema, Sum, Type};
use polywire_core::value::{Entry, Item, View};
use polywire_core::value::{nearest_f64, show};
use polywire_core::walk::{Path, PathStep};
use polywire_core::{Open, Scalar, Span};

use crate::infer::case_name;
use crate::listing::type_text;

/// A value that the schema does not accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The value's path.
    pub path: Path,
    /// Its byte range.
    pub at: Span,
    /// The value, shortened, for messages.
    pub seen: String,
    /// The type or the condition that the schema demands.
    pub expected: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, saw {}, at byte {}, in {}", self.expected, self.seen, self.at.start, self.path)
    }
}

impl std::error::Error for Mismatch {}

/// Checks a message against the schema's root type; without one, against its first type.
///
/// # Errors
/// The first mismatch. If none of several alternatives fits a value, the mismatch is that of the
/// whole value.
pub fn accepts(schema: &Schema, value: Item<'_, '_>) -> Result<(), Box<Mismatch>> {
    let root = match &schema.root {
        Some(root) => schema.get(root),
        None => schema.types.first().map(|named| &named.ty),
    };
    let mut check = Check { schema, path: Vec::new(), known: HashMap::new() };
    match root {
        Some(root) => check.value(root, value),
        None => Err(check.mismatch(value, "a type, which the schema has none of".into())),
    }
}

type Outcome = Result<(), Box<Mismatch>>;

struct Check<'s> {
    schema: &'s Schema,
    path: Vec<PathStep>,
    /// Results for alternatives of sum types, by the type's address and the value's place. They
    /// keep nested alternatives from multiplying the work.
    known: HashMap<(usize, usize), bool>,
}

impl<'s> Check<'s> {
    #[cold]
    fn mismatch(&self, value: Item<'_, '_>, expected: String) -> Box<Mismatch> {
        Box::new(Mismatch { path: Path(self.path.clone()), at: value.span(), seen: show::item(value, 40), expected })
    }

    #[cold]
    fn unfit(&self, ty: &Type, value: Item<'_, '_>) -> Box<Mismatch> {
        self.mismatch(value, type_text(ty))
    }

    fn at(&mut self, step: PathStep, ty: &'s Type, value: Item<'_, '_>) -> Outcome {
        self.path.push(step);
        let outcome = self.value(ty, value);
        self.path.pop();
        outcome
    }

    /// Reports whether a value fits one of several types, and remembers the answer.
    fn fits(&mut self, ty: &'s Type, value: Item<'_, '_>) -> bool {
        let key = (std::ptr::from_ref(ty) as usize, value.place());
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let fits = self.value(ty, value).is_ok();
        self.known.insert(key, fits);
        fits
    }

    fn value(&mut self, ty: &'s Type, value: Item<'_, '_>) -> Outcome {
        let mut ty = ty;
        // Types that stand for others are looked through here, so that only containers recurse.
        loop {
            ty = match ty {
                Type::Reference(name, _) => {
                    match self.schema.resolve(ty).ok().filter(|resolved| !matches!(resolved, Type::Reference(..))) {
                        Some(resolved) => resolved,
                        // With arguments: the parameters in it accept any value.
                        None => match self.schema.get(name) {
                            Some(named) if !matches!(named, Type::Reference(..)) => named,
                            _ => return Err(self.mismatch(value, format!("type {name}, which the schema does not define"))),
                        },
                    }
                }
                Type::Nullable(inner) => match value.view() {
                    View::Scalar(Scalar::Null) => return Ok(()),
                    _ => inner,
                },
                _ => break,
            };
        }
        let fits = match (ty, value.view()) {
            (Type::Any | Type::Parameter(_) | Type::ObjectIdentifier | Type::BitString { .. }, _) => true,
            (Type::Sum(sum), _) => return self.sum(ty, sum, value),
            (_, View::Scalar(scalar)) => scalar_fits(ty, &scalar),
            (Type::List(inner, size) | Type::Set(inner, size), View::Open(Open::List(_) | Open::Tuple(_))) => {
                let mut count = 0;
                for (index, entry) in value.entries().enumerate() {
                    self.at(PathStep::Index(index as u64), inner, entry.value())?;
                    count += 1;
                }
                size.allows(count)
            }
            (Type::Tuple(parts), View::Open(Open::List(_) | Open::Tuple(_))) => {
                if value.entries().count() != parts.len() {
                    return Err(self.unfit(ty, value));
                }
                for ((index, entry), part) in value.entries().enumerate().zip(parts) {
                    self.at(PathStep::Index(index as u64), part, entry.value())?;
                }
                true
            }
            (Type::Map(key, inner), View::Open(Open::Map(_) | Open::Record { .. })) => return self.map(ty, key, inner, value),
            (Type::Record(record), View::Open(Open::Map(_) | Open::Record { .. })) => return self.record(record, value),
            (Type::Enumeration(members), View::Open(Open::Variant { name, .. })) => {
                value.entries().next().is_none() && (members.extensible || members.members.iter().any(|(known, _)| known == name))
            }
            (Type::Tagged { space, code, inner }, View::Open(Open::Tagged { space: seen, code: mark }))
                if space == seen && *code == mark =>
            {
                for entry in value.entries() {
                    self.value(inner, entry.value())?;
                }
                true
            }
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.unfit(ty, value)) }
    }

    fn map(&mut self, ty: &'s Type, key: &'s Type, inner: &'s Type, value: Item<'_, '_>) -> Outcome {
        for entry in value.entries() {
            match entry {
                Entry::Field(name, item) => {
                    if !self.text_fits(key, name) {
                        return Err(self.unfit(ty, value));
                    }
                    self.at(PathStep::Name(name.into()), inner, item)?;
                }
                Entry::Pair(seen, item) => {
                    self.value(key, seen)?;
                    self.at(PathStep::Key(show::item(seen, 20)), inner, item)?;
                }
                Entry::Element(_) => return Err(self.unfit(ty, value)),
            }
        }
        Ok(())
    }

    /// Reports whether a type accepts this text.
    fn text_fits(&self, ty: &Type, text: &str) -> bool {
        match ty {
            Type::Nullable(inner) => self.text_fits(inner, text),
            Type::Sum(sum) if sum.untagged => sum.cases.iter().flat_map(|case| &case.carries).any(|ty| self.text_fits(ty, text)),
            Type::Reference(..) => self.schema.resolve(ty).is_ok_and(|ty| !matches!(ty, Type::Reference(..)) && self.text_fits(ty, text)),
            Type::Any | Type::Parameter(_) => true,
            ty => scalar_fits(ty, &Scalar::Text(polywire_core::Str::Scratch(text))),
        }
    }

    fn record(&mut self, record: &'s Record, value: Item<'_, '_>) -> Outcome {
        let mut index: HashMap<&str, usize> = HashMap::new();
        if record.fields.len() > FEW {
            index = record.fields.iter().enumerate().map(|(at, field)| (field.name.as_str(), at)).collect();
        }
        let mut seen = vec![0u32; record.fields.len()];
        for entry in value.entries() {
            let Entry::Field(name, item) = entry else { return Err(self.mismatch(value, "a record, whose keys are text".into())) };
            let known = match index.is_empty() {
                true => record.fields.iter().position(|field| field.name == name),
                false => index.get(name).copied(),
            };
            let Some(known) = known else {
                if record.extension.is_some() {
                    continue;
                }
                self.path.push(PathStep::Name(name.into()));
                let mismatch = self.mismatch(item, "no such field".into());
                self.path.pop();
                return Err(mismatch);
            };
            let field = &record.fields[known];
            seen[known] += 1;
            let repeated = field.presence == Presence::Repeated;
            if seen[known] > 1 && !repeated {
                return Err(self.mismatch(value, format!("the field {name} once")));
            }
            let as_list = |check: &mut Self| {
                matches!(item.view(), View::Open(Open::List(_)))
                    && !check.fits(&field.ty, item)
                    && item.entries().all(|entry| check.fits(&field.ty, entry.value()))
            };
            if !(repeated && as_list(self)) {
                self.at(PathStep::Name(name.into()), &field.ty, item)?;
            }
        }
        for (field, count) in record.fields.iter().zip(seen) {
            if count == 0 && field.presence == Presence::Required && field.default.is_none() {
                return Err(self.mismatch(value, format!("the field {}", field.name)));
            }
        }
        Ok(())
    }

    fn sum(&mut self, ty: &'s Type, sum: &'s Sum, value: Item<'_, '_>) -> Outcome {
        if sum.untagged {
            // A single alternative reports its own mismatch.
            if let [only] = &sum.cases[..]
                && let [only] = &only.carries[..]
            {
                return self.value(only, value);
            }
            let fits = sum.cases.iter().any(|case| match &case.carries[..] {
                [] => matches!(value.view(), View::Scalar(Scalar::Null)),
                [inner] => self.fits(inner, value),
                _ => false,
            });
            return if fits { Ok(()) } else { Err(self.unfit(ty, value)) };
        }
        let case_of = |name: &str| sum.cases.iter().find(|case| case.name == name);
        match value.view() {
            View::Scalar(Scalar::Text(name)) => match case_of(name.get()) {
                Some(case) if case.carries.is_empty() => Ok(()),
                None if sum.extensible => Ok(()),
                _ => Err(self.unfit(ty, value)),
            },
            View::Open(Open::Variant { name, index }) => {
                let case = case_of(name).or_else(|| case_of(&case_name(index)));
                let Some(case) = case.filter(|case| case.id.is_none_or(|id| id == u64::from(index))) else {
                    return if sum.extensible { Ok(()) } else { Err(self.unfit(ty, value)) };
                };
                let values: Vec<Item<'_, '_>> = value.entries().map(Entry::value).collect();
                self.carried(ty, &case.name, &case.carries, &values, value)
            }
            View::Open(Open::Record { .. } | Open::Map(_)) => {
                let mut entries = value.entries();
                let (Some(Entry::Field(name, item)), None) = (entries.next(), entries.next()) else { return Err(self.unfit(ty, value)) };
                match case_of(name) {
                    Some(case) if case.carries.len() == 1 => self.carried(ty, name, &case.carries, &[item], value),
                    Some(case) => {
                        let values: Vec<Item<'_, '_>> = item.entries().map(Entry::value).collect();
                        self.carried(ty, name, &case.carries, &values, value)
                    }
                    None if sum.extensible => Ok(()),
                    None => Err(self.unfit(ty, value)),
                }
            }
            _ => Err(self.unfit(ty, value)),
        }
    }

    fn carried(&mut self, ty: &Type, name: &str, carries: &'s [Type], values: &[Item<'_, '_>], whole: Item<'_, '_>) -> Outcome {
        let may_miss = |ty: &Type| matches!(ty, Type::Nullable(_) | Type::Null | Type::Any);
        if values.len() > carries.len() || !carries[values.len()..].iter().all(may_miss) {
            return Err(self.unfit(ty, whole));
        }
        for (ty, &value) in carries.iter().zip(values) {
            self.at(PathStep::Name(name.into()), ty, value)?;
        }
        Ok(())
    }
}

/// Number of fields up to which comparing with each is faster than hashing.
const FEW: usize = 16;

fn scalar_fits(ty: &Type, scalar: &Scalar<'_, '_>) -> bool {
    match ty {
        Type::Null => matches!(scalar, Scalar::Null),
        Type::Bool => matches!(scalar, Scalar::Bool(_)),
        Type::Int(width) => {
            let limit = 1i128 << (width.bits() - 1);
            whole(scalar).is_some_and(|number| number >= -limit && number < limit)
        }
        Type::UInt(width) => whole(scalar).is_some_and(|number| number >= 0 && number < 1 << width.bits()),
        Type::Integer(bounds) => match scalar {
            Scalar::Big(digits, _) => match digits.get().parse::<i128>() {
                Ok(number) => bounds.allows(number),
                Err(_) if bounds.extensible => true,
                Err(_) if digits.get().starts_with('-') => bounds.low.is_none(),
                Err(_) => bounds.high.is_none(),
            },
            scalar => whole(scalar).is_some_and(|number| bounds.allows(number)),
        },
        Type::Decimal => match scalar {
            Scalar::F32(number, _) => number.is_finite(),
            Scalar::F64(number, _) => number.is_finite(),
            Scalar::Int(..) | Scalar::UInt(..) | Scalar::Big(..) | Scalar::Decimal(..) => true,
            _ => false,
        },
        Type::F32 => match scalar {
            Scalar::F32(..) => true,
            Scalar::F64(number, _) => number.is_nan() || f64::from(*number as f32) == *number,
            scalar => whole(scalar).is_some_and(|number| number.unsigned_abs() <= 1 << 127 && number as f32 as i128 == number),
        },
        Type::F64 | Type::Number => match scalar {
            Scalar::F32(..) | Scalar::F64(..) => true,
            Scalar::Decimal(text, hint) => nearest_f64(text.get(), *hint).is_some(),
            scalar => whole(scalar).is_some_and(|number| number as f64 as i128 == number),
        },
        Type::Text(bounds) => matches!(scalar, Scalar::Text(text) if text_fits(bounds, text.get())),
        Type::Octets(size) => match scalar {
            Scalar::Text(text) => size.allows(text.get().len() as i128),
            Scalar::Octets(bytes) => size.allows(bytes.get().len() as i128),
            _ => false,
        },
        Type::Bytes(size) => matches!(scalar, Scalar::Bytes(bytes) if size.allows(bytes.get().len() as i128)),
        Type::Timestamp(unit) => matches!(scalar, Scalar::Time(moment) if moment.nanos().is_multiple_of(unit.nanos())),
        Type::Enumeration(members) => match scalar {
            Scalar::Text(name) => members.extensible || members.members.iter().any(|(known, _)| known == name.get()),
            scalar => whole(scalar)
                .is_some_and(|number| members.extensible || members.members.iter().any(|(_, known)| i128::from(*known) == number)),
        },
        _ => false,
    }
}

/// Returns a whole number that fits 64 bits.
fn whole(scalar: &Scalar<'_, '_>) -> Option<i128> {
    match scalar {
        Scalar::Int(number, _) => Some(i128::from(*number)),
        Scalar::UInt(number, _) => Some(i128::from(*number)),
        _ => None,
    }
}

fn text_fits(bounds: &Constraint, text: &str) -> bool {
    let sized = (bounds.low.is_none() && bounds.high.is_none()) || bounds.allows(text.chars().count() as i128);
    sized && bounds.alphabet.as_ref().is_none_or(|alphabet| text.chars().all(|c| alphabet.contains(c)))
}
