//! USDS for the types of another schema language: a dictionary is made of the plan.
//!
//! Structs are structures, enums without values enumerations, others polymorphs whose members are
//! tags of their own, tuples inline structures. A message that is no structure is a root by a
//! structure around it, which takes no bytes.

use std::collections::HashSet;

use polywire_core::{Error, ErrorKind, Fault, Result};
use polywire_usds::dictionary::{Dictionary, Enumeration, Field as DictionaryField, Identity, Tag, Type as DictionaryType, section};
use polywire_usds::error::Revision;
use polywire_usds::language::unique;
use polywire_usds::wire::codes::Simple;

use super::plan::{Layout, Mapped, Member, Variant, Wire};
use crate::plan::{Body, Carries, Case, Field, Plan, Role, Type, TypeDef};

/// The encoding of a plan, under a dictionary of that name.
///
/// # Errors
/// Types that have no bytes in USDS, or bytes of another encoding within.
pub(super) fn mapped(plan: &Plan, name: &str) -> Result<Mapped> {
    if let Some(def) = plan.recursive() {
        return Err(refused(
            format!("`{}`, which holds itself", def.title),
            "leave this encoding out, or name the other one by a number or a name",
        ));
    }
    let mut making = Making { plan, tags: Vec::new(), wires: Vec::new(), layouts: Vec::new(), taken: HashSet::new(), ids: Vec::new() };
    for def in &plan.types {
        // Types may refer to those that come later, and views have no tag.
        let id = (def.role != Role::View).then(|| making.reserve(&def.name));
        making.ids.push(id);
    }
    for (index, def) in plan.types.iter().enumerate() {
        let layout = match making.ids[index] {
            Some(id) => making.define(index, id, def)?,
            None => Layout::Absent,
        };
        making.layouts.push(layout);
    }
    let mut roots = Vec::new();
    for (index, def) in plan.types.iter().enumerate().filter(|(_, def)| def.role == Role::Message) {
        let Some(id) = making.ids[index] else { continue };
        let id = match making.layouts[index] {
            Layout::Structure(_) => id,
            _ => making.wrapper(&def.name, index, id),
        };
        roots.push((index, id));
    }
    let Making { mut tags, wires, layouts, .. } = making;
    for tag in &mut tags {
        tag.root = !matches!(tag.ty, DictionaryType::Polymorph(_));
    }
    let name = unique(name, &mut HashSet::new());
    let dictionary = Dictionary::new(Revision::B, &name, Identity::default(), &tags).map_err(Error::from)?;
    let section = section::write(&dictionary, dictionary.wire()).map_err(|problem| refused(problem.text().into(), ""))?;
    Ok(Mapped { dictionary, section, plan: Plan::default(), layouts, tags: wires, roots })
}

#[cold]
fn refused(seen: String, hint: &'static str) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Schema).seen(seen).expected("types that USDS has bytes for").hint(hint)
}

struct Making<'p> {
    plan: &'p Plan,
    tags: Vec<Tag>,
    /// The layout of each tag.
    wires: Vec<Wire>,
    layouts: Vec<Layout>,
    taken: HashSet<String>,
    /// The tag of each type of the plan.
    ids: Vec<Option<u32>>,
}

