//! The parts of bodies that the hooks of a module have looked at: these are sent to workers.

use std::sync::{Arc, PoisonError, RwLock};

use polywire_doc::Wanted;

/// Most places that are remembered for a module; with more, whole bodies are sent.
const MOST: usize = 128;

/// The parts of bodies that the hooks of a module have looked at so far; `None` before the first.
#[derive(Debug, Default)]
pub(crate) struct Seen(RwLock<Option<Arc<Wanted>>>);

impl Seen {
    /// Returns the parts to send of a body that is there as far as `there`; `None` if it is whole.
    pub fn of(&self, there: Option<&Wanted>) -> Arc<Wanted> {
        let seen = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        match (seen, there) {
            (Some(seen), Some(there)) if !there.includes(&seen) => Arc::new(common(&seen, there)),
            (Some(seen), _) => seen,
            // More than that can be costly, or malformed.
            (None, Some(there)) => Arc::new(there.clone()),
            (None, None) => Arc::new(Wanted::nothing()),
        }
    }

    pub fn add(&self, looked: &Wanted) {
        let known = |seen: &Arc<Wanted>| seen.includes(looked);
        if self.0.read().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(known) {
            return;
        }
        let mut seen = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let seen = Arc::make_mut(seen.get_or_insert_with(|| Arc::new(Wanted::nothing())));
        seen.merge(looked);
        if seen.places() > MOST {
            *seen = Wanted::everything();
        }
    }
}

/// Returns the parts that both want.
fn common(one: &Wanted, other: &Wanted) -> Wanted {
    let mut common = Wanted::nothing();
    for (of, by) in [(one, other), (other, one)] {
        for (path, everything) in of.leaves() {
            let end = path.iter().try_fold(by.root(), |place, name| by.member(place, name));
            match end {
                Some(place) if everything && place.is_whole() => common.add(path),
                Some(_) if !everything => common.reach(path),
                _ => {}
            }
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_want_the_common_parts() {
        let paths = |paths: &[&[&str]]| Wanted::paths(paths.iter().map(|path| path.iter().copied()));
        let (one, other) = (paths(&[&["a"], &["b", "c"], &["d"]]), paths(&[&["a", "x"], &["b"], &["e"]]));
        assert_eq!(common(&one, &other), paths(&[&["b", "c"], &["a", "x"]]));
        assert_eq!(common(&Wanted::everything(), &other).to_string(), other.to_string());
        let seen = Seen::default();
        assert_eq!((seen.of(None).to_string(), seen.of(Some(&one)).to_string()), (String::new(), one.to_string()));
        seen.add(&paths(&[&["a", "x"]]));
        assert_eq!((seen.of(None).to_string(), seen.of(Some(&one)).to_string()), ("a.x".into(), "a.x".into()));
        for n in 0..MOST {
            seen.add(&paths(&[&[&n.to_string()]]));
        }
        assert!(seen.of(None).is_everything() && !seen.of(Some(&one)).is_everything());
    }
}
