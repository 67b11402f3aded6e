//! The binary section of a dictionary (docs/spec/usds.md 5.4), and that of the profile
//! (docs/usds-profile.md).

use polywire_core::text::diagnostic::Place;
use polywire_core::value::Value;

use super::draft::{At, Draft, Entry, Literal, Number, Shape, Target, at};
use super::types::{Default as Start, Dictionary, Field, Identity, MAX_NESTING, Tag, Type};
use super::{check, lex};
use crate::error::{DecodeError, Problem, Revision};
use crate::wire::codes::{self, Simple, made};
use crate::wire::{self, MAX_ID, Wire};

/// Returns the revision of a section by its first byte (docs/spec/usds.md 5.6), if that determines
/// it.
pub fn revision(contents: &[u8]) -> Option<Revision> {
    match *contents.first()? {
        codes::SECTION_A => Some(Revision::A),
        codes::TAG => Some(Revision::B),
        codes::SECTION_PROFILE => Some(Revision::Profile),
        _ => None,
    }
}

/// Returns the dictionary of a section's contents; the identity comes from the head. Offsets of
/// failures count from the start of the contents.
///
/// # Errors
/// The first fault: bytes that are not a section, or an invalid dictionary.
pub fn read(contents: &[u8], revision: Revision, identity: Identity) -> Result<Dictionary, DecodeError> {
    if contents.is_empty() {
        return Err(DecodeError::new(Problem::EmptySection, revision, 0));
    }
    if revision.is_a() && identity.id > MAX_ID {
        return Err(DecodeError::new(Problem::DictionaryId, revision, 0).seen(format!("the id {}, above {MAX_ID}", identity.id)));
    }
    let mut reading = Reading { bytes: contents, at: 0, revision, depth: 0, marks: None };
    let (draft, broken) = reading.draft();
    let failed = |finding: check::Finding| {
        let at = (finding.at.start as usize).min(contents.len());
        DecodeError::new(finding.problem, revision, at).seen(finding.message)
    };
    let result = match broken {
        None => check::resolve(&draft).map_err(|findings| findings.into_iter().next().map(failed)),
        Some(broken) => {
            let earlier = check::sorted(check::passing(&draft)).into_iter().find(|finding| finding.at.start as usize <= broken.offset());
            Err(Some(earlier.map_or(broken, failed)))
        }
    };
    match result {
        Ok(dictionary) => Ok(dictionary.identified(identity)),
        Err(failure) => Err(failure.unwrap_or_else(|| DecodeError::new(Problem::Section, revision, 0))),
    }
}

/// Returns the parts of a section that [`read`] accepts, each with its offset and its meaning, in
/// order. Each part ends where the next one starts.
pub fn marks(contents: &[u8], revision: Revision) -> Vec<(usize, String)> {
    let mut reading = Reading { bytes: contents, at: 0, revision, depth: 0, marks: Some(Vec::new()) };
    reading.draft();
    reading.marks.unwrap_or_default()
}

struct Reading<'b> {
    bytes: &'b [u8],
    at: usize,
    revision: Revision,
    depth: usize,
    marks: Option<Vec<(usize, String)>>,
}

