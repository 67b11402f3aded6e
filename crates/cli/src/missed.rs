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

/// Returns the paths that named nothing in an input, of those that named nothing in the inputs
/// before, if there are any.
pub fn in_all(before: Option<Vec<Missed>>, now: Vec<Missed>) -> Vec<Missed> {
    let Some(mut before) = before else { return now };
    before.retain(|missed| now.iter().any(|other| other.path == missed.path));
    before
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
        return match missed.there.is_empty() {
            true => " (no list there has such a position)".to_string(),
            false => format!(" (no list there has such a position, and no record such a key; there are {})", listed(&missed.there)),
        };
    };
    if missed.there.contains(&PathStep::Key(name.clone())) {
        let mut steps = missed.path.0.clone();
        steps[at] = PathStep::Key(name.clone());
        return format!(" (did you mean {}? A key that is a number is written in brackets)", Path(steps));
    }
    let names = missed.there.iter().filter_map(|step| match step {
        PathStep::Name(name) => Some(name),
        _ => None,
    });
    let near = names.map(|other| (strsim::osa_distance(name, other), other));
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
    format!(" (there is no {name}; there are {})", listed(&missed.there))
}

/// Lists names and keys as paths have them.
fn listed(there: &[PathStep]) -> String {
    let shown: Vec<String> = there.iter().take(LISTED).map(|step| Path(vec![step.clone()]).to_string()).collect();
    let more = if there.len() > LISTED { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missed(path: &str, step: Option<usize>, there: &[&str]) -> Missed {
        let parsed = |text: &&str| match text.strip_prefix('[') {
            Some(key) => PathStep::Key(key.trim_end_matches(']').to_string()),
            None => PathStep::Name((*text).to_string()),
        };
        let there = there.iter().map(parsed).collect();
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
    fn keys_that_are_numbers_are_offered_as_paths_have_them() {
        let there = ["at", "src", "[17]"];
        assert_eq!(hint(&missed("17", Some(0), &there)), " (did you mean [17]? A key that is a number is written in brackets)");
        assert_eq!(hint(&missed("zzz", Some(0), &there)), " (there is no zzz; there are at, src, [17])");
        let expected = " (no list there has such a position, and no record such a key; there are at, src, [17])";
        assert_eq!(hint(&missed("[18]", None, &there)), expected);
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
