//! Resolution of modules: names, parameters, objects and constraints become the [`Model`].
//!
//! Types are drafted first, each by a list of work, so that references cost no stack. Values, tags
//! and constraints follow when all types are drafted.

mod constraints;
mod finish;
mod json;
mod names;
mod objects;
mod types;
mod values;

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use polywire_core::Limits;
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Severity, Source};
use smol_str::SmolStr;

use crate::lex::{Kind, Words};
use crate::model::{Constraints, Model, TableId, TypeId};
use crate::parse::{self, By};
use crate::syntax::{
    Argument, Assignment, AssignmentKind, Class, Constraint, EnumerationItem, JsonInstruction, Module, Name, NamedNumber, Span, TagClass,
    Tagging, Type, Value,
};

/// Classes that the standard defines (X.681 annexes A and B), and the types that stand for
/// EXTERNAL, EMBEDDED PDV and CHARACTER STRING (X.680 36.5, 37.5, 44.5; for EXTERNAL as X.690 8.18
/// writes it).
const STANDARD: &str = "\
Standard DEFINITIONS ::= BEGIN
TYPE-IDENTIFIER ::= CLASS { &id OBJECT IDENTIFIER UNIQUE, &Type } WITH SYNTAX { &Type IDENTIFIED BY &id }
ABSTRACT-SYNTAX ::= CLASS {
  &id OBJECT IDENTIFIER UNIQUE, &Type, &property BIT STRING { handles-invalid-encodings(0) } DEFAULT {}
} WITH SYNTAX { &Type IDENTIFIED BY &id [HAS PROPERTY &property] }
External ::= [UNIVERSAL 8] IMPLICIT SEQUENCE {
  direct-reference OBJECT IDENTIFIER OPTIONAL, indirect-reference INTEGER OPTIONAL,
  data-value-descriptor ObjectDescriptor OPTIONAL,
  encoding CHOICE {
    single-ASN1-type [0] EXPLICIT ANY, octet-aligned [1] IMPLICIT OCTET STRING, arbitrary [2] IMPLICIT BIT STRING
  }
}
EmbeddedPdv ::= [UNIVERSAL 11] IMPLICIT SEQUENCE {
  identification [0] EXPLICIT Identification, data-value [2] IMPLICIT OCTET STRING
}
CharacterString ::= [UNIVERSAL 29] IMPLICIT SEQUENCE {
  identification [0] EXPLICIT Identification, string-value [2] IMPLICIT OCTET STRING
}
Identification ::= CHOICE {
  syntaxes [0] IMPLICIT SEQUENCE { abstract [0] IMPLICIT OBJECT IDENTIFIER, transfer [1] IMPLICIT OBJECT IDENTIFIER },
  syntax [1] IMPLICIT OBJECT IDENTIFIER,
  presentation-context-id [2] IMPLICIT INTEGER,
  context-negotiation [3] IMPLICIT SEQUENCE {
    presentation-context-id [0] IMPLICIT INTEGER, transfer-syntax [1] IMPLICIT OBJECT IDENTIFIER
  },
  transfer-syntax [4] IMPLICIT OBJECT IDENTIFIER,
  fixed [5] IMPLICIT NULL
}
END
";

/// Most types of a model. Parameters let a short text have any number of types.
const MAX_TYPES: usize = 1_000_000;

/// Most scopes of parameters within each other.
const MAX_SCOPES: u32 = 64;

/// Most references from value to value, object to object or set to set.
const MAX_CHAIN: u32 = 100;

type Map<K, V> = HashMap<K, V, RandomState>;

/// Modules on their way to a model.
///
/// ```
/// use polywire_asn1::Modules;
/// use polywire_core::Limits;
///
/// let mut modules = Modules::new(); modules.add("tickets.asn", b"Tickets DEFINITIONS AUTOMATIC
/// TAGS ::= BEGIN Zone ::= INTEGER (1..9) END"); let model =
/// modules.resolve(&Limits::DEFAULT).expect("it is right"); let zone =
/// model.ty(model.named("Tickets", "Zone").expect("it is there"));
/// assert_eq!(zone.constraints.value.map(|bounds| bounds.range.high), Some(Some(9)));
/// ```
#[derive(Debug)]
pub struct Modules {
    texts: Vec<Words>,
    names: Vec<String>,
    modules: Vec<Module>,
    found: Vec<Diagnostic>,
    /// Last text whose every assignment is resolved. Later texts have those that are used.
    own: Option<u32>,
}

