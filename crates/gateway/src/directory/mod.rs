//! A directory of tables and routes, as it is on disk (docs/spec/ql.md 13).
//!
//! | folder | holds |
//! |---|---|
//! | `tables/` | every `.ql` file below it makes tables; hooks, templates and schemas lie beside them |
//! | `routes/` | every file below it with `.ql` in its name is a script with a route |
//! | `config.json`, else `config/dev.json` | the configuration, free-form: scripts see it as `{config.…}` |
//! | `config/xformers.json` | transformers of tables, if neither the configuration nor the start names another file |
//!
//! Each may be elsewhere, by a [`Layout`]. A broken file is left out and reported; the others are
//! used. A file that breaks while it is served takes nothing away: see [`change`].

pub mod change;
pub(crate) mod codec;
mod config;
pub(crate) mod files;
mod known;
mod layout;
mod links;
mod listing;
mod persisted;
#[cfg(feature = "schema")]
pub mod schema;
pub mod settings;
mod sources;
mod templates;
mod xformers;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polywire_core::format::Dialect;
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Severity, Source};
use polywire_doc::Datum;
use polywire_ql::doubts::doubts;
use polywire_ql::execute::Catalog;
use polywire_ql::plan::Plan;
use polywire_ql::routes::Routes;
use polywire_ql::table::Table;

use crate::callers::keys::Hash;
use crate::decode::{Offer, offers};
use crate::secrets::Secrets;

use codec::Checked;
use known::Odd;
use listing::files;

pub use layout::Layout;
pub(crate) use layout::Places;
pub use persisted::Persisted;
pub use settings::Settings;
pub use xformers::Xformers;

/// Tables and routes, as they were when loaded.
#[derive(Debug, Default)]
pub struct Directory {
    /// The folder that hooks see, without links.
    pub root: PathBuf,
    /// The places of its parts.
    layout: Layout,
    /// The configuration as tables and routes see it: without the gateway's own secrets.
    pub config: Datum,
    /// The configuration as scripts of callers see it: also without values that lie in files or in
    /// the environment.
    pub public_config: Datum,
    /// Files with values of the configuration.
    pub(crate) config_files: Vec<PathBuf>,
    /// The gateway's own settings, from the same file.
    pub settings: Settings,
    /// Names of what is not shown.
    secrets: Secrets,
    /// Transformers of tables.
    pub xformers: Arc<Xformers>,
    /// Errors in files that were left out, and warnings on others.
    pub problems: Vec<Diagnostics>,
    /// The number of this directory among those that a gateway loaded, from 0. Plans of one are not
    /// used with the next.
    pub(crate) generation: u64,
    tables: BTreeMap<Arc<str>, Arc<Table>>,
    routes: Routes,
    /// Scripts that callers name by their hash.
    persisted: HashMap<Hash, Persisted>,
    /// The offers of routes with encoders, by the name of their file.
    offers: HashMap<String, Vec<Offer>>,
    /// Formats and schemas of tables that were looked at.
    checked: Checked,
}

impl Directory {
    /// Reads a directory.
    ///
    /// # Errors
    /// A folder or file that the layout names is missing, the configuration is invalid, or the
    /// transformers cannot be read.
    pub fn load(layout: &Layout) -> io::Result<Directory> {
        let root = layout.hooks_root()?;
        let config::Config { all: config, public: public_config, settings, files: config_files, odd, file } = config::read(layout)?;
        let xformers = Arc::new(xformers::read(layout, settings.xformers.as_deref())?);
        let secrets = settings.exchange.secrets();
        let mut this = Directory {
            root,
            layout: layout.clone(),
            config,
            public_config,
            config_files,
            settings,
            secrets,
            xformers,
            ..Directory::default()
        };
        this.odd_settings(odd, &file)?;
        for file in files(&layout.tables()?, |name| name.ends_with(".ql"))? {
            this.add_tables(&file);
        }
        let routes = layout.routes()?;
        for file in files(&routes, |name| name.contains(".ql"))? {
            this.add_route(&file, &routes);
        }
        if let Some(place) = this.settings.ad_hoc.persisted.clone() {
            this.add_persisted(persisted::read(&fs::canonicalize(&layout.root)?, &place)?);
        }
        let unknown: Vec<String> = this.xformers.keys().filter(|table| !this.tables.contains_key(table.as_str())).cloned().collect();
        for table in unknown {
            this.warn("xformers", "no_table", format!("register a transformer for {table}, which is not a table of the folder"));
        }
        let missing: Vec<String> = this.xformers.values().filter(|module| !xformers::is_there(&this.root, module)).cloned().collect();
        for module in missing {
            this.warn("xformers", "no_module", format!("register the transformer {module}, which is not a module below the folder"));
        }
        Ok(this)
    }

