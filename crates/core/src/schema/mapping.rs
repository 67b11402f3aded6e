//! The mapping of a schema file: the common schema that its declarations were made of, as one
//! expression inside of the file.
//!
//! A language changes names that it cannot spell, and encodes types that it lacks as others. With
//! the mapping, a binder gives values back as they were. The expression has no quote, no star and
//! no slash, so that no comment or text of any language ends in it. Other bytes of names are `%`
//! and two digits. It holds what decides about bytes and values; bounds and documentation are left
//! out.

use std::fmt::Write as _;

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::schema::types::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, TimeUnit, Type, Width};

/// Start of a mapping, with the version of its notation.
const HEAD: &str = "(polywire-mapping 1";

/// Deepest nesting of types.
const MAX_NESTING: u32 = 200;

/// Types without parts, with their words.
const PLAIN: [(&str, Type); 22] = [
    ("null", Type::Null),
    ("bool", Type::Bool),
    ("i8", Type::Int(Width::W8)),
    ("i16", Type::Int(Width::W16)),
    ("i32", Type::Int(Width::W32)),
    ("i64", Type::Int(Width::W64)),
    ("u8", Type::UInt(Width::W8)),
    ("u16", Type::UInt(Width::W16)),
    ("u32", Type::UInt(Width::W32)),
    ("u64", Type::UInt(Width::W64)),
    ("decimal", Type::Decimal),
    ("f32", Type::F32),
    ("f64", Type::F64),
    ("number", Type::Number),
    ("text", Type::Text(Constraint::NONE)),
    ("octets", Type::Octets(Constraint::NONE)),
    ("bytes", Type::Bytes(Constraint::NONE)),
    ("seconds", Type::Timestamp(TimeUnit::Second)),
    ("milliseconds", Type::Timestamp(TimeUnit::Millisecond)),
    ("microseconds", Type::Timestamp(TimeUnit::Microsecond)),
    ("nanoseconds", Type::Timestamp(TimeUnit::Nanosecond)),
    ("any", Type::Any),
];

/// Returns the mapping of a schema, one line per type. `None` if the schema has no root, or types
/// that no message shows: parameters, and those of ASN.1 only.
pub fn mapping(schema: &Schema) -> Option<String> {
    let mut out = format!("{HEAD} (root {})", Word(schema.root.as_deref()?));
    for named in &schema.types {
        let _ = write!(out, "\n(type {} ", Word(&named.name));
        write_type(&named.ty, &mut out, 0)?;
        out.push(')');
    }
    out.push(')');
    Some(out)
}

/// Returns the schema of the mapping in the text of a schema file, if it has one.
///
/// # Errors
/// The mapping is damaged, or of another version.
pub fn mapped(text: &[u8]) -> Option<Result<Schema>> {
    let name = HEAD.split(' ').next().unwrap_or(HEAD).as_bytes();
    let start = text.windows(name.len()).position(|window| window == name)?;
    Some(Reading { text, at: start, depth: 0 }.schema().and_then(|schema| flat(&schema).map(|()| schema)))
}

