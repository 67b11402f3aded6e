//! The path of the value that events have come to.

use crate::walk::event::{Open, Part, Scalar};
use crate::walk::path::{Path, PathStep};

/// Follows events and knows the path of the value that was announced last.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    steps: Vec<PathStep>,
    levels: Vec<Level>,
    /// Whether the value at `steps` has ended, so that the next thing belongs to the container around it.
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
    /// Number of containers around the current place.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Path of the value that was announced last, or of the container around it once that value has ended.
    pub fn path(&self) -> Path {
        let end = if self.ended { self.levels.last().map_or(0, |level| level.base) } else { self.steps.len() };
        Path(self.steps[..end].to_vec())
    }

    /// Path of the value that was announced last, ended or not.
    pub fn last_path(&self) -> Path {
        Path(self.steps.clone())
    }

    /// The last step of [`Tracker::last_path`], unless the value is the message itself or lies in a tagged value.
    pub fn last_step(&self) -> Option<&PathStep> {
        let base = self.levels.last().map_or(0, |level| level.base);
        self.steps[base.min(self.steps.len())..].last()
    }

    /// The name of a value is announced.
    pub fn field(&mut self, name: &str) {
        self.ended = false;
        if let Some(level) = self.levels.last_mut() {
            self.steps.truncate(level.base);
            self.steps.push(PathStep::Name(name.to_string()));
            level.value_due = true;
        }
    }

    /// A value starts; `key` gives its text if it should turn out to be a map's key. True if it is one.
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

    /// A container starts. True if it is a map's key.
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

    /// A container was announced and is not entered.
    pub fn skipped(&mut self) {
        self.value(String::new);
        self.ended = true;
    }

    /// A scalar. True if it is a map's key.
    pub fn scalar(&mut self, scalar: &Scalar<'_, '_>) -> bool {
        let is_key = self.value(|| key_text(scalar));
        self.ended = !is_key;
        is_key
    }

    /// A piece of a scalar. True if it belongs to a map's key.
    pub fn part(&mut self, part: &Part<'_>) -> bool {
        let is_key = !self.in_part && self.value(|| "text in parts".to_string());
        self.in_part = !part.last;
        self.ended = part.last && !is_key;
        is_key
    }

    /// Counts the value that ended just now as still going on, if `within`: an offset inside of a scalar belongs to the scalar, not to the
    /// container around it.
    pub(crate) fn stay(&mut self, within: bool) {
        self.ended = self.ended && !within;
    }

    /// The innermost container ends.
    pub fn close(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.steps.truncate(level.base);
        }
        self.ended = true;
    }
}

/// A scalar that is a map's key, as people read it in a path.
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