    /// Reports members of the configuration that are no settings, unless a file of the folder names
    /// them.
    ///
    /// # Errors
    /// The directory is strict, and there is one.
    fn odd_settings(&mut self, odd: Vec<Odd>, file: &str) -> io::Result<()> {
        let mut texts = None;
        for Odd { name, meant, may_be_for_scripts } in odd {
            if may_be_for_scripts {
                let folders = [self.layout.tables()?, self.layout.routes()?];
                if texts.get_or_insert_with(|| texts_below(&folders)).iter().any(|text| contains(text, name.as_bytes())) {
                    continue;
                }
            }
            let message = match may_be_for_scripts {
                true => format!("`{name}` is no setting, and no file of the tables and routes names it"),
                false => format!("`{name}` is no setting"),
            };
            let hint = match meant {
                Some(meant) => format!("it may mean `{meant}`"),
                None => "remove it, or read docs/gateway.md for the settings".to_owned(),
            };
            if self.settings.strict {
                return Err(io::Error::new(io::ErrorKind::InvalidData, format!("{file}: {message}; {hint}")));
            }
            self.note(file, Diagnostic::warning("unknown_setting", Place::default(), message).hint(hint));
        }
        Ok(())
    }

    /// Returns the routes.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Returns a script that callers name by its hash.
    pub fn persisted(&self, hash: &Hash) -> Option<&Persisted> {
        self.persisted.get(hash)
    }

    /// Returns the offers of a route, if they differ from the common ones.
    pub fn offers(&self, plan: &Plan) -> Option<&[Offer]> {
        // Scripts of callers name no files.
        plan.route.as_ref().filter(|route| !route.encoders.is_empty() && route.folder.is_some())?;
        self.offers.get(&plan.source.name).map(Vec::as_slice)
    }

    /// Reads a file, under the path that people know.
    fn source(&mut self, file: &Path) -> Option<Source> {
        let name = file.strip_prefix(&self.root).unwrap_or(file).to_string_lossy().into_owned();
        match fs::read(file).map(String::from_utf8) {
            Ok(Ok(text)) => Some(Source::new(name, text)),
            Ok(Err(error)) => {
                self.leave_out(&name, "not_utf8", format!("is not UTF-8, at byte {}", error.utf8_error().valid_up_to()));
                None
            }
            Err(error) => {
                self.leave_out(&name, "unreadable", format!("cannot be read: {error}"));
                None
            }
        }
    }

    /// Reports a file that is left out.
    fn leave_out(&mut self, name: &str, code: &'static str, message: String) {
        self.note(name, Diagnostic::error(code, Place::default(), format!("{name} {message}")));
    }

    /// Reports an oddity of a file that is used all the same.
    fn warn(&mut self, name: &str, code: &'static str, message: String) {
        self.note(name, Diagnostic::warning(code, Place::default(), format!("{name} {message}")));
    }

    fn note(&mut self, name: &str, finding: Diagnostic) {
        self.problems.push(Diagnostics { sources: vec![Source::new(name, "")], findings: vec![finding] });
    }

    /// Reads a script, with the doubts about it: it is left out for them if the directory is
    /// strict.
    fn plan(&mut self, source: &Source, folder: Option<&Path>) -> Option<Plan> {
        let made = Plan::new(source, &self.config, folder).and_then(Plan::without_files).and_then(|mut plan| {
            for table in plan.tables.iter().filter(|table| table.folder.is_some()) {
                plan.warnings.extend(self.checked.doubts(&self.root, table, place(&plan, table)));
            }
            self.doubted(plan, &self.config)
        });
        let (plan, findings) = match made {
            Ok(plan) => {
                let warnings = plan.warnings.clone();
                (Some(plan), Diagnostics { sources: vec![source.clone()], findings: warnings })
            }
            Err(problems) => (None, problems),
        };
        if !findings.findings.is_empty() {
            self.problems.push(findings);
        }
        plan
    }

