//! The common schema as a protocol.
//!
//! Names become identifiers, inline types get names, and each type follows those that it uses.
//! Facts that the language cannot express are reported as losses. Recursive types cannot be
//! written.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, TimeUnit, Type, Width};
use polywire_core::value::Value;
use polywire_core::{Error, ErrorKind, Fault, Result};

use super::names::{self, Names};
use crate::adopt::is_key;
use crate::protocol::{comment, format, lex};

/// Most types nested in one declaration.
const MAX_NESTING: u32 = 100;

/// Writes a schema. If `adopted` is true, the declarations describe the bytes that an adopted
/// schema has.
pub fn write(schema: &Schema, adopted: bool) -> Result<(String, Vec<SchemaLoss>)> {
    schema.check()?;
    let (order, cut) = order(schema, adopted)?;
    let mut writing = Writing {
        schema,
        index: schema.types.iter().map(|named| (named.name.as_str(), &named.ty)).collect(),
        types: HashMap::new(),
        names: Names::default(),
        helpers: Helpers::default(),
        losses: Vec::new(),
        out: String::new(),
        depth: 0,
        scope: Vec::new(),
        adopted,
        cut,
        current: "",
    };
    // Helper types come first, and their names are reserved.
    let option = writing.names.take("option".into());
    let null = writing.names.take("null".into());
    for named in &schema.types {
        let name = writing.names.take(names::ty(&named.name));
        let parameters = parameters(&named.ty);
        writing.types.insert(&named.name, (name, parameters));
    }
    for named in order {
        writing.definition(named)?;
    }
    let mut text = String::new();
    if writing.helpers.null {
        let _ = writeln!(text, "(* The value null. *)\ntype {null} = Null\n");
    }
    if writing.helpers.option {
        let _ = writeln!(text, "(* A value, or none. *)\ntype {option} 'a = None | Some 'a\n");
    }
    text.push_str(&writing.out);
    let text =
        format::format("schema", &text).map_err(|diagnostics| Error::internal(format!("a protocol that cannot be read: {diagnostics}")))?;
    Ok((text, writing.losses))
}

/// Returns the named types, each after those that it refers to. References that close a circle are
/// an error, or returned if `cuts` is true.
fn order(schema: &Schema, cuts: bool) -> Result<Order<'_>> {
    let index: HashMap<&str, usize> = schema.types.iter().enumerate().map(|(n, named)| (named.name.as_str(), n)).collect();
    let uses: Vec<Vec<usize>> =
        schema.types.iter().map(|named| references(&named.ty).filter_map(|name| index.get(name).copied()).collect()).collect();
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; schema.types.len()];
    let mut order = Vec::new();
    let mut cut = HashSet::new();
    // Adopting starts with the root, and circles must be cut at the same places.
    let root = schema.root.as_deref().filter(|_| cuts).and_then(|root| index.get(root).copied());
    for start in root.into_iter().chain(0..schema.types.len()) {
        if state[start] != State::New {
            continue;
        }
        state[start] = State::Open;
        // Types being ordered, each with the number of its references followed so far.
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            match uses[at].get(*next) {
                None => {
                    state[at] = State::Done;
                    order.push(&schema.types[at]);
                    path.pop();
                }
                Some(used) => {
                    *next += 1;
                    match state[*used] {
                        State::Done => {}
                        State::New => {
                            state[*used] = State::Open;
                            path.push((*used, 0));
                        }
                        State::Open if cuts => {
                            cut.insert((schema.types[at].name.as_str(), schema.types[*used].name.as_str()));
                        }
                        State::Open => {
                            let from = path.iter().position(|(node, _)| node == used).unwrap_or(0);
                            let mut circle: Vec<&str> = path[from..].iter().map(|(node, _)| schema.types[*node].name.as_str()).collect();
                            circle.push(&schema.types[*used].name);
                            let shown =
                                if circle.len() > 8 { format!("{} → …", circle[..8].join(" → ")) } else { circle.join(" → ") };
                            return Err(Error::new(ErrorKind::Unsupported, Fault::Schema)
                                .seen(format!("a type that is made of itself: {shown}"))
                                .expected("types without recursion, which is all that extprot has")
                                .hint("keep such values in a list, and let them refer to each other by number"));
                        }
                    }
                }
            }
        }
    }
    Ok((order, cut))
}

