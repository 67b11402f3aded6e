//! WSDL 1.1: operations of SOAP 1.1 and 1.2 with document/literal messages, and their XML Schema.
//!
//! An operation is a table, named by the service and the operation. One whose name says that it
//! reads is a `select`, any other an `insert`.
//!
//! | file | holds |
//! |---|---|
//! | `documents` | the description, and what it imports |
//! | `schema` | elements and types of XML Schema |

mod documents;
mod schema;

use polywire_core::{Error, ErrorKind, Fault, Result};
use roxmltree::Node;
use url::Url;

use crate::names::{self, Names};
use crate::table::{Action, Table, literal};
use crate::{Imported, Settings, is_reading};
use documents::{Documents, QName, child, children, resolve};
use schema::{Content, Form, Schemas};

pub use documents::Load;

/// Namespace of WSDL 1.1 (WSDL 1.1 section 1.2).
const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";

/// Namespace of WSDL 2.0, which is refused.
const WSDL_2: &str = "http://www.w3.org/ns/wsdl";

/// Namespaces of bindings, with the version of SOAP that each is for (WSDL 1.1 section 3, and the
/// binding extension for SOAP 1.2).
const BINDINGS: [(&str, &str); 2] = [("http://schemas.xmlsoap.org/wsdl/soap/", "1.1"), ("http://schemas.xmlsoap.org/wsdl/soap12/", "1.2")];

/// The most operations of one description.
const MOST_OPERATIONS: usize = 10_000;

/// Makes the tables of a description. `name` is that of its file or address. `load` returns the
/// documents that it imports, by their addresses relative to it.
///
/// # Errors
/// The bytes are no XML, or no WSDL 1.1; or none of its operations can be a table.
pub fn import(bytes: &[u8], name: &str, load: Load<'_>, settings: &Settings) -> Result<Imported> {
    let texts = documents::read(bytes, name, load)?;
    let documents = Documents::parse(&texts)?;
    let root = documents.root();
    if root.tag_name().namespace() == Some(WSDL_2) {
        let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen("WSDL 2.0").expected("WSDL 1.1");
        return Err(error.hint("ask the service for WSDL 1.1: most offer both"));
    }
    if !root.has_tag_name((WSDL, "definitions")) {
        let seen = format!("the element `{}`", root.tag_name().name());
        return Err(Error::new(ErrorKind::Syntax, Fault::Data).seen(seen).expected("`definitions` of WSDL 1.1"));
    }
    let mut imported = Imported::default();
    let schemas = Schemas::new(&documents);
    texts.remarks.iter().for_each(|(place, what)| imported.remark(place, what));
    let mut given = Names::default();
    let mut done: Vec<(String, String)> = Vec::new();
    let services: Vec<Node<'_, '_>> = documents.all(WSDL, "service").collect();
    for service in services {
        let service_name = service.attribute("name").unwrap_or("service");
        for port in children(service, WSDL, "port") {
            let place = format!("service {service_name}, port {}", port.attribute("name").unwrap_or_default());
            let Some(binding) = port.attribute("binding").and_then(|text| documents.named(WSDL, "binding", &resolve(port, text))) else {
                imported.remark(place, "its binding is not described");
                continue;
            };
            let soap = BINDINGS.iter().find_map(|(namespace, version)| Some((*namespace, *version, child(binding, namespace, "binding")?)));
            let Some((namespace, version, soap)) = soap else {
                imported.remark(place, "is no binding to SOAP: it is left out");
                continue;
            };
            let kind = binding.attribute("type").map(|text| resolve(binding, text)).unwrap_or_default();
            let operations = documents.named(WSDL, "portType", &kind);
            let server = settings.server.clone().or_else(|| child(port, namespace, "address")?.attribute("location").map(str::to_owned));
            let uri =
                server.and_then(|text| text.parse::<Url>().ok()).filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
            let uri = match uri {
                Some(url) => literal(url.as_str()),
                None => {
                    let part = settings.prefix.clone().unwrap_or_else(|| names::word(service_name, "service").to_ascii_lowercase());
                    let key = format!("{part}.server");
                    imported.needs(key.clone(), "the address of the service, such as https://shop.example/soap");
                    format!("{{config.{key}}}")
                }
            };
            for bound in children(binding, WSDL, "operation") {
                let operation = bound.attribute("name").unwrap_or_default();
                let key = (kind.name.to_string(), operation.to_owned());
                if done.contains(&key) {
                    continue;
                }
                imported.operations += 1;
                if imported.operations > MOST_OPERATIONS {
                    let seen = format!("more than {MOST_OPERATIONS} operations");
                    return Err(Error::new(ErrorKind::Limit, Fault::Data).seen(seen).hint("split the description"));
                }
                let place = format!("{place}, operation {operation}");
                let binding =
                    Binding { documents: &documents, schemas: &schemas, namespace, version, style: soap.attribute("style"), uri: &uri };
                let abstracted =
                    operations.and_then(|kind| children(kind, WSDL, "operation").find(|one| one.attribute("name") == Some(operation)));
                match binding.table(bound, abstracted, operation, &place, settings, &mut imported) {
                    Ok(mut table) => {
                        table.name = given.unique(names::table(settings.prefix.as_deref(), [service_name, operation]));
                        imported.tables.push(table);
                        imported.made += 1;
                        done.push(key);
                    }
                    Err(what) => imported.remark(place, what),
                }
            }
        }
    }
    imported.check();
    if imported.tables.is_empty() {
        let why = imported.remarks.first().map(ToString::to_string).unwrap_or_else(|| "it has no service with a port".to_owned());
        let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen(format!("a description without an operation for a table: {why}"));
        return Err(error.expected("document/literal operations of SOAP 1.1 or 1.2").hint("write the table by hand, with a body template"));
    }
    Ok(imported)
}

