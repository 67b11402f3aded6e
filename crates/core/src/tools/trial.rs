//! Trials: the message type of an input, where a schema leaves several open. The first message
//! decides, if it fits one type alone.

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::format::dialect::Dialect;
use crate::limits::Limits;
use crate::tools::adapt::{Unknown, Walker};
use crate::tools::count::Count;
use crate::tools::message::Message;

/// Largest number of types that an error names.
const NAMED: usize = 12;

/// Reads a message. It fits if all its bytes are explained.
///
/// # Errors
/// The first part of the message that the dialect does not explain.
pub fn reads(dialect: &Dialect, message: Message<'_>, limits: &Limits) -> Result<()> {
    let mut walker = Walker::new(dialect.clone(), limits).unknown(Unknown::Fail);
    walker.walk(message.bytes, message.base, &mut Count::default())
}

/// Writes a message of the dialect `from` in another dialect. It fits if nothing is lost.
///
/// # Errors
/// The first part of the message that the dialect cannot hold.
pub fn writes(from: &Dialect, to: &Dialect, message: Message<'_>, limits: &Limits) -> Result<()> {
    let mut walker = Walker::new(from.clone(), limits);
    let Some(mut writer) = to.writer() else { return Err(Error::usage("a format that can only be read")) };
    walker.walk(message.bytes, message.base, &mut *writer)?;
    writer.finish(&mut Vec::new())?;
    match writer.losses().iter().find(|lost| lost.is_value()) {
        Some(lost) => Err(Error::data(ErrorKind::Unsupported, lost.at.start).seen(lost.what)),
        None => Ok(()),
    }
}

/// Returns the index of the only type that fits.
///
/// # Errors
/// None or several fit. The error names all types.
pub fn decide(schema: &str, types: &[(&str, Result<()>)]) -> Result<usize> {
    let mut fitting = types.iter().enumerate().filter(|(_, (_, fit))| fit.is_ok()).map(|(index, _)| index);
    if let (Some(index), None) = (fitting.next(), fitting.next()) {
        return Ok(index);
    }
    let fitting: Vec<&str> = types.iter().filter(|(_, fit)| fit.is_ok()).map(|(name, _)| *name).collect();
    let (seen, names) = match fitting.is_empty() {
        true => ("a first message that fits none of them", types.iter().map(|(name, _)| *name).collect()),
        false => ("a first message that fits several of them", fitting),
    };
    Err(Error::new(ErrorKind::Usage, Fault::Caller)
        .seen(format!("{schema} with {} message types that no other one holds, and {seen}: {}", types.len(), listed(&names)))
        .expected("the name of one"))
}

/// Returns names with commas between them, and a count of those beyond the first.
pub fn listed(names: &[&str]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let shown = names[..names.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_type_that_fits_decides() {
        let fit = |fits: &[bool]| {
            let types: Vec<_> =
                ["A", "B", "C"].into_iter().zip(fits.iter().map(|fits| if *fits { Ok(()) } else { Err(Error::usage("x")) })).collect();
            decide("s.x", &types).map_err(|error| error.to_string())
        };
        assert_eq!(fit(&[false, true, false]), Ok(1));
        let several = fit(&[true, false, true]).unwrap_err();
        assert!(several.contains("3 message types") && several.contains("several of them: A, C"), "{several}");
        let none = fit(&[false, false]).unwrap_err();
        assert!(none.contains("none of them: A, B"), "{none}");
    }

    #[test]
    fn many_names_are_counted() {
        let names = ["N"; 14];
        assert!(listed(&names).ends_with("N and 2 more") && listed(&names[..2]) == "N, N");
    }
}