/// Checks that references lead to types, and that no choice is directly within another: a type of
/// several kinds within one, or null within null. Inference makes none, and finding the kind of a
/// value could take any time.
fn flat(schema: &Schema) -> Result<()> {
    schema.check()?;
    let is_choice = |ty: &Type| matches!(ty, Type::Sum(sum) if sum.untagged);
    let wrong = || Error::new(ErrorKind::Unsupported, Fault::Schema).seen("a choice directly within a choice, in the mapping");
    let mut due: Vec<&Type> = schema.types.iter().map(|named| &named.ty).collect();
    while let Some(ty) = due.pop() {
        match ty {
            Type::List(inner, _) | Type::Set(inner, _) | Type::Tagged { inner, .. } => due.push(inner),
            Type::Nullable(inner) => {
                if matches!(schema.resolve(inner)?, Type::Nullable(_)) {
                    return Err(wrong());
                }
                due.push(inner);
            }
            Type::Map(key, value) => due.extend([&**key, &**value]),
            Type::Tuple(parts) => due.extend(parts),
            Type::Record(record) => due.extend(record.fields.iter().map(|field| &field.ty)),
            Type::Sum(sum) => {
                for carried in sum.cases.iter().flat_map(|case| &case.carries) {
                    let kind = match schema.resolve(carried)? {
                        Type::Nullable(inner) => schema.resolve(inner)?,
                        kind => kind,
                    };
                    if sum.untagged && is_choice(kind) {
                        return Err(wrong());
                    }
                    due.push(carried);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the error about a file whose declarations have other bytes than its mapping.
#[must_use]
pub fn mapping_differs(file: &str) -> Error {
    Error::new(ErrorKind::Syntax, Fault::Schema)
        .seen(format!("{file}, whose declarations have other bytes than its mapping"))
        .expected("declarations as they were when the mapping was written")
        .hint("infer the schema again, or remove the mapping: messages are then read as the declarations say")
}

/// A name as one word.
struct Word<'n>(&'n str);

impl std::fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            return f.write_str("%");
        }
        for byte in self.0.bytes() {
            if is_bare(byte) { write!(f, "{}", char::from(byte))? } else { write!(f, "%{byte:02x}")? }
        }
        Ok(())
    }
}

/// Returns whether a byte of a name stands for itself.
fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.$@:+".contains(&byte)
}

fn write_type(ty: &Type, out: &mut String, depth: u32) -> Option<()> {
    if depth == MAX_NESTING {
        return None;
    }
    let depth = depth + 1;
    let parts = |out: &mut String, head: std::fmt::Arguments<'_>, parts: &[Type]| {
        let _ = write!(out, "({head}");
        for part in parts {
            out.push(' ');
            write_type(part, out, depth)?;
        }
        out.push(')');
        Some(())
    };
    match ty {
        Type::Text(_) => out.push_str("text"),
        Type::Octets(_) => out.push_str("octets"),
        Type::Bytes(_) => out.push_str("bytes"),
        Type::Integer(bounds) => {
            let bound = |bound: Option<i128>| bound.map_or_else(|| "none".to_string(), |bound| bound.to_string());
            let open = if bounds.extensible { " open" } else { "" };
            let _ = write!(out, "(integer {} {}{open})", bound(bounds.low), bound(bounds.high));
        }
        Type::List(inner, _) => parts(out, format_args!("list"), std::slice::from_ref(inner))?,
        Type::Set(inner, _) => parts(out, format_args!("set"), std::slice::from_ref(inner))?,
        Type::Nullable(inner) => parts(out, format_args!("nullable"), std::slice::from_ref(inner))?,
        Type::Tagged { space, code, inner } => {
            parts(out, format_args!("mark {} {code}", Word(space)), std::slice::from_ref(inner))?;
        }
        Type::Map(key, value) => {
            out.push_str("(map ");
            write_type(key, out, depth)?;
            out.push(' ');
            write_type(value, out, depth)?;
            out.push(')');
        }
        Type::Tuple(inner) => parts(out, format_args!("tuple"), inner)?,
        Type::Reference(name, arguments) if arguments.is_empty() => {
            let _ = write!(out, "(ref {})", Word(name));
        }
        Type::Record(record) => {
            out.push_str("(record");
            for field in &record.fields {
                let _ = write!(out, " ({} ", Word(&field.name));
                write_type(&field.ty, out, depth)?;
                out.push_str(match field.presence {
                    Presence::Required => ")",
                    Presence::Optional => " optional)",
                    Presence::Repeated => " repeated)",
                });
            }
            out.push(')');
        }
        Type::Sum(sum) => {
            out.push_str(if sum.untagged { "(either" } else { "(sum" });
            for case in &sum.cases {
                let id = case.id.map_or_else(|| "none".to_string(), |id| id.to_string());
                out.push(' ');
                parts(out, format_args!("{} {id}", Word(&case.name)), &case.carries)?;
            }
            out.push(')');
        }
        Type::Enumeration(names) => {
            out.push_str("(names");
            for (name, number) in &names.members {
                let _ = write!(out, " ({} {number})", Word(name));
            }
            out.push(')');
        }
        plain => out.push_str(PLAIN.iter().find(|(_, ty)| ty == plain)?.0),
    }
    Some(())
}

