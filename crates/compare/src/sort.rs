//! The columns that order and rank a comparison's rows.

use std::str::FromStr;

use polywire_core::{Error, Result};

/// Column that orders and ranks the rows, the smallest figure first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// Raw bytes per message.
    #[default]
    Bytes,
    /// Bytes per message, each compressed alone with gzip.
    Gzip,
    /// Bytes per message, each compressed alone with zstd.
    Zstd,
    /// Bytes per message with zstd and a trained dictionary.
    Dictionary,
    /// Bytes per message of the batch as one zstd stream.
    Batch,
    /// Time to encode.
    Encode,
    /// Time to decode to a tree.
    Decode,
    /// Time to scan without a tree.
    Scan,
    /// Name of the format, without ranks.
    Name,
}

impl Sort {
    /// All columns, with the names that [`Sort::from_str`] reads.
    pub const ALL: &'static [(&'static str, Sort)] = &[
        ("bytes", Sort::Bytes),
        ("gzip", Sort::Gzip),
        ("zstd", Sort::Zstd),
        ("dictionary", Sort::Dictionary),
        ("batch", Sort::Batch),
        ("encode", Sort::Encode),
        ("decode", Sort::Decode),
        ("scan", Sort::Scan),
        ("name", Sort::Name),
    ];

    /// Returns the name on command lines and in reports.
    pub fn name(self) -> &'static str {
        Sort::ALL.iter().find(|(_, sort)| *sort == self).map_or("", |(name, _)| name)
    }
}

impl FromStr for Sort {
    type Err = Error;

    fn from_str(text: &str) -> Result<Sort> {
        Sort::ALL.iter().find(|(name, _)| *name == text).map(|(_, sort)| *sort).ok_or_else(|| {
            let names: Vec<&str> = Sort::ALL.iter().map(|(name, _)| *name).collect();
            Error::usage(format!("the column `{text}`")).expected(format!("one of {}", names.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_read_by_its_name() {
        for (name, sort) in Sort::ALL {
            assert_eq!(name.parse::<Sort>().unwrap(), *sort);
            assert_eq!(sort.name(), *name);
        }
        assert!("size".parse::<Sort>().unwrap_err().to_string().contains("bytes, gzip"));
    }
}
