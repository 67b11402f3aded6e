//! ASN.1's encodings bound to a schema: readers and writers of one type of a module.

use std::sync::Arc;

use polywire_core::format::{Binder, Bound, Tables};
use polywire_core::schema::Schema;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::Loader;
use polywire_core::tools::shaped::Shaped;
use polywire_core::{Error, ErrorKind, Fault, Limits, Reader, Result, Writer};

use crate::adopt::{Adopted, adopt, of_text};
use crate::ber::{BerReader, BerWriter, Defaults, Rules, defaults};
use crate::jer::Jer;
use crate::language::root;
use crate::load::{EXTENSIONS, load};
use crate::model::{Model, TypeId};
use crate::per::{Per, Variant};
use crate::settings::{Choices, OF_BER, OF_OER, OF_PER, OF_TEXT};
use crate::walk::Plan;
use crate::walk::checks::Checks;
use crate::xer::Xer;

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
    /// PER and OER.
    Per(Variant),
    /// JER.
    Jer,
    /// XER.
    Xer,
    /// Canonical XER.
    CanonicalXer,
}

impl Binder for Modules {
    fn endings(&self) -> &'static [&'static str] {
        EXTENSIONS
    }

    fn bind_text(&self, schema: &SchemaText<'_>, files: &mut dyn Loader, name: Option<&str>) -> Result<Arc<dyn Bound>> {
        let model = load(schema, files)
            .resolve(&Limits::DEFAULT)
            .map_err(|found| Error::new(ErrorKind::Syntax, Fault::Schema).seen(found.to_string()).expected("modules of ASN.1"))?;
        match (of_text(schema, &model), name) {
            // XER has the module's own names.
            _ if !self.adopts() => {}
            (Some(Ok(adopted)), None) => return Ok(self.adopted(adopted)),
            (Some(Ok(adopted)), Some(name)) if name.rsplit('.').next() == Some(&adopted.root) => return Ok(self.adopted(adopted)),
            (Some(Err(error)), None) => return Err(error),
            // Any other type is as it is declared.
            _ => {}
        }
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

    // Names of a common schema are any text, and those of XER's elements are not.
    fn adopts(&self) -> bool {
        !matches!(self.0, Encoding::Xer | Encoding::CanonicalXer)
    }

    fn adopt(&self, schema: &Schema) -> Result<Arc<dyn Bound>> {
        if !self.adopts() {
            let error = Error::new(ErrorKind::Unsupported, Fault::Caller).seen("an inferred schema for XER");
            return Err(error.expected("a module of ASN.1, whose names are those of elements").hint("schema infer --lang asn1 writes one"));
        }
        Ok(self.adopted(adopt(schema)?))
    }

    fn bind_tables(&self, tables: Tables) -> Option<Arc<dyn Bound>> {
        let tables = tables.downcast::<Messages>().ok()?;
        Some(Arc::new(Encoded::new(tables, self.0)))
    }

    fn recognises(&self, schema: &[u8]) -> bool {
        schema.windows(11).any(|window| window == b"DEFINITIONS")
    }
}

impl Modules {
    fn adopted(&self, Adopted { plan, shapes, .. }: Adopted) -> Arc<dyn Bound> {
        let defaults = defaults(&plan);
        let tables = Arc::new(Messages { plan: Arc::new(plan), defaults: Arc::new(defaults) });
        Arc::new(Shaped::new(Arc::new(Encoded::new(tables, self.0)), Arc::new(shapes)))
    }
}

/// Returns the type of a name: `Module.Type`, or a type's name alone. The first type
/// of a name counts.
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
    choices: Choices,
}

/// Encoding with the tables of its own.
#[derive(Debug, Clone)]
enum Prepared {
    Ber(Rules),
    Per(Per),
    Jer(Jer),
    Xer(Xer),
}

impl Encoded {
    fn new(tables: Arc<Messages>, encoding: Encoding) -> Encoded {
        let encoding = match encoding {
            Encoding::Ber(rules) => Prepared::Ber(rules),
            Encoding::Per(variant) => Prepared::Per(Per::new(Arc::clone(&tables.plan), variant)),
            Encoding::Jer => Prepared::Jer(Jer::new(Arc::clone(&tables.plan))),
            Encoding::Xer => Prepared::Xer(Xer::new(Arc::clone(&tables.plan))),
            Encoding::CanonicalXer => Prepared::Xer(Xer::canonical(Arc::clone(&tables.plan))),
        };
        Encoded { tables, encoding, choices: Choices::default() }
    }

    /// Returns the framings that the encoding has, and its number in 3GPP TS 32.297 6.1.2.3.
    fn framings(&self) -> (&'static [&'static str], u8) {
        match &self.encoding {
            Prepared::Ber(_) => (OF_BER, 1),
            Prepared::Jer(_) | Prepared::Xer(_) => (OF_TEXT, 0),
            Prepared::Per(per) => match per.variant() {
                Variant::Unaligned => (OF_PER, 2),
                Variant::Aligned => (OF_PER, 3),
                Variant::Octets | Variant::CanonicalOctets => (OF_OER, 0),
            },
        }
    }

    /// Returns the encoding with these settings.
    fn chosen(&self, given: &[(&str, &str)]) -> Result<Encoded> {
        let choices = Choices::of(given, self.framings().0)?;
        Ok(Encoded { tables: Arc::clone(&self.tables), encoding: self.encoding.clone(), choices })
    }

    /// Returns the treatment of values outside of constraints, in encodings that ignore these.
    fn checks(&self) -> Checks {
        if self.choices.refuses == Some(true) { Checks::Refuse } else { Checks::Remark }
    }

    fn ber(&self, rules: Rules) -> BerWriter {
        BerWriter::new(Arc::clone(&self.tables.plan), Arc::clone(&self.tables.defaults), rules)
    }
}

impl Bound for Encoded {
    fn reader(&self) -> Box<dyn Reader> {
        let reader: Box<dyn Reader> = match &self.encoding {
            Prepared::Per(per) => Box::new(per.reader(self.choices.refuses == Some(false))),
            Prepared::Ber(rules) => {
                let (plan, defaults) = (Arc::clone(&self.tables.plan), Arc::clone(&self.tables.defaults));
                Box::new(BerReader::new(plan, defaults, *rules).checks(self.checks()))
            }
            Prepared::Jer(jer) => Box::new(jer.reader(self.checks())),
            Prepared::Xer(xer) => Box::new(xer.reader(self.checks())),
        };
        self.choices.framing.reader(reader, self.framings().1)
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        self.choices.framing.writer(match &self.encoding {
            Prepared::Per(per) => Box::new(per.writer()),
            Prepared::Ber(rules) => Box::new(self.ber(*rules)),
            Prepared::Jer(jer) => Box::new(jer.writer()),
            Prepared::Xer(xer) => Box::new(xer.writer()),
        })
    }

    fn relay(&self) -> Option<Box<dyn Writer>> {
        self.choices.framing.writer(match &self.encoding {
            Prepared::Per(per) => Box::new(per.relay()),
            Prepared::Ber(rules) => Box::new(self.ber(*rules).unknown(true)),
            Prepared::Jer(jer) => Box::new(jer.relay()),
            Prepared::Xer(xer) => Box::new(xer.relay()),
        })
    }

    fn configured(&self, given: &[(&str, &str)]) -> Result<Option<Arc<dyn Bound>>> {
        Ok(Some(Arc::new(self.chosen(given)?)))
    }

    fn list_field(&self) -> Option<&str> {
        self.tables.plan.list_field()
    }
}
