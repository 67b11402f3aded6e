//! Paths that named nothing in any message: the remarks on them, and the exit code.

use polywire_core::tools::adapt::Missed;
use polywire_core::walk::{Path, PathStep};

use crate::failure::Failure;
use crate::stderr;

/// Names that are listed where none is similar.
const LISTED: usize = 8;

/// The paths of one option that named nothing.
pub struct Unmatched {
    /// The option, such as `--select`.
    pub option: &'static str,
    /// The paths.
    pub paths: Vec<Missed>,
    /// The answer is no without them.
    pub fails: bool,
}

/// Remarks on each path. Fails if `strict`, or if an option's paths are needed for the answer.
pub fn remark(unmatched: &[Unmatched], strict: bool) -> Result<(), Failure> {
    for Unmatched { option, paths, .. } in unmatched {
        for missed in paths {
            stderr::say(format_args!("{option} {} matched nothing in any message{}", missed.path, hint(missed)));
        }
    }
    let found = |fails: bool| unmatched.iter().any(|unmatched| (unmatched.fails || !fails) && !unmatched.paths.is_empty());
    match (strict && found(false), found(true)) {
        (true, _) => Err(Failure::Paths),
        (_, true) => Err(Failure::No),
        _ => Ok(()),
    }
}

fn hint(missed: &Missed) -> String {
    let Some((at, PathStep::Name(name))) = missed.step.and_then(|at| Some((at, missed.path.0.get(at)?))) else {
        return " (no list there has such a position)".to_string();
    };
    let near = missed.there.iter().map(|other| (strsim::osa_distance(name, other), other));
    // As far from it as a slip of the finger in each third letter, or in letter case alone.
    let near = near.filter(|(far, other)| *far <= 1 + name.chars().count() / 3 || other.eq_ignore_ascii_case(name));
    if let Some((_, other)) = near.min() {
        let mut steps = missed.path.0.clone();
        steps[at] = PathStep::Name(other.clone());
        return format!(" (did you mean {}?)", Path(steps));
    }
    if missed.there.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = missed.there.iter().take(LISTED).map(|name| Path(vec![PathStep::Name(name.clone())]).to_string()).collect();
    let more = if missed.there.len() > LISTED { ", …" } else { "" };
    format!(" (there is no {name}; there are {}{more})", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missed(path: &str, step: Option<usize>, there: &[&str]) -> Missed {
        let there = there.iter().map(|name| (*name).to_string()).collect();
        Missed { path: Path::parse(path).unwrap(), step, there }
    }

    #[test]
    fn a_similar_name_is_offered_in_its_path() {
        assert_eq!(hint(&missed("items[7].skuu", Some(2), &["price", "sku"])), " (did you mean items[7].sku?)");
        assert_eq!(hint(&missed("Total", Some(0), &["items", "total"])), " (did you mean total?)");
        assert_eq!(hint(&missed("zzz", Some(0), &["a b", "c"])), " (there is no zzz; there are \"a b\", c)");
        assert_eq!(hint(&missed("a[7]", None, &[])), " (no list there has such a position)");
        assert_eq!(hint(&missed("a.b", Some(1), &[])), "");
    }

    #[test]
    fn paths_to_ignore_fail_only_if_strict() {
        let paths = |fails| [Unmatched { option: "--x", paths: vec![missed("a", Some(0), &[])], fails }];
        assert!(remark(&paths(false), false).is_ok());
        assert!(matches!(remark(&paths(true), false), Err(Failure::No)));
        assert!(matches!(remark(&paths(false), true), Err(Failure::Paths)));
        assert!(remark(&[Unmatched { option: "--x", paths: Vec::new(), fails: true }], true).is_ok());
    }
}
