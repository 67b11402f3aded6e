//! OpenAPI 2.0, 3.0 and 3.1, as JSON or YAML.
//!
//! A path is a table, named by its words. Its GET is the `select`, POST the `insert`, PUT (else
//! PATCH) the `update`, DELETE the `delete`. A PATCH beside a PUT is a table of its own, with
//! `patch` behind the name.
//!
//! | file | holds |
//! |---|---|
//! | `document` | the document, and its references |
//! | `server` | where the service is, and what it asks for |
//! | `schema` | types of parameters, members of bodies |
//! | `operation` | an operation becomes a verb |

mod document;
mod operation;
mod schema;
mod server;

use polywire_core::{Error, ErrorKind, Fault, Limits, Result};
use polywire_doc::Ref;

use crate::names::{self, Names};
use crate::table::Table;
use crate::{Imported, Settings};
use document::Document;
use operation::Context;

/// The version of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    /// 2.0, named Swagger.
    V2,
    /// 3.0 and 3.1.
    V3,
}

/// Verbs of tables, by the methods of OpenAPI.
const METHODS: [(&str, &str); 5] = [("get", "select"), ("post", "insert"), ("put", "update"), ("patch", "update"), ("delete", "delete")];

/// Methods that no verb stands for.
const OTHERS: [&str; 4] = ["head", "options", "trace", "query"];

/// The most operations of one description.
const MOST_OPERATIONS: usize = 100_000;

/// Makes the tables of a description. `name` is that of its file or address, for errors, and its
/// extension helps to recognise the format.
///
/// # Errors
/// The bytes are neither JSON nor YAML, or no description of OpenAPI 2.0, 3.0 or 3.1.
pub fn import(bytes: &[u8], name: &str, settings: &Settings) -> Result<Imported> {
    let datum = document::read(bytes, name, &Limits::DEFAULT)?;
    let document = Document::new(datum.view());
    let root = document.root();
    let version = version(root)?;
    let mut imported = Imported::default();
    let title = root.path(["info", "title"]).and_then(Ref::as_str).unwrap_or_default();
    let part = settings.prefix.clone().unwrap_or_else(|| names::word(title, "service").to_ascii_lowercase());
    let mut context = Context { document: &document, version, part, settings, names: Names::default() };
    let base = server::base(&context, name, &mut imported);
    let Some(paths) = root.get("paths").filter(|paths| paths.is_object()) else {
        return Err(broken("a description without `paths`")
            .expected("paths and their operations")
            .hint("`webhooks` and `components` alone make no tables"));
    };
    for (path, item) in paths.members().filter(|(path, _)| path.starts_with('/')) {
        let place = format!("paths.{path}");
        let item = match document.resolve(item) {
            Ok(item) => item,
            Err(what) => {
                imported.remark(place, what);
                continue;
            }
        };
        tables_of(&mut context, path, item, &base, &mut imported)?;
    }
    imported.check();
    Ok(imported)
}

/// Returns the version of a description.
fn version(root: Ref<'_>) -> Result<Version> {
    let text = |name: &str| root.get(name).and_then(polywire_ql::template::scalar_text);
    match (text("swagger"), text("openapi")) {
        (Some(version), _) if version.starts_with('2') => Ok(Version::V2),
        (_, Some(version)) if version.starts_with("3.") => Ok(Version::V3),
        (Some(version), _) | (_, Some(version)) => {
            let seen = format!("version {} of OpenAPI", version.escape_debug());
            Err(Error::new(ErrorKind::Unsupported, Fault::Data).seen(seen).expected("2.0, 3.0 or 3.1"))
        }
        (None, None) => Err(broken("a document without `openapi` or `swagger`").expected("a description of OpenAPI 2.0, 3.0 or 3.1")),
    }
}

fn broken(seen: &'static str) -> Error {
    Error::new(ErrorKind::Syntax, Fault::Data).seen(seen)
}

/// Makes the tables of one path.
fn tables_of<'d>(context: &mut Context<'_, 'd>, path: &str, item: Ref<'d>, base: &server::Base, imported: &mut Imported) -> Result<()> {
    let words = path.split('/').map(|part| part.trim_matches(['{', '}']));
    // A parameter in the middle says nothing that its neighbours don't.
    let parts: Vec<&str> = path.split('/').collect();
    let named = words.zip(&parts).enumerate().filter(|(at, (_, part))| !part.starts_with('{') || at + 1 == parts.len());
    let wanted = names::table(context.settings.prefix.as_deref(), named.map(|(_, (word, _))| word));
    let mut table: Option<Table> = None;
    let mut beside: Vec<Table> = Vec::new();
    for (method, verb) in METHODS {
        let Some(operation) = item.get(method).filter(|operation| operation.is_object()) else { continue };
        imported.operations += 1;
        if imported.operations > MOST_OPERATIONS {
            let seen = format!("more than {MOST_OPERATIONS} operations");
            return Err(Error::new(ErrorKind::Limit, Fault::Data).seen(seen).hint("split the description"));
        }
        let is_second = table.as_ref().is_some_and(|table| table.action(verb).is_some());
        let target = if is_second {
            let name = context.names.unique(format!("{wanted}.{method}"));
            beside.push(Table { name, ..Table::default() });
            beside.last_mut()
        } else {
            Some(table.get_or_insert_with(|| Table { name: context.names.unique(wanted.clone()), ..Table::default() }))
        };
        let Some(target) = target else { continue };
        let place = format!("paths.{path}.{method}");
        context.add(target, (method, verb), path, item, operation, base, &place, imported);
        imported.made += 1;
    }
    for method in OTHERS.iter().filter(|method| item.get(method).is_some()) {
        imported.operations += 1;
        imported.remark(format!("paths.{path}.{method}"), format!("{} is no verb of a table", method.to_ascii_uppercase()));
    }
    imported.tables.extend(table.into_iter().chain(beside));
    Ok(())
}
