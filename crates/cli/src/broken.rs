//! Broken messages inside of values, as `inspect` meets them.

use polywire_core::tools::inspect::{Row, What};

use crate::stderr;

/// The broken messages inside of values: the first of them, and the number of values.
pub struct Broken {
    /// Level of the rows whose values hold messages: 1 inside of a compressed file.
    level: u32,
    /// Offset of the last value of that level.
    holder: u64,
    first: Option<First>,
    /// Offset of the last value that holds a broken message.
    last: Option<u64>,
    values: u64,
}

/// The first broken message.
struct First {
    holder: u64,
    /// Reason why it is broken.
    what: String,
    /// Payloads around it within the value, and the byte in the innermost.
    levels: u32,
    at: u64,
    decoded: bool,
}

impl Broken {
    /// Starts with none. `level` is the level of the rows whose values are looked at.
    pub fn new(level: u32) -> Broken {
        Broken { level, holder: 0, first: None, last: None, values: 0 }
    }

    /// Looks at a row.
    pub fn row(&mut self, row: &Row<'_>) {
        if row.level <= self.level {
            self.holder = row.at.start;
        } else if row.what == What::Unread {
            if self.last != Some(self.holder) {
                self.last = Some(self.holder);
                self.values += 1;
            }
            let levels = row.level - self.level;
            // A message that is cut since its bytes cannot be decoded has that reason.
            let cause = |first: &First| row.kind == "not decoded" && first.holder == self.holder && first.levels == levels;
            if self.first.as_ref().is_none_or(cause) {
                let (what, at) = (row.value.to_string(), row.at.start);
                self.first = Some(First { holder: self.holder, what, levels, at, decoded: row.decoded });
            }
        }
    }

    /// Prints a remark on stderr, if there is one.
    pub fn remark(&self) {
        let Some(First { holder, what, levels, at, decoded }) = &self.first else { return };
        let value = if self.level > 0 { "decoded byte" } else { "byte" };
        let byte = if *decoded { "decoded byte" } else { "byte" };
        let deep = if *levels > 1 { format!(", {levels} levels deep") } else { String::new() };
        let others = match self.values - 1 {
            0 => String::new(),
            1 => "; 1 other value, too".to_string(),
            others => format!("; {others} other values, too"),
        };
        stderr::say(format_args!("the value at {value} {holder} holds a broken message: {what}, at {byte} {at}{deep}{others}"));
    }
}