    /// Adds the doubts about a script over these tables, which sees this configuration, to its
    /// warnings.
    ///
    /// # Errors
    /// The directory is strict, and there are warnings.
    pub(crate) fn doubted(&self, mut plan: Plan, config: &Datum) -> Result<Plan, Diagnostics> {
        let found = doubts(&plan, &|name| self.tables.get(name).cloned(), config);
        plan.warnings.extend(found);
        for table in plan.tables.iter().filter(|table| table.folder.is_some()) {
            plan.warnings.extend(templates::doubts(&self.root, table, place(&plan, table)));
        }
        if !self.settings.strict || plan.warnings.is_empty() {
            return Ok(plan);
        }
        let findings = plan.warnings.iter().cloned().map(|finding| Diagnostic { severity: Severity::Error, ..finding });
        Err(Diagnostics { sources: vec![plan.source.clone()], findings: findings.collect() })
    }

    fn add_tables(&mut self, file: &Path) {
        let Some(source) = self.source(file) else { return };
        let Some(plan) = self.plan(&source, file.parent()) else { return };
        for table in plan.tables {
            if let Some(other) = self.tables.insert(table.name.clone(), table) {
                let message = format!("declares the table {} again; the last declaration counts", other.name);
                self.warn(&source.name, "table_twice", message);
            }
        }
    }

    /// Loads the schemas of a route. Those of routes outside the root lie below the folder
    /// `routes`. Returns false, after a report, if one cannot be used.
    fn add_encoders(&mut self, plan: &Plan, routes: &Path) -> bool {
        let Some(route) = plan.route.as_ref().filter(|route| !route.encoders.is_empty()) else { return true };
        let folder = route.folder.as_deref().unwrap_or(&self.root);
        let root = if folder.starts_with(&self.root) { &self.root } else { routes };
        let bound: Result<Vec<Dialect>, _> = route.encoders.iter().map(|encoder| codec::encoder(root, folder, encoder)).collect();
        match bound {
            Ok(bound) => {
                self.offers.insert(plan.source.name.clone(), offers(&bound));
                true
            }
            Err(error) => {
                self.leave_out(&plan.source.name, "bad_encoder", format!("has an encoder that cannot be used: {error}"));
                false
            }
        }
    }

    /// Keeps the scripts that compile.
    fn add_persisted(&mut self, scripts: Vec<(Hash, Persisted)>) {
        for (hash, script) in scripts {
            let plan = Plan::new(&Source::new(&*script.name, &*script.text), &self.config, None);
            match plan.and_then(Plan::without_files) {
                Ok(_) => drop(self.persisted.insert(hash, script)),
                Err(problems) => self.problems.push(problems),
            }
        }
    }

    fn add_route(&mut self, file: &Path, routes: &Path) {
        let Some(source) = self.source(file) else { return };
        let Some(plan) = self.plan(&source, file.parent()) else { return };
        if self.add_encoders(&plan, routes) && !self.routes.add(Arc::new(plan)) {
            self.leave_out(&source.name, "no_route", "has no route: its return lacks `via route`".to_owned());
        }
    }
}

impl Catalog for Directory {
    fn table(&self, name: &str) -> Option<Arc<Table>> {
        self.tables.get(name).cloned()
    }

    fn tables(&self) -> Vec<Arc<Table>> {
        self.tables.values().cloned().collect()
    }

    fn routes(&self) -> Vec<Arc<Plan>> {
        self.routes.all()
    }

    fn shown_uri(&self, template: &str) -> String {
        self.secrets.show_template(template)
    }

    fn shown_value(&self, name: &str, value: &str) -> String {
        self.secrets.show_value(name, value)
    }
}

/// Returns the place of the statement that makes a table.
fn place(plan: &Plan, table: &Arc<Table>) -> Place {
    plan.steps.iter().find(|step| step.makes(table)).map(|step| step.at).unwrap_or_default()
}

/// The longest file that is searched for names of the configuration, in bytes, and the most of them
/// together.
const MOST_SEARCHED: (u64, usize) = (1 << 20, 64 << 20);

/// Returns the contents of all files below some folders. Those that cannot be read have none.
fn texts_below(folders: &[PathBuf]) -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    let mut left = MOST_SEARCHED.1;
    for file in folders.iter().flat_map(|folder| files(folder, |_| true).unwrap_or_default()) {
        let small = fs::metadata(&file).is_ok_and(|about| about.is_file() && about.len() <= MOST_SEARCHED.0);
        if let (true, Ok(text)) = (small, fs::read(&file))
            && text.len() <= left
        {
            left -= text.len();
            texts.push(text);
        }
    }
    texts
}

fn contains(text: &[u8], name: &[u8]) -> bool {
    !name.is_empty() && memchr::memmem::find(text, name).is_some()
}
