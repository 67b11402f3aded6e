//! Bodies that are there in part. What a script looks at beyond that part is fetched, once for all, and what it looked at is told, so that the next body can have it.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use polywire_doc::{Datum, Kind, Place, Ref, Wanted};

use super::Shared;
use crate::hook::Part;

/// Places that are told apart in one call; with more, everything counts as looked at.
const MOST: usize = 64;
/// Longer names are not kept: the whole object counts as looked at.
const LONGEST: usize = 256;

/// A body of which a part is there.
pub(super) struct Body {
    part: Arc<dyn Part>,
    looked: RefCell<Wanted>,
    whole: OnceCell<Datum>,
    shared: Rc<Shared>,
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Body").field("looked", &self.looked).field("whole", &self.whole).finish_non_exhaustive()
    }
}

impl Body {
    pub fn new(part: Arc<dyn Part>, shared: &Rc<Shared>) -> Rc<Body> {
        Rc::new(Body { part, looked: RefCell::new(Wanted::nothing()), whole: OnceCell::new(), shared: shared.clone() })
    }

    /// Tells what scripts looked at.
    pub fn tell(&self) {
        self.part.looked_at(&self.looked.borrow());
    }

    /// Gets all of the body, if that has not been done. What that takes is not the script's time.
    fn fetch(&self) -> Result<(), String> {
        if self.whole.get().is_none() {
            let start = Instant::now();
            let whole = self.part.whole();
            self.shared.clock.extend(start.elapsed());
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

/// Where in a body a value is.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    body: Rc<Body>,
    way: Option<Rc<Way>>,
    /// What is there of it, unless all is.
    place: Place,
}

#[derive(Debug)]
struct Way {
    up: Option<Rc<Way>>,
    step: Step,
}

#[derive(Debug)]
enum Step {
    Name(Box<str>),
    Index(usize),
}

impl Spot {
    pub fn root(body: Rc<Body>) -> Spot {
        let place = body.part.wanted().root();
        Spot { body, way: None, place }
    }

    /// Whether everything below it is there, and nobody needs to know what is looked at.
    pub fn is_whole(&self) -> bool {
        self.place == Place::EVERYTHING && self.body.whole.get().is_none()
    }

    pub fn part(&self) -> &Arc<dyn Part> {
        &self.body.part
    }

    fn below(&self, step: Step, place: Place) -> Spot {
        Spot { body: self.body.clone(), way: Some(Rc::new(Way { up: self.way.clone(), step })), place }
    }

    fn steps(&self) -> Vec<&Step> {
        let mut steps: Vec<&Step> = std::iter::successors(self.way.as_deref(), |way| way.up.as_deref()).map(|way| &way.step).collect();
        steps.reverse();
        steps
    }

    /// The names on the way: lists are looked through.
    pub fn names(&self) -> Vec<&str> {
        fn name(step: &Step) -> Option<&str> {
            match step {
                Step::Name(name) => Some(name),
                Step::Index(_) => None,
            }
        }
        self.steps().into_iter().filter_map(name).collect()
    }
}

/// A value that the running call has in a proxy.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub datum: Datum,
    /// If there may be more of it than is here.
    pub spot: Option<Spot>,
}

impl Held {
    /// The value as the whole body has it, if that was fetched.
    pub fn settle(&mut self) -> Result<(), String> {
        let Some(spot) = &self.spot else { return Ok(()) };
        let Some(whole) = spot.body.whole.get() else { return Ok(()) };
        let found = spot.steps().into_iter().try_fold(whole.view(), |value, step| match step {
            Step::Name(name) => value.get(name),
            Step::Index(index) => value.index(*index),
        });
        self.datum = found.ok_or("the body is not what it was in part")?.to_datum();
        Ok(())
    }

    /// Gets all that is below.
    pub fn complete(&mut self) -> Result<(), String> {
        if let Some(spot) = &self.spot {
            spot.body.note(spot.names(), true);
            spot.body.fetch()?;
            self.settle()?;
            self.spot = None;
        }
        Ok(())
    }

    /// The member or element that a script asks for.
    pub fn member(&mut self, name: &str) -> Result<Option<Held>, String> {
        if self.datum.view().kind() == Kind::List {
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
        let below = spot.below(Step::Name(name.into()), place);
        Ok(Some(Held { datum: member.to_datum(), spot: Some(below).filter(|below| !below.is_whole()) }))
    }

    /// An element of a list: all of them are there, as they are wanted.
    pub fn element(&self, index: usize, element: Ref<'_>) -> Held {
        let spot = self.spot.as_ref().map(|spot| spot.below(Step::Index(index), spot.place));
        Held { datum: element.to_datum(), spot }
    }
}
