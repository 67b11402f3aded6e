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
mod layout;
mod links;
#[cfg(feature = "schema")]
pub mod schema;
pub mod settings;
mod sources;
mod xformers;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polywire_core::format::Dialect;
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use polywire_doc::Datum;
use polywire_ql::execute::Catalog;
use polywire_ql::plan::Plan;
use polywire_ql::routes::Routes;
use polywire_ql::table::Table;

use crate::decode::{Offer, offers};
use crate::secrets::Secrets;

pub use layout::Layout;
pub(crate) use layout::Places;
pub use settings::Settings;
pub use xformers::Xformers;

/// The deepest nesting of folders that is read.
const MAX_DEPTH: usize = 32;

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
    /// The offers of routes with encoders, by the name of their file.
    offers: HashMap<String, Vec<Offer>>,
}

impl Directory {
    /// Reads a directory.
    ///
    /// # Errors
    /// A folder or file that the layout names is missing, the configuration is invalid, or the
    /// transformers cannot be read.
    pub fn load(layout: &Layout) -> io::Result<Directory> {
        let root = layout.hooks_root()?;
        let config::Config { all: config, public: public_config, settings, files: config_files } = config::read(layout)?;
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
        for file in files(&layout.tables()?, |name| name.ends_with(".ql"))? {
            this.add_tables(&file);
        }
        let routes = layout.routes()?;
        for file in files(&routes, |name| name.contains(".ql"))? {
            this.add_route(&file, &routes);
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

    /// Returns the routes.
    pub fn routes(&self) -> &Routes {
        &self.routes
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

    fn add_tables(&mut self, file: &Path) {
        let Some(source) = self.source(file) else { return };
        match Plan::tables(&source, &self.config, file.parent()) {
            Ok(tables) => {
                for table in tables {
                    if let Some(other) = self.tables.insert(table.name.clone(), table) {
                        self.warn(
                            &source.name,
                            "table_twice",
                            format!("declares the table {} again; the last declaration counts", other.name),
                        );
                    }
                }
            }
            Err(problems) => self.problems.push(problems),
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

    fn add_route(&mut self, file: &Path, routes: &Path) {
        let Some(source) = self.source(file) else { return };
        match Plan::new(&source, &self.config, file.parent()) {
            Ok(plan) => {
                if !plan.warnings.is_empty() {
                    self.problems.push(Diagnostics { sources: vec![source.clone()], findings: plan.warnings.clone() });
                }
                if !self.add_encoders(&plan, routes) {
                    return;
                }
                if !self.routes.add(Arc::new(plan)) {
                    self.leave_out(&source.name, "no_route", "has no route: its return lacks `via route`".to_owned());
                }
            }
            Err(problems) => self.problems.push(problems),
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

/// Returns the files below `folder` that `wanted` accepts, in the order of their paths; none if the
/// folder is missing.
fn files(folder: &Path, wanted: fn(&str) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if entry.path().is_dir() {
                // Packages of hooks hold no tables.
                if depth < MAX_DEPTH && name != "node_modules" && !name.starts_with('.') {
                    open.push((entry.path(), depth + 1));
                }
            } else if wanted(&name) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}
