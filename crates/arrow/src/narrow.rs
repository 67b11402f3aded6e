//! The columns of a file in which wanted paths lead to values.

use arrow_schema::{DataType, Fields, Metadata, Schema as ArrowSchema};
use polywire_core::walk::Path;

use crate::foreign::{foreign, own_plan};
use crate::options::{Options, Rest};
use crate::plan::Plan;
use crate::project::project;

/// A part of a file's columns.
pub(crate) struct Narrow {
    /// Places of the columns without columns below them, in order.
    pub leaves: Vec<usize>,
    /// Number of such columns in the file.
    pub of: usize,
    /// Metadata of the schema of the part.
    pub metadata: Metadata,
}

/// Returns the part of the columns in which the paths lead to values. `None` if that is all of
/// them, or none.
pub(crate) fn narrowed(columns: &ArrowSchema, paths: &[Path]) -> Option<Narrow> {
    let (schema, options, is_own) = match own_plan(columns) {
        Some((schema, plan)) => (schema, plan.options().clone(), true),
        None => (foreign(columns), Options::default().with_rest(Rest::Drop), false),
    };
    let plan = Plan::new(&project(&schema, paths).ok()?, &options).ok()?;
    if !plan.is_record {
        return None;
    }
    let mut picking = Picking { leaves: Vec::new(), of: 0 };
    picking.fields(columns.fields(), &Want::Fields(plan.schema.fields()))?;
    let Picking { leaves, of } = picking;
    let metadata = if is_own { plan.schema.metadata().clone() } else { columns.metadata().clone() };
    (!leaves.is_empty() && leaves.len() < of).then_some(Narrow { leaves, of, metadata })
}

struct Picking {
    leaves: Vec<usize>,
    of: usize,
}

/// The wanted part of a column.
enum Want<'w> {
    All,
    Nothing,
    Type(&'w DataType),
    Fields(&'w Fields),
}

impl Picking {
    /// Counts the leaves of fields, and picks those that are wanted. Returns nothing if the wanted
    /// part is no part of them.
    fn fields(&mut self, fields: &Fields, want: &Want<'_>) -> Option<()> {
        let mut found = 0;
        for field in fields {
            let own = match want {
                Want::All => Want::All,
                Want::Fields(wanted) => match wanted.find(field.name()) {
                    Some((_, wanted)) => {
                        found += 1;
                        Want::Type(wanted.data_type())
                    }
                    None => Want::Nothing,
                },
                Want::Nothing | Want::Type(_) => Want::Nothing,
            };
            self.column(field.data_type(), own)?;
        }
        match want {
            Want::Fields(wanted) if found < wanted.len() => None,
            _ => Some(()),
        }
    }

    fn column(&mut self, ty: &DataType, want: Want<'_>) -> Option<()> {
        use DataType::{FixedSizeList, LargeList, LargeListView, List, ListView, Map, Struct};
        match (ty, want) {
            (Struct(fields), Want::Type(Struct(wanted))) => self.fields(fields, &Want::Fields(wanted)),
            (Struct(_), Want::Type(_)) => None,
            (Struct(fields), want) => self.fields(fields, &want),
            (List(item) | LargeList(item) | ListView(item) | LargeListView(item) | FixedSizeList(item, _), want) => {
                let inner = match want {
                    Want::Type(List(wanted)) => Want::Type(wanted.data_type()),
                    Want::Type(_) | Want::All => Want::All,
                    want => want,
                };
                self.column(item.data_type(), inner)
            }
            // Entries of maps are read whole.
            (Map(entries, _), want) => {
                let want = if matches!(want, Want::Nothing) { Want::Nothing } else { Want::All };
                self.column(entries.data_type(), want)
            }
            (_, want) => {
                if !matches!(want, Want::Nothing) {
                    self.leaves.push(self.of);
                }
                self.of += 1;
                Some(())
            }
        }
    }
}