struct Reading<'t> {
    text: &'t [u8],
    at: usize,
    depth: u32,
}

impl<'t> Reading<'t> {
    fn schema(mut self) -> Result<Schema> {
        self.open()?;
        self.word()?;
        match self.word()? {
            b"1" => {}
            other => {
                let seen = format!("a mapping of version {}", String::from_utf8_lossy(other));
                return Err(Error::new(ErrorKind::Unsupported, Fault::Schema).seen(seen).expected("version 1").at(self.at as u64));
            }
        }
        self.open()?;
        self.expect(b"root")?;
        let mut schema = Schema { types: Vec::new(), root: Some(self.name()?) };
        self.close()?;
        while self.is_open() {
            self.open()?;
            self.expect(b"type")?;
            let name = self.name()?;
            schema.types.push(NamedType { name, doc: String::new(), ty: self.ty()? });
            self.close()?;
        }
        self.close()?;
        Ok(schema)
    }

    #[cold]
    fn wrong(&self, expected: &'static str) -> Error {
        let rest = &self.text[self.at.min(self.text.len())..];
        let seen = String::from_utf8_lossy(&rest[..rest.len().min(20)]).into_owned();
        Error::new(ErrorKind::Syntax, Fault::Schema)
            .seen(if rest.is_empty() { "the end of the file in its mapping".to_string() } else { format!("`{seen}` in the mapping") })
            .expected(expected)
            .at(self.at as u64)
            .hint("write the schema again with `polywire schema infer`")
    }

    fn blank(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn is_open(&mut self) -> bool {
        self.blank();
        self.text.get(self.at) == Some(&b'(')
    }

    fn sign(&mut self, sign: u8, expected: &'static str) -> Result<()> {
        self.blank();
        if self.text.get(self.at) != Some(&sign) {
            return Err(self.wrong(expected));
        }
        self.at += 1;
        Ok(())
    }

    fn open(&mut self) -> Result<()> {
        self.sign(b'(', "an opening bracket")
    }

    fn close(&mut self) -> Result<()> {
        self.sign(b')', "a closing bracket")
    }

    fn word(&mut self) -> Result<&'t [u8]> {
        self.blank();
        let rest = &self.text[self.at..];
        let len = rest.iter().take_while(|byte| is_bare(**byte) || **byte == b'%').count();
        if len == 0 {
            return Err(self.wrong("a word"));
        }
        self.at += len;
        Ok(&rest[..len])
    }

    fn expect(&mut self, word: &'static [u8]) -> Result<()> {
        let before = self.at;
        if self.word()? == word {
            return Ok(());
        }
        self.at = before;
        Err(self.wrong("`root` or `type`"))
    }

