//! The code of the encoding: for each type the functions that read it, borrowing and owning, and
//! write it; and its table.
//!
//! Fields of fixed size that follow each other are read and written as one run: one look at where
//! the bytes end for all of them.

use std::fmt::Write;

use polywire_usds::error::Revision;
use polywire_usds::wire::codes::Simple;

use super::plan::{Layout, Mapped, Member, Variant, Wire, fixed};
use crate::plan::{Body, Carries};
use crate::rust::{Ownership, RustTypes};

/// Fields of a structure that is read as part of whatever it is in: more would make the code large.
const INLINE: usize = 12;

/// Returns the module with all code of the encoding. Nothing but the types is in scope, so that no
/// name of the schema can be in the way.
pub(super) fn code(mapped: &Mapped, types: &RustTypes<'_>) -> String {
    let emit = Emit { mapped, types };
    let mut items = String::new();
    for index in (0..mapped.layouts.len()).filter(|index| !matches!(mapped.layouts[*index], Layout::Absent)) {
        for ownership in emit.types.ownerships(index) {
            emit.reader(index, ownership, &mut items);
            emit.writer(index, ownership, &mut items);
            emit.traits(index, ownership, &mut items);
        }
        let _ = writeln!(items, "static {}: rt::shape::Shape = {};", emit.table(index), emit.shape_of(index));
    }
    emit.dictionary(&mut items);
    format!(
        "/// The USDS encoding of the types.\n\
         #[allow(dead_code, non_camel_case_types, clippy::type_complexity, clippy::large_enum_variant)]\n\
         mod usds {{\nuse polywire_usds_runtime as rt;\nuse super::*;\n{items}}}\n"
    )
}

/// A value that is written: an expression, and whether that is a reference to it.
struct Place {
    text: String,
    is_reference: bool,
}

impl Place {
    fn by_reference(&self) -> String {
        if self.is_reference { self.text.clone() } else { format!("&{}", self.text) }
    }

    fn by_value(&self) -> String {
        if self.is_reference { format!("*{}", self.text) } else { self.text.clone() }
    }
}

/// Fields of a structure as they are read and written.
enum Segment<'m> {
    /// Fields of fixed size, by their number, and the bytes of all of them.
    Run(Vec<(usize, Simple)>, usize),
    One(usize, &'m Member),
}

fn segments(members: &[Member]) -> Vec<Segment<'_>> {
    let mut segments = Vec::new();
    for (number, member) in members.iter().enumerate() {
        match (&member.wire, segments.last_mut()) {
            (Wire::Simple(simple), Some(Segment::Run(fields, size))) if !member.nullable && fixed(*simple).is_some() => {
                fields.push((number, *simple));
                *size += fixed(*simple).unwrap_or_default();
            }
            (Wire::Simple(simple), _) if !member.nullable && fixed(*simple).is_some() => {
                segments.push(Segment::Run(vec![(number, *simple)], fixed(*simple).unwrap_or_default()));
            }
            _ => segments.push(Segment::One(number, member)),
        }
    }
    segments
}

struct Emit<'e> {
    mapped: &'e Mapped,
    types: &'e RustTypes<'e>,
}

