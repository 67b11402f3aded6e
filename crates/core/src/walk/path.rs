//! Where in a message a value is: `vouchers[17].goods_name`.

use std::fmt;

/// One step of a [`Path`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathStep {
    /// Into a field, a map's entry with a text key, or a case of a sum type.
    Name(String),
    /// Into a list or tuple, counted from 0.
    Index(u64),
    /// Into any element of a list: what a path of a schema has in place of an index.
    Each,
    /// Into a map's entry whose key is no text, as people read it.
    Key(String),
}

/// The way from the message to a value in it. Printed, names that are not plain words are quoted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Path(pub Vec<PathStep>);

impl Path {
    /// The path with every index replaced by "each": the same for all elements of a list.
    pub fn in_schema(&self) -> Path {
        let step = |step: &PathStep| match step {
            PathStep::Index(_) | PathStep::Key(_) => PathStep::Each,
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
                PathStep::Key(key) => write!(f, "[{key}]")?,
            }
        }
        Ok(())
    }
}
