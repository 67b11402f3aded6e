//! The losses that a caller accepts.

use std::collections::BTreeSet;
use std::str::FromStr;

use clap::Args;
use polywire_core::{Error, LossKind};

#[derive(Debug, Args)]
pub struct LossyArg {
    /// Accept losses, all or those of these kinds: value, rounded, remark. They are reported, and
    /// the exit code is 0
    #[arg(long, value_name = "KIND[,KIND…]", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub lossy: Option<Lossy>,
}

/// The kinds of losses that are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lossy(Vec<LossKind>);

impl LossyArg {
    /// Reports whether losses of these kinds are accepted.
    pub fn accept(&self, mut kinds: impl Iterator<Item = LossKind>) -> bool {
        kinds.all(|kind| self.lossy.as_ref().is_some_and(|lossy| lossy.0.contains(&kind)))
    }

    /// Returns the end of a sentence about losses of these kinds: how they are accepted, unless
    /// they are.
    pub fn advice(&self, kinds: impl Iterator<Item = LossKind>) -> String {
        let kinds: BTreeSet<LossKind> = kinds.collect();
        if self.accept(kinds.iter().copied()) {
            return String::new();
        }
        if self.lossy.is_none() {
            return "; --lossy accepts that".to_string();
        }
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        format!("; --lossy={} accepts that", names.join(","))
    }
}

impl FromStr for Lossy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Lossy, Error> {
        if text == "all" {
            return Ok(Lossy(LossKind::LOSSES.to_vec()));
        }
        let kind = |name: &str| {
            LossKind::LOSSES.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| {
                let names: Vec<&str> = LossKind::LOSSES.iter().map(|kind| kind.name()).collect();
                Error::usage(format!("the kind of loss `{name}`")).expected(format!("all, or some of {}", names.join(", ")))
            })
        };
        text.split(',').map(str::trim).map(kind).collect::<Result<_, Error>>().map(Lossy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names() {
        assert_eq!("all".parse::<Lossy>().unwrap(), Lossy(vec![LossKind::Value, LossKind::Rounded, LossKind::Remark]));
        assert_eq!("remark, rounded".parse::<Lossy>().unwrap(), Lossy(vec![LossKind::Remark, LossKind::Rounded]));
        assert!("".parse::<Lossy>().is_err() && "caution".parse::<Lossy>().is_err() && "value,".parse::<Lossy>().is_err());
        let (some, none) = (LossyArg { lossy: Some(Lossy(vec![LossKind::Rounded])) }, LossyArg { lossy: None });
        let (rounded, both) = ([LossKind::Rounded], [LossKind::Rounded, LossKind::Value, LossKind::Rounded]);
        assert!(some.accept(rounded.into_iter()) && !some.accept(both.into_iter()) && none.accept([].into_iter()));
        assert_eq!(some.advice(rounded.into_iter()), "");
        assert_eq!(some.advice(both.into_iter()), "; --lossy=value,rounded accepts that");
        assert_eq!(none.advice(rounded.into_iter()), "; --lossy accepts that");
    }
}