/// Types in order, and the references that close a circle: who has it, and whom it names.
type Order<'s> = (Vec<&'s NamedType>, HashSet<(&'s str, &'s str)>);

/// Returns a type and all types inside it.
fn within(ty: &Type) -> impl Iterator<Item = &Type> {
    let mut due = vec![ty];
    std::iter::from_fn(move || {
        let ty = due.pop()?;
        let from = due.len();
        match ty {
            Type::List(inner, _) | Type::Set(inner, _) | Type::Nullable(inner) | Type::Tagged { inner, .. } => due.push(inner),
            Type::Map(key, value) => due.extend([&**key, &**value]),
            Type::Tuple(parts) | Type::Reference(_, parts) => due.extend(parts),
            Type::Record(record) => due.extend(record.fields.iter().map(|field| &field.ty)),
            Type::Sum(sum) => due.extend(sum.cases.iter().flat_map(|case| &case.carries)),
            _ => {}
        }
        due[from..].reverse();
        Some(ty)
    })
}

fn references(ty: &Type) -> impl Iterator<Item = &str> {
    within(ty).filter_map(|ty| if let Type::Reference(name, _) = ty { Some(name.as_str()) } else { None })
}

/// Returns the parameters of a polymorphic type, in the order of their use.
fn parameters(ty: &Type) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for ty in within(ty) {
        if let Type::Parameter(name) = ty
            && !found.contains(name)
        {
            found.push(name.clone());
        }
    }
    found
}

#[derive(Default)]
struct Helpers {
    option: bool,
    null: bool,
}

struct Writing<'s> {
    schema: &'s Schema,
    index: HashMap<&'s str, &'s Type>,
    /// Names and parameters of the schema's types.
    types: HashMap<&'s str, (String, Vec<String>)>,
    names: Names,
    helpers: Helpers,
    losses: Vec<SchemaLoss>,
    out: String,
    depth: u32,
    /// Parameters of the current type, with their names in the protocol.
    scope: Vec<(String, String)>,
    /// Types have the bytes of an adopted schema.
    adopted: bool,
    /// References that would close a circle: the type that has it, and the type that it names.
    cut: HashSet<(&'s str, &'s str)>,
    /// Name of the type that is being written.
    current: &'s str,
}

impl<'s> Writing<'s> {
    fn lose(&mut self, at: &str, what: impl Into<String>) {
        self.losses.push(SchemaLoss { at: at.to_string(), what: what.into() });
    }

    fn bounded(&mut self, at: &str, bounds: &Constraint) {
        if *bounds != Constraint::NONE {
            self.lose(at, "its bounds are left out");
        }
    }

    fn definition(&mut self, named: &'s NamedType) -> Result<()> {
        self.current = &named.name;
        let name = self.types.get(named.name.as_str()).map(|(name, _)| name.clone()).unwrap_or_default();
        let root = match &self.schema.root {
            Some(root) => *root == named.name,
            None => matches!(named.ty, Type::Record(_)),
        };
        if root && parameters(&named.ty).is_empty() {
            self.message(&name, named)
        } else {
            self.declare(&name, &named.doc, &named.ty, &named.name)
        }
    }

    /// Declares a type that is used for messages.
    fn message(&mut self, name: &str, named: &'s NamedType) -> Result<()> {
        let at = named.name.as_str();
        match &named.ty {
            Type::Record(record) => {
                let fields = self.fields(record, name, at)?;
                self.entry(&named.doc, &format!("message {name} = {fields}"));
            }
            Type::Sum(sum) if !self.adopted && self.is_union(sum) => {
                self.sum_losses(sum, at);
                let mut cases = Names::default();
                let mut variants = String::new();
                for (n, case) in sum.cases.iter().enumerate() {
                    let (variant, place) = self.case_name(case, &mut cases, at);
                    let body = match &case.carries[..] {
                        [Type::Record(record)] => self.fields(record, &format!("{name}_{}", names::ty(&case.name)), &place)?,
                        [other] => self.ty(other, name, &place)?,
                        _ => return Err(Error::internal("a variant without one record")),
                    };
                    variants.push_str(if n > 0 { "\n| " } else { "\n" });
                    remark(&case.doc, &mut variants);
                    let _ = write!(variants, "{variant} {body}");
                }
                self.entry(&named.doc, &format!("message {name} ={variants}"));
            }
            // Other types refer to the type, not the message.
            other if self.schema.types.iter().any(|named| references(&named.ty).any(|name| name == at)) => {
                self.declare(name, &named.doc, other, at)?;
                self.lose(at, "a message has fields: it became the field `value` of a message");
                let message = self.names.take(format!("{name}_message"));
                self.entry("", &format!("message {message} = {{ value : {name} }}"));
            }
            other => {
                self.lose(at, "a message has fields: it became the field `value` of a message");
                let inner = self.ty(other, &format!("{name}_value"), at)?;
                self.entry(&named.doc, &format!("message {name} = {{ value : {inner} }}"));
            }
        }
        Ok(())
    }

