//! The verdict for people, for programs, and for GitHub's checks.

use std::collections::HashSet;
use std::fmt::Write;

use polywire_core::schema::language::{Direction, Effect, Finding, InJson, Outcome, Reading, Rule, Witness};

use super::spelling::{hex, position};
use super::{Pair, Verdict, json};

/// Bytes of a witness that people are shown.
const SHOWN: usize = 48;

/// Describes an effect for people.
fn meaning(direction: Direction, effect: Effect) -> &'static str {
    match (direction, effect) {
        (_, Effect::Fine) => "fine",
        (_, Effect::Warns) => "read, but may be taken for something else",
        (Direction::Backward, Effect::Misread) => "messages of the old version are silently misread by the new",
        (Direction::Forward, Effect::Misread) => "messages of the new version are silently misread by the old",
        (Direction::Backward, Effect::Refused) => "messages of the old version are refused by the new",
        (Direction::Forward, Effect::Refused) => "messages of the new version are refused by the old",
    }
}

impl Verdict {
    /// Returns the verdict for people: each change with its places, and a message that shows its
    /// effect, in the directions that were required. A rule is explained where it is named first.
    pub fn text(&self) -> String {
        let (mut out, mut explained) = (String::new(), HashSet::new());
        for pair in &self.pairs {
            // Writing to a String cannot fail.
            let _ = self.pair(pair, &mut explained, &mut out);
        }
        out
    }

    fn pair(&self, pair: &Pair, explained: &mut HashSet<Rule>, out: &mut String) -> std::fmt::Result {
        write!(out, "{} → {}:", pair.old, pair.new)?;
        for direction in Direction::ALL {
            let effect = pair.comparison.effect(direction);
            let word = match effect {
                Effect::Fine | Effect::Warns => "yes",
                Effect::Misread | Effect::Refused => "NO",
            };
            let asked = if self.directions.contains(&direction) { "" } else { " (not asked for)" };
            write!(out, " {} {word}{asked}{}", direction.name(), if direction == Direction::Backward { "," } else { "\n" })?;
        }
        for finding in &pair.comparison.findings {
            finding_text(pair, finding, out)?;
            for direction in &self.directions {
                outcome_text(*direction, finding.outcome(*direction), explained, out)?;
            }
        }
        Ok(())
    }

    /// Returns the verdict as JSON, for programs.
    pub fn json(&self) -> String {
        let answer = json::Answer::of(self);
        // Serialising fails only on keys that are no text, and there are none.
        let mut text = serde_json::to_string_pretty(&answer).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Returns commands of GitHub's workflows: one annotation per change with all directions in
    /// which it matters, at its place in the new version.
    pub fn github(&self) -> String {
        let mut out = String::new();
        for pair in &self.pairs {
            for finding in &pair.comparison.findings {
                let asked = self.directions.iter().map(|direction| (*direction, finding.outcome(*direction)));
                let told: Vec<_> = asked.filter(|(_, outcome)| outcome.effect > Effect::Fine).collect();
                let Some(worst) = told.iter().map(|(_, outcome)| outcome.effect).max() else { continue };
                let level = if worst >= self.from { "error" } else { "warning" };
                // Removed parts have no line in the new version, and workflows know no other.
                let place = match position(&pair.comparison.new, finding.new) {
                    Some((name, line, column)) => format!("file={},line={line},col={column},", property(&name)),
                    None => format!("file={},", property(&pair.new)),
                };
                let mut message = format!("{}: {}: ", finding.path, finding.message);
                let several = told.len() > 1;
                for (nth, (direction, outcome)) in told.into_iter().enumerate() {
                    let gap = if nth == 0 { "" } else { "\n" };
                    let name = if several { format!("{}: ", direction.name()) } else { String::new() };
                    let _ = write!(message, "{gap}{name}{}", annotation(direction, outcome));
                }
                let _ = writeln!(out, "::{level} {place}title={}::{}", property(finding.kind), data(&message));
            }
        }
        out
    }
}

fn finding_text(pair: &Pair, finding: &Finding, out: &mut String) -> std::fmt::Result {
    writeln!(out, "\n  {}  {}\n    {}", finding.kind, finding.path, finding.message)?;
    let places = [("old", position(&pair.comparison.old, finding.old)), ("new", position(&pair.comparison.new, finding.new))];
    for (version, place) in places {
        if let Some((name, line, column)) = place {
            writeln!(out, "    {version}: {name}:{line}:{column}")?;
        }
    }
    Ok(())
}

fn outcome_text(direction: Direction, outcome: &Outcome, explained: &mut HashSet<Rule>, out: &mut String) -> std::fmt::Result {
    writeln!(out, "    {}: {}", direction.name(), meaning(direction, outcome.effect))?;
    if let Some(rule) = outcome.rule {
        write!(out, "      rule {} (section {})", rule.id, rule.section)?;
        // Rules have one name with a text for each kind of change.
        if explained.insert(rule) {
            write!(out, ": {}", rule.text)?;
        }
        out.push('\n');
    }
    if let Some(witness) = &outcome.witness {
        writeln!(out, "      {}", witness_line(witness).replace('\n', "\n      "))?;
    }
    if let Some(json) = &outcome.json {
        writeln!(out, "      {}", json_line(json))?;
    }
    Ok(())
}

/// Describes what a change means in one direction, for an annotation that is read alone.
fn annotation(direction: Direction, outcome: &Outcome) -> String {
    let mut text = meaning(direction, outcome.effect).to_string();
    if let Some(rule) = outcome.rule {
        let _ = write!(text, " ({}: {})", rule.id, rule.text);
    }
    if let Some(witness) = &outcome.witness {
        let _ = write!(text, "\n{}", witness_line(witness));
    }
    if let Some(json) = &outcome.json {
        let _ = write!(text, "\n{}", json_line(json));
    }
    text
}

fn json_line(json: &InJson) -> String {
    match &json.witness {
        None => "in JSON: fine".to_string(),
        Some(Witness { meant, read: Reading::Refused(error), .. }) => format!("in JSON: {meant} is refused: {error}"),
        Some(Witness { meant, read: Reading::As(text), .. }) => format!("in JSON: {meant} is read as {text}"),
    }
}

fn witness_line(witness: &Witness) -> String {
    let shown = &witness.bytes[..witness.bytes.len().min(SHOWN)];
    let more = if shown.len() < witness.bytes.len() { format!("… ({} bytes)", witness.bytes.len()) } else { String::new() };
    let read = match &witness.read {
        Reading::Refused(error) => format!("is refused: {error}"),
        Reading::As(text) => format!("is read as {text}"),
    };
    format!("{}{more} means {}\n{read}", hex(shown), witness.meant)
}

/// Escapes text of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property's value in a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
