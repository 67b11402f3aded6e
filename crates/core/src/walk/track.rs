//! A tracker of the path of the current value.

use crate::walk::event::{Open, Part, Scalar};
use crate::walk::path::{Path, PathStep};

/// Follows events and knows the path of the last announced value.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    steps: Vec<PathStep>,
    levels: Vec<Level>,
    /// True once the value at `steps` has ended: the next event belongs to the container around it.
    ended: bool,
    in_part: bool,
}

#[derive(Debug, Clone)]
struct Level {
    kind: Kind,
    /// Length of `steps` inside this container.
    base: usize,
    next: u64,
    /// In records and maps: the key was seen, its value comes.
    value_due: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sequence,
    Named,
    Transparent,
}

impl Tracker {
    /// Returns the number of containers around the current place.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Returns the path of the last announced value, or of its container once that value has ended.
    pub fn path(&self) -> Path {
        let end = if self.ended { self.levels.last().map_or(0, |level| level.base) } else { self.steps.len() };
        Path(self.steps[..end].to_vec())
    }

    /// Returns the path of the last announced value, ended or not.
    pub fn last_path(&self) -> Path {
        Path(self.steps.clone())
    }

    /// Returns the last step of [`Tracker::last_path`]. Returns none for the message itself and for
    /// a value directly in a tagged value.
    pub fn last_step(&self) -> Option<&PathStep> {
        let base = self.levels.last().map_or(0, |level| level.base);
        self.steps[base.min(self.steps.len())..].last()
    }

    /// Follows the name of a value.
    pub fn field(&mut self, name: &str) {
        self.ended = false;
        if let Some(level) = self.levels.last_mut() {
            self.steps.truncate(level.base);
            self.steps.push(PathStep::Name(name.to_string()));
            level.value_due = true;
        }
    }

    /// Follows the start of a value and returns whether it is a map's key. `key` makes the text of
    /// such a key.
    fn value(&mut self, key: impl FnOnce() -> String) -> bool {
        self.ended = false;
        let Some(level) = self.levels.last_mut() else { return false };
        match level.kind {
            Kind::Transparent => self.steps.truncate(level.base),
            Kind::Sequence => {
                self.steps.truncate(level.base);
                self.steps.push(PathStep::Index(level.next));
                level.next += 1;
            }
            Kind::Named if level.value_due => level.value_due = false,
            Kind::Named => {
                self.steps.truncate(level.base);
                self.steps.push(PathStep::Key(key()));
                level.value_due = true;
                return true;
            }
        }
        false
    }

    /// Follows the start of a container. Returns whether it is a map's key.
    pub fn open(&mut self, open: &Open<'_>) -> bool {
        let is_key = self.value(|| format!("a {}", open.kind()));
        let kind = match open {
            Open::List(_) | Open::Tuple(_) => Kind::Sequence,
            Open::Record { .. } | Open::Map(_) => Kind::Named,
            Open::Variant { name, .. } => {
                self.steps.push(PathStep::Name((*name).to_string()));
                Kind::Sequence
            }
            Open::Tagged { .. } => Kind::Transparent,
        };
        self.levels.push(Level { kind, base: self.steps.len(), next: 0, value_due: false });
        is_key
    }

    /// Follows a container that was announced and not entered.
    pub fn skipped(&mut self) {
        self.value(String::new);
        self.ended = true;
    }

    /// Follows a scalar. Returns whether it is a map's key.
    pub fn scalar(&mut self, scalar: &Scalar<'_, '_>) -> bool {
        let is_key = self.value(|| key_text(scalar));
        self.ended = !is_key;
        is_key
    }

    /// Follows a piece of a scalar. Returns whether it belongs to a map's key.
    pub fn part(&mut self, part: &Part<'_>) -> bool {
        let is_key = !self.in_part && self.value(|| "text in parts".to_string());
        self.in_part = !part.last;
        self.ended = part.last && !is_key;
        is_key
    }

    /// Keeps the value that just ended current, if `within`: an offset inside a scalar belongs to
    /// the scalar, not to the container around it.
    pub(crate) fn stay(&mut self, within: bool) {
        self.ended = self.ended && !within;
    }

    /// Follows the end of the innermost container.
    pub fn close(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.steps.truncate(level.base);
        }
        self.ended = true;
    }
}

/// Returns a map's key as people read it in a path.
pub(crate) fn key_text(scalar: &Scalar<'_, '_>) -> String {
    match scalar {
        Scalar::Null => "null".into(),
        Scalar::Bool(value) => value.to_string(),
        Scalar::Int(value, _) => value.to_string(),
        Scalar::UInt(value, _) => value.to_string(),
        Scalar::F32(value, _) => value.to_string(),
        Scalar::F64(value, _) => value.to_string(),
        Scalar::Big(text, _) | Scalar::Decimal(text, _) => text.get().to_string(),
        Scalar::Text(text) => format!("{:?}", text.get()),
        Scalar::Bytes(bytes) | Scalar::Octets(bytes) => {
            let bytes = bytes.get();
            let shown: String = bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
            format!("h'{shown}{}'", if bytes.len() > 16 { "…" } else { "" })
        }
        Scalar::Time(moment) => moment.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::event::{Len, Str};

    #[test]
    fn a_tracker_knows_each_place() {
        let mut tracker = Tracker::default();
        tracker.open(&Open::Record { name: "", len: Len::Unknown });
        tracker.field("list");
        tracker.open(&Open::List(Len::Unknown));
        tracker.scalar(&Scalar::Null);
        tracker.open(&Open::Map(Len::Unknown));
        assert!(tracker.scalar(&Scalar::uint(5)));
        assert_eq!(tracker.path().to_string(), "list[1][5]");
        assert!(!tracker.scalar(&Scalar::Text(Str::Input("x"))));
        assert_eq!(tracker.path().to_string(), "list[1]");
        tracker.close();
        tracker.close();
        assert_eq!(tracker.path().to_string(), "the message itself");
        assert_eq!(tracker.last_path().to_string(), "list");
    }
}