impl Emit<'_> {
    fn function(&self, what: &str, index: usize, ownership: Ownership) -> String {
        let borrowed = ownership == Ownership::Borrowed && self.types.def_lends(index);
        format!("{what}_{}{}", self.types.snake(index), if borrowed { "_ref" } else { "" })
    }

    fn table(&self, index: usize) -> String {
        self.types.snake(index).to_ascii_uppercase()
    }

    fn reader(&self, index: usize, ownership: Ownership, out: &mut String) {
        let lends = self.types.def_lends(index);
        let (generics, reader) = match (lends, ownership) {
            (false, _) => ("<Store_: Copy>", "rt::read::Reader<'_, Store_>"),
            (true, Ownership::Borrowed) => ("<'a>", "rt::read::Reader<'a, &'a rt::Arena>"),
            (true, Ownership::Owned) => ("", "rt::read::Reader<'_, rt::read::Own>"),
        };
        let path = self.types.path(index, ownership);
        let mut body = String::new();
        let small = match &self.mapped.layouts[index] {
            Layout::Structure(members) => {
                self.read_structure(index, members, ownership, &path, &mut body);
                members.len() <= INLINE && members.iter().all(|member| matches!(member.wire, Wire::Simple(_) | Wire::Text | Wire::Octets))
            }
            Layout::Enumeration(subtype, numbers) => {
                let _ = writeln!(body, "match {} {{", read_simple(*subtype));
                for (case, number) in numbers.iter().enumerate() {
                    let _ = writeln!(body, "{number} => Ok({path}::{}),", self.types.case(index, case));
                }
                body.push_str("_ => Err(rt::read::Failed),\n}");
                numbers.len() <= INLINE
            }
            Layout::Polymorph(members) => {
                body.push_str("match r.id()? {\n");
                for (case, (tag, _, member)) in members.iter().enumerate() {
                    let value = self.read(&Wire::Named(*member), ownership);
                    let _ = writeln!(body, "{tag} => Ok({path}::{}({value})),", self.types.case(index, case));
                }
                body.push_str("_ => Err(rt::read::Failed),\n}");
                false
            }
            Layout::Variants(variants) => {
                body.push_str("match r.id()? {\n");
                for (case, variant) in variants.iter().enumerate() {
                    self.read_variant(index, case, variant, ownership, &path, &mut body);
                }
                body.push_str("_ => Err(rt::read::Failed),\n}");
                false
            }
            Layout::Absent => return,
            Layout::Alone(wire) => {
                let _ = writeln!(body, "Ok({path} {{ {}: {} }})", self.types.field(index, 0), self.read(wire, ownership));
                false
            }
        };
        let _ = writeln!(
            out,
            "#[inline{}]\nfn {}{generics}(r: &mut {reader}) -> rt::read::Read<{}> {{\n{body}\n}}",
            if small { "(always)" } else { "" },
            self.function("read", index, ownership),
            self.types.named(index, ownership)
        );
    }

    fn read_structure(&self, index: usize, members: &[Member], ownership: Ownership, path: &str, out: &mut String) {
        let nullable = members.iter().filter(|member| member.nullable).count();
        if nullable > 0 {
            let _ = writeln!(out, "let presence = r.presence::<{}>({nullable})?;", nullable.div_ceil(8));
        }
        let mut position = 0;
        for (number, segment) in segments(members).iter().enumerate() {
            match segment {
                Segment::Run(fields, size) => {
                    let _ = writeln!(out, "let run{number} = r.run::<{size}>()?;");
                    let mut at = 0;
                    for (field, simple) in fields {
                        let _ = writeln!(out, "let value{field} = {};", read_part(*simple, &format!("run{number}"), at, *size));
                        at += fixed(*simple).unwrap_or_default();
                    }
                }
                Segment::One(field, member) if member.nullable => {
                    let value = self.read(&member.wire, ownership);
                    let _ = writeln!(
                        out,
                        "let value{field} = if rt::read::is_present(presence, {position}) {{ Some({value}) }} else {{ None }};"
                    );
                    position += 1;
                }
                Segment::One(field, member) => {
                    let _ = writeln!(out, "let value{field} = {};", self.read(&member.wire, ownership));
                }
            }
        }
        let _ = write!(out, "Ok({path} {{ ");
        for field in 0..members.len() {
            let _ = write!(out, "{}: value{field}, ", self.types.field(index, field));
        }
        out.push_str("})");
    }

    /// The arm that reads a case with what it carries.
    fn read_variant(&self, index: usize, case: usize, variant: &Variant, ownership: Ownership, path: &str, out: &mut String) {
        let name = self.types.case(index, case);
        let _ = writeln!(out, "{} => {{", variant.tag);
        if !variant.has_value {
            let _ = writeln!(
                out,
                "if rt::read::is_present(r.presence::<1>(1)?, 0) {{ {}; }}\nOk({path}::{name})\n}}",
                read_simple(Simple::Boolean)
            );
            return;
        }
        let nullable = variant.members.iter().filter(|member| member.nullable).count();
        if nullable > 0 {
            let _ = writeln!(out, "let presence = r.presence::<{}>({nullable})?;", nullable.div_ceil(8));
        }
        let mut position = 0;
        for (field, member) in variant.members.iter().enumerate() {
            let value = self.read(&member.wire, ownership);
            if member.nullable {
                let _ =
                    writeln!(out, "let value{field} = if rt::read::is_present(presence, {position}) {{ Some({value}) }} else {{ None }};");
                position += 1;
            } else {
                let _ = writeln!(out, "let value{field} = {value};");
            }
        }
        let _ = writeln!(out, "Ok({path}::{name}{})\n}}", self.pattern(index, case, variant.members.len()));
    }

    /// Returns the values of a case as `value0` and so on, as a pattern and as an expression.
    fn pattern(&self, index: usize, case: usize, count: usize) -> String {
        let has_names = matches!(&self.types.plan.types[index].body, Body::Sum(cases) if matches!(cases[case].carries, Carries::Fields(_)));
        if has_names {
            let fields = (0..count).map(|n| format!("{}: value{n}", self.types.case_field(index, case, n)));
            format!(" {{ {} }}", fields.collect::<Vec<String>>().join(", "))
        } else {
            format!("({})", (0..count).map(|n| format!("value{n}")).collect::<Vec<String>>().join(", "))
        }
    }

    /// The arm that writes a case with what it carries.
    fn write_variant(&self, index: usize, case: usize, variant: &Variant, ownership: Ownership, path: &str, out: &mut String) {
        let name = self.types.case(index, case);
        if !variant.has_value {
            let _ = writeln!(out, "{path}::{name} => {{ out.uvarint({}); out.put([0]); }}", variant.tag);
            return;
        }
        let pattern = self.pattern(index, case, variant.members.len());
        let _ = writeln!(out, "{path}::{name}{pattern} => {{\nout.uvarint({});", variant.tag);
        let nullable: Vec<usize> = (0..variant.members.len()).filter(|number| variant.members[*number].nullable).collect();
        if !nullable.is_empty() {
            let _ = writeln!(out, "out.put([{}]);", presence(&nullable, |number| format!("value{number}")));
        }
        for (n, member) in variant.members.iter().enumerate() {
            let place = format!("value{n}");
            if member.nullable {
                let item = Place { text: "item".into(), is_reference: true };
                let _ = writeln!(out, "if let Some(item) = {place} {{ {} }}", self.write(&member.wire, &item, ownership));
            } else {
                let _ = writeln!(out, "{}", self.write(&member.wire, &Place { text: place, is_reference: true }, ownership));
            }
        }
        out.push_str("}\n");
    }

    /// An expression that reads a value.
    fn read(&self, wire: &Wire, ownership: Ownership) -> String {
        let owned = ownership == Ownership::Owned;
        match wire {
            Wire::Simple(simple) => read_simple(*simple),
            Wire::Text if owned => "r.text()?.to_string()".into(),
            Wire::Text => "r.text()?".into(),
            Wire::Octets if owned => "r.octets()?.to_vec()".into(),
            Wire::Octets => "r.octets()?".into(),
            Wire::Named(index) => format!("{}(r)?", self.function("read", *index, ownership)),
            Wire::Row(members) => {
                let parts: Vec<String> = members.iter().map(|member| self.read(&member.wire, ownership)).collect();
                format!("({})", parts.join(", "))
            }
            Wire::Array(element) => {
                let (function, least) = (if owned { "vector" } else { "array" }, self.mapped.least(element).max(1));
                let value = self.read(element, ownership);
                let value = value.strip_suffix('?').map_or_else(|| format!("Ok({value})"), str::to_string);
                format!("r.{function}::<{least}, _>(|r| {value})?")
            }
        }
    }

    fn writer(&self, index: usize, ownership: Ownership, out: &mut String) {
        let ty = self.types.named(index, ownership).replace("'a", "'_");
        let path = self.types.path(index, ownership);
        let mut body = String::new();
        let place = |number: usize| Place { text: format!("value.{}", self.types.field(index, number)), is_reference: false };
        match &self.mapped.layouts[index] {
            Layout::Structure(members) => {
                let nullable: Vec<usize> = (0..members.len()).filter(|number| members[*number].nullable).collect();
                if !nullable.is_empty() {
                    let _ = writeln!(body, "out.put([{}]);", presence(&nullable, |number| place(number).text));
                }
                for segment in segments(members) {
                    match segment {
                        Segment::Run(fields, size) => {
                            if let [(field, simple)] = fields.as_slice() {
                                let _ = writeln!(body, "out.put({});", bytes_of(*simple, &place(*field)));
                                continue;
                            }
                            let _ = writeln!(body, "let mut run = [0; {size}];");
                            let mut at = 0;
                            for (field, simple) in fields {
                                let width = fixed(simple).unwrap_or_default();
                                let bytes = bytes_of(simple, &place(field));
                                let _ = writeln!(body, "rt::output::part::<{at}, {width}, {size}>(&mut run, {bytes});");
                                at += width;
                            }
                            body.push_str("out.put(run);\n");
                        }
                        Segment::One(field, member) if member.nullable => {
                            let item = Place { text: "item".into(), is_reference: true };
                            let _ = writeln!(
                                body,
                                "if let Some(item) = &{} {{ {} }}",
                                place(field).text,
                                self.write(&member.wire, &item, ownership)
                            );
                        }
                        Segment::One(field, member) => {
                            let _ = writeln!(body, "{}", self.write(&member.wire, &place(field), ownership));
                        }
                    }
                }
            }
            Layout::Enumeration(subtype, numbers) => {
                body.push_str("let number = match value {\n");
                for (case, number) in numbers.iter().enumerate() {
                    let _ = writeln!(body, "{path}::{} => {number},", self.types.case(index, case));
                }
                body.push_str("};\n");
                let number = Place { text: format!("{}_number", rust_type(*subtype)), is_reference: false };
                let _ = writeln!(body, "let {}: {} = number;\n{}", number.text, rust_type(*subtype), write_simple(*subtype, &number));
            }
            Layout::Polymorph(members) => {
                body.push_str("match value {\n");
                for (case, (tag, _, member)) in members.iter().enumerate() {
                    let item = Place { text: "item".into(), is_reference: true };
                    let value = self.write(&Wire::Named(*member), &item, ownership);
                    let _ = writeln!(body, "{path}::{}(item) => {{ out.uvarint({tag}); {value} }}", self.types.case(index, case));
                }
                body.push_str("}\n");
            }
            Layout::Variants(variants) => {
                body.push_str("match value {\n");
                for (case, variant) in variants.iter().enumerate() {
                    self.write_variant(index, case, variant, ownership, &path, &mut body);
                }
                body.push_str("}\n");
            }
            Layout::Absent => return,
            Layout::Alone(wire) => body.push_str(&self.write(wire, &place(0), ownership)),
        }
        let _ = writeln!(
            out,
            "#[inline]\nfn {}(value: &{ty}, out: &mut rt::output::Output<'_>) {{\n{body}\n}}",
            self.function("write", index, ownership)
        );
    }

    /// Statements that write a value.
    fn write(&self, wire: &Wire, place: &Place, ownership: Ownership) -> String {
        match wire {
            Wire::Simple(simple) => write_simple(*simple, place),
            Wire::Text => format!("out.octets({}.as_bytes());", place.text),
            Wire::Octets if ownership == Ownership::Borrowed => format!("out.octets({});", place.text),
            Wire::Octets => format!("out.octets({});", place.by_reference()),
            Wire::Named(index) => format!("{}({}, out);", self.function("write", *index, ownership), place.by_reference()),
            Wire::Row(members) => {
                let part = |(n, member): (usize, &Member)| {
                    self.write(&member.wire, &Place { text: format!("{}.{n}", place.text), is_reference: false }, ownership)
                };
                members.iter().enumerate().map(part).collect::<Vec<String>>().join("\n")
            }
            Wire::Array(element) => {
                let item = Place { text: "item".into(), is_reference: true };
                let inner = self.write(element, &item, ownership);
                format!("out.uvarint({0}.len() as u64);\nfor item in {0}.iter() {{ {inner} }}", place.text)
            }
        }
    }

    fn traits(&self, index: usize, ownership: Ownership, out: &mut String) {
        let (options, lends) = (self.types.options, self.types.def_lends(index));
        let ty = self.types.named(index, ownership);
        let any = ty.replace("'a", "'_");
        let _ = writeln!(
            out,
            "impl rt::Validate<rt::Usds> for {any} {{\nconst SHAPE: &'static rt::Type = &rt::Type {{ dictionary: &DICTIONARY_, shape: &{} }};\n}}",
            self.table(index)
        );
        if let Some((_, tag)) = self.mapped.roots.iter().find(|(root, _)| *root == index) {
            let _ = writeln!(out, "impl rt::Root for {any} {{\nconst TAG: u32 = {tag};\n}}");
        }
        let read = self.function("read", index, ownership);
        if options.borrowed && (ownership == Ownership::Borrowed || !lends) {
            let _ = writeln!(
                out,
                "impl<'a> rt::Decode<'a, rt::Usds> for {ty} {{\n#[inline]\nfn read(reader: &mut rt::read::Reader<'a, &'a rt::Arena>) -> rt::read::Read<Self> {{ {read}(reader) }}\n}}"
            );
        }
        if options.owned && ownership == Ownership::Owned {
            let _ = writeln!(
                out,
                "impl rt::DecodeOwned<rt::Usds> for {ty} {{\n#[inline]\nfn read_owned(reader: &mut rt::read::Reader<'_, rt::read::Own>) -> rt::read::Read<Self> {{ {read}(reader) }}\n}}"
            );
        }
        let _ = writeln!(
            out,
            "impl rt::Encode<rt::Usds> for {any} {{\n#[inline]\nfn write(&self, out: &mut rt::output::Output<'_>) {{ {}(self, out); }}\n}}",
            self.function("write", index, ownership)
        );
    }

    /// A type with a name as a table.
    fn shape_of(&self, index: usize) -> String {
        match &self.mapped.layouts[index] {
            Layout::Structure(members) => format!("rt::shape::Shape::{}", self.fields(members)),
            Layout::Variants(variants) => {
                let member = |variant: &Variant| {
                    format!("({}, {:?}, &rt::shape::Shape::{})", variant.tag, variant.name, self.fields(&variant.members))
                };
                format!("rt::shape::Shape::Polymorph(&[{}])", variants.iter().map(member).collect::<Vec<String>>().join(", "))
            }
            Layout::Absent => "rt::shape::Shape::Octets".to_string(),
            Layout::Enumeration(subtype, numbers) => {
                let subtype = match subtype {
                    Simple::Varint => "Varint".to_string(),
                    Simple::Ubyte | Simple::Ushort | Simple::Uint => format!("Unsigned({})", fixed(*subtype).unwrap_or_default()),
                    signed => format!("Signed({})", fixed(*signed).unwrap_or_default()),
                };
                let mut numbers = numbers.clone();
                numbers.sort_unstable();
                format!("rt::shape::Shape::Enumeration(rt::shape::Subtype::{subtype}, &{numbers:?})")
            }
            Layout::Polymorph(members) => {
                let member = |(tag, name, index): &(u32, String, usize)| format!("({tag}, {name:?}, &{})", self.table(*index));
                let members: Vec<String> = members.iter().map(member).collect();
                format!("rt::shape::Shape::Polymorph(&[{}])", members.join(", "))
            }
            Layout::Alone(wire) => self.shape(wire).trim_start_matches('&').to_string(),
        }
    }

    fn fields(&self, members: &[Member]) -> String {
        let nullable = members.iter().filter(|member| member.nullable).count();
        let field = |member: &Member| {
            format!("rt::shape::Field {{ name: {:?}, shape: {}, nullable: {} }}", member.name, self.shape(&member.wire), member.nullable)
        };
        let fields: Vec<String> = members.iter().map(field).collect();
        format!("Structure({nullable}, &[{}])", fields.join(", "))
    }

    /// A reference to a type's table.
    fn shape(&self, wire: &Wire) -> String {
        let shape = match wire {
            Wire::Named(index) => return format!("&{}", self.table(*index)),
            Wire::Simple(Simple::Boolean) => "Boolean".to_string(),
            Wire::Simple(Simple::Uvarint) => "Uvarint".to_string(),
            Wire::Simple(Simple::Varint) => "Varint".to_string(),
            Wire::Simple(simple) => format!("Fixed({})", fixed(*simple).unwrap_or_default()),
            Wire::Text => "Text".to_string(),
            Wire::Octets => "Octets".to_string(),
            Wire::Array(element) => format!("Array({})", self.shape(element)),
            Wire::Row(members) => self.fields(members),
        };
        format!("&rt::shape::Shape::{shape}")
    }

    /// Writes the constants of documents. No table of a type has their name, which ends with an
    /// underscore.
    fn dictionary(&self, out: &mut String) {
        let dictionary = &self.mapped.dictionary;
        let revision = match dictionary.wire() {
            Revision::A => "A",
            Revision::B => "B",
            Revision::Profile => "Profile",
        };
        let tag = |(tag, wire): (&polywire_usds::dictionary::Tag, &Wire)| {
            format!("rt::dictionary::Tag {{ name: {:?}, root: {}, shape: {} }}", tag.name, tag.root, self.shape(wire))
        };
        let tags: Vec<String> = dictionary.tags().iter().zip(&self.mapped.tags).map(tag).collect();
        let _ = writeln!(
            out,
            "static DICTIONARY_: rt::Dictionary = rt::Dictionary {{ revision: rt::Revision::{revision}, extended: {}, head: *b\"{}\", section: b\"{}\", tags: &[{}] }};",
            dictionary.is_extended(),
            dictionary.identity().head().escape_ascii(),
            self.mapped.section.escape_ascii(),
            tags.join(", ")
        );
    }
}

