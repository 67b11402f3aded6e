//! XER: the XML encoding rules (X.693), the basic and the canonical ones.
//!
//! Readers take the components of a SEQUENCE in any order, and white space between elements.
//! Writers put components in the order of the module. A relay writes elements of a later version
//! back. The canonical rules (X.693 9) leave one text of each value, and a reader of them refuses
//! others. Encoding instructions are those of EXTENDED-XER, which is not read.

mod characters;
mod frame;
mod markup;
mod read;
mod write;

use std::sync::Arc;

use smol_str::SmolStr;

pub use crate::walk::checks::Checks;
pub(crate) use frame::Framer;
pub use read::XerReader;
use write::Canonical;
pub use write::XerWriter;

use crate::model::{Kind, Model, TypeId};
use crate::walk::{Op, Plan};

/// Name of the format.
pub(crate) const NAME: &str = "asn1-xer";

/// Name of the format of the canonical rules.
pub(crate) const CANONICAL: &str = "asn1-cxer";

/// Returns the name of the format.
const fn name_of(canonical: bool) -> &'static str {
    if canonical { CANONICAL } else { NAME }
}

/// Messages of one type in XER.
#[derive(Debug, Clone)]
pub struct Xer {
    plan: Arc<Plan>,
    rules: Option<Arc<Canonical>>,
}

impl Xer {
    /// Prepares the types of a plan.
    pub fn new(plan: Arc<Plan>) -> Xer {
        Xer { plan, rules: None }
    }

    /// Prepares the types of a plan for the canonical rules.
    pub fn canonical(plan: Arc<Plan>) -> Xer {
        let rules = Some(Arc::new(Canonical::new(&plan)));
        Xer { plan, rules }
    }

    /// Makes a reader. `checks` is the treatment of values outside of constraints.
    pub fn reader(&self, checks: Checks) -> XerReader {
        XerReader::new(Arc::clone(&self.plan), checks, self.rules.clone())
    }

    /// Makes a writer.
    pub fn writer(&self) -> XerWriter {
        XerWriter::new(Arc::clone(&self.plan), self.rules.clone(), false)
    }

    /// Makes a writer for messages that come straight from a reader of the same type: it keeps
    /// elements and names of a later version.
    pub fn relay(&self) -> XerWriter {
        XerWriter::new(Arc::clone(&self.plan), self.rules.clone(), true)
    }
}

/// Returns the name of the element around a value that no identifier names: that of its type, or
/// the keyword with `_` for spaces (X.680 table 4).
fn type_name(plan: &Plan, ty: TypeId) -> SmolStr {
    name_in(plan.model(), ty)
}

/// The same by a model.
pub(crate) fn name_in(model: &Model, ty: TypeId) -> SmolStr {
    let mut next = Some(ty);
    // Types that refer to each other in a circle were reported before.
    for _ in 0..16 {
        let Some(ty) = next.map(|next| model.ty(next)) else { break };
        if let Some((_, name)) = &ty.name {
            return name.clone();
        }
        next = ty.base;
    }
    SmolStr::new(model.ty(ty).kind.keyword().replace([' ', '-'], "_"))
}

/// Returns whether the values of a type stand in a list without an element around each: they are
/// elements themselves (X.680 26.5).
fn is_bare(op: Op) -> bool {
    matches!(op, Op::Boolean | Op::Enumerated(_) | Op::Choice(_))
}

/// The same by the kind of a type.
pub(crate) fn is_bare_kind(kind: &Kind) -> bool {
    matches!(kind, Kind::Boolean | Kind::Enumerated(_) | Kind::Choice(_))
}