    /// Returns whether a sum can be a message union: each case holds a record.
    fn is_union(&self, sum: &Sum) -> bool {
        let is_record = |ty: &Type| match ty {
            Type::Record(record) => !record.fields.is_empty(),
            Type::Reference(name, arguments) => {
                let target = self.index.get(name.as_str());
                // Excludes a name of another name. That is a record too, but perhaps not a declared
                // one.
                arguments.is_empty()
                    && matches!(target, Some(Type::Record(_)))
                    && self.types.get(name.as_str()).is_some_and(|(_, parameters)| parameters.is_empty())
            }
            _ => false,
        };
        !sum.cases.is_empty() && sum.cases.iter().all(|case| matches!(&case.carries[..], [one] if is_record(one)))
    }

    /// `type name 'a = …`.
    fn declare(&mut self, name: &str, doc: &str, ty: &'s Type, at: &str) -> Result<()> {
        let mut taken = Names::default();
        let scope: Vec<(String, String)> = parameters(ty).into_iter().map(|name| (name.clone(), taken.take(names::field(&name)))).collect();
        let mut head = format!("type {name}");
        for (_, parameter) in &scope {
            let _ = write!(head, " '{parameter}");
        }
        let outer = std::mem::replace(&mut self.scope, scope);
        let body = match ty {
            Type::Record(record) => self.fields(record, name, at)?,
            Type::Sum(sum) if !sum.cases.is_empty() => self.constructors(sum, name, at)?,
            Type::Enumeration(members) if !members.members.is_empty() => self.members(members, at),
            Type::Sum(_) | Type::Enumeration(_) => {
                self.lose(at, "a type without any value became one with the value `Nothing`");
                "Nothing".into()
            }
            other => self.ty(other, name, at)?,
        };
        self.scope = outer;
        self.entry(doc, &format!("{head} = {body}"));
        Ok(())
    }

    fn entry(&mut self, doc: &str, text: &str) {
        remark(doc, &mut self.out);
        self.out.push_str(text);
        self.out.push_str("\n\n");
    }

    fn fields(&mut self, record: &'s Record, name: &str, at: &str) -> Result<String> {
        if record.unordered {
            self.lose(at, "fields in any order became fields in this order");
        }
        if record.extension.is_some_and(|extension| extension < record.fields.len()) {
            self.lose(at, "later versions add their fields after the last one");
        }
        if record.fields.iter().any(|field| field.id.is_some()) {
            self.lose(at, "fields are known by their position, not by numbers");
        }
        if record.fields.is_empty() {
            self.lose(at, "a record without fields got one, `nothing`");
            return Ok("{ nothing : bool }".into());
        }
        let mut taken = Names::default();
        let mut text = String::from("{\n");
        for field in &record.fields {
            let place = format!("{at}.{}", field.name);
            let own = taken.take(names::field(&field.name));
            if own != field.name {
                self.lose(&place, format!("its name became `{own}`"));
            }
            let inner = format!("{name}_{}", names::ty(&field.name));
            let ty = self.field_type(field, &inner, &place)?;
            let mut doc = field.doc.clone();
            if field.deprecated {
                self.lose(&place, "that it is deprecated is only a comment");
                doc = if doc.is_empty() { "Deprecated.".into() } else { format!("Deprecated. {doc}") };
            }
            remark(&doc, &mut text);
            let _ = writeln!(text, "{own} : {ty};");
        }
        text.push('}');
        Ok(text)
    }