/// The presence bytes of fields, by their numbers.
fn presence(nullable: &[usize], place: impl Fn(usize) -> String) -> String {
    let byte = |bits: &[usize]| {
        let bit = |(bit, number): (usize, &usize)| match bit {
            0 => format!("u8::from({}.is_some())", place(*number)),
            bit => format!("u8::from({}.is_some()) << {bit}", place(*number)),
        };
        bits.iter().enumerate().map(bit).collect::<Vec<String>>().join(" | ")
    };
    nullable.chunks(8).map(byte).collect::<Vec<String>>().join(", ")
}

/// Rust's type of a number.
const fn rust_type(simple: Simple) -> &'static str {
    match simple {
        Simple::Boolean => "bool",
        Simple::Byte => "i8",
        Simple::Ubyte => "u8",
        Simple::Short => "i16",
        Simple::Ushort => "u16",
        Simple::Int => "i32",
        Simple::Uint => "u32",
        Simple::Long | Simple::Varint => "i64",
        Simple::Ulong | Simple::Uvarint => "u64",
        Simple::Float => "f32",
        Simple::Double => "f64",
    }
}

/// An expression that reads a value alone.
fn read_simple(simple: Simple) -> String {
    match (simple, fixed(simple)) {
        (Simple::Boolean, _) => "rt::read::truth(r.run::<1>()?[0])?".into(),
        (Simple::Uvarint, _) => "r.uvarint()?".into(),
        (Simple::Varint, _) => "r.varint()?".into(),
        (_, size) => format!("{}::from_le_bytes(*r.run::<{}>()?)", rust_type(simple), size.unwrap_or_default()),
    }
}

/// An expression of a value that is part of a run.
fn read_part(simple: Simple, run: &str, at: usize, size: usize) -> String {
    match simple {
        Simple::Boolean => format!("rt::read::truth({run}[{at}])?"),
        simple => {
            format!("{}::from_le_bytes(rt::read::part::<{at}, {}, {size}>({run}))", rust_type(simple), fixed(simple).unwrap_or_default())
        }
    }
}

/// The bytes of a value of fixed size.
fn bytes_of(simple: Simple, place: &Place) -> String {
    match simple {
        Simple::Boolean => format!("[rt::output::truth({})]", place.by_value()),
        _ => format!("{}.to_le_bytes()", place.text),
    }
}

fn write_simple(simple: Simple, place: &Place) -> String {
    match simple {
        Simple::Uvarint => format!("out.uvarint({});", place.by_value()),
        Simple::Varint => format!("out.varint({});", place.by_value()),
        fixed => format!("out.put({});", bytes_of(fixed, place)),
    }
}
