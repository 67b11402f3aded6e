//! The surroundings of an execution.

use std::sync::Arc;

use polywire_doc::Datum;

use crate::backend::Backend;
use crate::files::Files;
use crate::functions::Functions;
use crate::limits::Limits;
use crate::memory::Pool;
use crate::observe::Observer;
use crate::params::Request;
use crate::plan::Plan;
use crate::table::Table;

/// The surroundings of an execution.
#[derive(Clone, Copy)]
pub struct Environment<'e> {
    /// The backend, which makes requests.
    pub backend: &'e dyn Backend,
    /// Tables and routes.
    pub catalog: &'e dyn Catalog,
    /// Files that scripts may select from; `None` where they may not.
    pub files: Option<&'e dyn Files>,
    /// User functions.
    pub functions: &'e dyn Functions,
    /// The observer.
    pub observer: &'e dyn Observer,
    /// The request that runs the script.
    pub request: &'e Request,
    /// The configuration as tables of the catalog see it.
    pub config: &'e Datum,
    /// The configuration as the script and its own tables see it.
    pub script_config: &'e Datum,
    /// Limits of the execution.
    pub limits: Limits,
    /// Memory that its values share with those of other executions.
    pub memory: Option<&'e Pool>,
    /// True if the result is only written as JSON. Objects in it may then be their JSON text.
    pub only_json: bool,
}

/// The catalog of tables and routes.
pub trait Catalog: Send + Sync {
    /// Returns the table of that name.
    fn table(&self, name: &str) -> Option<Arc<Table>>;

    /// Returns all tables, by name.
    fn tables(&self) -> Vec<Arc<Table>> {
        Vec::new()
    }

    /// Returns the scripts that have routes, by path.
    fn routes(&self) -> Vec<Arc<Plan>> {
        Vec::new()
    }

    /// Returns the URI template of a table as it may be shown: without its secrets.
    fn shown_uri(&self, template: &str) -> String {
        template.to_owned()
    }

    /// Returns the value of a header or the default of a parameter, as a table has it, as it may be
    /// shown: without secrets. `name` is that of the header or parameter.
    fn shown_value(&self, name: &str, value: &str) -> String {
        let _ = name;
        value.to_owned()
    }
}

/// A catalog without tables and routes.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTables;

impl Catalog for NoTables {
    fn table(&self, _: &str) -> Option<Arc<Table>> {
        None
    }
}