/// A binding to SOAP.
struct Binding<'d> {
    documents: &'d Documents<'d>,
    schemas: &'d Schemas<'d>,
    namespace: &'static str,
    version: &'static str,
    style: Option<&'d str>,
    uri: &'d str,
}

impl<'d> Binding<'d> {
    /// Makes the table of an operation, without a name.
    ///
    /// # Errors
    /// The reason why no table can say it.
    fn table(
        &self,
        bound: Node<'d, 'd>,
        abstracted: Option<Node<'d, 'd>>,
        operation: &str,
        place: &str,
        settings: &Settings,
        imported: &mut Imported,
    ) -> std::result::Result<Table, String> {
        let abstracted = abstracted.ok_or("the port type does not describe it")?;
        let soap = child(bound, self.namespace, "operation");
        let style = soap.and_then(|soap| soap.attribute("style")).or(self.style).unwrap_or("document");
        if style != "document" {
            return Err(format!("has the style `{style}`, expected `document`: write its table by hand, with a body template"));
        }
        let body = child(bound, WSDL, "input").and_then(|input| child(input, self.namespace, "body"));
        if let Some(encoded) = body.and_then(|body| body.attribute("use")).filter(|usage| *usage != "literal") {
            return Err(format!("has `{encoded}` messages, expected `literal`: write its table by hand, with a body template"));
        }
        if child(bound, WSDL, "input").is_some_and(|input| child(input, self.namespace, "header").is_some()) {
            imported.remark(place, "has SOAP headers, which no table sends: they are left out");
        }
        let element = self.message(abstracted, "input")?.ok_or("has no element in its request")?;
        let content = self.schemas.element(&element, imported, place);
        let action = soap.and_then(|soap| soap.attribute("soapAction")).unwrap_or_default();
        let mut table = Table::default();
        table.comment(&format!("SOAP {}: `{operation}`", self.version));
        if let Some(about) = child(abstracted, WSDL, "documentation").map(documents::text) {
            table.comment(about.trim());
        }
        let lines = content.lines();
        if !lines.is_empty() {
            table.about.push(String::new());
            lines.iter().for_each(|line| table.comment(line));
        }
        let reply = self.message(abstracted, "output")?.map(|element| self.schemas.element(&element, &mut Imported::default(), place));
        let mut rows = None;
        if let Some(reply) = &reply {
            let (path, row) = reply.rows();
            rows = path;
            let named: Vec<String> = row.iter().take(30).map(|field| format!("`{}` {}", field.name, field.kind)).collect();
            if !named.is_empty() {
                table.about.push(String::new());
                table.comment(&format!("Returns {}: {}.", if rows.is_some() { "rows" } else { "an object" }, named.join(", ")));
            }
        }
        let prefix = match content.form {
            Form::Qualified => "",
            Form::Unqualified if element.namespace.is_empty() => "",
            Form::Unqualified => "q:",
        };
        let namespace = if element.namespace.is_empty() { String::new() } else { format!("{{{}}}", element.namespace) };
        let named = polywire_ql::syntax::quoted(&format!("{namespace}{prefix}{}", element.name)).ok_or("has quotes in its namespace")?;
        let order: Vec<String> = content.paths().iter().filter_map(|path| polywire_ql::syntax::quoted(path)).collect();
        let order = if order.len() > 1 { format!(" order {}", order.join(", ")) } else { String::new() };
        let verb = |verb| Action {
            verb,
            method: "post",
            uri: self.uri.to_owned(),
            headers: if action.is_empty() { Vec::new() } else { vec![("SOAPAction".to_owned(), action.replace(['{', '}'], ""))] },
            clauses: vec![format!("using soap '{}' element {named}{order}", self.version)],
            rows: rows.clone(),
            ..Action::default()
        };
        let reads = is_reading(operation);
        table.actions.extend((reads || settings.select).then(|| verb("select")));
        table.actions.extend((!reads).then(|| verb("insert")));
        Ok(table)
    }

    /// Returns the element of a message of an operation; `None` if it is empty.
    fn message(&self, operation: Node<'d, 'd>, direction: &str) -> std::result::Result<Option<QName<'d>>, String> {
        let Some(part) = child(operation, WSDL, direction) else { return Ok(None) };
        let name = part.attribute("message").map(|text| resolve(part, text)).unwrap_or_default();
        let message =
            self.documents.named(WSDL, "message", &name).ok_or_else(|| format!("the message `{}` is not described", name.name))?;
        let parts: Vec<Node<'d, 'd>> = children(message, WSDL, "part").collect();
        match parts[..] {
            [] => Ok(None),
            [part] => match part.attribute("element") {
                Some(text) => Ok(Some(resolve(part, text))),
                None => Err(format!("the message `{}` has a part by type, expected one by element", name.name)),
            },
            _ => Err(format!("the message `{}` has {} parts, expected one", name.name, parts.len())),
        }
    }
}

impl Content {
    /// Returns the way to the rows of a reply, and what a row has: a list that stands alone.
    fn rows(&self) -> (Option<String>, &[schema::Field]) {
        match &self.fields[..] {
            [only] if only.many => (Some(only.name.clone()), &only.inner),
            [only] => match &only.inner[..] {
                [inner] if inner.many => (Some(format!("{}.{}", only.name, inner.name)), &inner.inner),
                inner if !inner.is_empty() => (Some(only.name.clone()), inner),
                _ => (None, &self.fields),
            },
            all => (None, all),
        }
    }
}