    /// Returns the type of a field, with its presence and its default.
    fn field_type(&mut self, field: &'s FieldType, name: &str, at: &str) -> Result<String> {
        let mut text = match (field.presence, &field.ty) {
            (Presence::Optional, Type::Nullable(inner)) if !self.adopted => {
                self.lose(at, "absent and null are the same");
                let inner = self.ty(inner, name, at)?;
                self.option(&inner)
            }
            (Presence::Optional, ty) => {
                let inner = self.ty(ty, name, at)?;
                self.option(&inner)
            }
            (Presence::Repeated, ty) => format!("[ {} ]", self.ty(ty, &names::ty(&format!("{name}_item")), at)?),
            (Presence::Required, ty) => self.ty(ty, name, at)?,
        };
        if let Some(default) = &field.default {
            match self.default(field, default, &text) {
                Some(Some(annotation)) => text.push_str(&annotation),
                Some(None) => {}
                None => self.lose(at, "its default is left out"),
            }
        }
        Ok(text)
    }

    /// Returns the annotation of a field's default, empty if the type has the same default, or
    /// `None` if the language cannot express it.
    fn default(&self, field: &FieldType, default: &Value, text: &str) -> Option<Option<String>> {
        let mut ty = &field.ty;
        // Chains of names are short, or too long to follow for a default.
        for _ in 0..32 {
            let Type::Reference(name, arguments) = ty else { break };
            ty = if arguments.is_empty() { self.index.get(name.as_str()).copied()? } else { return None };
        }
        match (field.presence, ty, default) {
            (Presence::Optional, _, Value::Null) => return Some(None),
            (Presence::Optional, ..) => return None,
            (Presence::Repeated, _, Value::List(values)) | (_, Type::List(..) | Type::Set(..), Value::List(values)) => {
                return values.is_empty().then_some(None);
            }
            (_, Type::Map(..), Value::Map(pairs)) => return pairs.is_empty().then_some(None),
            (_, Type::Bool, Value::Bool(false)) => return Some(None),
            (_, Type::Nullable(_) | Type::Null, Value::Null) => return Some(None),
            (_, Type::Sum(sum), Value::Variant { name, values, .. }) => {
                let first = sum.cases.iter().find(|case| case.carries.is_empty())?;
                return (values.is_empty() && first.name == *name).then_some(None);
            }
            (_, Type::Enumeration(members), Value::Variant { name, .. } | Value::Text(name)) => {
                return (members.members.first()?.0 == *name).then_some(None);
            }
            _ => {}
        }
        let (is_whole, is_float) = (matches!(text, "int" | "long" | "byte"), text == "float");
        let value = match default {
            Value::Bool(true) if text == "bool" => "true".to_string(),
            Value::Int(value) if is_whole && text != "byte" => value.to_string(),
            Value::UInt(value) if (text == "byte" && *value <= 255) || (is_whole && text != "byte" && i64::try_from(*value).is_ok()) => {
                value.to_string()
            }
            Value::F64(value) if is_float && value.is_finite() => format!("{value:?}"),
            Value::F32(value) if is_float && value.is_finite() => format!("{:?}", f64::from(*value)),
            Value::Int(value) if is_float => value.to_string(),
            Value::UInt(value) if is_float => value.to_string(),
            Value::Text(value) if text == "string" => return Some(Some(string_default(value.as_bytes()))),
            Value::Octets(value) | Value::Bytes(value) if text == "string" => return Some(Some(string_default(value))),
            _ => return None,
        };
        Some(Some(format!(" [@default {value}]")))
    }

    fn option(&mut self, inner: &str) -> String {
        self.helpers.option = true;
        format!("option<{inner}>")
    }

    fn sum_losses(&mut self, sum: &Sum, at: &str) {
        if sum.cases.iter().any(|case| case.id.is_some()) {
            self.lose(at, "cases are known by their position, not by numbers");
        }
    }

    fn case_name(&mut self, case: &Case, taken: &mut Names, at: &str) -> (String, String) {
        let place = format!("{at}.{}", case.name);
        let own = taken.take(names::case(&case.name));
        if own != case.name {
            self.lose(&place, format!("its name became `{own}`"));
        }
        (own, place)
    }

