//! The parsed body of a reply, as a hook gets it. A message to a worker holds the parts that hooks
//! have looked at before; a worker asks for the rest when a script looks further.

use std::sync::Arc;

use polywire_doc::{Datum, Wanted};

use super::seen::Seen;
use crate::engine::{Parsed, Part};
use crate::task::Source;
use crate::wire::{Asker, Get, Malformed, Pruned, Put, Wire};

/// The parsed body of a reply.
pub(crate) struct ReplyBody {
    pub parsed: Parsed,
    /// The memory of what hooks look at, and the parts that are sent; none on a thread.
    sent: Option<(Arc<Seen>, Arc<Wanted>)>,
}

impl ReplyBody {
    pub fn new(parsed: Parsed, seen: Option<&Arc<Seen>>) -> ReplyBody {
        let sent = seen.map(|seen| (seen.clone(), seen.of(parsed.part.as_ref().map(|part| part.wanted()))));
        ReplyBody { parsed, sent }
    }
}

impl Wire for ReplyBody {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        let Some((_, wanted)) = &self.sent else { return };
        wanted.put(out);
        Pruned { value: self.parsed.value.view(), wanted }.put(out);
    }

    fn get(from: &mut Get<'_>) -> Result<ReplyBody, Malformed> {
        let asker = from.asker().ok_or_else(|| from.wrong("a message of the gateway"))?.clone();
        let wanted = Wanted::get(from)?;
        let value = Datum::get(from)?;
        let part = (!wanted.is_everything()).then(|| Arc::new(InGateway { wanted, asker }) as Arc<dyn Part>);
        Ok(ReplyBody { parsed: Parsed { value, part }, sent: None })
    }
}

impl Source for ReplyBody {
    fn whole(&self) -> Result<Datum, String> {
        match &self.parsed.part {
            Some(part) => part.whole(),
            None => Ok(self.parsed.value.clone()),
        }
    }

    fn looked_at(&self, mut looked: Wanted, returned: Option<&[&str]>) {
        if let Some((seen, _)) = &self.sent {
            seen.add(&looked);
        }
        if let Some(part) = &self.parsed.part {
            if let Some(path) = returned {
                looked.add(path.iter().copied());
            }
            part.looked_at(&looked);
        }
    }

    fn suffices(&self, path: &[&str]) -> bool {
        self.parsed.part.as_ref().is_none_or(|part| part.suffices(path))
    }
}

/// The rest of a body, for a worker.
struct InGateway {
    wanted: Wanted,
    asker: Arc<dyn Asker>,
}

impl Part for InGateway {
    fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    fn whole(&self) -> Result<Datum, String> {
        self.asker.whole()
    }

    fn looked_at(&self, looked: &Wanted) {
        self.asker.looked_at(looked);
    }

    fn suffices(&self, path: &[&str]) -> bool {
        // The gateway decides, when it has the answer.
        self.asker.returned_in_part(path);
        true
    }
}
