//! Losses of conversions, for people.

use polywire_core::schema::language::SchemaLoss;
use polywire_core::tools::loss::Loss;
use polywire_report::LossLine;

use crate::stderr;

/// Prints losses of messages to stderr below `heading`, and the number of `others`. Prints nothing
/// without losses.
pub fn print<'l>(losses: impl Iterator<Item = &'l Loss>, others: u64, heading: &str, is_decoded: bool) {
    let mut losses = losses.peekable();
    if losses.peek().is_none() {
        return;
    }
    if stderr::is_json() {
        losses.for_each(|loss| stderr::object(&LossLine::new(loss).decoded(is_decoded)));
        if others > 0 {
            stderr::say(format_args!("{others} more losses at other paths"));
        }
        return;
    }
    stderr::say(format_args!("{heading}:"));
    for loss in losses {
        let times = if loss.count == 1 { "once".to_string() } else { format!("{} times", loss.count) };
        let byte = if is_decoded { "decoded byte" } else { "byte" };
        stderr::lines(format_args!("  {}: {} ({times}, first at {byte} {})\n", loss.path, loss.what, loss.first));
    }
    if others > 0 {
        stderr::lines(format_args!("  {others} more at other paths\n"));
    }
}

/// Prints losses of results that were computed, which have no place in an input.
pub fn of_results<'l>(losses: impl Iterator<Item = &'l Loss>, others: u64, heading: &str) {
    stderr::say(format_args!("{heading}:"));
    for loss in losses {
        let times = if loss.count == 1 { "once".to_string() } else { format!("{} times", loss.count) };
        stderr::lines(format_args!("  {}: {} ({times})\n", loss.path, loss.what));
    }
    if others > 0 {
        stderr::lines(format_args!("  {others} more at other paths\n"));
    }
}

/// Returns the losses of a schema that was printed in `language`, a line each.
pub fn of_schema(language: &str, losses: &[SchemaLoss]) -> String {
    let lines = losses.iter().map(|loss| format!("  {}: {}\n", loss.at, loss.what));
    format!("polywire: {language} could not say everything:\n{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_of_a_schema_are_listed_with_their_place() {
        let loss = SchemaLoss { at: "Voucher.sum".into(), what: "decimal became text".into() };
        assert_eq!(of_schema("X", &[loss]), "polywire: X could not say everything:\n  Voucher.sum: decimal became text\n");
    }
}