impl Reading<'_> {
    fn draft(&mut self) -> (Draft, Option<DecodeError>) {
        let mut draft = Draft {
            revision: self.revision,
            // Only the profile's section marks nullable fields.
            section: self.revision != Revision::Profile,
            id: None,
            name: String::new(),
            version: None,
            encode: false,
            enumerator: None,
            tags: Vec::new(),
            end: place(0),
        };
        let broken = self.contents(&mut draft).err();
        draft.end = place(self.at);
        (draft, broken)
    }

    #[cold]
    fn failure(&self, problem: Problem, at: usize) -> DecodeError {
        DecodeError::new(problem, self.revision, if problem == Problem::End { self.bytes.len() } else { at })
    }

    fn read<T>(&mut self, primitive: impl FnOnce(&[u8], usize) -> Wire<(T, usize)>) -> Result<T, DecodeError> {
        match primitive(self.bytes, self.at) {
            Ok((value, end)) => {
                self.at = end;
                Ok(value)
            }
            Err(problem) => Err(self.failure(problem, self.at)),
        }
    }

    fn byte(&mut self) -> Result<u8, DecodeError> {
        self.read(|bytes, at| wire::array::<1>(bytes, at).map(|([byte], end)| (byte, end)))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Marks the part that starts here. Returns its number, so that its meaning can be set later.
    fn mark(&mut self, what: &str) -> usize {
        let at = self.at;
        match &mut self.marks {
            Some(marks) => {
                marks.push((at, what.to_string()));
                marks.len() - 1
            }
            None => 0,
        }
    }

    /// Sets the meaning of an entry, as far as it was read.
    fn marked(&mut self, number: usize, what: &str, entry: &Entry) {
        let revision = self.revision;
        if let Some((_, text)) = self.marks.as_mut().and_then(|marks| marks.get_mut(number)) {
            *text = shown(what, entry, revision);
        }
    }

    fn contents(&mut self, draft: &mut Draft) -> Result<(), DecodeError> {
        match self.revision {
            Revision::A => {
                self.mark("encoding UTF-8");
                if self.byte()? != codes::SECTION_A {
                    return Err(self.failure(Problem::DictionaryEncoding, 0));
                }
            }
            Revision::B => {}
            Revision::Profile => {
                let number = self.mark("profile");
                if self.byte()? != codes::SECTION_PROFILE {
                    return Err(self.failure(Problem::Section, 0));
                }
                if self.peek() == Some(0) {
                    self.at += 1;
                } else {
                    draft.name = self.name()?.of;
                    if let Some((_, text)) = self.marks.as_mut().and_then(|marks| marks.get_mut(number)) {
                        *text = format!("profile, name `{}`", draft.name);
                    }
                }
            }
        }
        loop {
            let start = self.at;
            let number = self.mark("tag");
            if self.byte()? != codes::TAG {
                return Err(self.failure(Problem::Section, start));
            }
            let mut entry = self.named(Problem::TagId)?;
            // The part before a fault is checked too.
            let read = self.tag_type(&mut entry);
            self.marked(number, "tag", &entry);
            draft.tags.push(entry);
            read?;
            if self.at == self.bytes.len() {
                return Ok(());
            }
        }
    }

    /// Reads id and name; the type follows. `wrong` is the problem of an id of 0 in A.
    fn named(&mut self, wrong: Problem) -> Result<Entry, DecodeError> {
        let start = self.at;
        let id = self.read(wire::id)?;
        if id == 0 {
            let problem = if self.revision.is_a() { wrong } else { Problem::Id };
            return Err(self.failure(problem, start).seen("the id 0, and ids start at 1"));
        }
        let id = Some(at(i128::from(id), place(start)));
        let name = self.name()?;
        let shape = Shape::Text { utf8: false };
        Ok(Entry { id, name, shape, dims: 0, not_root: false, nullable: false, default: None })
    }

    fn name(&mut self) -> Result<At<String>, DecodeError> {
        let start = self.at;
        let (from, end) = wire::sized(self.bytes, self.at).map_err(|problem| self.failure(problem, start))?;
        match std::str::from_utf8(&self.bytes[from..end]) {
            Ok(name) if lex::has_form(name) => {
                self.at = end;
                Ok(at(name.to_string(), place(from)))
            }
            _ => Err(self.failure(Problem::Section, from).seen("bytes that are no name")),
        }
    }

    fn tag_type(&mut self, entry: &mut Entry) -> Result<(), DecodeError> {
        let start = self.at;
        let code = self.byte()?;
        match self.revision {
            Revision::A if code != made::STRUCT_A => return Err(self.failure(Problem::TagType, start)),
            Revision::A => entry.not_root = self.structure(&mut entry.shape)?,
            _ if code == made::TAG => return Err(self.failure(Problem::TagType, start)),
            // The end of an array's inline structure is no restriction of the tag.
            _ => entry.not_root = self.details(code, start, entry)? && entry.dims == 0,
        }
        Ok(())
    }

    /// Reads the fields after the code of a structure. Returns whether a restriction ends them.
    fn structure(&mut self, shape: &mut Shape) -> Result<bool, DecodeError> {
        if self.depth == MAX_NESTING {
            let failure = self.failure(Problem::Limit, self.at);
            return Err(failure.seen(format!("more than {MAX_NESTING} structures within each other")));
        }
        self.depth += 1;
        let mut fields = Vec::new();
        let read = self.fields(&mut fields);
        self.depth -= 1;
        // A truncated structure has no end at which it could be checked.
        let end = if read.is_ok() { self.at } else { self.bytes.len() + 1 };
        *shape = Shape::Structure { fields, end: place(end) };
        read
    }

    fn fields(&mut self, fields: &mut Vec<Entry>) -> Result<bool, DecodeError> {
        loop {
            match self.peek() {
                Some(codes::FIELD) => {}
                Some(first) if !fields.is_empty() => {
                    if first != codes::NOT_ROOT[0] {
                        return Ok(false);
                    }
                    self.mark("end of a structure that is no root");
                    self.at += 1;
                    let start = self.at;
                    return if self.byte()? == codes::NOT_ROOT[1] { Ok(true) } else { Err(self.failure(Problem::Section, start)) };
                }
                None if !fields.is_empty() => return Ok(false),
                Some(_) => return Err(self.failure(Problem::Section, self.at)),
                None => return Err(self.failure(Problem::End, self.at)),
            }
            let number = self.mark("field");
            self.at += 1;
            let mut entry = self.named(Problem::FieldId)?;
            let read = self.field_type(&mut entry);
            self.marked(number, "field", &entry);
            fields.push(entry);
            read?;
        }
    }

    fn field_type(&mut self, entry: &mut Entry) -> Result<(), DecodeError> {
        let start = self.at;
        let code = self.byte()?;
        if self.revision.is_a() {
            return self.field_type_a(code, start, entry);
        }
        self.details(code, start, entry)?;
        if self.revision == Revision::Profile {
            match self.peek() {
                Some(codes::NULLABLE) => {
                    self.at += 1;
                    entry.nullable = true;
                }
                Some(codes::DEFAULT) => {
                    self.at += 1;
                    let start = self.at;
                    let literal = self.default(entry)?;
                    entry.default = Some(at(literal, place(start)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn field_type_a(&mut self, code: u8, start: usize, entry: &mut Entry) -> Result<(), DecodeError> {
        match code {
            made::STRING_A => {
                let start = self.at;
                match self.byte()? {
                    0 => entry.shape = Shape::Text { utf8: false },
                    2 => entry.shape = Shape::Text { utf8: true },
                    _ => return Err(self.failure(Problem::DictionaryEncoding, start)),
                }
            }
            made::ARRAY_A => {
                let start = self.at;
                if self.byte()? != made::TAG_A {
                    return Err(self.failure(Problem::ElementType, start));
                }
                entry.dims = 1;
                entry.shape = Shape::Link(self.target()?);
            }
            code => match Simple::of_code(code, Revision::A) {
                Some(simple) => entry.shape = Shape::Number(at(Number::Simple(simple), place(start))),
                None => return Err(self.failure(Problem::FieldType, start)),
            },
        }
        Ok(())
    }

    fn target(&mut self) -> Result<At<Target>, DecodeError> {
        let start = self.at;
        Ok(at(Target::Id(self.read(wire::id)?), place(start)))
    }

    /// Reads the parts after a type code of B or the profile. Returns whether they ended with a
    /// restriction.
    fn details(&mut self, mut code: u8, mut start: usize, entry: &mut Entry) -> Result<bool, DecodeError> {
        while code == made::ARRAY {
            entry.dims += 1;
            if entry.dims > MAX_NESTING {
                return Err(self.failure(Problem::Limit, start).seen(format!("more than {MAX_NESTING} arrays within each other")));
            }
            start = self.at;
            code = self.byte()?;
        }
        let profile = self.revision == Revision::Profile;
        match code {
            made::TAG => entry.shape = Shape::Link(self.target()?),
            made::STRING => {
                let start = self.at;
                match self.byte()? {
                    0 => entry.shape = Shape::Text { utf8: false },
                    1 => entry.shape = Shape::Text { utf8: true },
                    _ => return Err(self.failure(Problem::EncodingCode, start)),
                }
            }
            made::STRUCT => return self.structure(&mut entry.shape),
            made::ENUM if profile => self.enumeration(entry)?,
            made::POLYMORPH if profile => {
                let mut members = Vec::new();
                for _ in 0..self.count()? {
                    members.push(self.target()?);
                }
                entry.shape = Shape::Polymorph(members);
            }
            10 | 11 if profile => {
                let number = if code == 10 { Number::Int128 } else { Number::Uint128 };
                entry.shape = Shape::Number(at(number, place(start)));
            }
            code if code > made::POLYMORPH => return Err(self.failure(Problem::TypeCode, start)),
            code => match Simple::of_code(code, self.revision) {
                Some(simple) if profile || simple.is_plain() => entry.shape = Shape::Number(at(Number::Simple(simple), place(start))),
                _ => return Err(self.failure(Problem::Section, start).seen("a type that sections of revision B cannot express")),
            },
        }
        Ok(false)
    }

    /// Reads a count of at least one item. Each item takes at least one byte.
    fn count(&mut self) -> Result<u32, DecodeError> {
        let start = self.at;
        let count = self.read(wire::size)?;
        if count == 0 {
            return Err(self.failure(Problem::Section, start).seen("an empty list"));
        }
        if count as usize > self.bytes.len() - self.at {
            return Err(self.failure(Problem::End, start));
        }
        Ok(count)
    }

    fn enumeration(&mut self, entry: &mut Entry) -> Result<(), DecodeError> {
        let start = self.at;
        let code = self.byte()?;
        let Some(subtype) = Simple::of_code(code, self.revision) else { return Err(self.failure(Problem::TypeCode, start)) };
        let subtype = Some(at(Number::Simple(subtype), place(start)));
        let mut members = Vec::new();
        let count = self.count()?;
        let mut read = || -> Result<(), DecodeError> {
            for _ in 0..count {
                let name = self.name()?;
                let start = self.at;
                let value = self.read(wire::varint)?;
                members.push((name, Some(at(i128::from(value), place(start)))));
            }
            Ok(())
        };
        let read = read();
        entry.shape = Shape::Enumeration { subtype, members };
        read
    }

    /// Reads a default in the encoding of its type; that of an enumeration is a VARINT.
    fn default(&mut self, entry: &Entry) -> Result<Literal, DecodeError> {
        let start = self.at;
        let simple = match &entry.shape {
            _ if entry.dims > 0 => return Err(self.failure(Problem::Section, start).seen("a default of an array")),
            Shape::Number(At { of: Number::Simple(simple), .. }) => *simple,
            Shape::Enumeration { .. } => Simple::Varint,
            Shape::Text { .. } => {
                let (from, end) = wire::sized(self.bytes, start).map_err(|problem| self.failure(problem, start))?;
                let Some(text) = wire::utf8(&self.bytes[from..end]) else { return Err(self.failure(Problem::Text, from)) };
                self.at = end;
                return Ok(Literal::Text(text.to_string()));
            }
            _ => return Err(self.failure(Problem::Section, start).seen("a default for a type that cannot have one")),
        };
        Ok(match self.read(|bytes, at| wire::number(simple, bytes, at))? {
            Value::Bool(value) => Literal::Bool(value),
            Value::Int(value) => Literal::Whole(i128::from(value)),
            Value::UInt(value) => Literal::Whole(i128::from(value)),
            Value::F64(value) if value.is_finite() => Literal::Decimal(format!("{value:?}")),
            Value::F32(value) if value.is_finite() => Literal::Decimal(format!("{value:?}")),
            float => Literal::Bits(float),
        })
    }
}

/// Returns an entry in words: `field 3 `g`: STRING<UTF-8>`.
fn shown(what: &str, entry: &Entry, revision: Revision) -> String {
    let target = |target: &At<Target>| match &target.of {
        Target::Id(id) => format!("tag {id}"),
        Target::Name(name) => format!("`{name}`"),
    };
    let ty = match &entry.shape {
        Shape::Number(At { of: Number::Simple(Simple::Uvarint), .. }) if revision.is_a() => "UNSIGNED VARINT".into(),
        Shape::Number(number) => number.of.keyword().to_string(),
        Shape::Text { utf8: true } => "STRING<UTF-8>".into(),
        Shape::Text { utf8: false } => "STRING".into(),
        Shape::Structure { fields, .. } => format!("STRUCT of {}", fields.len()),
        Shape::Link(link) => target(link),
        Shape::Enumeration { subtype, members } => {
            let names: Vec<String> = members
                .iter()
                .map(|(name, number)| number.as_ref().map_or_else(|| name.of.clone(), |number| format!("{} = {}", name.of, number.of)))
                .collect();
            format!("ENUM<{}> {}", subtype.as_ref().map_or("", |subtype| subtype.of.keyword()), names.join(", "))
        }
        Shape::Polymorph(members) => format!("POLYMORPH of {}", members.iter().map(target).collect::<Vec<String>>().join(", ")),
    };
    let ty = (0..entry.dims).fold(ty, |ty, _| format!("ARRAY of {ty}"));
    let default = match &entry.default {
        _ if entry.nullable => " or NULL".to_string(),
        None => String::new(),
        Some(At { of: Literal::Bool(value), .. }) => format!(" = {value}"),
        Some(At { of: Literal::Whole(value), .. }) => format!(" = {value}"),
        Some(At { of: Literal::Decimal(text), .. }) => format!(" = {text}"),
        Some(At { of: Literal::Text(text), .. }) => format!(" = {text:?}"),
        Some(At { of: Literal::Name(name), .. }) => format!(" = {name}"),
        Some(At { of: Literal::Bits(value), .. }) => format!(" = {value:?}"),
    };
    let id = entry.id.as_ref().map_or(0, |id| id.of);
    format!("{what} {id} `{}`: {ty}{default}", entry.name.of)
}

fn place(offset: usize) -> Place {
    lex::place(offset, offset)
}

/// Returns the contents of the section of a dictionary, in a revision that has all its types.
///
/// Sections of revision B have neither nullability nor defaults, as the original writes them;
/// [`lost`] lists what they leave out.
///
/// # Errors
/// [`Problem::SectionType`]: sections of that revision cannot express a type of the dictionary.
pub fn write(dictionary: &Dictionary, revision: Revision) -> Result<Vec<u8>, Problem> {
    let profile = revision == Revision::B && dictionary.revision() == Revision::Profile;
    if revision.is_a() != dictionary.revision().is_a() || profile {
        return Err(Problem::SectionType);
    }
    let mut writing = Writing { out: Vec::new(), revision };
    match revision {
        Revision::A => writing.out.push(codes::SECTION_A),
        Revision::B => {}
        Revision::Profile => {
            writing.out.push(codes::SECTION_PROFILE);
            writing.text(dictionary.name());
        }
    }
    for (tag, id) in dictionary.tags().iter().zip(1..) {
        writing.tag(id, tag)?;
    }
    Ok(writing.out)
}

/// Returns the fields whose nullability or default [`write()`] leaves out of a section of that
/// revision, as `tag.field`, in their order.
pub fn lost(dictionary: &Dictionary, revision: Revision) -> Vec<String> {
    let mut lost = Vec::new();
    if revision == Revision::B {
        for tag in dictionary.tags() {
            lost_of(&tag.ty, &tag.name, &mut lost);
        }
    }
    lost
}

/// Adds the fields of a type at `path`. Types are no deeper than [`MAX_NESTING`].
fn lost_of(ty: &Type, path: &str, lost: &mut Vec<String>) {
    match ty {
        Type::Array(element) => lost_of(element, path, lost),
        Type::Structure(fields) => {
            for field in fields {
                let path = format!("{path}.{}", field.name);
                lost_of(&field.ty, &path, lost);
                if field.nullable || field.default.is_some() {
                    lost.push(path);
                }
            }
        }
        _ => {}
    }
}

struct Writing {
    out: Vec<u8>,
    revision: Revision,
}

impl Writing {
    fn text(&mut self, text: &str) {
        wire::put_uvarint(&mut self.out, text.len() as u64);
        self.out.extend_from_slice(text.as_bytes());
    }

    fn named(&mut self, mark: u8, id: u32, name: &str) {
        self.out.push(mark);
        wire::put_uvarint(&mut self.out, u64::from(id));
        self.text(name);
    }

    fn tag(&mut self, id: u32, tag: &Tag) -> Result<(), Problem> {
        self.named(codes::TAG, id, &tag.name);
        let is_structure = matches!(tag.ty, Type::Structure(_));
        self.ty(&tag.ty, is_structure)?;
        if is_structure && !tag.root {
            self.out.extend_from_slice(&codes::NOT_ROOT);
        }
        Ok(())
    }

    fn ty(&mut self, ty: &Type, top: bool) -> Result<(), Problem> {
        let a = self.revision.is_a();
        match ty {
            Type::Simple(simple) if a => self.out.push(simple.code_a().ok_or(Problem::SectionType)?),
            Type::Simple(simple) if self.revision == Revision::B && !simple.is_plain() => return Err(Problem::SectionType),
            Type::Simple(simple) => self.out.push(simple.code_b()),
            Type::Text { utf8 } => {
                self.out.extend([if a { made::STRING_A } else { made::STRING }, codes::encoding(*utf8, self.revision)]);
            }
            Type::Array(element) => {
                self.out.push(if a { made::ARRAY_A } else { made::ARRAY });
                self.ty(element, false)?;
            }
            Type::Link(id) => {
                self.out.push(if a { made::TAG_A } else { made::TAG });
                wire::put_uvarint(&mut self.out, u64::from(*id));
            }
            Type::Structure(fields) => {
                self.out.push(if a { made::STRUCT_A } else { made::STRUCT });
                for (field, id) in fields.iter().zip(1..) {
                    self.named(codes::FIELD, id, &field.name);
                    self.field(field)?;
                }
                if !top {
                    self.out.extend_from_slice(&codes::NOT_ROOT);
                }
            }
            Type::Enumeration(_) | Type::Polymorph(_) if self.revision == Revision::B => return Err(Problem::SectionType),
            Type::Enumeration(enumeration) => {
                self.out.extend([made::ENUM, enumeration.subtype.code_b()]);
                wire::put_uvarint(&mut self.out, enumeration.members.len() as u64);
                for (name, value) in &enumeration.members {
                    self.text(name);
                    wire::put_varint(&mut self.out, *value);
                }
            }
            Type::Polymorph(members) => {
                self.out.push(made::POLYMORPH);
                wire::put_uvarint(&mut self.out, members.len() as u64);
                for member in members {
                    wire::put_uvarint(&mut self.out, u64::from(*member));
                }
            }
        }
        Ok(())
    }

    fn field(&mut self, field: &Field) -> Result<(), Problem> {
        self.ty(&field.ty, false)?;
        if self.revision == Revision::B {
            return Ok(());
        }
        if field.nullable {
            self.out.push(codes::NULLABLE);
        }
        if let Some(start) = &field.default {
            self.out.push(codes::DEFAULT);
            match (start, &field.ty) {
                (Start::Number(number), _) => wire::put_varint(&mut self.out, *number),
                (Start::Value(Value::Text(text)), _) => self.text(text),
                (Start::Value(value), Type::Simple(simple)) => wire::put_number(&mut self.out, *simple, value)?,
                _ => return Err(Problem::SectionType),
            }
        }
        Ok(())
    }
}
