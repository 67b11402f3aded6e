//! Elements and types of XML Schema, as far as parameters and rows need them.

use std::collections::HashMap;

use roxmltree::Node;

use super::documents::{Documents, QName, XSD, child, resolve, text};
use crate::Imported;

/// The deepest elements within elements that are looked at.
const DEEPEST: usize = 6;

/// The most fields of one message.
const MOST_FIELDS: usize = 300;

/// The most types that are looked at for one message: types may hold each other.
const MOST_TYPES: usize = 2000;

/// The form of the names of an element's children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// They are in the namespace of the element.
    Qualified,
    /// They are in none.
    Unqualified,
}

/// The content of an element.
#[derive(Debug)]
pub(super) struct Content {
    pub form: Form,
    pub fields: Vec<Field>,
}

/// A child of an element.
#[derive(Debug)]
pub(super) struct Field {
    pub name: String,
    /// Type in words.
    pub kind: String,
    pub required: bool,
    /// It may come several times.
    pub many: bool,
    pub about: String,
    /// Its children.
    pub inner: Vec<Field>,
}

/// The schemas of a description.
pub(super) struct Schemas<'d> {
    elements: HashMap<QName<'d>, Node<'d, 'd>>,
    types: HashMap<QName<'d>, Node<'d, 'd>>,
    groups: HashMap<QName<'d>, Node<'d, 'd>>,
}

/// The search for the fields of one message.
struct Search<'s, 'd> {
    schemas: &'s Schemas<'d>,
    /// Namespace of the element.
    namespace: &'d str,
    form: Option<Form>,
    /// Types that may still be looked at.
    left: usize,
    fields: usize,
    /// Remarks on parts that cannot be sent.
    odd: Vec<String>,
}

impl<'d> Schemas<'d> {
    /// Gathers what all schemas define.
    pub fn new(documents: &'d Documents<'d>) -> Schemas<'d> {
        let mut this = Schemas { elements: HashMap::new(), types: HashMap::new(), groups: HashMap::new() };
        for schema in documents.schemas() {
            let namespace = schema.attribute("targetNamespace").unwrap_or_default();
            for node in schema.children().filter(Node::is_element) {
                let Some(name) = node.attribute("name") else { continue };
                let map = match node.tag_name().name() {
                    "element" => &mut this.elements,
                    "complexType" | "simpleType" => &mut this.types,
                    "group" => &mut this.groups,
                    _ => continue,
                };
                map.entry(QName { namespace, name }).or_insert(node);
            }
        }
        this
    }

    /// Returns the content of a global element, with remarks on what a table cannot send.
    pub fn element(&self, name: &QName<'d>, imported: &mut Imported, place: &str) -> Content {
        let mut search = Search { schemas: self, namespace: name.namespace, form: None, left: MOST_TYPES, fields: 0, odd: Vec::new() };
        let fields = match self.elements.get(name) {
            Some(element) => search.children_of(*element, 0),
            None => {
                search.odd.push(format!("the element `{}` is not described", name.name));
                Vec::new()
            }
        };
        search.odd.iter().for_each(|odd| imported.remark(place, odd));
        Content { form: search.form.unwrap_or(Form::Qualified), fields }
    }
}

