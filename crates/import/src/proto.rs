//! Services of Protocol Buffers: unary methods by gRPC or Connect.
//!
//! A method is a table, named by its service. One whose name says that it reads is a `select`, any
//! other an `insert`. A descriptor set goes along, with all types and imports.

use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::Loader;
use polywire_core::{Error, ErrorKind, Fault, Result};
use polywire_protobuf::model::{Cardinality, Kind, MessageId, Method, Pool, Presence, Service};
use polywire_protobuf::source;
use url::Url;

use crate::names::{self, Names};
use crate::table::{Action, Table, literal};
use crate::{Imported, Settings, is_reading};

/// The deepest messages within messages whose fields a comment names.
const DEEPEST: usize = 3;

/// The most fields that the comment of one table names.
const MOST_FIELDS: usize = 100;

/// The way in which methods are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// gRPC over HTTP/2.
    #[default]
    Grpc,
    /// Unary calls of Connect, over any HTTP.
    Connect,
}

/// Makes the tables of a `.proto` text or a descriptor set. `files` loads what it imports.
///
/// # Errors
/// The text has mistakes, an import is missing, or there is no service.
pub fn import(text: &SchemaText<'_>, files: &mut dyn Loader, protocol: Protocol, settings: &Settings) -> Result<Imported> {
    let protos = source::read(text, files)?;
    let pool = &protos.pool;
    let services: Vec<&Service> = pool.services().iter().filter(|service| protos.is_main(service.file)).collect();
    if services.is_empty() {
        let error = Error::new(ErrorKind::Unsupported, Fault::Schema).seen(format!("{} without a service", text.name));
        return Err(error.expected("a `service` with methods").hint("import the file that declares it"));
    }
    let stem = text.name.rsplit(['/', '\\']).next().unwrap_or_default().split('.').next().unwrap_or_default();
    let part = settings.prefix.clone().unwrap_or_else(|| names::word(stem, "service").to_ascii_lowercase());
    let mut imported = Imported::default();
    let server = settings.server.as_deref().and_then(|server| server.parse::<Url>().ok());
    let base = match server.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host()) {
        Some(url) => literal(url.as_str().trim_end_matches('/')),
        None => {
            let key = format!("{part}.server");
            imported.needs(key.clone(), "the address of the service, such as https://shop.example");
            format!("{{config.{key}}}")
        }
    };
    let file = format!("{}.protoset", names::file(&names::word(stem, "service")));
    let mut given = Names::default();
    for service in services {
        let place = format!("service {}", service.name);
        for method in &service.methods {
            imported.operations += 1;
            if method.client_streaming || method.server_streaming {
                imported.remark(format!("{place}.{}", method.name), "sends or takes a stream: a table asks once and gets one reply");
                continue;
            }
            let short = service.name.rsplit('.').next().unwrap_or_default();
            let name = given.unique(names::table(settings.prefix.as_deref(), [short, &*method.name]));
            imported.tables.push(table(pool, (service, method), name, &base, &file, protocol, settings));
            imported.made += 1;
        }
    }
    if !imported.tables.is_empty() {
        let mut set = Vec::new();
        protos.set.write(&mut set);
        imported.files.push((file, set));
    }
    imported.check();
    Ok(imported)
}

/// Makes the table of a method.
fn table(
    pool: &Pool,
    (service, method): (&Service, &Method),
    name: String,
    base: &str,
    file: &str,
    protocol: Protocol,
    settings: &Settings,
) -> Table {
    let mut table = Table { name, ..Table::default() };
    table.comment(&format!("`{}/{}`", service.name, method.name));
    table.comment(&method.doc);
    let mut lines = Vec::new();
    fields(pool, method.input, "", 0, &mut lines);
    if !lines.is_empty() {
        table.about.push(String::new());
        lines.iter().for_each(|line| table.comment(line));
    }
    let output = &pool[method.output];
    let returned: Vec<String> = output.fields.iter().take(MOST_FIELDS / 3).map(|field| format!("`{}`", field.name)).collect();
    table.about.push(String::new());
    table.comment(&format!("Returns `{}`: {}.", output.name, if returned.is_empty() { "nothing".to_owned() } else { returned.join(", ") }));
    let format = match protocol {
        Protocol::Grpc => "protobuf-grpc",
        Protocol::Connect => "protobuf",
    };
    let headers = match protocol {
        Protocol::Grpc => Vec::new(),
        Protocol::Connect => vec![("Connect-Protocol-Version".to_owned(), "1".to_owned())],
    };
    let codec = |word: &str, message: MessageId| format!("using {word} '{format}' schema '{file}' message '{}'", pool[message].name);
    let action = |verb| Action {
        verb,
        method: "post",
        uri: format!("{base}/{}/{}", service.name, method.name),
        headers: headers.clone(),
        clauses: vec![codec("encoder", method.input), codec("decoder", method.output)],
        ..Action::default()
    };
    let reads = is_reading(&method.name);
    table.actions.extend((reads || settings.select).then(|| action("select")));
    table.actions.extend((!reads).then(|| action("insert")));
    table
}

/// Adds a line for each field of a message, those of messages in it by their path.
fn fields(pool: &Pool, message: MessageId, path: &str, depth: usize, lines: &mut Vec<String>) {
    for field in &pool[message].fields {
        if lines.len() >= MOST_FIELDS {
            return;
        }
        let name = format!("{path}{}", field.name);
        let inner = field.kind.message().filter(|_| field.cardinality == Cardinality::Singular && depth + 1 < DEEPEST);
        if let Some(inner) = inner.filter(|inner| pool[*inner].well_known.is_none() && !pool[*inner].fields.is_empty()) {
            fields(pool, inner, &format!("{name}."), depth + 1, lines);
            continue;
        }
        let kind = match field.kind {
            Kind::Enum(id) => {
                let values: Vec<String> = pool[id].values.iter().take(12).map(|value| format!("`{}`", value.name)).collect();
                format!("one of {}", values.join(", "))
            }
            kind => kind.message().map_or_else(|| kind.name().to_owned(), |id| pool[id].name.to_string()),
        };
        let many = match field.cardinality {
            Cardinality::Singular => "",
            Cardinality::Repeated => "list of ",
            Cardinality::Map => "map of ",
        };
        let required = if field.presence == Presence::Required { ", required" } else { "" };
        let about = field.doc.lines().map(str::trim).find(|line| !line.is_empty()).map(|line| format!(". {line}")).unwrap_or_default();
        lines.push(format!("- `{name}`: {many}{kind}{required}{about}"));
    }
}
