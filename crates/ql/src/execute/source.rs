//! Tables and data that statements read.

use polywire_doc::Datum;

use super::run::Run;
use crate::files::File;
use crate::plan::Origin;

/// A source of rows.
pub(super) enum Source<'s> {
    /// The table of that name.
    Table(&'s str),
    /// The value of a variable, if it has one.
    Data(Option<Datum>),
    /// A file.
    File(&'s File),
}

impl Run<'_> {
    /// Resolves an origin when the statement runs. A name that is no variable of the script and no
    /// table may be a variable of the request. It never hides a table, so callers cannot put their
    /// data in place of one.
    pub(super) fn source<'s>(&self, origin: &'s Origin) -> Source<'s> {
        match origin {
            Origin::File(file) => Source::File(file),
            Origin::Variable(name) => Source::Data(self.own(name)),
            Origin::Table(name) if self.table(name).is_some() => Source::Table(name),
            Origin::Table(name) => match self.environment.request.source(name) {
                Some(value) => Source::Data(Some(value)),
                None => Source::Table(name),
            },
        }
    }
}

/// Returns the inner list of a list whose only element is a list; other values unchanged.
pub(super) fn opened(value: Datum) -> Datum {
    let view = value.view();
    match view.index(0) {
        Some(only) if view.len() == 1 && only.is_list() => only.to_datum(),
        _ => value,
    }
}
