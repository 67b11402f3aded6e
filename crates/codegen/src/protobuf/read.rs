//! Functions that read messages.
//!
//! Fields are expected in the order of their numbers, each with the tag that a writer gives it. A
//! loop reads any other fields, in any order. Bytes that neither can take, such as parts of a
//! message to merge, are first put in order by the runtime, with the tables.

use std::fmt::Write;

use super::layout::{Choice, Comes, Layout, Member, Scalar, Wire, tag};
use super::rust::Emit;
use super::write::tag_bytes;
use crate::plan::{Type, Value};
use crate::rust::Ownership;

/// Number of fields that are expected in order. The loop reads the rest.
const EXPECTED: usize = 48;

/// The circumstances of a field that is read.
struct Context<'c> {
    ownership: Ownership,
    /// The place of unknown fields, if they are kept.
    keeps: Option<&'c str>,
    /// True if the field may have a value already.
    again: bool,
    /// Per member, the bit that says that the field has a value, in messages that are made in
    /// place.
    seen: &'c [Option<usize>],
    /// True if required fields are options until all are read.
    deferred: bool,
}

/// A field, or a case of a oneof, and the tags that it is read under.
struct Slot<'m> {
    number: u32,
    member: usize,
    what: What<'m>,
}

enum What<'m> {
    Field(&'m Member),
    Oneof(usize, &'m [Choice]),
}

impl Emit<'_> {
    /// Writes the functions that read a message.
    pub(super) fn reader(&self, index: usize, ownership: Ownership, out: &mut String) {
        let (generics, reader) = match (self.types.def_lends(index), ownership) {
            (false, _) => ("<Store_: Copy>", "rt::read::Reader<'_, Store_>"),
            (true, Ownership::Borrowed) => ("<'a>", "rt::read::Reader<'a, &'a rt::Arena>"),
            (true, Ownership::Owned) => ("", "rt::read::Reader<'_, rt::read::Own>"),
        };
        let ty = self.types.named(index, ownership);
        if self.has_default(index) {
            let Layout::Message(members) = &self.mapped.layouts[index] else { return };
            self.merger(index, members, ownership, generics, reader, out);
            return;
        }
        let body = match &self.mapped.layouts[index] {
            Layout::Message(members) => {
                let values = self.row(members, ownership);
                let fields: Vec<String> = (0..members.len()).map(|n| format!("{}: {}", self.types.field(index, n), values.of[n])).collect();
                format!("{}\nlet made = {} {{ {} }};", values.body, self.types.path(index, ownership), fields.join(", "))
            }
            Layout::Choice(choices) => {
                let slots = [Slot { number: 1, member: 0, what: What::Oneof(index, choices) }];
                let body = self.fields(&slots, &|_| "value0".into(), ownership);
                format!("let mut value0 = None;\n{body}\nlet made = value0.ok_or(rt::read::Failed)?;")
            }
            _ => return,
        };
        let _ = writeln!(
            out,
            "#[inline]\nfn {}{generics}(reader: &mut {reader}) -> rt::read::Read<{ty}> {{\nlet mut own = *reader;\nlet r = &mut own;\n{body}\n*reader = own;\nOk(made)\n}}",
            self.function("read", index, ownership)
        );
    }

    /// Writes the functions that read a message in place: fields in order, then all others.
    fn merger(&self, index: usize, members: &[Member], ownership: Ownership, generics: &str, reader: &str, out: &mut String) {
        let ty = self.types.named(index, ownership);
        let place = |n: usize| format!("this.{}", self.types.field(index, n));
        let keeps = self.keeps(index);
        // Required fields need a bit, and so do messages that could come twice.
        let mut bits = 0;
        let seen: Vec<Option<usize>> = members
            .iter()
            .map(|member| {
                let needed = member.comes == Comes::Required;
                needed.then(|| {
                    bits += 1;
                    bits - 1
                })
            })
            .collect();
        let words = bits.div_ceil(64);
        let context = |again| Context { ownership, keeps: keeps.as_deref(), again, seen: &seen, deferred: false };
        let slots = self.slots(members);
        let straight = self.straight(&slots, &place, &context(false));
        let arms = self.arms(&slots, &place, &context(true));
        let unknown = match &keeps {
            Some(kept) => format!("{{ r.skip(tag)?; r.keep(&mut {kept}, mark)?; }}"),
            None => "r.skip(tag)?,".to_string(),
        };
        let (merge, rest) = (self.function("merge", index, ownership), self.function("rest", index, ownership));
        let (argument, result, pass, give) = if words > 0 {
            (format!(", mut seen: [u64; {words}]"), format!("[u64; {words}]"), ", seen", "seen")
        } else {
            (String::new(), "()".into(), "", "()")
        };
        let start = if words > 0 { format!("let mut seen = [0u64; {words}];\n") } else { String::new() };
        let masks: Vec<String> = (0..words)
            .map(|word| format!("{:#x}", if bits >= 64 * (word + 1) { u64::MAX } else { (1u64 << (bits - 64 * word)) - 1 }))
            .collect();
        let check =
            if words > 0 { format!("if seen != [{}] {{ return Err(rt::read::Failed); }}\n", masks.join(", ")) } else { String::new() };
        let assign = if words > 0 { "seen = " } else { "" };
        let _ = writeln!(
            out,
            "#[inline]\nfn {merge}{generics}(this: &mut {ty}, reader: &mut {reader}) -> rt::read::Read<()> {{\nlet mut own = *reader;\nlet r = &mut own;\n{start}{straight}\n\
             if !r.done() {{ {assign}r.apart(|r| {rest}(this, r{pass}))?; }}\n{check}*reader = own;\nOk(())\n}}"
        );
        let _ = writeln!(
            out,
            "#[cold]\n#[inline(never)]\nfn {rest}{generics}(this: &mut {ty}, r: &mut {reader}{argument}) -> rt::read::Read<{result}> {{\n\
             while !r.done() {{\nlet mark = r.mark();\nmatch r.tag()? {{\n{arms}tag => {unknown}\n}}\n}}\nOk({give})\n}}"
        );
    }

    fn slots<'m>(&'m self, members: &'m [Member]) -> Vec<Slot<'m>> {
        let mut slots: Vec<Slot<'m>> = members
            .iter()
            .enumerate()
            .filter_map(|(n, member)| {
                let what = match (&member.wire, member.comes) {
                    (_, Comes::Unknown) => return None,
                    (Wire::Oneof(index), _) => match &self.mapped.layouts[*index] {
                        Layout::Oneof(choices) => What::Oneof(*index, choices),
                        _ => return None,
                    },
                    _ => What::Field(member),
                };
                Some(Slot { number: member.number, member: n, what })
            })
            .collect();
        slots.sort_by_key(|slot| slot.number);
        slots
    }

    /// Returns statements that read fields while they come in order.
    fn straight(&self, slots: &[Slot<'_>], place: &dyn Fn(usize) -> String, context: &Context<'_>) -> String {
        let mut out = String::new();
        // A message that is made after all is read cannot distinguish a default from a value
        // otherwise.
        let expected = if context.deferred { slots.len() } else { EXPECTED };
        for slot in slots.iter().take(expected) {
            let place = place(slot.member);
            let marks = context.keeps.is_some();
            let mark = |closed: bool| if marks && closed { "let mark = r.mark();\n" } else { "" };
            match &slot.what {
                What::Field(member) => {
                    let packed = member.comes == Comes::Repeated { packed: true };
                    let wire_type = if packed { 2 } else { member.wire.wire_type() };
                    let value = self.assign(member, slot.member, &place, packed, context);
                    let one = self.closed(&member.wire).is_some() && !matches!(member.comes, Comes::Repeated { .. });
                    let _ = writeln!(out, "{}if r.next({}) {{ {value} }}", mark(one), tag_bytes(member.number, wire_type));
                }
                What::Oneof(index, choices) => {
                    let any = choices.iter().any(|choice| self.closed(&choice.wire).is_some());
                    out.push_str(mark(any));
                    let short = |choice: &Choice| tag(choice.number, choice.wire.wire_type()).len() == 1;
                    if choices.len() > 2 && choices.iter().all(short) {
                        out.push_str("match r.peek() {\n");
                        for (case, choice) in choices.iter().enumerate() {
                            let value = self.assign_case(*index, case, choice, &place, context);
                            let byte = tag(choice.number, choice.wire.wire_type())[0];
                            let _ = writeln!(out, "{byte:#04x} => {{ r.step(1)?; {value} }}");
                        }
                        out.push_str("_ => {}\n}\n");
                        continue;
                    }
                    for (case, choice) in choices.iter().enumerate() {
                        let value = self.assign_case(*index, case, choice, &place, context);
                        let joint = if case > 0 { "else " } else { "" };
                        let _ = writeln!(out, "{joint}if r.next({}) {{ {value} }}", tag_bytes(choice.number, choice.wire.wire_type()));
                    }
                }
            }
        }
        out
    }

    /// Returns the arms of a `match` on tags.
    fn arms(&self, slots: &[Slot<'_>], place: &dyn Fn(usize) -> String, context: &Context<'_>) -> String {
        let mut out = String::new();
        for slot in slots {
            let place = place(slot.member);
            match &slot.what {
                What::Field(member) => {
                    let own = member.number << 3 | member.wire.wire_type();
                    let _ = writeln!(out, "{own} => {{ {} }}", self.assign(member, slot.member, &place, false, context));
                    if matches!(member.comes, Comes::Repeated { .. }) && member.wire.packable() {
                        let packed = member.number << 3 | 2;
                        let _ = writeln!(out, "{packed} => {{ {} }}", self.assign(member, slot.member, &place, true, context));
                    }
                }
                What::Oneof(index, choices) => {
                    for (case, choice) in choices.iter().enumerate() {
                        let own = choice.number << 3 | choice.wire.wire_type();
                        let _ = writeln!(out, "{own} => {{ {} }}", self.assign_case(*index, case, choice, &place, context));
                    }
                }
            }
        }
        out
    }

    /// Returns statements that read all fields of a message, into places of their own.
    fn fields(&self, slots: &[Slot<'_>], place: &dyn Fn(usize) -> String, ownership: Ownership) -> String {
        let context = |again| Context { ownership, keeps: None, again, seen: &[], deferred: true };
        let straight = self.straight(slots, place, &context(false));
        let arms = self.arms(slots, place, &context(true));
        format!("{straight}while !r.done() {{\nmatch r.tag()? {{\n{arms}tag => r.skip(tag)?,\n}}\n}}")
    }

    /// Returns statements that read a message without a place of its own.
    fn row(&self, members: &[Member], ownership: Ownership) -> Values {
        let owned = ownership == Ownership::Owned;
        let (mut start, mut of) = (String::new(), Vec::new());
        for (n, member) in members.iter().enumerate() {
            let (zero, value) = match (member.comes, &member.default) {
                (Comes::Repeated { .. } | Comes::Map, _) => {
                    (if owned { "Vec::new()".into() } else { "&[][..]".to_string() }, format!("value{n}"))
                }
                (Comes::Default, Some((default, ty))) => (self.default(default, ty, ownership), format!("value{n}")),
                (Comes::Required, _) => ("None".into(), format!("value{n}.ok_or(rt::read::Failed)?")),
                _ => ("None".into(), format!("value{n}")),
            };
            let _ = writeln!(start, "let mut value{n} = {zero};");
            of.push(value);
        }
        let body = self.fields(&self.slots(members), &|n| format!("value{n}"), ownership);
        Values { body: format!("{start}{body}"), of }
    }

    fn default(&self, value: &Value, ty: &Type, ownership: Ownership) -> String {
        let text = self.types.exact_value(value, ty, ownership);
        // A literal alone has no definite type.
        match ty {
            Type::Byte | Type::Int8 | Type::Int16 | Type::Uint16 | Type::Int32 | Type::Uint32 | Type::Int | Type::Uint | Type::Single => {
                format!("{text} as {}", self.types.ty(ty, ownership))
            }
            _ => text,
        }
    }

    /// Returns statements that read a field after its tag.
    fn assign(&self, member: &Member, position: usize, place: &str, packed: bool, context: &Context<'_>) -> String {
        let bit = context.seen.get(position).copied().flatten();
        let seen = bit.map_or_else(String::new, |bit| format!("seen[{}] |= 1 << {};", bit / 64, bit % 64));
        let is_seen = bit.map(|bit| format!("seen[{}] >> {} & 1 == 1", bit / 64, bit % 64));
        let tag = |wire_type| tag_bytes(member.number, wire_type);
        let wire = &member.wire;
        let keeps = context.keeps.is_some();
        let kept = |stray: String| match context.keeps {
            Some(kept) => format!("if let Some(mark) = {stray} {{ r.keep(&mut {kept}, mark)?; }}"),
            None => format!("{stray};"),
        };
        match member.comes {
            Comes::Repeated { .. } if packed => self.packed(wire, place, keeps),
            Comes::Repeated { .. } => {
                if let Some(index) = self.closed(wire) {
                    let case = self.function("case", index, Ownership::Owned);
                    return kept(format!("r.cases(&mut {place}, {}, {keeps}, |number| {case}(number as i32))?", tag(0)));
                }
                let count = match wire.wire_type() {
                    0 => "varints".to_string(),
                    1 => "fixeds::<8>".into(),
                    5 => "fixeds::<4>".into(),
                    3 => "groups".into(),
                    _ => "lens".into(),
                };
                let count = format!("rt::read::{count}");
                let tag = tag(wire.wire_type());
                match wire {
                    Wire::Message(index) | Wire::Group(index) if self.has_default(*index) => {
                        let merge = format!("|r| r.apart(|r| {}(item, r))", self.function("merge", *index, context.ownership));
                        let body = self.around(member.number, wire, &merge);
                        format!("r.places(&mut {place}, {tag}, {count}, |item, r| {body})?;")
                    }
                    _ => {
                        let value = self.value(member.number, wire, context.ownership);
                        format!("r.values(&mut {place}, {tag}, {count}, |r| {})?;", result(&value))
                    }
                }
            }
            Comes::Map => {
                let Wire::Entry(entry) = wire else { unreachable!("a map has entries") };
                let read = self.entry(entry.0, &entry.1, context.ownership);
                kept(format!("r.entries(&mut {place}, {}, {keeps}, |r| r.message(|r| {{ {read} }}))?", tag(2)))
            }
            Comes::Explicit | Comes::Required | Comes::Implicit | Comes::Default => {
                let optional = member.comes == Comes::Explicit || member.comes == Comes::Required && context.deferred;
                if let Some(index) = self.closed(wire) {
                    let case = self.function("case", index, Ownership::Owned);
                    let value = if optional { "Some(case)" } else { "case" };
                    let stray = context.keeps.map_or_else(String::new, |kept| format!("r.keep(&mut {kept}, mark)?;"));
                    return format!(
                        "match {case}(r.varint()? as i32) {{ Some(case) => {{ {place} = {value}; {seen} }} None => {{ {stray} }} }}"
                    );
                }
                let once = match wire {
                    Wire::Message(_) | Wire::Group(_) | Wire::Row(_) | Wire::Alone(_) if context.again => {
                        let is_there = match (&is_seen, optional) {
                            (Some(seen), false) => seen.clone(),
                            (_, true) => format!("{place}.is_some()"),
                            // A default looks like a value that came: the slow reader decides.
                            (None, false) => "true".into(),
                        };
                        format!("if {is_there} {{ return Err(rt::read::Failed); }}\n")
                    }
                    _ => String::new(),
                };
                if let Wire::Message(index) | Wire::Group(index) = wire
                    && self.has_default(*index)
                {
                    let merge = self.function("merge", *index, context.ownership);
                    let path = self.types.path(*index, context.ownership);
                    let lent = context.ownership == Ownership::Borrowed && member.boxed;
                    let merge_into = |item: &str| {
                        let merge = format!("|r| r.apart(|r| {merge}({item}, r))");
                        format!("{}?;", self.around(member.number, wire, &merge))
                    };
                    let body = match (optional, lent) {
                        (_, true) => {
                            let value = if optional { "Some(item)" } else { "item" };
                            format!("let item = r.place({path}::default());\n{}\n{place} = {value};", merge_into("item"))
                        }
                        (true, false) => format!("let item = {place}.insert(Default::default());\n{}", merge_into("item")),
                        (false, false) => merge_into(&format!("&mut {place}")),
                    };
                    return format!("{once}{body}\n{seen}");
                }
                let value = self.value(member.number, wire, context.ownership);
                let value = if optional { format!("Some({value})") } else { value };
                format!("{once}{place} = {value};\n{seen}")
            }
            Comes::Oneof | Comes::Unknown => unreachable!("they are read elsewhere"),
        }
    }

    /// Returns statements that read a case of a oneof after its tag.
    fn assign_case(&self, index: usize, case: usize, choice: &Choice, place: &str, context: &Context<'_>) -> String {
        let ownership = context.ownership;
        let path = format!("{}::{}", self.types.path(index, ownership), self.types.case(index, case));
        let once = match choice.wire {
            Wire::Message(_) | Wire::Group(_) | Wire::Row(_) | Wire::Alone(_) if context.again => {
                format!("if matches!({place}, Some({path} {{ .. }})) {{ return Err(rt::read::Failed); }}\n")
            }
            _ => String::new(),
        };
        if let Some(inner) = self.closed(&choice.wire) {
            let made = self.construct(index, case, "case", ownership);
            let stray = context.keeps.map_or_else(String::new, |kept| format!("r.keep(&mut {kept}, mark)?;"));
            let from = self.function("case", inner, Ownership::Owned);
            return format!("match {from}(r.varint()? as i32) {{ Some(case) => {place} = Some({made}), None => {{ {stray} }} }}");
        }
        if let Wire::Message(inner) | Wire::Group(inner) = choice.wire
            && self.has_default(inner)
        {
            let merge = self.function("merge", inner, ownership);
            let merge = self.around(choice.number, &choice.wire, &format!("|r| r.apart(|r| {merge}(item, r))"));
            return if ownership == Ownership::Borrowed && choice.boxed {
                let inner = self.types.path(inner, ownership);
                format!("let item = r.place({inner}::default());\n{merge}?;\n{place} = Some({path}(item));")
            } else {
                format!("{once}if let {path}(item) = {place}.insert({path}(Default::default())) {{ {merge}?; }}")
            };
        }
        let value = self.value(choice.number, &choice.wire, ownership);
        format!("{once}{place} = Some({});", self.construct(index, case, &value, ownership))
    }

    /// Returns statements that read a packed field.
    fn packed(&self, wire: &Wire, place: &str, keeps: bool) -> String {
        match wire {
            Wire::Enum(index) => {
                let case = self.function("case", *index, Ownership::Owned);
                match (self.is_open(*index), keeps) {
                    (true, _) => format!("r.packed(&mut {place}, |number| Ok(Some({case}(number as i32))))?;"),
                    (false, false) => format!("r.packed(&mut {place}, |number| Ok({case}(number as i32)))?;"),
                    // A kept field is appended to the list first.
                    (false, true) => {
                        format!("r.packed(&mut {place}, |number| {case}(number as i32).map(Some).ok_or(rt::read::Failed))?;")
                    }
                }
            }
            Wire::Scalar(scalar) if scalar.wire_type() != 0 => {
                format!("r.packed_fixed(&mut {place}, {}::from_le_bytes)?;", fixed_type(*scalar))
            }
            Wire::Scalar(Scalar::Bool) => format!("r.packed_bools(&mut {place})?;"),
            Wire::Scalar(scalar) => {
                let value = of_number(*scalar, "number");
                match value.strip_suffix('?') {
                    Some(checked) => format!("r.packed(&mut {place}, |number| {checked}.map(Some))?;"),
                    None => format!("r.packed(&mut {place}, |number| Ok(Some({value})))?;"),
                }
            }
            _ => unreachable!("what has a length is not packed"),
        }
    }

    /// Returns statements that read the entry of a map, with its value: none if the value is a
    /// number that its enum does not have.
    fn entry(&self, key: Scalar, value: &Wire, ownership: Ownership) -> String {
        let borrowed = ownership == Ownership::Borrowed;
        let zero = |scalar: Scalar| match scalar {
            Scalar::String if borrowed => "\"\"",
            Scalar::Bytes if borrowed => "&[][..]",
            Scalar::Bool => "false",
            Scalar::Float | Scalar::Double => "0.0",
            Scalar::String => "String::new()",
            Scalar::Bytes => "Vec::new()",
            _ => "0",
        };
        let read_key = self.value(1, &Wire::Scalar(key), ownership);
        let key_tag = tag(1, key.wire_type())[0];
        let value_tag = tag(2, value.wire_type())[0];
        let (start, read, end) = match value {
            Wire::Scalar(scalar) => {
                (zero(*scalar).to_string(), format!("value = {};", self.value(2, value, ownership)), "Some((key, value))")
            }
            Wire::Enum(index) => {
                let case = self.function("case", *index, Ownership::Owned);
                let default = format!("{}::default()", self.types.path(*index, ownership));
                if self.is_open(*index) {
                    (default, format!("value = {case}(r.varint()? as i32);"), "Some((key, value))")
                } else {
                    (format!("Some({default})"), format!("value = {case}(r.varint()? as i32);"), "value.map(|value| (key, value))")
                }
            }
            // An absent value may lack required fields, and parts of a value are merged: the slow
            // reader does both.
            _ => {
                let once = "if value.is_some() { return Err(rt::read::Failed); }";
                (
                    "None".into(),
                    format!("{once}\nvalue = Some({});", self.value(2, value, ownership)),
                    "Some((key, value.ok_or(rt::read::Failed)?))",
                )
            }
        };
        format!(
            "let mut key = {};\nlet mut value = {start};\nif r.next([{key_tag:#04x}]) {{ key = {read_key}; }}\nif r.next([{value_tag:#04x}]) {{ {read} }}\n\
             while !r.done() {{ match r.tag()? {{ {key_tag} => key = {read_key}, {value_tag} => {{ {read} }} tag => r.skip(tag)?, }} }}\nOk({end})",
            zero(key)
        )
    }

    /// Returns an expression that reads a message or group with the function `read`, as a result.
    fn around(&self, number: u32, wire: &Wire, read: &str) -> String {
        match wire {
            Wire::Group(_) => format!("r.group({number}, {read})"),
            _ => format!("r.message({read})"),
        }
    }

    /// Returns an expression that reads a value after its tag.
    fn value(&self, number: u32, wire: &Wire, ownership: Ownership) -> String {
        let owned = ownership == Ownership::Owned;
        match wire {
            Wire::Scalar(Scalar::String) => if owned { "r.text()?.to_owned()" } else { "r.text()?" }.into(),
            Wire::Scalar(Scalar::Bytes) => if owned { "r.octets()?.to_vec()" } else { "r.octets()?" }.into(),
            Wire::Scalar(scalar) if scalar.wire_type() != 0 => format!("{}::from_le_bytes(r.fixed()?)", fixed_type(*scalar)),
            Wire::Scalar(scalar) => of_number(*scalar, "r.varint()?"),
            // The caller reads a closed enum, since it knows what becomes of other numbers.
            Wire::Enum(index) => format!("{}(r.varint()? as i32)", self.function("case", *index, Ownership::Owned)),
            Wire::Message(index) | Wire::Group(index) if self.has_default(*index) => {
                let merge = self.function("merge", *index, ownership);
                let merge = self.around(number, wire, &format!("|r| r.apart(|r| {merge}(&mut item, r))"));
                format!("{{ let mut item = {}::default(); {merge}?; item }}", self.types.path(*index, ownership))
            }
            Wire::Message(index) | Wire::Group(index) => {
                let read = self.function("read", *index, ownership);
                format!("{}?", self.around(number, wire, &format!("|r| r.apart({read})")))
            }
            Wire::Row(members) => {
                let row = self.row(members, ownership);
                let values: String = row.of.iter().map(|value| format!("{value}, ")).collect();
                format!("r.message(|r| {{ {}\nOk(({values})) }})?", row.body)
            }
            Wire::Alone(member) => {
                let row = self.row(std::slice::from_ref(&**member), ownership);
                format!("r.message(|r| {{ {}\nOk({}) }})?", row.body, row.of[0])
            }
            Wire::Oneof(_) | Wire::Entry(_) => unreachable!("they are read elsewhere"),
        }
    }
}

/// Statements that read fields, and an expression for the value of each.
struct Values {
    body: String,
    of: Vec<String>,
}

/// Returns the result whose value is an expression.
fn result(value: &str) -> String {
    value.strip_suffix('?').map_or_else(|| format!("Ok({value})"), str::to_string)
}

/// Returns Rust's type of a value of fixed size.
const fn fixed_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Double => "f64",
        Scalar::Float => "f32",
        Scalar::Fixed64 => "u64",
        Scalar::Fixed32 => "u32",
        Scalar::SFixed32 => "i32",
        _ => "i64",
    }
}

/// Returns the value of a varint. Numbers of 32 bits are cut from those of 64 (language guide,
/// "Updating A Message Type").
fn of_number(scalar: Scalar, number: &str) -> String {
    match scalar {
        Scalar::Bool => format!("{number} != 0"),
        Scalar::Int32 => format!("{number} as i32"),
        Scalar::Int64 => format!("{number} as i64"),
        Scalar::UInt32 => format!("{number} as u32"),
        Scalar::SInt32 => format!("rt::read::unzigzag(u64::from({number} as u32)) as i32"),
        Scalar::SInt64 => format!("rt::read::unzigzag({number})"),
        Scalar::Byte => format!("u8::try_from({number}).map_err(|_| rt::read::Failed)?"),
        Scalar::UInt16 => format!("u16::try_from({number}).map_err(|_| rt::read::Failed)?"),
        Scalar::Int8 => format!("i8::try_from({number} as i64).map_err(|_| rt::read::Failed)?"),
        Scalar::Int16 => format!("i16::try_from({number} as i64).map_err(|_| rt::read::Failed)?"),
        _ => number.to_string(),
    }
}