impl Default for Modules {
    fn default() -> Modules {
        Modules::new()
    }
}

impl Modules {
    /// Returns no modules but that of the standard.
    pub fn new() -> Modules {
        let mut modules = Modules { texts: Vec::new(), names: Vec::new(), modules: Vec::new(), found: Vec::new(), own: None };
        modules.add("the standard", STANDARD.as_bytes());
        modules
    }

    /// Adds a text of one or several modules. `name` is its path, or another name for people. Bytes
    /// that are not UTF-8 are read as Latin-1.
    pub fn add(&mut self, name: impl Into<String>, bytes: &[u8]) {
        let source = self.texts.len() as u32;
        if bytes.len() >= u32::MAX as usize {
            self.found.push(Diagnostic::error("large_text", Place { source, ..Place::default() }, "a text of more than 4 GiB"));
            return;
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_string(),
            Err(wrong) => {
                let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
                // Bytes from 80 on are two each in the text.
                let length = |bytes: &[u8]| bytes.iter().map(|byte| 1 + u32::from(*byte >= 0x80)).sum::<u32>();
                let start = length(&bytes[..wrong.valid_up_to()]);
                let place = Place { source, start, end: start + 2 };
                self.found.push(Diagnostic::warning("latin1", place, "the text is not UTF-8, and is read as Latin-1"));
                text
            }
        };
        let (words, found) = Words::new(source, text);
        self.found.extend(found);
        self.modules.extend(parse::modules(&words, &mut self.found));
        self.texts.push(words);
        self.names.push(name.into());
    }

    /// Makes texts that are added from now on a library: the assignments that others use are
    /// resolved, and mistakes of syntax elsewhere are cautions.
    pub fn library(&mut self) {
        self.own = Some(self.texts.len() as u32 - 1);
    }

    /// Returns the modules as they are written, without that of the standard.
    pub fn modules(&self) -> &[Module] {
        &self.modules[1..]
    }

    /// Returns the names of modules that others import and that no text has, each once.
    pub fn missing(&self) -> Vec<SmolStr> {
        let mut missing: Vec<SmolStr> = Vec::new();
        for import in self.modules.iter().flat_map(|module| &module.imports) {
            let name = &import.from.text;
            if !import.symbols.is_empty() && !missing.contains(name) && self.modules.iter().all(|module| module.name.text != *name) {
                missing.push(name.clone());
            }
        }
        missing
    }

    /// Returns the imports from modules that no text has.
    pub(crate) fn missing_imports(&self) -> Vec<Import> {
        let known: HashSet<&str> = self.modules.iter().map(|module| module.name.text.as_str()).collect();
        let imports = self.modules.iter().flat_map(|module| &module.imports);
        let missing = imports.filter(|import| !import.symbols.is_empty() && !known.contains(import.from.text.as_str()));
        missing
            .map(|import| Import {
                name: import.from.text.clone(),
                oid: import.oid.map(|oid| oid_numbers(&self.texts[import.from.at.source as usize], oid)).unwrap_or_default(),
                source: import.from.at.source,
            })
            .collect()
    }

    /// Returns the numbers of the object identifier that a module has in a text, or `None` if the
    /// text lacks the module.
    pub(crate) fn oid_in(bytes: &[u8], name: &str) -> Option<Vec<String>> {
        let mut modules = Modules::new();
        modules.add("", bytes);
        let module = modules.modules().iter().find(|module| module.name.text == name)?;
        Some(module.oid.map(|oid| oid_numbers(&modules.texts[1], oid)).unwrap_or_default())
    }

