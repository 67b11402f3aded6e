//! The code of both protocols: for each type the functions that read it, borrowing and owning, and
//! write it; and its table. The functions are generic over the protocol.

use std::fmt::Write;

use polywire_thrift::idl::model::{Base, Ty};

use super::plan::{Comes, Layout, Mapped, Member, is_key};
use crate::rust::{Ownership, RustTypes};

/// Returns the module with all code of the encoding. Nothing but the types is in scope, so that no
/// name of the schema can be in the way.
pub(super) fn code(mapped: &Mapped, types: &RustTypes<'_>) -> String {
    let emit = Emit { mapped, types };
    let mut items = String::new();
    for (index, layout) in mapped.layouts.iter().enumerate() {
        match layout {
            Layout::Enum(numbers) => emit.numbers(index, numbers, &mut items),
            Layout::Struct(members) => emit.message(index, members, false, &mut items),
            Layout::Union(members) => emit.message(index, members, true, &mut items),
        }
    }
    format!(
        "/// Thrift's protocols for the types.\n\
         #[allow(dead_code, non_camel_case_types, unused_mut, unreachable_code, unused_variables, unused_qualifications, clippy::all)]\n\
         mod thrift {{\nuse polywire_thrift_runtime as rt;\nuse super::*;\n{items}}}\n"
    )
}

/// The name of a type in `rt::wire::kind`.
fn kind(ty: &Ty) -> &'static str {
    match ty {
        Ty::Base(base) => match base {
            Base::Bool => "rt::wire::kind::BOOL",
            Base::I8 => "rt::wire::kind::I8",
            Base::I16 => "rt::wire::kind::I16",
            Base::I32 => "rt::wire::kind::I32",
            Base::I64 => "rt::wire::kind::I64",
            Base::Double | Base::Float => "rt::wire::kind::DOUBLE",
            Base::String | Base::Binary => "rt::wire::kind::STRING",
            Base::Uuid => "rt::wire::kind::UUID",
        },
        Ty::List(_) => "rt::wire::kind::LIST",
        Ty::Set(_) => "rt::wire::kind::SET",
        Ty::Map(..) => "rt::wire::kind::MAP",
        Ty::Struct(_) | Ty::Stream => "rt::wire::kind::STRUCT",
        Ty::Enum(_) => "rt::wire::kind::I32",
    }
}

fn is_bool(ty: &Ty) -> bool {
    matches!(ty, Ty::Base(Base::Bool))
}

