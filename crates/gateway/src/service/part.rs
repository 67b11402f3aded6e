//! Replies that are decoded in part, though hooks look at them: the parts that the script wants,
//! and those that the verb's hooks have looked at in earlier replies. Where a hook looks beyond,
//! the reply is decoded once more, as a whole.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use polywire_doc::{Datum, Wanted};
use polywire_hooks::Part;

use super::shelf::Prepared;
use crate::decode::{Decoded, Undecodable};

/// A reply that was decoded in part.
pub(super) struct PartOf {
    pub prepared: Arc<Prepared>,
    pub body: Bytes,
    pub media: Option<String>,
    /// The decoded parts.
    pub wanted: Wanted,
    /// The parts that the script wants of the value in the place of the body.
    pub of_script: Wanted,
    pub whole: OnceLock<Result<Decoded, Undecodable>>,
}

impl PartOf {
    /// Returns the whole reply.
    pub fn all(&self) -> Result<&Decoded, &Undecodable> {
        let decode = || self.prepared.decoder.decode(&self.body, self.media.as_deref(), &Wanted::everything());
        self.whole.get_or_init(decode).as_ref()
    }
}

impl Part for PartOf {
    fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    fn whole(&self) -> Result<Datum, String> {
        self.all().map(|decoded| decoded.value.clone()).map_err(ToString::to_string)
    }

    fn looked_at(&self, looked: &Wanted) {
        self.prepared.looked.add(looked);
    }

    fn suffices(&self, path: &[&str]) -> bool {
        self.prepared.looked.add_result(path);
        self.wanted.includes(&self.of_script.below(path.iter().copied()))
    }
}