    /// Returns the name of a text.
    pub(crate) fn name(&self, source: u32) -> &str {
        self.names.get(source as usize).map_or("", String::as_str)
    }

    /// Returns the words of a text.
    pub(crate) fn text(&self, source: u32) -> Option<&Words> {
        self.texts.get(source as usize)
    }

    /// Notes that a text has more than `most` bytes.
    pub(crate) fn too_long(&mut self, name: &str, most: usize) {
        self.add(name, b"");
        self.found.retain(|finding| finding.code != "no_module");
        let at = Place { source: self.texts.len() as u32 - 1, ..Place::default() };
        self.found.push(Diagnostic::error("large_text", at, format!("a text of more than {most} bytes")));
    }

    /// Resolves the modules. Imports from modules that no text has are cautions.
    ///
    /// # Errors
    /// All mistakes that one run can find, and cautions.
    pub fn resolve(mut self, limits: &Limits) -> Result<Model, Diagnostics> {
        let mut found = std::mem::take(&mut self.found);
        for finding in found.iter_mut().filter(|finding| self.own.is_some_and(|own| finding.at.source > own)) {
            finding.severity = Severity::Warning;
        }
        let mut resolver = Resolver::new(&self, limits);
        resolver.found = found;
        resolver.run();
        let model = resolver.finish();
        let (found, mut model) = model;
        let sources: Vec<Source> = self.names.into_iter().zip(self.texts).map(|(name, words)| Source::new(name, words.text)).collect();
        if found.iter().any(|finding| finding.severity == Severity::Error) {
            return Err(Diagnostics { sources, findings: found });
        }
        (model.sources, model.cautions) = (sources, found);
        Ok(model)
    }
}

/// Import from a module that no text has.
#[derive(Debug, Clone)]
pub(crate) struct Import {
    /// Name of the module.
    pub(crate) name: SmolStr,
    /// Numbers of its object identifier, if one is written.
    pub(crate) oid: Vec<String>,
    /// Index of the text that imports it.
    pub(crate) source: u32,
}

/// Returns the numbers in an object identifier as they are written.
fn oid_numbers(words: &Words, oid: Span) -> Vec<String> {
    let words_of = words.words[oid.start as usize..oid.end as usize].iter();
    words_of.filter(|word| word.kind == Kind::Number).map(|word| words.of(*word).to_string()).collect()
}

/// Index of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct ScopeId(u32);

/// Module and parameters that a piece of text is read in.
#[derive(Debug, Clone, Default)]
struct Scope {
    module: u32,
    parameters: Vec<(SmolStr, Binding)>,
    depth: u32,
}

/// Actual parameter.
#[derive(Debug, Clone)]
enum Binding {
    Type(TypeId),
    Class(ClassRef),
    Value(Value, ScopeId),
    /// A value set or object set in braces, with its governor and the governor's scope.
    Set(SetRef),
    /// A parameter with an error of its own.
    Unknown,
}

/// Parts of a binding by which instances differ.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Type(TypeId),
    Class(ClassRef),
    Text(u32, Span, ScopeId),
    Unknown,
}

impl Binding {
    fn key(&self) -> Key {
        match self {
            Binding::Type(id) => Key::Type(*id),
            Binding::Class(class) => Key::Class(*class),
            Binding::Value(value, scope) => Key::Text(value.at.source, value.span, *scope),
            Binding::Set(set) => Key::Text(u32::MAX, set.span, set.scope),
            Binding::Unknown => Key::Unknown,
        }
    }
}

/// Class: an assignment of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ClassRef {
    module: u32,
    index: u32,
    scope: ScopeId,
}

/// Set in braces, with the scope that it is read in.
#[derive(Debug, Clone)]
struct SetRef {
    span: Span,
    scope: ScopeId,
    governor: Option<Governor>,
}

/// Type or class of a set or value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Governor {
    Class(ClassRef),
    Type(TypeId),
}

/// Result of looking a name up.
#[derive(Debug, Clone)]
enum Entity {
    Assignment(u32, u32),
    Parameter(Binding),
    /// The name comes from a module that the texts lack, or has been reported.
    Unknown,
}

