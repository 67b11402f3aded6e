//! JER: the JSON encoding rules (X.697).
//!
//! Readers take the members of an object in any order, and refuse what is no encoding of the type.
//! Writers put members in the order of the module. A relay writes members of a later version back.
//! Names and forms are those that encoding instructions in front of types give: NAME, TEXT, BASE64.

mod opaque;
mod read;
mod write;

use std::sync::Arc;

pub use crate::walk::checks::Checks;
pub(crate) use opaque::hex;
pub use read::JerReader;
pub use write::JerWriter;

use crate::model::TypeId;
use crate::walk::Plan;

/// Name of the format.
pub(crate) const NAME: &str = "asn1-jer";

/// Member around the value that a string contains (X.697 24 and 25).
const CONTAINING: &str = "containing";

/// Member around a number whose base is ten (X.697 23).
const BASE_10: &str = "base10Value";

/// Messages of one type in JER.
#[derive(Debug, Clone)]
pub struct Jer {
    plan: Arc<Plan>,
}

impl Jer {
    /// Prepares the types of a plan.
    pub fn new(plan: Arc<Plan>) -> Jer {
        Jer { plan }
    }

    /// Makes a reader. `checks` is the treatment of values outside of constraints.
    pub fn reader(&self, checks: Checks) -> JerReader {
        JerReader::new(Arc::clone(&self.plan), checks)
    }

    /// Makes a writer.
    pub fn writer(&self) -> JerWriter {
        JerWriter::new(Arc::clone(&self.plan), false)
    }

    /// Makes a writer for messages that come straight from a reader of the same type: it keeps
    /// members and names of a later version.
    pub fn relay(&self) -> JerWriter {
        JerWriter::new(Arc::clone(&self.plan), true)
    }
}

/// Returns the number of bits of a bit string whose constraint allows only one, apart from those of
/// a later version, and whether there may be such.
fn fixed_bits(plan: &Plan, ty: TypeId) -> Option<(u64, bool)> {
    let constraints = &plan.model().ty(ty).constraints;
    let size = constraints.size?;
    let count = u64::try_from(size.range.low?).ok()?;
    (size.range.low == size.range.high).then_some((count, size.extensible || constraints.extensible))
}
