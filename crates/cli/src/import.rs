//! `polywire import`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::{Files, NoFiles, identity};
use polywire_core::{Error, ErrorKind, Fault};
use polywire_gateway::draft::{self, Sample};
use polywire_import::names;
use polywire_import::proto::Protocol;
use polywire_import::{Imported, Settings, openapi, proto, wsdl};
use url::Url;

use crate::args::import::{CommonArgs, ImportArgs, ImportFrom, ProtoArgs};
use crate::failure::{Failure, unwritten};
use crate::{stderr, stdout};

/// The largest description, in bytes.
const LARGEST: u64 = 64 << 20;

/// The most remarks that are printed.
const MOST_REMARKS: usize = 20;

/// Runs the verb.
pub fn run(args: &ImportArgs) -> Result<(), Failure> {
    let (common, select) = match &args.from {
        ImportFrom::Openapi(args) => (&args.common, false),
        ImportFrom::Wsdl(args) => (&args.common, args.select),
        ImportFrom::Proto(args) => (&args.common, args.select),
    };
    let settings = Settings { prefix: prefix(common)?, server: server(common)?, select };
    let bytes = read(&common.source)?;
    let imported = match &args.from {
        ImportFrom::Openapi(_) => openapi::import(&bytes, &common.source, &settings),
        ImportFrom::Wsdl(_) => wsdl::import(&bytes, &common.source, &mut load, &settings),
        ImportFrom::Proto(args) => of_proto(args, &bytes, &settings),
    };
    let imported = imported.map_err(|error| Failure::about(error, Some(&common.source)))?;
    match &common.out {
        Some(folder) => write_all(folder, &imported, common.force)?,
        None => {
            let texts: Vec<String> = imported.tables.iter().map(polywire_import::Table::text).collect();
            stdout::write(texts.join("\n").as_bytes()).map_err(|error| unwritten(&error))?;
        }
    }
    report(&imported, common.out.as_deref());
    Ok(())
}

/// Returns the first part of names.
fn prefix(args: &CommonArgs) -> Result<Option<String>, Error> {
    let is_name = |name: &String| name.split('.').all(|part| !part.is_empty() && names::word(part, "_") == part);
    match &args.prefix {
        Some(name) if !is_name(name) => {
            Err(Error::usage(format!("--prefix `{name}`")).expected("words of letters, digits and `_`, joined by dots, such as `shop`"))
        }
        name => Ok(name.clone()),
    }
}

/// Returns the address of the service.
fn server(args: &CommonArgs) -> Result<Option<String>, Error> {
    let is_address = |text: &String| text.parse::<Url>().is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    match &args.server {
        Some(text) if !is_address(text) => {
            Err(Error::usage(format!("--server `{text}`")).expected("an address such as https://shop.example/v1"))
        }
        text => Ok(text.clone()),
    }
}

fn of_proto(args: &ProtoArgs, bytes: &[u8], settings: &Settings) -> Result<Imported, Error> {
    let source = &args.common.source;
    let protocol = if args.connect { Protocol::Connect } else { Protocol::Grpc };
    if address(source).is_some() {
        let text = SchemaText { name: source, bytes, identity: "" };
        return proto::import(&text, &mut NoFiles, protocol, settings);
    }
    let identity = identity(Path::new(source));
    let include: Vec<String> = args.include.iter().map(|folder| folder.display().to_string()).collect();
    let text = SchemaText { name: source, bytes, identity: &identity };
    proto::import(&text, &mut Files::new().including(include), protocol, settings)
}

/// Returns the address that a source is, unless it is a file.
fn address(source: &str) -> Option<Url> {
    source.parse::<Url>().ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// Reads a file, or asks for an address.
fn read(source: &str) -> Result<Vec<u8>, Failure> {
    match address(source) {
        Some(url) => fetch(url).map_err(|error| Failure::about(error, Some(source))),
        None => read_file(Path::new(source)).map_err(|error| Failure::about(Error::io("reading", &error), Some(source))),
    }
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {LARGEST} bytes")));
    }
    Ok(bytes)
}