    fn constructors(&mut self, sum: &'s Sum, name: &str, at: &str) -> Result<String> {
        self.sum_losses(sum, at);
        let mut taken = Names::default();
        let mut text = String::new();
        for (n, case) in sum.cases.iter().enumerate() {
            let (own, place) = self.case_name(case, &mut taken, at);
            text.push_str(if n > 0 { "\n| " } else { "\n" });
            remark(&case.doc, &mut text);
            text.push_str(&own);
            for carried in &case.carries {
                let inner = self.ty(carried, &format!("{name}_{}", names::ty(&case.name)), &place)?;
                let _ = write!(text, " {inner}");
            }
        }
        Ok(text)
    }

    fn members(&mut self, members: &Enumeration, at: &str) -> String {
        if !members.members.iter().zip(0i64..).all(|((_, number), position)| *number == position) {
            self.lose(at, "members are known by their position, not by their numbers");
        }
        let mut taken = Names::default();
        let mut owns = Vec::new();
        for (name, _) in &members.members {
            let own = taken.take(names::case(name));
            if own != *name {
                self.lose(&format!("{at}.{name}"), format!("its name became `{own}`"));
            }
            owns.push(own);
        }
        owns.join(" | ")
    }

    /// Returns the name of a parameter in the protocol.
    fn parameter(&self, name: &str) -> &str {
        self.scope.iter().find(|(of, _)| of == name).map_or("", |(_, own)| own)
    }

