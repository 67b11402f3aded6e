//! Checks that other libraries read the messages' values.

use polywire_core::tools::caught;
use polywire_core::value::Tree;
use polywire_core::{Error, Result};

use crate::changes::Changes;
use crate::comparison::{Lost, Verdict};
use crate::messages::Messages;
use crate::progress::{Progress, Watch};
use crate::prove::Proof;
use crate::rival::{Contender, Rival, held};

/// Result of checking one library.
pub(crate) struct Checked {
    pub(crate) rival: &'static dyn Rival,
    pub(crate) verdict: Verdict,
    pub(crate) why: Option<String>,
    pub(crate) losses: Vec<Lost>,
    pub(crate) more: u64,
    /// Bytes of the sample as it writes them, if it writes.
    pub(crate) written: Option<usize>,
}

/// Checks the rivals of each proof's format on every message of the sample, as the format's row
/// holds it.
pub(crate) fn check(
    messages: &Messages,
    proofs: &[Proof],
    sample: &[usize],
    rivals: &[&'static dyn Rival],
    watch: &mut Watch<'_>,
) -> Vec<Vec<Checked>> {
    let total = rivals.len();
    let mut done = 0;
    let mut of_proof = |proof: &Proof| {
        let mut checked = Vec::new();
        for rival in rivals.iter().copied().filter(|rival| rival.format() == proof.format.name) {
            watch(Progress { stage: "checking", format: rival.name(), done, total });
            checked.push(one(messages, proof, sample, rival));
            done += 1;
        }
        checked
    };
    proofs.iter().map(&mut of_proof).collect()
}

fn one(messages: &Messages, proof: &Proof, sample: &[usize], rival: &'static dyn Rival) -> Checked {
    let mut changes = Changes::default();
    let mut written = 0;
    let outcome = match &proof.why {
        Some(_) => Err(Error::usage("there are no messages in its format to read")),
        None => answers(messages, proof, rival, &mut changes, sample, |bytes| written += bytes),
    };
    let why = outcome.err().map(|error| error.to_string());
    let losses = if why.is_some() { Vec::new() } else { changes.lost("not what the message holds", |_| false) };
    let verdict = match (&why, losses.is_empty()) {
        (Some(_), _) => Verdict::Impossible,
        (None, true) => Verdict::Exact,
        (None, false) => Verdict::Lossy,
    };
    let written = (rival.writes() && why.is_none()).then_some(written);
    Checked { rival, verdict, why, losses, more: changes.more, written }
}

/// Compares what the library answers with every message of the sample; `written` gets the length of
/// each answer.
fn answers(
    messages: &Messages,
    proof: &Proof,
    rival: &'static dyn Rival,
    changes: &mut Changes,
    sample: &[usize],
    mut written: impl FnMut(usize),
) -> Result<()> {
    let mut walker = messages.walker(proof.dialect.clone());
    let mut contender = rival.enter(&proof.dialect)?;
    let mut spare = (Tree::new(), Tree::new());
    let mut out = Vec::new();
    for index in sample.iter().copied() {
        let Some(message) = proof.message(index) else { continue };
        out.clear();
        answer(&mut *contender, message, &mut out).map_err(|error| said(index, &error))?;
        written(out.len());
        let wanted = held(&mut walker, message, std::mem::take(&mut spare.0))?;
        let found = held(&mut walker, &out, std::mem::take(&mut spare.1)).map_err(|error| said(index, &error))?;
        changes.compare(&wanted, &found)?;
        spare = (wanted.recycle(), found.recycle());
    }
    Ok(())
}

/// Returns the library's answer. A panic is an error.
fn answer<'m>(contender: &mut (dyn Contender<'m> + 'm), message: &'m [u8], out: &mut Vec<u8>) -> Result<()> {
    caught(|| contender.answer(message, out)).unwrap_or_else(|| Err(Error::usage("it panicked")))
}

fn said(index: usize, error: &Error) -> Error {
    Error::usage(format!("message {}: {error}", index + 1))
}
