//! Bodies that are decoded in part. When a script looks beyond the part, the whole body is fetched,
//! once. The places that it looked at are reported, so that they can be decoded in the next body.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use polywire_doc::{Datum, DatumKind, Place, Ref, Wanted};

use super::limits::Clock;
use super::parsed::Part;

/// Most places that are kept apart in one call; with more, everything counts as looked at.
const MOST: usize = 64;
/// Longest name that is kept; with a longer one, the whole object counts as looked at.
const LONGEST: usize = 256;

/// A body that is decoded in part.
pub(super) struct PartialBody {
    part: Arc<dyn Part>,
    looked: RefCell<Wanted>,
    whole: OnceCell<Datum>,
    clock: Rc<Clock>,
}

impl std::fmt::Debug for PartialBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PartialBody").field("looked", &self.looked).field("whole", &self.whole).finish_non_exhaustive()
    }
}

impl PartialBody {
    pub fn new(part: Arc<dyn Part>, clock: &Rc<Clock>) -> Rc<PartialBody> {
        Rc::new(PartialBody { part, looked: RefCell::new(Wanted::nothing()), whole: OnceCell::new(), clock: clock.clone() })
    }

    /// Reports what scripts looked at.
    pub fn report(&self) {
        self.part.looked_at(&self.looked.borrow());
    }

    /// Fetches the whole body, unless that is done. The time for it is not the script's.
    fn fetch(&self) -> Result<(), String> {
        if self.whole.get().is_none() {
            let start = Instant::now();
            let whole = self.part.whole();
            self.clock.extend(start.elapsed());
            let _ = self.whole.set(whole?);
        }
        Ok(())
    }

    fn note(&self, mut path: Vec<&str>, everything: bool) {
        let mut looked = self.looked.borrow_mut();
        let kept = path.iter().position(|name| name.len() > LONGEST);
        path.truncate(kept.unwrap_or(path.len()));
        if everything || kept.is_some() {
            looked.add(path);
        } else {
            looked.reach(path);
        }
        if looked.places() > MOST {
            looked.add([]);
        }
    }
}

/// The place of a value in a body.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    body: Rc<PartialBody>,
    way: Option<Rc<Way>>,
    /// The decoded part of the value, unless all is.
    place: Place,
}

#[derive(Debug)]
struct Way {
    up: Option<Rc<Way>>,
    step: PartStep,
}

#[derive(Debug)]
enum PartStep {
    Name(Box<str>),
    Index(usize),
}

impl Spot {
    pub fn root(body: Rc<PartialBody>) -> Spot {
        let place = body.part.wanted().root();
        Spot { body, way: None, place }
    }

    /// Returns whether everything below it is decoded, and nobody needs to know what is looked at.
    pub fn is_whole(&self) -> bool {
        self.place == Place::EVERYTHING && self.body.whole.get().is_none()
    }

    pub fn part(&self) -> &Arc<dyn Part> {
        &self.body.part
    }

    fn below(&self, step: PartStep, place: Place) -> Spot {
        Spot { body: self.body.clone(), way: Some(Rc::new(Way { up: self.way.clone(), step })), place }
    }

    fn steps(&self) -> Vec<&PartStep> {
        let mut steps: Vec<&PartStep> = std::iter::successors(self.way.as_deref(), |way| way.up.as_deref()).map(|way| &way.step).collect();
        steps.reverse();
        steps
    }

    /// Returns the names on the way; lists are looked through.
    pub fn names(&self) -> Vec<&str> {
        fn name(step: &PartStep) -> Option<&str> {
            match step {
                PartStep::Name(name) => Some(name),
                PartStep::Index(_) => None,
            }
        }
        self.steps().into_iter().filter_map(name).collect()
    }
}

/// A value that a proxy of the running call stands for.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub datum: Datum,
    /// Its place, if it may be decoded in part.
    pub spot: Option<Spot>,
}

impl Held {
    /// Takes the value from the whole body, if that was fetched.
    pub fn settle(&mut self) -> Result<(), String> {
        let Some(spot) = &self.spot else { return Ok(()) };
        let Some(whole) = spot.body.whole.get() else { return Ok(()) };
        let found = spot.steps().into_iter().try_fold(whole.view(), |value, step| match step {
            PartStep::Name(name) => value.get(name),
            PartStep::Index(index) => value.index(*index),
        });
        self.datum = found.ok_or("the whole body differs from its part")?.to_datum();
        Ok(())
    }

    /// Fetches all that is below.
    pub fn complete(&mut self) -> Result<(), String> {
        if let Some(spot) = &self.spot {
            spot.body.note(spot.names(), true);
            spot.body.fetch()?;
            self.settle()?;
            self.spot = None;
        }
        Ok(())
    }

    /// Returns the member or element that a script asks for.
    pub fn member(&mut self, name: &str) -> Result<Option<Held>, String> {
        if self.datum.view().kind() == DatumKind::List {
            let index = name.parse::<usize>().ok();
            return Ok(index.and_then(|index| Some(self.element(index, self.datum.view().index(index)?))));
        }
        let Some(spot) = &self.spot else {
            return Ok(self.datum.view().get(name).map(|member| Held { datum: member.to_datum(), spot: None }));
        };
        let mut path = spot.names();
        path.push(name);
        spot.body.note(path, false);
        let mut place = spot.body.part.wanted().member(spot.place, name);
        if place.is_none() || spot.body.whole.get().is_some() {
            spot.body.fetch()?;
            self.settle()?;
            place = Some(Place::EVERYTHING);
        }
        let (Some(member), Some(spot), Some(place)) = (self.datum.view().get(name), &self.spot, place) else { return Ok(None) };
        let below = spot.below(PartStep::Name(name.into()), place);
        Ok(Some(Held { datum: member.to_datum(), spot: Some(below).filter(|below| !below.is_whole()) }))
    }

    /// Returns an element of a list. Lists have all elements, each as far as it is wanted.
    pub fn element(&self, index: usize, element: Ref<'_>) -> Held {
        let spot = self.spot.as_ref().map(|spot| spot.below(PartStep::Index(index), spot.place));
        Held { datum: element.to_datum(), spot }
    }
}
