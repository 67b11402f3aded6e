//! Known dictionaries, and the choice of the one that a document refers to (docs/spec/usds.md 5.3).

use std::ops::Range;
use std::sync::Arc;

use super::{Parts, split};
use crate::dictionary::{Identity, section};
use crate::error::{DecodeError, Problem, Revision};
use crate::plan::Plan;

/// Dictionaries by their identity, one of which is current.
#[derive(Debug, Clone)]
pub struct Known {
    plans: Vec<Entry>,
    current: Option<usize>,
    /// Revision of error codes while the bytes do not determine it.
    fallback: Revision,
}

#[derive(Debug, Clone)]
struct Entry {
    plan: Arc<Plan>,
    /// True if the dictionary came with a document, and may be forgotten.
    learned: bool,
}

/// A document with its dictionary.
#[derive(Debug, Clone)]
pub struct Located {
    /// The prepared dictionary.
    pub plan: Arc<Plan>,
    /// Ranges of the parts.
    pub parts: Parts,
    /// True if the dictionary was read from the document's own section.
    pub learned: bool,
}

impl Located {
    /// Returns the entries of the body, after its signature; empty if there is no body.
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
    /// Maximum number of remembered dictionaries that came with documents; the oldest are forgotten
    /// first.
    pub const MAX_LEARNED: usize = 64;

    /// Returns an empty collection. `revision` is that of error codes while nothing else determines
    /// it.
    pub fn new(revision: Revision) -> Known {
        Known { plans: Vec::new(), current: None, fallback: revision }
    }

    /// Adds a dictionary and makes it current.
    ///
    /// # Errors
    /// A dictionary with that id and version is known (9001).
    pub fn add(&mut self, plan: Arc<Plan>) -> Result<(), DecodeError> {
        let identity = plan.dictionary().identity();
        match self.position(identity) {
            Some(position) if self.plans[position].learned => self.plans[position] = Entry { plan, learned: false },
            Some(_) => {
                let seen = format!("a second dictionary {identity}");
                return Err(DecodeError::new(Problem::Dictionary, plan.wire(), 0).seen(seen));
            }
            None => self.plans.push(Entry { plan, learned: false }),
        }
        self.current = self.position(identity);
        Ok(())
    }

    /// Makes the dictionary with that identity current. Returns false if it is unknown.
    pub fn select(&mut self, identity: Identity) -> bool {
        match self.position(identity) {
            Some(position) => {
                self.current = Some(position);
                true
            }
            None => false,
        }
    }

    /// Returns the current dictionary.
    pub fn current(&self) -> Option<&Arc<Plan>> {
        self.current.map(|current| &self.plans[current].plan)
    }

    /// Returns all dictionaries.
    pub fn plans(&self) -> impl Iterator<Item = &Arc<Plan>> {
        self.plans.iter().map(|entry| &entry.plan)
    }

    fn position(&self, identity: Identity) -> Option<usize> {
        self.plans.iter().position(|entry| entry.plan.dictionary().identity() == identity)
    }

    /// Returns the revision of error codes while the bytes do not determine it.
    pub fn revision(&self) -> Revision {
        self.current().map_or(self.fallback, |plan| plan.wire())
    }

    /// Finds the parts of a document and its dictionary, which becomes the current one. The section
    /// of an unknown dictionary is read and remembered.
    ///
    /// # Errors
    /// The bytes are not a document, the dictionary is unknown, or the section is invalid.
    pub fn locate(&mut self, bytes: &[u8]) -> Result<Located, DecodeError> {
        let parts = split(bytes, self.revision())?;
        let located = self.choose(bytes, parts)?;
        if let Some((revision, entries)) = &located.parts.body {
            // The profile's bodies extend those of B.
            let wire = located.plan.wire();
            let wrong = match revision {
                Revision::A => !wire.is_a(),
                _ => wire.is_a(),
            };
            let at = entries.start - 1;
            if wrong {
                let seen = format!("a body of revision {revision} under a dictionary of revision {wire}");
                return Err(DecodeError::new(Problem::Document, wire, at).seen(seen));
            }
            if *revision == Revision::B && located.plan.dictionary().is_extended() {
                return Err(DecodeError::new(Problem::ReadType, wire, at));
            }
        }
        Ok(located)
    }

    fn choose(&mut self, bytes: &[u8], parts: Parts) -> Result<Located, DecodeError> {
        let Some(head) = parts.head else {
            return match self.current() {
                Some(plan) => Ok(Located { plan: Arc::clone(plan), parts, learned: false }),
                None => {
                    let revision = parts.body.as_ref().map_or(self.fallback, |(revision, _)| *revision);
                    Err(DecodeError::new(Problem::NoDictionary, revision, 0))
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
                    // A section of the profile may come before a body of B.
                    (Some(Revision::Profile), Some(Revision::B)) => Revision::Profile,
                    // One of the two is damaged.
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
                Err(DecodeError::new(Problem::Dictionary, revision, 4).seen(seen))
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
