//! The code of the encoding: for each type the functions that read it (borrowing, owning, checking
//! only) and write it, backwards.
//!
//! The functions follow these rules of docs/spec/extprot.md 5 themselves: own wire types first,
//! defaults of absent values, primitives that stand for a row of values. The runtime has those of
//! primitives and sizes. The tables say why something is refused.

use std::fmt::Write;

use polywire_extprot::model::{DeclarationKind, Field, Kind, NodeId, Primitive};

use super::plan::{Absent, Mapped, RowCase};
use super::shape;
use crate::rust::{Ownership, RustTypes};

/// The treatment of the values that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Borrow,
    Own,
    Check,
}

/// Returns the module with all code of the encoding.
pub(super) fn code(mapped: &Mapped, types: &RustTypes<'_>) -> String {
    let emit = Emit { mapped, types };
    let mut items = String::new();
    for index in 0..mapped.nodes.len() {
        for mode in emit.modes() {
            emit.reader(index, mode, &mut items);
        }
        for ownership in emit.types.ownerships(index) {
            emit.writer(index, ownership, &mut items);
        }
        emit.lazy_fields(index, &mut items);
        if emit.is_message(index) {
            emit.traits(index, &mut items);
        }
    }
    shape::tables(mapped, types, &mut items);
    let used = |names: &[&str]| {
        let used: Vec<&str> = names.iter().filter(|name| is_word_in(name, &items)).copied().collect();
        used.join(", ")
    };
    let lazy = if is_word_in("Lazy", &types.definitions()) { "use polywire_extprot_runtime::Lazy;\n" } else { "" };
    let message = used(&["Arena", "Decode", "DecodeOwned", "Encode", "Error", "Validate"]);
    let read = used(&["Check", "Failed", "Own", "Read", "Reader"]);
    let shape = used(&["Absent", "Field", "Form", "Primitive", "Shape"]);
    let scan = if is_word_in("Cases", &items) { "use polywire_extprot_runtime::scan::Cases;\n" } else { "" };
    let output = if is_word_in("Output", &items) { "use polywire_extprot_runtime::output::Output;\n" } else { "" };
    let wire = if is_word_in("wire_type", &items) { "use polywire_extprot_runtime::wire::wire_type;\n" } else { "" };
    format!(
        "{lazy}/// The extprot encoding of the types.\n#[allow(dead_code, clippy::type_complexity)]\nmod extprot {{\nuse polywire_extprot_runtime::{{self as rt, {message}}};\n\
         {output}use polywire_extprot_runtime::read::{{{read}}};\n{scan}use polywire_extprot_runtime::shape::{{{shape}}};\n{wire}use super::*;\n{items}}}\n"
    )
}

/// Returns whether a name is a word of some code.
fn is_word_in(name: &str, code: &str) -> bool {
    let part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    code.match_indices(name).any(|(at, _)| !code[..at].ends_with(part) && !code[at + name.len()..].starts_with(part))
}

/// A value that is written: an expression, and whether that is a reference to it.
#[derive(Debug, Clone)]
struct Place {
    text: String,
    is_reference: bool,
}

impl Place {
    fn reference(text: impl Into<String>) -> Place {
        Place { text: text.into(), is_reference: true }
    }

    fn value(text: impl Into<String>) -> Place {
        Place { text: text.into(), is_reference: false }
    }

    fn by_reference(&self) -> String {
        if self.is_reference { self.text.clone() } else { format!("&{}", self.text) }
    }

    /// A slice: what borrows has one already.
    fn slice(&self, ownership: Ownership) -> String {
        if ownership == Ownership::Borrowed { self.text.clone() } else { self.by_reference() }
    }

    fn by_value(&self) -> String {
        if self.is_reference { format!("*{}", self.text) } else { self.text.clone() }
    }
}

/// A value of a row, or what is stepped over in its place.
type Step<'p> = Option<(NodeId, Option<&'p Field>)>;

struct Emit<'e> {
    mapped: &'e Mapped,
    types: &'e RustTypes<'e>,
}