    fn name(&mut self) -> Result<String> {
        let word = self.word()?;
        let mut bytes = Vec::with_capacity(word.len());
        let mut rest = if word == b"%" { &[][..] } else { word };
        while let [first, more @ ..] = rest {
            rest = more;
            if *first != b'%' {
                bytes.push(*first);
                continue;
            }
            let digits = more.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
            let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
                return Err(self.wrong("two hexadecimal digits after `%`"));
            };
            bytes.push(byte);
            rest = &more[2..];
        }
        String::from_utf8(bytes).map_err(|_| self.wrong("a name in UTF-8"))
    }

    fn number<N: std::str::FromStr>(&mut self) -> Result<Option<N>> {
        let word = self.word()?;
        if word == b"none" {
            return Ok(None);
        }
        let number = std::str::from_utf8(word).ok().and_then(|digits| digits.parse().ok());
        number.map(Some).ok_or_else(|| self.wrong("a number"))
    }

    fn ty(&mut self) -> Result<Type> {
        if !self.is_open() {
            let word = self.word()?;
            let plain = PLAIN.iter().find(|(name, _)| name.as_bytes() == word);
            return plain.map(|(_, ty)| ty.clone()).ok_or_else(|| self.wrong("a type"));
        }
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(Error::new(ErrorKind::Limit, Fault::Schema)
                .seen(format!("more than {MAX_NESTING} types within each other"))
                .at(self.at as u64));
        }
        self.open()?;
        let ty = match self.word()? {
            b"integer" => {
                let (low, high) = (self.number()?, self.number()?);
                self.blank();
                let extensible = self.text.get(self.at) != Some(&b')') && self.word()? == b"open";
                Type::Integer(Constraint { low, high, extensible, alphabet: None })
            }
            b"list" => Type::List(Box::new(self.ty()?), Constraint::NONE),
            b"set" => Type::Set(Box::new(self.ty()?), Constraint::NONE),
            b"nullable" => Type::Nullable(Box::new(self.ty()?)),
            b"mark" => {
                let (space, code) = (self.name()?, self.number()?.unwrap_or_default());
                Type::Tagged { space, code, inner: Box::new(self.ty()?) }
            }
            b"map" => Type::Map(Box::new(self.ty()?), Box::new(self.ty()?)),
            b"tuple" => Type::Tuple(self.types()?),
            b"ref" => Type::Reference(self.name()?, Vec::new()),
            b"record" => {
                let mut fields = Vec::new();
                while self.is_open() {
                    self.open()?;
                    let field = FieldType::required(self.name()?, self.ty()?);
                    self.blank();
                    let presence = match self.text.get(self.at) {
                        Some(b')') => Presence::Required,
                        _ if self.word()? == b"optional" => Presence::Optional,
                        _ => Presence::Repeated,
                    };
                    self.close()?;
                    fields.push(FieldType { presence, ..field });
                }
                Type::Record(Record { extension: None, fields, unordered: false })
            }
            word @ (b"sum" | b"either") => {
                let mut cases = Vec::new();
                while self.is_open() {
                    self.open()?;
                    let (name, id) = (self.name()?, self.number()?);
                    cases.push(Case { name, id, carries: self.types()?, doc: String::new() });
                    self.close()?;
                }
                Type::Sum(Sum { cases, extensible: false, untagged: word == b"either" })
            }
            b"names" => {
                let mut members = Vec::new();
                while self.is_open() {
                    self.open()?;
                    members.push((self.name()?, self.number()?.unwrap_or_default()));
                    self.close()?;
                }
                Type::Enumeration(Enumeration { members, extensible: false })
            }
            _ => return Err(self.wrong("a type")),
        };
        self.close()?;
        self.depth -= 1;
        Ok(ty)
    }

    /// Reads types up to a closing bracket.
    fn types(&mut self) -> Result<Vec<Type>> {
        let mut types = Vec::new();
        loop {
            self.blank();
            match self.text.get(self.at) {
                Some(b')') | None => return Ok(types),
                _ => types.push(self.ty()?),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(ty: Type) -> Schema {
        Schema { types: vec![NamedType { name: "Root type".into(), doc: String::new(), ty }], root: Some("Root type".into()) }
    }

    #[test]
    fn every_type_comes_back() {
        let plain: Vec<FieldType> = PLAIN.iter().map(|(name, ty)| FieldType::required(*name, ty.clone())).collect();
        let case = |name: &str, id, carries: Vec<Type>| Case { name: name.into(), id, carries, doc: String::new() };
        let integer = |low, high, extensible| Type::Integer(Constraint { low, high, extensible, alphabet: None });
        let mark = Type::Tagged { space: "a b".into(), code: u64::MAX, inner: Box::new(Type::Text(Constraint::NONE)) };
        let sum = Sum { cases: vec![case("", None, vec![]), case("none", Some(7), vec![Type::Bool, mark])], ..Sum::default() };
        let either = Sum { cases: vec![case("null", None, vec![Type::Null])], untagged: true, ..Sum::default() };
        let names = Enumeration { members: vec![("*)".into(), -3), ("\"".into(), i64::MAX)], extensible: false };
        let list = Type::List(Box::new(Type::Set(Box::new(Type::Nullable(Box::new(Type::Bool))), Constraint::NONE)), Constraint::NONE);
        let map = Type::Map(Box::new(Type::Tuple(vec![])), Box::new(Type::Tuple(vec![list, Type::Reference("Root type".into(), vec![])])));
        let fields = vec![
            FieldType::required("ünï */ (* \n", Type::Record(Record { fields: plain, ..Record::default() })),
            FieldType::required("", Type::Sum(sum)).optional(),
            FieldType { presence: Presence::Repeated, ..FieldType::required("%41", Type::Sum(either)) },
            FieldType::required("names", Type::Enumeration(names)),
            FieldType::required("map", map),
            FieldType::required("low", integer(Some(i128::MIN), None, true)),
            FieldType::required("high", integer(None, Some(i128::MAX), false)),
        ];
        let schema = schema(Type::Record(Record { fields, ..Record::default() }));
        let text = mapping(&schema).unwrap();
        assert!(!text.contains(['"', '*', '/', '\'', '\\']), "{text}");
        let within = format!("// {}\n  {text}\nrest", "x".repeat(100));
        assert_eq!(mapped(within.as_bytes()).unwrap().unwrap(), schema);
        // A mapping that ends early, or is damaged anywhere, is an error or another schema.
        for end in 20..text.len() {
            assert!(mapped(&text.as_bytes()[..end]).unwrap().is_err(), "{end}");
            let mut damaged = text.clone().into_bytes();
            damaged[end] ^= 0x15;
            let _ = mapped(&damaged);
        }
    }

    #[test]
    fn a_file_may_have_no_mapping_and_a_schema_none_to_write() {
        assert!(mapped(b"message M {}").is_none());
        assert_eq!(mapping(&schema(Type::ObjectIdentifier)), None);
        assert_eq!(mapping(&Schema { root: None, ..schema(Type::Bool) }), None);
        let mut deep = Type::Bool;
        for _ in 0..MAX_NESTING {
            deep = Type::List(Box::new(deep), Constraint::NONE);
        }
        assert_eq!(mapping(&schema(deep)), None);
        let deep = format!("(polywire-mapping 1 (root R) (type R {}", "(list ".repeat(10_000));
        assert_eq!(mapped(deep.as_bytes()).unwrap().unwrap_err().kind(), ErrorKind::Limit);
        for (types, seen) in [
            ("(type R (either (a none (ref R))))", "a choice directly within a choice"),
            ("(type R (either (a none (nullable (ref S))))) (type S (either (b none text)))", "a choice directly within a choice"),
            ("(type R (nullable (ref S))) (type S (nullable (ref R)))", "a choice directly within a choice"),
            ("(type R (list (ref S)))", "type S"),
            ("(type R text) (type R text)", "R for the second time"),
        ] {
            let error = mapped(format!("(polywire-mapping 1 (root R) {types})").as_bytes()).unwrap().unwrap_err();
            assert!(error.to_string().contains(seen), "{types}: {error}");
        }
        let later = mapped(b"(polywire-mapping 2)").unwrap().unwrap_err();
        assert!(later.to_string().contains("version 2"), "{later}");
    }
}