/// Type of which references are known, and nothing else.
#[derive(Debug, Clone)]
struct Draft {
    name: Option<(u32, SmolStr)>,
    at: Place,
    scope: ScopeId,
    tags: Vec<DraftTag>,
    /// Encoding instructions of JER, but NAME.
    json: Vec<JsonInstruction>,
    form: Form,
    constraints: Vec<(Constraint, ScopeId)>,
    table: Option<(TableId, SmolStr, Vec<crate::model::Relation>)>,
    contents: Option<TypeId>,
}

#[derive(Debug, Clone)]
struct DraftTag {
    at: Place,
    class: TagClass,
    number: Value,
    /// The number, where it is written as digits.
    known: Option<u64>,
    scope: ScopeId,
    tagging: Tagging,
}

#[derive(Debug, Clone)]
enum Form {
    /// Work on the type has not begun.
    Pending,
    Boolean,
    Null,
    Real,
    Integer(Vec<NamedNumber>),
    Enumerated(Vec<EnumerationItem>),
    Bits(Vec<NamedNumber>),
    Octets,
    Oid,
    RelativeOid,
    OidIri,
    RelativeOidIri,
    External,
    EmbeddedPdv,
    CharacterString,
    Text(crate::syntax::StringKind),
    Time(crate::syntax::TimeKind),
    Structure {
        set: bool,
        items: Vec<DraftItem>,
    },
    List {
        set: bool,
        element: TypeId,
    },
    Choice(Vec<DraftItem>),
    Alias(TypeId),
    Selection(Name, TypeId),
    /// An open type; with the class and field that it is of, if it is one's.
    Open,
    Unknown,
}

#[derive(Debug, Clone)]
enum DraftItem {
    Component {
        name: Name,
        ty: TypeId,
        tagged: bool,
        /// True if the type is a dummy parameter, whose tag is explicit (X.680 31.2.7).
        dummy: bool,
        optional: bool,
        default: Option<Value>,
        /// Name of the member in JER, if it is another one.
        json_name: Option<SmolStr>,
    },
    ComponentsOf(TypeId, Place),
    Marker,
    Group(Vec<DraftItem>, Option<u64>),
}

/// Object of a class.
#[derive(Debug, Clone)]
struct Object {
    class: ClassRef,
    settings: Vec<(SmolStr, Setting)>,
}

#[derive(Debug, Clone)]
enum Setting {
    Type(TypeId),
    Value(Value, ScopeId),
    Set(SetRef),
}

/// Objects of a set, by their indexes.
#[derive(Debug, Clone, Default)]
struct ObjectSet {
    objects: Vec<u32>,
    extensible: bool,
}

/// A step that is left to do.
#[derive(Debug, Clone)]
enum Work {
    /// Draft the type of an assignment.
    Assigned { id: TypeId, module: u32, index: u32, scope: ScopeId },
    /// Check an object or object set that a module assigns.
    Check { module: u32, index: u32 },
    /// Draft the types of a table's objects.
    Table { id: TableId, class: ClassRef, set: SetRef },
}