impl Emit<'_> {
    fn kind(&self, id: NodeId) -> &Kind {
        &self.mapped.protocol[id].kind
    }

    fn is_message(&self, index: usize) -> bool {
        let origin = self.mapped.protocol[self.mapped.nodes[index]].origin.as_ref();
        origin.is_some_and(|origin| self.mapped.protocol[origin.declaration].kind == DeclarationKind::Message)
    }

    fn modes(&self) -> Vec<Mode> {
        let options = self.types.options;
        [(options.borrowed, Mode::Borrow), (options.owned, Mode::Own), (true, Mode::Check)]
            .into_iter()
            .filter_map(|(wanted, mode)| wanted.then_some(mode))
            .collect()
    }

    fn function(&self, index: usize, mode: Mode) -> String {
        let name = self.types.snake(index);
        match mode {
            Mode::Borrow => format!("read_{name}_ref"),
            Mode::Own => format!("read_{name}"),
            Mode::Check => format!("check_{name}"),
        }
    }

    /// The function that reads a type.
    fn reader(&self, index: usize, mode: Mode, out: &mut String) {
        let id = self.mapped.nodes[index];
        let name = self.function(index, mode);
        let _ = match mode {
            Mode::Borrow => {
                let ty = self.types.named(index, Ownership::Borrowed);
                write!(out, "#[inline]\nfn {name}<'a>(r: &mut Reader<'a, &'a Arena>) -> Read<{ty}> {{")
            }
            Mode::Own => write!(out, "#[inline]\nfn {name}(r: &mut Reader<'_, Own>) -> Read<{}> {{", self.types.stem(index)),
            Mode::Check => write!(out, "#[inline]\nfn {name}(r: &mut Reader<'_, Check>) -> Read<()> {{"),
        };
        out.push_str("match r.prefix()? {\n");
        let is_sum = matches!(self.kind(id), Kind::Sum(_));
        let sizes = if is_sum { "composite" } else { "limited" };
        let rows = self.mapped.rows(id);
        for row in &rows {
            let made = |values: &[String]| self.made(index, row, values, mode);
            if row.values.is_empty() {
                let _ = writeln!(out, "{:#04x} => {},", row.prefix, made(&[]));
                continue;
            }
            let _ = writeln!(out, "{:#04x} => {{\n{}\n}}", row.prefix, self.row(&self.steps(id, row), Some(sizes), mode, &made));
        }
        let promoting: &[RowCase<'_>] = match self.kind(id) {
            Kind::Subset(_) => &[],
            Kind::Sum(_) => rows.iter().position(|row| !row.values.is_empty()).map_or(&[], |first| &rows[first..=first]),
            _ => &rows,
        };
        for row in promoting {
            let values: Vec<NodeId> = row.values.iter().map(|(part, _)| *part).collect();
            let Some(primitive) = self.mapped.promoted(&values) else { continue };
            if is_sum {
                let _ = writeln!(out, "prefix if prefix & 15 == {} => {{", own(primitive));
            } else {
                let _ = writeln!(out, "{:#04x} => {{", (row.prefix & !15) | own_code(primitive));
            }
            out.push_str(&self.promotion(&row.values, primitive, mode, &|values| self.made(index, row, values, mode)));
            out.push_str("}\n");
        }
        out.push_str("_ => Err(Failed),\n}\n}\n");
    }

    /// Values of a row in order, with what a subset doesn't want.
    fn steps<'p>(&self, id: NodeId, row: &RowCase<'p>) -> Vec<Step<'p>> {
        let Kind::Subset(subset) = self.kind(id) else { return row.values.iter().map(|value| Some(*value)).collect() };
        let last = subset.fields.last().map_or(0, |wanted| wanted.position + 1);
        let place = |position| subset.fields.iter().position(|wanted| wanted.position == position);
        (0..last).map(|position| place(position).map(|n| row.values[n])).collect()
    }

    /// The end of a function that reads: its value, made of the row's.
    fn made(&self, index: usize, row: &RowCase<'_>, values: &[String], mode: Mode) -> String {
        if mode == Mode::Check {
            return "Ok(())".into();
        }
        let path = self.types.path(index, if mode == Mode::Borrow { Ownership::Borrowed } else { Ownership::Owned });
        let has_names = row.values.first().is_some_and(|(_, field)| field.is_some());
        let members = |name: &dyn Fn(usize) -> String| {
            values.iter().enumerate().map(|(n, value)| format!("{}: {value}", name(n))).collect::<Vec<String>>().join(", ")
        };
        let value = match row.case {
            None => format!("{path} {{ {} }}", members(&|n| self.types.field(index, n).to_string())),
            Some(case) => {
                let name = self.types.case(index, case);
                if has_names {
                    format!("{path}::{name} {{ {} }}", members(&|n| self.types.case_field(index, case, n).to_string()))
                } else if values.is_empty() {
                    format!("{path}::{name}")
                } else {
                    format!("{path}::{name}({})", values.join(", "))
                }
            }
        };
        format!("Ok({value})")
    }

    /// Statements that read a row, whose prefix is read, and `made` of its values. `sizes` reads
    /// its head; if that is read too, it is `row`.
    fn row(&self, steps: &[Step<'_>], sizes: Option<&str>, mode: Mode, made: &dyn Fn(&[String]) -> String) -> String {
        let mut out = sizes.map_or_else(String::new, |sizes| format!("let row = r.{sizes}()?;\n"));
        let mut values = Vec::new();
        for (n, step) in steps.iter().enumerate() {
            let Some((id, field)) = *step else {
                let _ = writeln!(out, "if row.has({n}) {{ r.value()?; }}");
                continue;
            };
            let value = self.field_value(id, field, mode);
            let name = format!("value{}", values.len());
            let _ = match (self.mapped.absent_in_place(id), mode) {
                (Absent::Default(_), Mode::Check) => writeln!(out, "if row.has({n}) {{ {value}; }}"),
                (Absent::Default(default), _) => {
                    let default = self.default(&default, id, field, mode);
                    writeln!(out, "let {name} = if row.has({n}) {{ {value} }} else {{ {default} }};")
                }
                (_, Mode::Check) => writeln!(out, "row.need({n})?;\n{value};"),
                (_, _) => writeln!(out, "row.need({n})?;\nlet {name} = {value};"),
            };
            values.push(name);
        }
        let _ = write!(out, "r.leave(row)?;\n{}", made(&values));
        out
    }

    /// Statements that read a primitive, whose prefix is read, for a whole row.
    fn promotion(
        &self,
        values: &[(NodeId, Option<&Field>)],
        primitive: Primitive,
        mode: Mode,
        made: &dyn Fn(&[String]) -> String,
    ) -> String {
        let name = match (primitive, mode) {
            (Primitive::Bool, _) => "bool",
            (Primitive::Byte, _) => "byte",
            (Primitive::Int, _) => "int",
            (Primitive::Long, _) => "long",
            (Primitive::Float, _) => "float",
            (Primitive::String, Mode::Own) => "string",
            (Primitive::String, _) => "slice",
        };
        if mode == Mode::Check {
            return format!("r.bare_{name}()?;\n{}", made(&[]));
        }
        let mut all = vec!["value".to_string()];
        for (id, field) in &values[1..] {
            let Absent::Default(default) = self.mapped.absent_in_place(*id) else { unreachable!("promotion asks for defaults") };
            all.push(self.default(&default, *id, *field, mode));
        }
        format!("let value = r.bare_{name}()?;\n{}", made(&all))
    }

    fn default(&self, value: &crate::plan::Value, id: NodeId, field: Option<&Field>, mode: Mode) -> String {
        let ownership = if mode == Mode::Borrow { Ownership::Borrowed } else { Ownership::Owned };
        let text = self.types.exact_value(value, &self.mapped.ty(id), ownership);
        if field.is_some_and(|field| self.mapped.is_lazy(field)) { format!("Lazy::Decoded({text})") } else { text }
    }

    /// The expression that reads a field or a value without a name.
    fn field_value(&self, id: NodeId, field: Option<&Field>, mode: Mode) -> String {
        let is_lazy = field.is_some_and(|field| self.mapped.is_lazy(field));
        let (raw, empty, bytes) =
            if mode == Mode::Own { ("r.value()?", "Vec::new()", "raw.to_vec()") } else { ("r.value()?", "&[][..]", "raw") };
        match (mode, self.kind(id)) {
            // An empty list and a constant constructor are resolved at once
            // (docs/spec/extprot.md 5.8).
            (Mode::Borrow | Mode::Own, Kind::List { .. }) if is_lazy => {
                format!("match {raw} {{ [0x05, 0x01, 0x00] => Lazy::Decoded({empty}), raw => Lazy::Raw({bytes}) }}")
            }
            (Mode::Borrow | Mode::Own, Kind::Sum(sum)) if is_lazy && sum.constructors.iter().any(|one| one.is_constant()) => {
                let read = self.value(id, mode);
                let bytes = bytes.replace("raw", raw);
                format!("if r.peek()? & 15 == wire_type::ENUM {{ Lazy::Decoded({read}) }} else {{ Lazy::Raw({bytes}) }}")
            }
            (Mode::Borrow | Mode::Own, _) if is_lazy => format!("Lazy::Raw({})", bytes.replace("raw", raw)),
            _ => self.value(id, mode),
        }
    }

    /// The expression that reads a value.
    fn value(&self, id: NodeId, mode: Mode) -> String {
        match self.kind(id) {
            Kind::Primitive { primitive, .. } => format!("r.{}()?", primitive_reader(*primitive, mode)),
            Kind::List { element, .. } => {
                let primitive = if let Kind::Primitive { primitive, .. } = self.kind(*element) { Some(*primitive) } else { None };
                match (primitive, mode) {
                    (Some(Primitive::Bool | Primitive::Byte), Mode::Check) | (Some(Primitive::Byte), _) => return "r.bytes()?".into(),
                    (Some(Primitive::Bool), _) => return "r.bools()?".into(),
                    (Some(Primitive::Int), Mode::Check) => return "r.ints()?".into(),
                    _ => {}
                }
                if mode != Mode::Own && shape::cases(self.mapped, *element).is_some() {
                    let index = self.mapped.index(*element);
                    let (cases, read) = (shape::cases_name(self.types, index), self.function(index, mode));
                    return if mode == Mode::Check {
                        format!("r.cases(&{cases}, {read})?")
                    } else {
                        format!("r.cases(&{cases}, |one| one.of([{}]), {read})?", self.candidates(*element))
                    };
                }
                let (least, value) = (self.mapped.least(*element), self.value(*element, mode));
                let (room, push, list) = match mode {
                    Mode::Check => ("", format!("{value};"), ""),
                    Mode::Own => ("let mut list = Vec::with_capacity(count);\n", format!("list.push({value});"), "\nlist"),
                    Mode::Borrow => ("let mut list = r.room(count);\n", format!("list.push({value});"), "\nlist.finish()"),
                };
                // A loop in place, so that the reader stays in registers.
                format!("{{ let (row, count) = r.elements::<{least}>()?;\n{room}for _ in 0..count {{ {push} }}\nr.leave(row)?;{list} }}")
            }
            Kind::Tuple(parts) => {
                let steps: Vec<Step<'_>> = parts.iter().map(|part| Some((*part, None))).collect();
                let made = |values: &[String]| if mode == Mode::Check { String::new() } else { format!("({})", values.join(", ")) };
                let mut out = format!("match r.tuple()? {{ Ok(row) => {{ {} }}\n", self.row(&steps, None, mode, &made));
                if let Some(primitive) = self.mapped.promoted(parts) {
                    let values: Vec<(NodeId, Option<&Field>)> = parts.iter().map(|part| (*part, None)).collect();
                    let _ = writeln!(out, "Err({}) => {{ {} }}", own(primitive), self.promotion(&values, primitive, mode, &made));
                }
                out.push_str("_ => return Err(Failed),\n}");
                out
            }
            Kind::External(_) => {
                let ty = |ownership| format!("super::{}", self.types.ty(&self.mapped.ty(id), ownership));
                match mode {
                    Mode::Borrow => format!("<{} as Decode<'a, rt::Extprot>>::read(r)?", ty(Ownership::Borrowed)),
                    Mode::Own => format!("<{} as DecodeOwned<rt::Extprot>>::read_owned(r)?", ty(Ownership::Owned)),
                    Mode::Check => format!("<{} as Validate<rt::Extprot>>::check(r)?", ty(Ownership::Owned)),
                }
            }
            Kind::Sum(_) | Kind::Record(_) | Kind::Union(_) | Kind::Subset(_) => {
                format!("{}(r)?", self.function(self.mapped.index(id), mode))
            }
        }
    }

    /// Returns the value of a sum type for each of its constructors, with one primitive or none;
    /// those without first.
    fn candidates(&self, id: NodeId) -> String {
        let path = self.types.path(self.mapped.index(id), Ownership::Borrowed);
        let rows = self.mapped.rows(id);
        let name = |row: &RowCase<'_>| self.types.case(self.mapped.index(id), row.case.expect("constructors are cases")).to_string();
        let constants = rows.iter().filter(|row| row.values.is_empty()).map(|row| format!("{path}::{}", name(row)));
        let others = rows.iter().filter_map(|row| {
            let (part, _) = row.values.first()?;
            let Kind::Primitive { primitive, .. } = self.kind(*part) else { return None };
            Some(format!("{path}::{}(one.{}())", name(row), primitive_reader(*primitive, Mode::Borrow)))
        });
        constants.chain(others).collect::<Vec<String>>().join(", ")
    }

    fn write_function(&self, index: usize, ownership: Ownership) -> String {
        let ending = if ownership == Ownership::Borrowed && self.types.def_lends(index) { "_ref" } else { "" };
        format!("write_{}{ending}", self.types.snake(index))
    }

    /// The function that writes a type, if it can be written.
    fn writer(&self, index: usize, ownership: Ownership, out: &mut String) {
        let id = self.mapped.nodes[index];
        if !self.mapped.protocol[id].encodable {
            return;
        }
        let ty = self.types.named(index, ownership).replace("'a", "'_");
        let _ = writeln!(
            out,
            "#[inline]\nfn {}(value: &{ty}, output: &mut Output<'_>) {{\nlet mut own = output.take();\nlet out = &mut own;",
            self.write_function(index, ownership)
        );
        let path = self.types.path(index, ownership);
        let rows = self.mapped.rows(id);
        let composite = if matches!(self.kind(id), Kind::Sum(_)) { "composite" } else { "large_composite" };
        match self.kind(id) {
            Kind::Record(_) => {
                let places: Vec<Place> =
                    (0..rows[0].values.len()).map(|n| Place::value(format!("value.{}", self.types.field(index, n)))).collect();
                out.push_str(&self.write_row(&rows[0], &places, composite, ownership));
            }
            _ => {
                out.push_str("match value {\n");
                for row in &rows {
                    let case = row.case.expect("sums and unions have cases");
                    let name = self.types.case(index, case);
                    let values: Vec<String> = (0..row.values.len()).map(|n| format!("value{n}")).collect();
                    let places: Vec<Place> = values.iter().map(Place::reference).collect();
                    let _ = match row.values.first() {
                        None => writeln!(out, "{path}::{name} => out.prefix({:#04x}),", row.prefix),
                        Some((_, None)) => {
                            let body = self.write_row(row, &places, composite, ownership);
                            writeln!(out, "{path}::{name}({}) => {{\n{body}}}", values.join(", "))
                        }
                        Some((_, Some(_))) => {
                            let members =
                                values.iter().enumerate().map(|(n, value)| format!("{}: {value}", self.types.case_field(index, case, n)));
                            let members: Vec<String> = members.collect();
                            let body = self.write_row(row, &places, composite, ownership);
                            writeln!(out, "{path}::{name} {{ {} }} => {{\n{body}}}", members.join(", "))
                        }
                    };
                }
                out.push_str("}\n");
            }
        }
        out.push_str("*output = own;\n}\n");
    }

    /// Statements that write a row, its last value first.
    fn write_row(&self, row: &RowCase<'_>, places: &[Place], composite: &str, ownership: Ownership) -> String {
        let mut out = "let before = out.written();\n".to_string();
        for ((id, field), place) in row.values.iter().zip(places).rev() {
            if field.is_some_and(|field| self.mapped.is_lazy(field)) {
                let _ = writeln!(
                    out,
                    "match {} {{ Lazy::Raw(raw) => out.verbatim(raw), Lazy::Decoded(item) => {{ {} }} }}",
                    place.by_reference(),
                    self.write_value(*id, &Place::reference("item"), ownership)
                );
            } else {
                let _ = writeln!(out, "{}", self.write_value(*id, place, ownership));
            }
        }
        let _ = writeln!(out, "out.{composite}({:#04x}, {}, before);", row.prefix, row.values.len());
        out
    }

    /// The statement that writes a value.
    fn write_value(&self, id: NodeId, place: &Place, ownership: Ownership) -> String {
        match self.kind(id) {
            Kind::Primitive { primitive: Primitive::String, .. } => format!("out.string({});", place.slice(ownership)),
            Kind::Primitive { primitive, .. } => format!("out.{}({});", primitive.name(), place.by_value()),
            Kind::List { element, .. } => match self.kind(*element) {
                Kind::Primitive { primitive: Primitive::Bool, .. } => format!("out.bools({});", place.slice(ownership)),
                Kind::Primitive { primitive: Primitive::Byte, .. } => format!("out.bytes({});", place.slice(ownership)),
                _ => format!(
                    "{{ let before = out.written();\nfor item in {}.iter().rev() {{ {} }}\nout.large_composite(0x05, {}.len(), before); }}",
                    place.text,
                    self.write_value(*element, &Place::reference("item"), ownership),
                    place.text
                ),
            },
            Kind::Tuple(parts) => {
                let mut out = "{ let before = out.written();\n".to_string();
                for (n, part) in parts.iter().enumerate().rev() {
                    let _ = writeln!(out, "{}", self.write_value(*part, &Place::value(format!("{}.{n}", place.text)), ownership));
                }
                let _ = writeln!(out, "out.composite(0x01, {}, before); }}", parts.len());
                out
            }
            Kind::External(_) => format!("out.apart(|out| Encode::<rt::Extprot>::write({}, out));", place.by_reference()),
            Kind::Sum(_) | Kind::Record(_) | Kind::Union(_) | Kind::Subset(_) => {
                format!("out.apart(|out| {}({}, out));", self.write_function(self.mapped.index(id), ownership), place.by_reference())
            }
        }
    }

    /// Functions that decode lazy fields.
    fn lazy_fields(&self, index: usize, out: &mut String) {
        let rows = self.mapped.rows(self.mapped.nodes[index]);
        let lazy: Vec<(&RowCase<'_>, usize, NodeId, &Field)> = rows
            .iter()
            .flat_map(|row| row.values.iter().enumerate().map(move |(n, value)| (row, n, value)))
            .filter_map(|(row, n, (id, field))| field.filter(|field| self.mapped.is_lazy(field)).map(|field| (row, n, *id, field)))
            .collect();
        if lazy.is_empty() {
            return;
        }
        for ownership in self.types.ownerships(index) {
            let borrows = ownership == Ownership::Borrowed;
            let _ = writeln!(out, "impl{} {} {{", if borrows { "<'a>" } else { "" }, self.types.named(index, ownership));
            for (row, n, id, field) in &lazy {
                // Types of other modules are beside the module that this one is in.
                let ty = self.types.ty(&self.mapped.ty(*id), ownership).replace("super::", "super::super::");
                // A reference to a table made in place would not outlive the call.
                let (table, shape) = match shape::reference(self.mapped, self.types, *id) {
                    whole if whole.starts_with("&Shape") => (format!("static FIELD: Shape = {};\n", &whole[1..]), "&FIELD".to_string()),
                    named => (String::new(), named),
                };
                let mode = if borrows { Mode::Borrow } else { Mode::Own };
                let read = format!("|r| {}", result(&self.value(*id, mode)));
                let read = match self.kind(*id) {
                    Kind::Sum(_) | Kind::Record(_) | Kind::Union(_) | Kind::Subset(_) => self.function(self.mapped.index(*id), mode),
                    _ => read,
                };
                let (name, receiver, place) = match row.case {
                    None => {
                        let name = self.types.field(index, *n);
                        let receiver = if borrows { "&self" } else { "&mut self" };
                        (name.trim_start_matches("r#").to_string(), receiver.to_string(), format!("self.{name}"))
                    }
                    Some(case) => {
                        let name = self.types.case_field(index, case, *n).trim_start_matches("r#").to_string();
                        let case = crate::rust::names::snake(self.types.case(index, case));
                        let receiver =
                            if borrows { format!("field: &Lazy<&'a [u8], {ty}>") } else { format!("field: &mut Lazy<Vec<u8>, {ty}>") };
                        (format!("{case}_{name}"), receiver, "field".to_string())
                    }
                };
                let _ = if borrows {
                    writeln!(
                        out,
                        "/// Returns the lazy field `{}`, decoded.\n///\n/// # Errors\n/// Its bytes can't be read.\n#[allow(clippy::type_complexity)]\n\
                         pub fn decoded_{name}({receiver}, arena: &'a Arena) -> Result<{ty}, Error> {{ {table}{place}.get(arena, {shape}, {read}) }}",
                        field.name
                    )
                } else {
                    writeln!(
                        out,
                        "/// Returns the lazy field `{}`, decoded in its place.\n///\n/// # Errors\n/// Its bytes can't be read.\n#[allow(clippy::type_complexity)]\n\
                         pub fn decoded_{name}({receiver}) -> Result<&mut {ty}, Error> {{ {table}{place}.force({shape}, {read}) }}",
                        field.name
                    )
                };
            }
            out.push_str("}\n");
        }
    }

    /// Writes the traits that users call, for a message.
    fn traits(&self, index: usize, out: &mut String) {
        let options = self.types.options;
        let table = format!("const SHAPE: &'static Shape = &{};", shape::name(self.types, index));
        if options.borrowed {
            let _ = writeln!(
                out,
                "impl<'a> Decode<'a, rt::Extprot> for {} {{\nfn read(reader: &mut Reader<'a, &'a Arena>) -> Read<Self> {{ reader.apart({}) }}\n}}",
                self.types.named(index, Ownership::Borrowed),
                self.function(index, Mode::Borrow)
            );
        }
        if options.owned {
            let _ = writeln!(
                out,
                "impl DecodeOwned<rt::Extprot> for {} {{\nfn read_owned(reader: &mut Reader<'_, Own>) -> Read<Self> {{ reader.apart({}) }}\n}}",
                self.types.stem(index),
                self.function(index, Mode::Own)
            );
        }
        for ownership in self.types.ownerships(index) {
            let ty = self.types.named(index, ownership).replace("'a", "'_");
            let _ = writeln!(
                out,
                "impl Validate<rt::Extprot> for {ty} {{\n{table}\nfn check(reader: &mut Reader<'_, Check>) -> Read<()> {{ reader.apart({}) }}\n}}",
                self.function(index, Mode::Check)
            );
            if self.mapped.protocol[self.mapped.nodes[index]].encodable {
                let _ = writeln!(
                    out,
                    "impl Encode<rt::Extprot> for {ty} {{\nfn write(&self, out: &mut Output<'_>) {{ {}(self, out); }}\n}}",
                    self.write_function(index, ownership)
                );
            }
        }
    }
}

/// The result that an expression is the value of.
fn result(value: &str) -> String {
    value.strip_suffix('?').map_or_else(|| format!("Ok({value})"), str::to_string)
}

fn primitive_reader(primitive: Primitive, mode: Mode) -> &'static str {
    match (primitive, mode) {
        (Primitive::Bool, _) => "bool",
        (Primitive::Byte, _) => "byte",
        (Primitive::Int, _) => "int",
        (Primitive::Long, _) => "long",
        (Primitive::Float, _) => "float",
        (Primitive::String, Mode::Own) => "string",
        (Primitive::String, _) => "slice",
    }
}

/// The wire type that a primitive is written with, by the runtime's name.
fn own(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Bool | Primitive::Byte => "wire_type::BITS8",
        Primitive::Int => "wire_type::VINT",
        Primitive::Long => "wire_type::BITS64_LONG",
        Primitive::Float => "wire_type::BITS64_FLOAT",
        Primitive::String => "wire_type::BYTES",
    }
}

/// Its code (docs/spec/extprot.md 4.2).
fn own_code(primitive: Primitive) -> u64 {
    match primitive {
        Primitive::Bool | Primitive::Byte => 2,
        Primitive::Int => 0,
        Primitive::Long => 6,
        Primitive::Float => 8,
        Primitive::String => 3,
    }
}
