//! ASN.1's encodings bound to a schema: readers and writers of one type of a module.

use std::sync::Arc;

use polywire_core::format::{Binder, Bound, Tables};
use polywire_core::schema::Schema;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::Loader;
use polywire_core::{Error, ErrorKind, Fault, Limits, Reader, Result, Writer};

use crate::ber::{BerReader, BerWriter, Defaults, Rules, defaults};
use crate::model::{Model, TypeId};
use crate::per::{Per, Variant};
use crate::walk::Plan;

/// Binds an encoding to a type of a module. A type is named as `Module.Type`, or by its name alone.
/// Without a name, messages have the type that [`root`] finds.
#[derive(Debug)]
pub struct Modules(pub Encoding);

/// Encoding rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// BER, DER or CER.
    Ber(Rules),
    /// PER.
    Per(Variant),
}

impl Binder for Modules {
    fn endings(&self) -> &'static [&'static str] {
        EXTENSIONS
    }

    fn adopts(&self) -> bool {
        false
    }

    fn bind_text(&self, schema: &SchemaText<'_>, files: &mut dyn Loader, name: Option<&str>) -> Result<Arc<dyn Bound>> {
        let model = load(schema, files)
            .resolve(&Limits::DEFAULT)
            .map_err(|found| Error::new(ErrorKind::Syntax, Fault::Schema).seen(found.to_string()).expected("modules of ASN.1"))?;
        let ty = match name {
            Some(name) => named(&model, name)?,
            None => root(&model).ok_or_else(|| {
                Error::new(ErrorKind::Usage, Fault::Schema)
                    .seen(format!("{} without a type", schema.name))
                    .expected("modules that have types")
            })?,
        };
        let plan = Plan::new(Arc::new(model), ty)?;
        let defaults = defaults(&plan);
        let tables = Arc::new(Messages { plan: Arc::new(plan), defaults: Arc::new(defaults) });
        Ok(Arc::new(Encoded::new(tables, self.0)))
    }

    fn adopt(&self, _: &Schema) -> Result<Arc<dyn Bound>> {
        Err(Error::new(ErrorKind::Unsupported, Fault::Schema)
            .seen("a schema of another language")
            .expected("modules of ASN.1")
            .hint("write the schema as ASN.1 first: polywire schema convert --lang asn1"))
    }

    fn bind_tables(&self, tables: Tables) -> Option<Arc<dyn Bound>> {
        let tables = tables.downcast::<Messages>().ok()?;
        Some(Arc::new(Encoded::new(tables, self.0)))
    }

    fn recognises(&self, schema: &[u8]) -> bool {
        schema.windows(11).any(|window| window == b"DEFINITIONS")
    }
}

/// Returns the type of a name: `Module.Type`, or a type's name alone. Of several types the one of the
/// text that was given counts, which is the first.
fn named(model: &Model, name: &str) -> Result<TypeId> {
    let found = match name.rsplit_once('.') {
        Some((module, name)) => model.named(module, name),
        None => model.modules.iter().find_map(|module| model.named(&module.name, name)),
    };
    found.ok_or_else(|| {
        let all = model.modules.iter().flat_map(|module| &module.types);
        let alike: Vec<&str> = all.clone().map(|(known, _)| &**known).filter(|known| known.eq_ignore_ascii_case(name)).collect();
        let names = if alike.is_empty() { all.map(|(known, _)| &**known).collect() } else { alike };
        Error::new(ErrorKind::Usage, Fault::Caller)
            .seen(format!("the type `{name}`"))
            .expected(format!("a type of the modules: {}", polywire_core::tools::trial::listed(&names)))
    })
}

/// Type of messages with its tables, which all encodings share.
#[derive(Debug)]
struct Messages {
    plan: Arc<Plan>,
    defaults: Arc<Defaults>,
}

/// Messages in one encoding.
#[derive(Debug)]
struct Encoded {
    tables: Arc<Messages>,
    encoding: Prepared,
}

/// Encoding with the tables of its own.
#[derive(Debug)]
enum Prepared {
    Ber(Rules),
    Per(Per),
}

impl Encoded {
    fn new(tables: Arc<Messages>, encoding: Encoding) -> Encoded {
        let encoding = match encoding {
            Encoding::Ber(rules) => Prepared::Ber(rules),
            Encoding::Per(variant) => Prepared::Per(Per::new(Arc::clone(&tables.plan), variant)),
        };
        Encoded { tables, encoding }
    }

    fn ber(&self, rules: Rules) -> BerWriter {
        BerWriter::new(Arc::clone(&self.tables.plan), Arc::clone(&self.tables.defaults), rules)
    }
}

impl Bound for Encoded {
    fn reader(&self) -> Box<dyn Reader> {
        match &self.encoding {
            Prepared::Per(per) => Box::new(per.reader(false)),
            Prepared::Ber(rules) => Box::new(BerReader::new(Arc::clone(&self.tables.plan), Arc::clone(&self.tables.defaults), *rules)),
        }
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        match &self.encoding {
            Prepared::Per(per) => Some(Box::new(per.writer())),
            Prepared::Ber(rules) => Some(Box::new(self.ber(*rules))),
        }
    }

    fn relay(&self) -> Option<Box<dyn Writer>> {
        match &self.encoding {
            Prepared::Per(per) => Some(Box::new(per.relay())),
            Prepared::Ber(rules) => Some(Box::new(self.ber(*rules).unknown(true))),
        }
    }

    fn list_field(&self) -> Option<&str> {
        self.tables.plan.list_field()
    }
}

/// File extensions of modules, the preferred one first.
const EXTENSIONS: &[&str] = &["asn", "asn1"];

/// Returns the modules of a text, and those that they import as far as there are files of their names.
fn load(text: &SchemaText<'_>, files: &mut dyn Loader) -> crate::Modules {
    let mut modules = crate::Modules::new();
    modules.add(text.name, text.bytes);
    let home = std::path::Path::new(text.name).parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
    let folders: Vec<String> = std::iter::once(home).chain(files.include().to_vec()).collect();
    let mut tried = std::collections::HashSet::new();
    while let Some(missing) = modules.missing().into_iter().find(|name| !tried.contains(name)) {
        let paths = folders.iter().flat_map(|folder| EXTENSIONS.iter().map(move |extension| (folder, extension)));
        for (folder, extension) in paths {
            let path = if folder.is_empty() { format!("{missing}.{extension}") } else { format!("{folder}/{missing}.{extension}") };
            if let Ok(loaded) = files.load(&path) {
                modules.add(path, &loaded.bytes);
                break;
            }
        }
        tried.insert(missing);
    }
    modules
}

/// Returns the type that messages have where none is named.
fn root(model: &Model) -> Option<TypeId> {
    model.modules.iter().flat_map(|module| &module.types).map(|(_, ty)| *ty).next()
}