struct Resolver<'m> {
    texts: &'m [Words],
    modules: &'m [Module],
    own: Option<u32>,
    limits: Limits,
    by_name: Map<&'m str, Vec<u32>>,
    assigned: Vec<Map<&'m str, u32>>,
    imported: Vec<Map<&'m str, u32>>,
    scopes: Vec<Scope>,
    drafts: Vec<Draft>,
    work: Vec<Work>,
    types: Map<(u32, u32), TypeId>,
    instances: Map<(u32, u32, Vec<Key>), TypeId>,
    instance_scopes: Map<(u32, u32, Vec<Key>), ScopeId>,
    objects: Vec<Object>,
    object_ids: Map<(u32, Span, ScopeId, ClassRef), Option<u32>>,
    sets: Vec<ObjectSet>,
    set_ids: Map<(Span, ScopeId, ClassRef), u32>,
    tables: Vec<crate::model::Table>,
    table_ids: Map<(Span, ScopeId, ClassRef), TableId>,
    /// Class and set of each table.
    table_sets: Vec<(ClassRef, Option<u32>)>,
    /// Governors of the fields of classes.
    fields: Map<(ClassRef, SmolStr), Option<Governor>>,
    /// Value assignments with their types.
    assigned_values: Vec<(u32, u32, TypeId)>,
    /// Values that are actual parameters, with their scopes and the types of their dummies.
    given_values: Vec<(Value, ScopeId, TypeId)>,
    known_values: Map<(u32, u32), Option<(TypeId, crate::model::Value)>>,
    enumerations: Map<TypeId, std::sync::Arc<crate::model::Enumeration>>,
    structures: Map<TypeId, std::sync::Arc<crate::model::Structure>>,
    choices: Map<TypeId, std::sync::Arc<crate::model::Choice>>,
    tag_lists: Map<TypeId, Vec<crate::model::Tag>>,
    busy: HashSet<TypeId, RandomState>,
    integer: Option<TypeId>,
    chain: u32,
    effective: Map<TypeId, Option<Constraints>>,
    found: Vec<Diagnostic>,
    reported: HashSet<(&'static str, Place), RandomState>,
    full: bool,
}

impl<'m> Resolver<'m> {
    fn new(set: &'m Modules, limits: &Limits) -> Resolver<'m> {
        let mut by_name: Map<&str, Vec<u32>> = Map::default();
        for (index, module) in set.modules.iter().enumerate().skip(1) {
            by_name.entry(&module.name.text).or_default().push(index as u32);
        }
        let scopes = (0..set.modules.len() as u32).map(|module| Scope { module, ..Scope::default() }).collect();
        Resolver {
            texts: &set.texts,
            modules: &set.modules,
            own: set.own,
            limits: *limits,
            by_name,
            assigned: Vec::new(),
            imported: Vec::new(),
            scopes,
            drafts: Vec::new(),
            work: Vec::new(),
            types: Map::default(),
            instances: Map::default(),
            instance_scopes: Map::default(),
            objects: Vec::new(),
            object_ids: Map::default(),
            sets: Vec::new(),
            set_ids: Map::default(),
            tables: Vec::new(),
            table_ids: Map::default(),
            table_sets: Vec::new(),
            fields: Map::default(),
            assigned_values: Vec::new(),
            given_values: Vec::new(),
            known_values: Map::default(),
            enumerations: Map::default(),
            structures: Map::default(),
            choices: Map::default(),
            tag_lists: Map::default(),
            busy: HashSet::default(),
            integer: None,
            chain: 0,
            effective: Map::default(),
            found: Vec::new(),
            reported: HashSet::default(),
            full: false,
        }
    }

    /// Drafts all types.
    fn run(&mut self) {
        self.index_names();
        for module in 0..self.modules.len() as u32 {
            if self.own.is_some_and(|own| self.module(module).name.at.source > own) {
                continue;
            }
            let assignments: &'m [Assignment] = &self.modules[module as usize].assignments;
            for (index, assignment) in assignments.iter().enumerate() {
                if !assignment.parameters.is_empty() {
                    continue;
                }
                let index = index as u32;
                match &assignment.kind {
                    AssignmentKind::Type(ty) if !self.names_class(ty, ScopeId(module)) => {
                        self.assigned_type(module, index);
                    }
                    AssignmentKind::Value { .. } | AssignmentKind::Set { .. } => self.work.push(Work::Check { module, index }),
                    _ => {}
                }
            }
        }
        while let Some(work) = self.work.pop() {
            self.step(work);
        }
    }

    fn step(&mut self, work: Work) {
        match work {
            Work::Assigned { id, module, index, scope } => self.draft_assigned(id, module, index, scope),
            Work::Check { module, index } => self.check_assigned(module, index),
            Work::Table { id, class, set } => self.draft_table(id, class, &set),
        }
    }

    fn module(&self, module: u32) -> &'m Module {
        &self.modules[module as usize]
    }