/// The name of the functions of the runtime that read and write a type without parts.
fn base(base: Base) -> &'static str {
    match base {
        Base::Bool => "bool",
        Base::I8 => "int8",
        Base::I16 => "int16",
        Base::I32 => "int32",
        Base::I64 => "int64",
        Base::Double | Base::Float => "double",
        Base::String => "text",
        Base::Binary => "bytes",
        Base::Uuid => "uuid",
    }
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

    fn table_name(&self, index: usize) -> String {
        self.types.snake(index).to_ascii_uppercase()
    }

    /// Writes the functions from the numbers of an enum to its cases, and back.
    fn numbers(&self, index: usize, numbers: &[i32], out: &mut String) {
        let name = self.types.stem(index);
        let case = |case: usize| format!("{name}::{}", self.types.case(index, case));
        let other = case(numbers.len());
        let from = self.function("case", index, Ownership::Owned);
        let cases: String = numbers.iter().enumerate().map(|(n, number)| format!("{number} => {},\n", case(n))).collect();
        let _ =
            writeln!(out, "#[inline(always)]\nfn {from}(number: i32) -> {name} {{ match number {{ {cases} number => {other}(number) }} }}");
        let back: String = numbers.iter().enumerate().map(|(n, number)| format!("{} => {number},\n", case(n))).collect();
        let to = self.function("number", index, Ownership::Owned);
        let _ =
            writeln!(out, "#[inline(always)]\nfn {to}(value: &{name}) -> i32 {{ match value {{ {back} {other}(number) => *number }} }}");
    }

    fn message(&self, index: usize, members: &[Member], union: bool, out: &mut String) {
        for ownership in self.types.ownerships(index) {
            self.reader(index, members, union, ownership, out);
            self.writer(index, members, union, ownership, out);
            self.traits(index, ownership, out);
        }
        self.table(index, members, union, out);
    }

    fn reader(&self, index: usize, members: &[Member], union: bool, ownership: Ownership, out: &mut String) {
        let function = self.function("read", index, ownership);
        let ty = self.types.named(index, ownership);
        let (generics, reader) = match (self.types.def_lends(index), ownership) {
            (false, _) => ("<'a, P: rt::Protocol, S: Copy>", "rt::Reader<'a, P, S>"),
            (true, Ownership::Borrowed) => ("<'a, P: rt::Protocol>", "rt::Reader<'a, P, &'a rt::Arena>"),
            (true, Ownership::Owned) => ("<'a, P: rt::Protocol>", "rt::Reader<'a, P, rt::read::Own>"),
        };
        let _ = write!(out, "fn {function}{generics}(r: &mut {reader}) -> rt::read::Read<{ty}> {{\nr.enter()?;\nlet mut last = 0i16;\n");
        let path = self.types.path(index, ownership);
        let arm = |member: &Member| {
            let value = if is_bool(&member.ty) {
                "r.truth(head)?".to_string()
            } else {
                self.boxed(member, self.read(&member.ty, ownership), ownership)
            };
            (format!("{} => ", self.key(member)), value)
        };
        if union {
            out.push_str("let Some(head) = r.field(&mut last)? else { return Err(rt::read::Failed) };\nlet value = match head.key() {\n");
            for (n, member) in members.iter().enumerate() {
                let (pattern, value) = arm(member);
                let _ = writeln!(out, "{pattern} {path}::{}({value}),", self.types.case(index, n));
            }
            out.push_str(
                "_ => return Err(rt::read::Failed),\n};\nif r.field(&mut last)?.is_some() { return Err(rt::read::Failed); }\nr.leave();\nOk(value)\n}\n",
            );
            return;
        }
        for n in 0..members.len() {
            let _ = writeln!(out, "let mut field{n} = None;");
        }
        out.push_str("while let Some(head) = r.field(&mut last)? {\nmatch head.key() {\n");
        for (n, member) in members.iter().enumerate() {
            let (pattern, value) = arm(member);
            let _ = writeln!(out, "{pattern} field{n} = Some({value}),");
        }
        let _ = write!(out, "_ => r.skip(head)?,\n}}\n}}\nr.leave();\nOk({path} {{\n");
        for (n, member) in members.iter().enumerate() {
            let name = self.types.field(index, n);
            let _ = match &member.comes {
                Comes::Required => writeln!(out, "{name}: field{n}.ok_or(rt::read::Failed)?,"),
                Comes::Optional => writeln!(out, "{name}: field{n},"),
                Comes::Default(default) => {
                    let value = self.types.exact_value(default, &self.mapped.ty(&member.ty), ownership);
                    writeln!(out, "{name}: field{n}.unwrap_or_else(|| {value}),")
                }
            };
        }
        out.push_str("})\n}\n");
    }

    /// Returns the key of a field as a pattern.
    fn key(&self, member: &Member) -> String {
        let kind = match kind(&member.ty).rsplit(':').next().unwrap_or_default() {
            "BOOL" => 2,
            "I8" => 3,
            "DOUBLE" => 4,
            "I16" => 6,
            "I32" => 8,
            "I64" => 10,
            "STRING" => 11,
            "STRUCT" => 12,
            "MAP" => 13,
            "SET" => 14,
            "LIST" => 15,
            _ => 16u32,
        };
        format!("{:#08x}", u32::from(member.id as u16) << 8 | kind)
    }

    fn boxed(&self, member: &Member, value: String, ownership: Ownership) -> String {
        match (member.boxed, ownership) {
            (false, _) => value,
            (true, Ownership::Owned) => format!("Box::new({value})"),
            (true, Ownership::Borrowed) => format!("{{ let value = {value}; r.one(value)? }}"),
        }
    }

    /// Returns the expression that reads a value.
    fn read(&self, ty: &Ty, ownership: Ownership) -> String {
        let owned = ownership == Ownership::Owned;
        let collect = if owned { "vec" } else { "fill" };
        match ty {
            Ty::Base(Base::String) if owned => "r.text()?.to_string()".into(),
            Ty::Base(Base::Binary) if owned => "r.bytes()?.to_vec()".into(),
            Ty::Base(of) => format!("r.{}()?", base(*of)),
            Ty::Enum(of) => format!("{}(r.int32()?)", self.function("case", self.mapped.enumeration(*of), Ownership::Owned)),
            Ty::Struct(of) => format!("{}(r)?", self.function("read", self.mapped.structure(*of), ownership)),
            Ty::List(inner) | Ty::Set(inner) => {
                format!("{{ let count = r.list({})?; r.{collect}(count, |r| Ok({}))? }}", kind(inner), self.read(inner, ownership))
            }
            Ty::Map(key, value) => {
                let collect = if owned && is_key(key) { "entries" } else { collect };
                let pair = format!("({}, {})", self.read(key, ownership), self.read(value, ownership));
                format!("{{ let count = r.map({}, {})?; r.{collect}(count, |r| Ok({pair}))? }}", kind(key), kind(value))
            }
            Ty::Stream => "return Err(rt::read::Failed)".into(),
        }
    }

    fn writer(&self, index: usize, members: &[Member], union: bool, ownership: Ownership, out: &mut String) {
        let function = self.function("write", index, ownership);
        let ty = self.types.named(index, ownership).replace("'a", "'_");
        let _ = write!(out, "fn {function}<P: rt::Protocol>(value: &{ty}, out: &mut rt::Output<'_, P>) {{\nlet mut last = 0i16;\n");
        let path = self.types.path(index, ownership);
        if union {
            out.push_str("match value {\n");
            for (n, member) in members.iter().enumerate() {
                let _ = writeln!(out, "{path}::{}(item) => {{ {} }}", self.types.case(index, n), self.field(member, "item", ownership));
            }
            // A union without fields has no values.
            if members.is_empty() {
                out.push_str("_ => {}\n");
            }
            out.push_str("}\nout.stop();\n}\n");
            return;
        }
        // Numbers that rise take the fewest bytes in the compact protocol.
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by_key(|n| members[*n].id);
        for n in order {
            let (member, name) = (&members[n], self.types.field(index, n));
            let _ = match member.comes {
                Comes::Optional => {
                    writeln!(out, "if let Some(item) = &value.{name} {{ {} }}", self.field(member, "item", ownership))
                }
                _ => writeln!(out, "{{ let item = &value.{name}; {} }}", self.field(member, "item", ownership)),
            };
        }
        out.push_str("out.stop();\n}\n");
    }

    /// Returns the statements that write a field whose value a reference leads to.
    fn field(&self, member: &Member, place: &str, ownership: Ownership) -> String {
        if is_bool(&member.ty) {
            return format!("out.truth(&mut last, {}, *{place});", member.id);
        }
        format!("out.field(&mut last, {}, {}); {}", member.id, kind(&member.ty), self.write(&member.ty, place, ownership))
    }

    /// Returns the statements that write a value that a reference leads to.
    fn write(&self, ty: &Ty, place: &str, ownership: Ownership) -> String {
        match ty {
            Ty::Base(of @ (Base::String | Base::Binary)) => format!("out.{}({place});", base(*of)),
            Ty::Base(of) => format!("out.{}(*{place});", base(*of)),
            Ty::Enum(of) => {
                format!("out.int32({}({place}));", self.function("number", self.mapped.enumeration(*of), Ownership::Owned))
            }
            Ty::Struct(of) => format!("{}({place}, out);", self.function("write", self.mapped.structure(*of), ownership)),
            Ty::List(inner) | Ty::Set(inner) => {
                let each = self.write(inner, "item", ownership);
                format!("out.list({}, {place}.len()); for item in {place}.iter() {{ {each} }}", kind(inner))
            }
            Ty::Map(key, value) => {
                let each = format!("{} {}", self.write(key, "key", ownership), self.write(value, "item", ownership));
                format!("out.map({}, {}, {place}.len()); for (key, item) in {place}.iter() {{ {each} }}", kind(key), kind(value))
            }
            Ty::Stream => String::new(),
        }
    }

    fn traits(&self, index: usize, ownership: Ownership, out: &mut String) {
        let options = self.types.options;
        let lends = self.types.def_lends(index);
        let ty = self.types.named(index, ownership);
        let anonymous = ty.replace("'a", "'_");
        let (read, write) = (self.function("read", index, ownership), self.function("write", index, ownership));
        for protocol in ["rt::Binary", "rt::Compact"] {
            if ownership == Ownership::Borrowed || !lends && options.borrowed {
                let _ = writeln!(
                    out,
                    "impl<'a> rt::Decode<'a, {protocol}> for {ty} {{\n#[inline]\nfn read(r: &mut rt::Reader<'a, {protocol}, &'a rt::Arena>) -> rt::read::Read<Self> {{ {read}(r) }}\n}}"
                );
            }
            if ownership == Ownership::Owned && options.owned {
                let _ = writeln!(
                    out,
                    "impl rt::DecodeOwned<{protocol}> for {ty} {{\n#[inline]\nfn read_owned(r: &mut rt::Reader<'_, {protocol}, rt::read::Own>) -> rt::read::Read<Self> {{ {read}(r) }}\n}}"
                );
            }
            let _ = writeln!(
                out,
                "impl rt::Validate<{protocol}> for {anonymous} {{\nconst SHAPE: &'static rt::shape::Shape = &{};\n}}\n\
                 impl rt::Encode<{protocol}> for {anonymous} {{\n#[inline]\nfn write(&self, out: &mut rt::Output<'_, {protocol}>) {{ {write}(self, out); }}\n}}",
                self.table_name(index)
            );
        }
    }

    fn table(&self, index: usize, members: &[Member], union: bool, out: &mut String) {
        let fields: String = members
            .iter()
            .map(|member| {
                format!(
                    "rt::shape::Field {{ id: {}, name: {:?}, required: {}, shape: {} }},\n",
                    member.id,
                    member.name,
                    member.comes == Comes::Required && !union,
                    self.shape(&member.ty)
                )
            })
            .collect();
        let _ = writeln!(
            out,
            "static {}: rt::shape::Shape = rt::shape::Shape::Struct(rt::shape::Struct {{ name: {:?}, union: {union}, fields: &[{fields}] }});",
            self.table_name(index),
            self.types.plan.types[index].title
        );
    }

    /// Returns a reference to the table of a type.
    fn shape(&self, ty: &Ty) -> String {
        let name = match ty {
            Ty::Base(base) => match base {
                Base::Bool => "Bool",
                Base::I8 => "Int8",
                Base::I16 => "Int16",
                Base::I32 => "Int32",
                Base::I64 => "Int64",
                Base::Double | Base::Float => "Double",
                Base::String => "Text",
                Base::Binary => "Bytes",
                Base::Uuid => "Uuid",
            },
            Ty::Enum(_) => "Int32",
            Ty::Struct(of) => return format!("&{}", self.table_name(self.mapped.structure(*of))),
            Ty::List(inner) => return format!("&rt::shape::Shape::List({})", self.shape(inner)),
            Ty::Set(inner) => return format!("&rt::shape::Shape::Set({})", self.shape(inner)),
            Ty::Map(key, value) => return format!("&rt::shape::Shape::Map({}, {})", self.shape(key), self.shape(value)),
            Ty::Stream => "Bytes",
        };
        format!("&rt::shape::Shape::{name}")
    }
}