impl<'d> Search<'_, 'd> {
    /// Returns the children of an element.
    fn children_of(&mut self, element: Node<'d, 'd>, depth: usize) -> Vec<Field> {
        let mut found = Vec::new();
        let named = element.attribute("type").map(|name| resolve(element, name));
        let own = child(element, XSD, "complexType");
        if let Some(node) = own.or_else(|| self.schemas.types.get(&named?).copied()) {
            self.of_type(node, depth, &mut found);
        }
        found
    }

    /// Adds the fields of a complex type.
    fn of_type(&mut self, node: Node<'d, 'd>, depth: usize, found: &mut Vec<Field>) {
        let Some(left) = self.left.checked_sub(1).filter(|_| depth < DEEPEST) else { return };
        self.left = left;
        for part in node.children().filter(Node::is_element) {
            match part.tag_name().name() {
                "sequence" | "all" | "choice" | "group" => self.of_group(part, depth, false, found),
                "complexContent" | "simpleContent" => {
                    for derived in part.children().filter(Node::is_element) {
                        let base = derived.attribute("base").map(|name| resolve(derived, name));
                        let base = base.and_then(|base| self.schemas.types.get(&base).copied());
                        if let Some(base) = base.filter(|_| derived.tag_name().name() == "extension") {
                            self.of_type(base, depth + 1, found);
                        }
                        self.of_type(derived, depth + 1, found);
                    }
                }
                "attribute" if part.attribute("use") == Some("required") => {
                    let name = part.attribute("name").unwrap_or_default();
                    self.odd.push(format!("the attribute `{name}` is required, and no table sends one: write a body template"));
                }
                _ => {}
            }
        }
    }

    /// Adds the fields of a sequence, choice or group.
    fn of_group(&mut self, node: Node<'d, 'd>, depth: usize, optional: bool, found: &mut Vec<Field>) {
        let Some(left) = self.left.checked_sub(1).filter(|_| depth < 4 * DEEPEST) else { return };
        self.left = left;
        let optional = optional || node.tag_name().name() == "choice" || node.attribute("minOccurs") == Some("0");
        if let Some(name) = node.attribute("ref").filter(|_| node.tag_name().name() == "group") {
            let Some(group) = self.schemas.groups.get(&resolve(node, name)).copied() else { return };
            for part in group.children().filter(Node::is_element) {
                self.of_group(part, depth + 1, optional, found);
            }
            return;
        }
        for part in node.children().filter(Node::is_element) {
            match part.tag_name().name() {
                "element" => found.extend(self.field(part, depth, optional)),
                "sequence" | "choice" | "all" | "group" => self.of_group(part, depth + 1, optional, found),
                "any" => self.odd.push("has room for any element, which no parameter names".to_owned()),
                _ => {}
            }
        }
    }

    fn field(&mut self, node: Node<'d, 'd>, depth: usize, optional: bool) -> Option<Field> {
        self.fields += 1;
        if self.fields > MOST_FIELDS {
            return None;
        }
        let global = node.attribute("ref").map(|name| resolve(node, name));
        let element = match &global {
            Some(name) => self.schemas.elements.get(name).copied().unwrap_or(node),
            None => node,
        };
        let name = global.as_ref().map(|name| name.name).or_else(|| node.attribute("name"))?;
        self.names_are(node, global.as_ref(), name);
        let named = element.attribute("type").map(|name| resolve(element, name));
        let about = child(element, XSD, "annotation").and_then(|note| child(note, XSD, "documentation")).map(text);
        let about = about.as_deref().and_then(|about| about.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned));
        let inner = if depth + 1 < DEEPEST { self.children_of(element, depth + 1) } else { Vec::new() };
        let occurs = |name: &str| node.attribute(name);
        Some(Field {
            name: name.to_owned(),
            kind: self.kind(element, named.as_ref()),
            required: !optional && occurs("minOccurs") != Some("0"),
            many: occurs("maxOccurs").is_some_and(|most| most != "1" && most != "0"),
            about: about.unwrap_or_default(),
            inner,
        })
    }

    /// Notes the form of a child's name. All must be alike: a table has one form for all.
    fn names_are(&mut self, node: Node<'d, 'd>, global: Option<&QName<'d>>, name: &str) {
        let schema = node.ancestors().find(|above| above.has_tag_name((XSD, "schema")));
        let default = schema.and_then(|schema| schema.attribute("elementFormDefault")).unwrap_or("unqualified");
        let (form, namespace) = match global {
            Some(global) => (Form::Qualified, global.namespace),
            None if node.attribute("form").unwrap_or(default) == "qualified" => {
                (Form::Qualified, schema.and_then(|schema| schema.attribute("targetNamespace")).unwrap_or_default())
            }
            None => (Form::Unqualified, ""),
        };
        let fits = form == Form::Unqualified || namespace == self.namespace;
        if (!fits || self.form.is_some_and(|known| known != form)) && self.odd.len() < 5 {
            let seen = if namespace.is_empty() { "no namespace".to_owned() } else { format!("the namespace {namespace}") };
            self.odd.push(format!("`{name}` is in {seen}, others are not: services that look at namespaces need a body template"));
        }
        self.form.get_or_insert(form);
    }

    /// Returns the type of an element in words.
    fn kind(&self, element: Node<'d, 'd>, named: Option<&QName<'d>>) -> String {
        let simple = child(element, XSD, "simpleType")
            .or_else(|| self.schemas.types.get(named?).copied().filter(|node| node.has_tag_name((XSD, "simpleType"))));
        if let Some(restriction) = simple.and_then(|simple| child(simple, XSD, "restriction")) {
            let values: Vec<&str> = restriction
                .children()
                .filter(|node| node.has_tag_name((XSD, "enumeration")))
                .filter_map(|node| node.attribute("value"))
                .collect();
            let shown: Vec<String> = values.iter().take(12).map(|value| format!("`{value}`")).collect();
            if !shown.is_empty() {
                return format!("one of {}{}", shown.join(", "), if values.len() > 12 { ", …" } else { "" });
            }
            return restriction
                .attribute("base")
                .map(|name| resolve(restriction, name).name.to_owned())
                .unwrap_or_else(|| "string".to_owned());
        }
        named.map_or_else(|| "object".to_owned(), |name| name.name.to_owned())
    }
}

impl Content {
    /// Returns the names of all fields, in order, those within others by their path.
    pub fn paths(&self) -> Vec<String> {
        fn add(fields: &[Field], path: &str, found: &mut Vec<String>) {
            for field in fields {
                let path = format!("{path}{}", field.name);
                if field.inner.is_empty() {
                    found.push(path);
                } else {
                    add(&field.inner, &format!("{path}."), found);
                }
            }
        }
        let mut found = Vec::new();
        add(&self.fields, "", &mut found);
        found
    }

    /// Returns a line of a comment for each field that is no object.
    pub fn lines(&self) -> Vec<String> {
        fn add(fields: &[Field], path: &str, required: bool, lines: &mut Vec<String>) {
            for field in fields {
                let name = format!("{path}{}", field.name);
                let required = required && field.required;
                if !field.inner.is_empty() && !field.many {
                    add(&field.inner, &format!("{name}."), required, lines);
                    continue;
                }
                let many = if field.many { "list of " } else { "" };
                let needed = if required { ", required" } else { "" };
                let about = if field.about.is_empty() { String::new() } else { format!(". {}", field.about) };
                lines.push(format!("- `{name}`: {many}{}{needed}{about}", field.kind));
            }
        }
        let mut lines = Vec::new();
        add(&self.fields, "", true, &mut lines);
        lines
    }
}