/// Asks for a document, within the limits of all exchanges.
fn fetch(url: Url) -> Result<Vec<u8>, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| Error::io("starting", &error))?;
    let sample = Sample::get(url);
    let recorded = runtime.block_on(draft::ask(&sample));
    let recorded = recorded.map_err(|what| Error::new(ErrorKind::Io, Fault::Environment).seen(what.to_string()))?;
    Ok(recorded.body.to_vec())
}

/// Loads a document that another one, at `base`, names by its location: from the same host, or from
/// a file beside the first.
fn load(base: &str, location: &str) -> Result<(String, Vec<u8>), String> {
    match (address(base), address(location)) {
        (Some(base), _) => {
            let url = base.join(location).map_err(|error| error.to_string())?;
            if url.origin() != base.origin() {
                return Err("lies at another host: it is left out".to_owned());
            }
            let bytes = fetch(url.clone()).map_err(|error| error.to_string())?;
            Ok((url.into(), bytes))
        }
        (None, Some(_)) => Err("is not asked for by a file: put it beside the file, and name it there".to_owned()),
        (None, None) if Path::new(location).is_absolute() => Err("is an absolute path: it is left out".to_owned()),
        (None, None) => {
            let path = Path::new(base).parent().unwrap_or(Path::new("")).join(location);
            let bytes = read_file(&path).map_err(|error| format!("cannot be read: {error}"))?;
            Ok((identity(&path), bytes))
        }
    }
}

/// Writes a file for each table, and those that they name. Nothing is written if one exists.
fn write_all(folder: &Path, imported: &Imported, force: bool) -> Result<(), Failure> {
    let tables = imported.tables.iter().map(|table| (format!("{}.ql", names::file(&table.name)), table.text().into_bytes()));
    let files: Vec<(String, Vec<u8>)> = tables.chain(imported.files.iter().cloned()).collect();
    if let Some((name, _)) = files.iter().find(|(name, _)| !force && folder.join(name).symlink_metadata().is_ok()) {
        let error = Error::usage(format!("the file {} exists", folder.join(name).display()));
        return Err(error.hint("give another folder, or --force to overwrite").into());
    }
    let failed = |path: &Path, error: &io::Error| Failure::about(Error::io("writing", error), Some(&path.display().to_string()));
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    for (name, bytes) in &files {
        let path = folder.join(name);
        write_file(folder, &path, bytes).map_err(|error| failed(&path, &error))?;
    }
    Ok(())
}

/// Writes a file as a whole: under another name first, so that a link in its place is replaced and
/// not followed.
fn write_file(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let made = folder.join(format!(".polywire-import-{}", std::process::id()));
    let written = OpenOptions::new().write(true).create_new(true).open(&made).and_then(|mut file| file.write_all(bytes));
    let moved = written.and_then(|()| fs::rename(&made, path));
    if moved.is_err() {
        let _ = fs::remove_file(&made);
    }
    moved
}

/// Reports what became of the description.
fn report(imported: &Imported, out: Option<&Path>) {
    for remark in imported.remarks.iter().take(MOST_REMARKS) {
        stderr::lines(format_args!("  {remark}\n"));
    }
    let others = imported.remarks.len().saturating_sub(MOST_REMARKS);
    if others > 0 {
        stderr::lines(format_args!("  and {others} more\n"));
    }
    for (key, what) in &imported.needs {
        stderr::say(format_args!("config.json needs {key}: {}", what.escape_debug()));
    }
    if out.is_none() && !imported.files.is_empty() {
        stderr::say(format_args!("the tables name files that only --out writes: {}", imported.files.len()));
    }
    let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let place = out.map(|folder| format!(" in {}", folder.display())).unwrap_or_default();
    stderr::say(format_args!(
        "{}{place}, of {} of {}; {}",
        count(imported.tables.len(), "table"),
        imported.made,
        count(imported.operations, "operation"),
        count(imported.remarks.len(), "remark")
    ));
}
