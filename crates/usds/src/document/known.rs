//! The dictionaries that a receiver knows, and which of them a document means (docs/spec/usds.md 5.3).

use std::ops::Range;
use std::sync::Arc;

use super::{Parts, split};
use crate::dictionary::{Identity, section};
use crate::failure::{Failure, Problem, Revision};
use crate::plan::Plan;

/// Dictionaries by their identity; one is current.
#[derive(Debug, Clone)]
pub struct Known {
    plans: Vec<Entry>,
    current: Option<usize>,
    /// Of error numbers while nothing tells the revision.
    fallback: Revision,
}

#[derive(Debug, Clone)]
struct Entry {
    plan: Arc<Plan>,
    /// Whether it came with a document, and may be forgotten.
    learned: bool,
}

/// A document, and the dictionary that it means.
#[derive(Debug, Clone)]
pub struct Located {
    /// The dictionary, made ready.
    pub plan: Arc<Plan>,
    /// Where the parts are.
    pub parts: Parts,
    /// Whether the dictionary was made from the document's own section.
    pub learned: bool,
}

impl Located {
    /// The entries of the body, behind its signature; empty where there is no body.
    pub fn entries(&self) -> Range<usize> {
        self.parts.body.clone().map_or(0..0, |(_, entries)| entries)
    }
}

impl Default for Known {
    fn default() -> Known {
        Known::new(Revision::A)
    }
}

impl Known {
    /// Dictionaries that came with documents and are remembered at most; the oldest are forgotten first.
    pub const MAX_LEARNED: usize = 64;

    /// Knows nothing. `revision` is that of error numbers while nothing else tells it.
    pub fn new(revision: Revision) -> Known {
        Known { plans: Vec::new(), current: None, fallback: revision }
    }

    /// Adds a dictionary, which is the current one from here on.
    ///
    /// # Errors
    /// One of that id and version is known (9001).
    pub fn add(&mut self, plan: Arc<Plan>) -> Result<(), Failure> {
        let identity = plan.dictionary().identity();
        match self.position(identity) {
            Some(position) if self.plans[position].learned => self.plans[position] = Entry { plan, learned: false },
            Some(_) => {
                let seen = format!("a second dictionary {identity}");
                return Err(Failure::new(Problem::Dictionary, plan.wire(), 0).seen(seen));
            }
            None => self.plans.push(Entry { plan, learned: false }),
        }
        self.current = self.position(identity);
        Ok(())
    }

    /// Makes the dictionary of that identity the current one; false if there is none.
    pub fn select(&mut self, identity: Identity) -> bool {
        match self.position(identity) {
            Some(position) => {
                self.current = Some(position);
                true
            }
            None => false,
        }
    }

    /// The current dictionary.
    pub fn current(&self) -> Option<&Arc<Plan>> {
        self.current.map(|current| &self.plans[current].plan)
    }

    /// All dictionaries.
    pub fn plans(&self) -> impl Iterator<Item = &Arc<Plan>> {
        self.plans.iter().map(|entry| &entry.plan)
    }

    fn position(&self, identity: Identity) -> Option<usize> {
        self.plans.iter().position(|entry| entry.plan.dictionary().identity() == identity)
    }

    /// The revision of error numbers while the bytes tell none.
    pub fn revision(&self) -> Revision {
        self.current().map_or(self.fallback, |plan| plan.wire())
    }

    /// Finds the parts of a document and the dictionary that it means, which is the current one from here on. A section of a dictionary that is not known is read, and remembered.
    ///
    /// # Errors
    /// Bytes that are no document, a dictionary that is not known, or a section that is none.
    pub fn locate(&mut self, bytes: &[u8]) -> Result<Located, Failure> {
        let parts = split(bytes, self.revision())?;
        let located = self.choose(bytes, parts)?;
        if let Some((revision, entries)) = &located.parts.body {
            // Bodies of the profile are those of B, and more.
            let wire = located.plan.wire();
            let wrong = match revision {
                Revision::A => !wire.is_a(),
                _ => wire.is_a(),
            };
            let at = entries.start - 1;
            if wrong {
                let seen = format!("a body of revision {revision} under a dictionary of revision {wire}");
                return Err(Failure::new(Problem::Document, wire, at).seen(seen));
            }
            if *revision == Revision::B && located.plan.dictionary().is_extended() {
                return Err(Failure::new(Problem::ReadType, wire, at));
            }
        }
        Ok(located)
    }

    fn choose(&mut self, bytes: &[u8], parts: Parts) -> Result<Located, Failure> {
        let Some(head) = parts.head else {
            return match self.current() {
                Some(plan) => Ok(Located { plan: Arc::clone(plan), parts, learned: false }),
                None => {
                    let revision = parts.body.as_ref().map_or(self.fallback, |(revision, _)| *revision);
                    Err(Failure::new(Problem::NoDictionary, revision, 0))
                }
            };
        };
        let known = match self.current() {
            Some(plan) if plan.dictionary().identity() == head.identity => self.current,
            _ => self.position(head.identity),
        };
        if known.is_some() {
            self.current = known;
        }
        match (known, self.current(), &parts.dictionary) {
            (Some(_), Some(plan), _) => Ok(Located { plan: Arc::clone(plan), parts, learned: false }),
            (_, _, Some(contents)) => {
                let start = contents.start;
                let contents = &bytes[contents.clone()];
                let body = parts.body.as_ref().map(|(revision, _)| *revision);
                let revision = match (section::revision(contents), body) {
                    // Bodies of B may stand behind sections of the profile.
                    (Some(Revision::Profile), Some(Revision::B)) => Revision::Profile,
                    // One of them is damaged.
                    (Some(section), Some(body)) if section != body => self.revision(),
                    (section, body) => section.or(body).unwrap_or_else(|| self.revision()),
                };
                let dictionary = section::read(contents, revision, head.identity).map_err(|failure| failure.after(start))?;
                let plan = Arc::new(Plan::new(Arc::new(dictionary)));
                self.learn(Arc::clone(&plan));
                Ok(Located { plan, parts, learned: true })
            }
            _ => {
                let revision = parts.body.as_ref().map_or_else(|| self.revision(), |(revision, _)| *revision);
                let seen = format!("the dictionary {}, which is neither known nor in the document", head.identity);
                Err(Failure::new(Problem::Dictionary, revision, 4).seen(seen))
            }
        }
    }

    fn learn(&mut self, plan: Arc<Plan>) {
        let learned = self.plans.iter().filter(|entry| entry.learned).count();
        if learned >= Self::MAX_LEARNED
            && let Some(oldest) = self.plans.iter().position(|entry| entry.learned)
        {
            self.plans.remove(oldest);
        }
        self.plans.push(Entry { plan, learned: true });
        self.current = Some(self.plans.len() - 1);
    }
}