    /// Returns a type where it is used. `name` is for a type that needs a declaration of its own.
    fn ty(&mut self, ty: &'s Type, name: &str, at: &str) -> Result<String> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(Error::new(ErrorKind::Limit, Fault::Schema)
                .seen(format!("more than {MAX_NESTING} nested types, in {at}"))
                .hint("give inner types names of their own"));
        }
        let text = self.written(ty, name, at);
        self.depth -= 1;
        text
    }

    fn written(&mut self, ty: &'s Type, name: &str, at: &str) -> Result<String> {
        let as_text = |writing: &mut Self, what: &str| {
            writing.lose(at, format!("{what} became text"));
            Ok("string".to_string())
        };
        match ty {
            Type::Null => {
                self.helpers.null = true;
                Ok("null".into())
            }
            Type::Bool => Ok("bool".into()),
            Type::UInt(Width::W8) => Ok("byte".into()),
            Type::Int(Width::W8 | Width::W16 | Width::W32) | Type::UInt(Width::W16 | Width::W32) => Ok("int".into()),
            Type::Int(Width::W64) | Type::UInt(Width::W64) if self.adopted => Ok("int".into()),
            Type::Int(Width::W64) => Ok("long".into()),
            Type::UInt(Width::W64) => {
                self.lose(at, "numbers from 2^63 up do not fit");
                Ok("long".into())
            }
            Type::Integer(bounds) => {
                let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
                match (bounds.low, bounds.high) {
                    (Some(low), Some(high)) if low >= least && high <= most && !bounds.extensible && !self.adopted => {
                        if (low, high) != (least, most) {
                            self.lose(at, "its bounds are left out");
                        }
                        Ok("int".into())
                    }
                    _ => as_text(self, "a whole number of any size"),
                }
            }
            Type::Decimal => as_text(self, "a decimal number"),
            Type::F32 => {
                self.lose(at, "a float of 32 bits became one of 64");
                Ok("float".into())
            }
            Type::F64 | Type::Number => Ok("float".into()),
            Type::Text(bounds) | Type::Octets(bounds) => {
                self.bounded(at, bounds);
                Ok("string".into())
            }
            Type::Bytes(bounds) => {
                self.bounded(at, bounds);
                self.lose(at, "bytes and text are the same");
                Ok("string".into())
            }
            Type::BitString { .. } => as_text(self, "a string of bits"),
            Type::ObjectIdentifier => as_text(self, "an object identifier"),
            Type::Timestamp(_) if self.adopted => as_text(self, "a moment"),
            Type::Timestamp(unit) => {
                let unit = match unit {
                    TimeUnit::Second => "seconds",
                    TimeUnit::Millisecond => "milliseconds",
                    TimeUnit::Microsecond => "microseconds",
                    TimeUnit::Nanosecond => "nanoseconds",
                };
                self.lose(at, format!("a moment became a number of {unit} since 1970"));
                Ok("long".into())
            }
            Type::List(inner, bounds) => {
                self.bounded(at, bounds);
                Ok(format!("[ {} ]", self.ty(inner, &format!("{name}_item"), at)?))
            }
            Type::Set(inner, bounds) => {
                self.bounded(at, bounds);
                self.lose(at, "a set became a list");
                Ok(format!("[ {} ]", self.ty(inner, &format!("{name}_item"), at)?))
            }
            Type::Map(key, _) if self.adopted && !is_key(self.schema, key)? => as_text(self, "a map with keys of several kinds"),
            Type::Map(key, value) => {
                self.lose(at, "a map became a list of pairs");
                let key = self.ty(key, &format!("{name}_key"), at)?;
                let value = self.ty(value, &format!("{name}_value"), at)?;
                Ok(format!("[ ({key} * {value}) ]"))
            }
            // A record has the bytes of a tuple, and may have fewer fields.
            Type::Tuple(parts) if self.adopted && parts.len() < 2 => {
                let name = self.names.take(names::ty(name));
                let body = match &parts[..] {
                    [one] => format!("{{ item_1 : {} }}", self.ty(one, &format!("{name}_item"), at)?),
                    _ => "{ nothing : bool }".into(),
                };
                self.entry("", &format!("type {name} = {body}"));
                Ok(name)
            }
            Type::Tuple(parts) => match &parts[..] {
                [] => {
                    self.lose(at, "a tuple of nothing became null");
                    self.helpers.null = true;
                    Ok("null".into())
                }
                [one] => {
                    self.lose(at, "a tuple of one became what it holds");
                    self.ty(one, name, at)
                }
                parts => {
                    let mut texts = Vec::with_capacity(parts.len());
                    for (n, part) in parts.iter().enumerate() {
                        texts.push(self.ty(part, &format!("{name}_{}", n + 1), at)?);
                    }
                    Ok(format!("({})", texts.join(" * ")))
                }
            },
            Type::Record(_) | Type::Sum(_) | Type::Enumeration(_) => {
                let name = self.names.take(names::ty(name));
                self.declare(&name, "", ty, at)?;
                let arguments: Vec<String> = parameters(ty).iter().map(|parameter| format!("'{}", self.parameter(parameter))).collect();
                Ok(if arguments.is_empty() { name } else { format!("{name}<{}>", arguments.join(", ")) })
            }
            Type::Nullable(inner) => {
                let inner = self.ty(inner, name, at)?;
                Ok(self.option(&inner))
            }
            Type::Reference(target, _) if self.cut.contains(&(self.current, target.as_str())) => {
                self.lose(at, format!("a string holds the value, whose type {target} is around it"));
                Ok("string".into())
            }
            Type::Reference(target, arguments) => {
                let (own, parameters) = self.types.get(target.as_str()).cloned().unwrap_or_default();
                if parameters.len() != arguments.len() {
                    return Err(Error::new(ErrorKind::Syntax, Fault::Schema)
                        .seen(format!("{} arguments for the type {target}, in {at}", arguments.len()))
                        .expected(format!("{}, as many as it has parameters", parameters.len())));
                }
                let mut texts = Vec::with_capacity(arguments.len());
                for (n, argument) in arguments.iter().enumerate() {
                    texts.push(self.ty(argument, &format!("{name}_{}", n + 1), at)?);
                }
                Ok(if texts.is_empty() { own } else { format!("{own}<{}>", texts.join(", ")) })
            }
            Type::Parameter(parameter) => Ok(format!("'{}", self.parameter(parameter))),
            Type::Tagged { space, code, inner } => {
                self.lose(at, format!("the mark {space} {code}"));
                self.ty(inner, name, at)
            }
            Type::Any => as_text(self, "a value of any type"),
        }
    }
}

fn string_default(bytes: &[u8]) -> String {
    let mut text = String::from(" [@default ");
    lex::escaped(bytes, &mut text);
    text.push(']');
    text
}

/// Writes documentation as a comment on lines of its own.
fn remark(doc: &str, out: &mut String) {
    if !doc.trim().is_empty() {
        comment::write(doc.trim_matches('\n'), "", out);
        out.push('\n');
    }
}
