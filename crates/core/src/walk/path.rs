//! Paths: the place of a value in a message, such as `vouchers[17].goods_name`.

use std::fmt;

use crate::walk::slice::Slice;

/// One step of a [`Path`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathStep {
    /// Into a field, a map's entry with a text key, or a case of a sum type.
    Name(String),
    /// Into a list or tuple, counted from 0.
    Index(u64),
    /// Into any element of a list, or any entry of a map with other keys than text. Paths of a
    /// schema have this in place of an index or a key.
    Each,
    /// Into these elements of a list. Only paths that a person types have this step.
    Slice(Slice),
    /// Into a map's entry whose key is not text, as printed for people.
    Key(String),
}

/// The steps from the message to a value in it. `Display` quotes names that are not plain words.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Path(pub Vec<PathStep>);

impl Path {
    /// Returns the path with every index, slice and key replaced by [`PathStep::Each`]. All
    /// elements of a list share it.
    pub fn in_schema(&self) -> Path {
        let step = |step: &PathStep| match step {
            PathStep::Index(_) | PathStep::Slice(_) | PathStep::Key(_) => PathStep::Each,
            other => other.clone(),
        };
        Path(self.0.iter().map(step).collect())
    }

    /// Returns the path with every index and slice replaced by [`PathStep::Each`]. Keys stay.
    pub fn in_lists(&self) -> Path {
        let step = |step: &PathStep| match step {
            PathStep::Index(_) | PathStep::Slice(_) => PathStep::Each,
            other => other.clone(),
        };
        Path(self.0.iter().map(step).collect())
    }

    /// Returns the path as messages for people show it: of a long one the first and the last steps.
    pub fn short(&self) -> Short<'_> {
        Short(self)
    }
}

/// A path of which `Display` writes sixteen steps at most.
pub struct Short<'a>(&'a Path);

impl Short<'_> {
    /// Steps that are shown at either end.
    const SHOWN: usize = 8;
}

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = &self.0.0;
        let hidden = steps.len().saturating_sub(2 * Self::SHOWN);
        if hidden == 0 {
            return self.0.fmt(f);
        }
        let part = |steps: &[PathStep]| Path(steps.to_vec());
        let (first, last) = (part(&steps[..Self::SHOWN]), part(&steps[steps.len() - Self::SHOWN..]));
        write!(f, "{first} … {last} ({} levels deep)", steps.len())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("the message itself");
        }
        for (n, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Name(name) => {
                    if n > 0 {
                        f.write_str(".")?;
                    }
                    let plain = |c: char| c.is_alphanumeric() || "_-@#:$*".contains(c);
                    if !name.is_empty() && name.chars().all(plain) { f.write_str(name)? } else { write!(f, "{name:?}")? }
                }
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Each => f.write_str("[]")?,
                PathStep::Slice(slice) => write!(f, "{slice}")?,
                PathStep::Key(key) => write!(f, "[{key}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_is_shown_by_its_ends() {
        let path = |count: u64| Path((0..count).map(PathStep::Index).collect()).short().to_string();
        assert_eq!(path(2), "[0][1]");
        assert!(!path(16).contains('…'));
        assert_eq!(path(2000), "[0][1][2][3][4][5][6][7] … [1992][1993][1994][1995][1996][1997][1998][1999] (2000 levels deep)");
    }
}