impl Making<'_> {
    fn reserve(&mut self, name: &str) -> u32 {
        let name = unique(name, &mut self.taken);
        self.tags.push(Tag { name, ty: DictionaryType::Text { utf8: true }, root: true });
        self.wires.push(Wire::Row(Vec::new()));
        self.tags.len() as u32
    }

    fn set(&mut self, id: u32, ty: DictionaryType, wire: Wire) {
        self.tags[id as usize - 1].ty = ty;
        self.wires[id as usize - 1] = wire;
    }

    fn define(&mut self, index: usize, id: u32, def: &TypeDef) -> Result<Layout> {
        let (ty, layout) = match &def.body {
            Body::Struct(fields) => {
                let (members, fields) = self.fields(fields, &def.title)?;
                if members.is_empty() {
                    return Err(refused(format!("`{}`, which has no field", def.title), ""));
                }
                (DictionaryType::Structure(fields), Layout::Structure(members))
            }
            Body::Sum(cases) if cases.iter().all(|case| case.carries == Carries::Nothing) => {
                let subtype = if cases.len() <= 0x100 { Simple::Ubyte } else { Simple::Uint };
                let mut taken = HashSet::new();
                let members = cases.iter().zip(0..).map(|(case, number)| (unique(&case.name, &mut taken), number)).collect();
                let numbers = (0..cases.len() as i64).collect();
                (DictionaryType::Enumeration(Enumeration { subtype, members }), Layout::Enumeration(subtype, numbers))
            }
            Body::Sum(cases) => {
                let (mut members, mut variants) = (Vec::new(), Vec::new());
                for case in cases {
                    let tag = self.reserve(&case.name);
                    let (inside, fields) = self.case(case, &def.title)?;
                    self.set(tag, DictionaryType::Structure(fields), Wire::Row(inside.clone()));
                    members.push(tag);
                    let name = self.tags[tag as usize - 1].name.clone();
                    variants.push(Variant { tag, name, members: inside, has_value: case.carries != Carries::Nothing });
                }
                (DictionaryType::Polymorph(members), Layout::Variants(variants))
            }
        };
        self.set(id, ty, Wire::Named(index));
        Ok(layout)
    }

    fn case(&mut self, case: &Case, title: &str) -> Result<(Vec<Member>, Vec<DictionaryField>)> {
        match &case.carries {
            // No structure is without a field.
            Carries::Nothing => {
                let member = Member { name: "nothing".into(), wire: Wire::Simple(Simple::Boolean), nullable: true };
                let field = DictionaryField { nullable: true, ..plain("nothing", DictionaryType::Simple(Simple::Boolean)) };
                Ok((vec![member], vec![field]))
            }
            Carries::Values(values) => self.row(values, title),
            Carries::Fields(fields) => self.fields(fields, title),
        }
    }

    fn fields(&mut self, fields: &[Field], title: &str) -> Result<(Vec<Member>, Vec<DictionaryField>)> {
        let mut taken = HashSet::new();
        let (mut members, mut made) = (Vec::new(), Vec::new());
        for field in fields {
            if field.lazy {
                let hint = "its bytes stay in the encoding that they came in; take the mark away";
                return Err(refused(format!("the lazy field `{}` of `{title}`", field.name), hint));
            }
            let name = unique(&field.name, &mut taken);
            let (inner, nullable) = match &field.ty {
                Type::Optional(inner) => (&**inner, true),
                ty => (ty, false),
            };
            let (wire, ty) = self.ty(inner, title)?;
            members.push(Member { name: name.clone(), wire, nullable });
            made.push(DictionaryField { nullable, ..plain(&name, ty) });
        }
        Ok((members, made))
    }

    fn row(&mut self, parts: &[Type], title: &str) -> Result<(Vec<Member>, Vec<DictionaryField>)> {
        let (mut members, mut made) = (Vec::new(), Vec::new());
        for (part, n) in parts.iter().zip(1..) {
            let (wire, ty) = self.ty(part, title)?;
            members.push(Member { name: format!("_{n}"), wire, nullable: false });
            made.push(plain(&format!("_{n}"), ty));
        }
        Ok((members, made))
    }

    fn ty(&mut self, ty: &Type, title: &str) -> Result<(Wire, DictionaryType)> {
        let simple = match ty {
            Type::Bool => Simple::Boolean,
            Type::Byte => Simple::Ubyte,
            Type::Int8 => Simple::Byte,
            Type::Int16 => Simple::Short,
            Type::Uint16 => Simple::Ushort,
            Type::Int32 => Simple::Int,
            Type::Uint32 => Simple::Uint,
            Type::Int => Simple::Varint,
            Type::Uint => Simple::Uvarint,
            Type::Single => Simple::Float,
            Type::Float => Simple::Double,
            Type::Text => return Ok((Wire::Text, DictionaryType::Text { utf8: true })),
            Type::Bytes => return Ok((Wire::Octets, DictionaryType::Text { utf8: false })),
            Type::List(element) => {
                let (wire, ty) = self.ty(element, title)?;
                return Ok((Wire::Array(Box::new(wire)), DictionaryType::Array(Box::new(ty))));
            }
            Type::Map(..) => {
                return Err(refused(format!("a map in `{title}`"), "say it as a list of messages with a key and a value"));
            }
            // A type that does not hold itself is behind a pointer where it is too large for its
            // place.
            Type::Boxed(_) => return Err(refused(format!("a value behind a pointer in `{title}`"), "")),
            Type::Tuple(parts) => {
                let (members, fields) = self.row(parts, title)?;
                return Ok((Wire::Row(members), DictionaryType::Structure(fields)));
            }
            Type::Named(index) => {
                let Some(id) = self.ids[*index] else {
                    return Err(refused(format!("`{}` in `{title}`, which only views another message", self.plan.types[*index].title), ""));
                };
                return Ok((Wire::Named(*index), DictionaryType::Link(id)));
            }
            Type::Optional(_) => return Err(refused(format!("an optional value in `{title}` that is no field"), "")),
            Type::External(_, name) => {
                return Err(refused(format!("`{name}` in `{title}`, a message of another module"), "include its file instead"));
            }
        };
        Ok((Wire::Simple(simple), DictionaryType::Simple(simple)))
    }

    /// A structure around a message that cannot be a root.
    fn wrapper(&mut self, name: &str, index: usize, inner: u32) -> u32 {
        let id = self.reserve(&format!("{name}_message"));
        let member = Member { name: "value".into(), wire: Wire::Named(index), nullable: false };
        self.set(id, DictionaryType::Structure(vec![plain("value", DictionaryType::Link(inner))]), Wire::Row(vec![member]));
        id
    }
}

fn plain(name: &str, ty: DictionaryType) -> DictionaryField {
    DictionaryField { name: name.into(), ty, nullable: false, default: None }
}