    fn assignment(&self, module: u32, index: u32) -> &'m Assignment {
        &self.modules[module as usize].assignments[index as usize]
    }

    fn scope(&self, scope: ScopeId) -> &Scope {
        &self.scopes[scope.0 as usize]
    }

    /// Returns the words that a scope's text is of.
    fn words(&self, scope: ScopeId) -> &'m Words {
        let module = self.module(self.scope(scope).module);
        &self.texts[module.name.at.source as usize]
    }

    fn class(&self, class: ClassRef) -> &'m Class {
        match &self.assignment(class.module, class.index).kind {
            AssignmentKind::Class(class) => class,
            _ => &EMPTY,
        }
    }

    /// Notes a finding, once for each place.
    fn report(&mut self, finding: Diagnostic) {
        if self.reported.insert((finding.code, finding.at)) {
            self.found.push(finding);
        }
    }

    fn error(&mut self, code: &'static str, at: Place, message: impl Into<String>, hint: &str) {
        self.report(Diagnostic::error(code, at, message).hint(hint));
    }

    fn caution(&mut self, code: &'static str, at: Place, message: impl Into<String>, hint: &str) {
        self.report(Diagnostic::warning(code, at, message).hint(hint));
    }

    /// Adds a scope of parameters. Returns `None` if too many are within each other.
    fn new_scope(&mut self, module: u32, parameters: Vec<(SmolStr, Binding)>, from: ScopeId, at: Place) -> Option<ScopeId> {
        let depth = self.scope(from).depth + 1;
        if depth > MAX_SCOPES || self.scopes.len() >= MAX_TYPES {
            self.error(
                "endless_parameters",
                at,
                "parameters lead to ever new types",
                "a type may refer to itself with the same parameters alone",
            );
            return None;
        }
        self.scopes.push(Scope { module, parameters, depth });
        Some(ScopeId(self.scopes.len() as u32 - 1))
    }

    /// Adds a draft. Past the limit, the last one is returned, and an error noted.
    fn add(&mut self, draft: Draft) -> TypeId {
        if self.drafts.len() >= MAX_TYPES.min(usize::try_from(self.limits.items).unwrap_or(MAX_TYPES)) && !self.drafts.is_empty() {
            if !self.full {
                self.full = true;
                self.found.push(
                    Diagnostic::error("too_many_types", draft.at, format!("more than {} types", self.drafts.len()))
                        .hint("the limit guards against texts whose parameters multiply types"),
                );
            }
            return TypeId(self.drafts.len() as u32 - 1);
        }
        self.drafts.push(draft);
        TypeId(self.drafts.len() as u32 - 1)
    }

    fn simple(&mut self, form: Form, at: Place, scope: ScopeId) -> TypeId {
        self.add(Draft {
            name: None,
            at,
            scope,
            tags: Vec::new(),
            json: Vec::new(),
            form,
            constraints: Vec::new(),
            table: None,
            contents: None,
        })
    }

    /// Runs a step that may lead to itself. `None`, with an error: the chain is too long.
    fn chained<T>(&mut self, at: Place, step: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.chain >= MAX_CHAIN {
            self.error("circle", at, "this leads to itself, or through too many names", "break the circle (X.680 16.1)");
            return None;
        }
        self.chain += 1;
        let result = step(self);
        self.chain -= 1;
        result
    }

    /// Takes the findings of a parser, and returns its result without the error.
    fn parsed<T>(&mut self, result: parse::Parsed<T>) -> Option<T> {
        match result.by("X.680 17.7") {
            Ok(value) => Some(value),
            Err(error) => {
                self.report(*error);
                None
            }
        }
    }
}

static EMPTY: Class = Class { at: Place { source: 0, start: 0, end: 0 }, fields: Vec::new(), notation: None };

/// Returns the type of an argument, if it has that form.
fn argument_type(argument: &Argument) -> Option<&Type> {
    match argument {
        Argument::Type(ty) => Some(ty),
        _ => None,
    }
}
