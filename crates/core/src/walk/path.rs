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
    /// Into any element of a list: a schema's path has this in place of an index.
    Each,
    /// Into these elements of a list: only paths that a person types have it.
    Slice(Slice),
    /// Into a map's entry whose key is not text, as printed for people.
    Key(String),
}

/// The steps from the message to a value in it. `Display` quotes names that are not plain words.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Path(pub Vec<PathStep>);

impl Path {
    /// Returns the path with every index replaced by [`PathStep::Each`]: all elements of a list
    /// share it.
    pub fn in_schema(&self) -> Path {
        let step = |step: &PathStep| match step {
            PathStep::Index(_) | PathStep::Slice(_) | PathStep::Key(_) => PathStep::Each,
            other => other.clone(),
        };
        Path(self.0.iter().map(step).collect())
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
