//! The verdict for people, for programs, and for GitHub's checks.

use std::fmt::Write;

use polywire_core::schema::language::{Direction, Effect, Finding, Outcome, Reading, Witness};

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
    /// effect.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for pair in &self.pairs {
            // Writing to a String cannot fail.
            let _ = self.pair(pair, &mut out);
        }
        out
    }

    fn pair(&self, pair: &Pair, out: &mut String) -> std::fmt::Result {
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

    /// Returns commands of GitHub's workflows: one annotation per change, at its place in the new
    /// version.
    pub fn github(&self) -> String {
        let mut out = String::new();
        for pair in &self.pairs {
            for finding in &pair.comparison.findings {
                let asked = self.directions.iter().map(|direction| (*direction, finding.outcome(*direction)));
                let Some((direction, outcome)) =
                    asked.max_by_key(|(_, outcome)| outcome.effect).filter(|(_, outcome)| outcome.effect > Effect::Fine)
                else {
                    continue;
                };
                let level = if outcome.effect >= self.from { "error" } else { "warning" };
                let place = position(&pair.comparison.new, finding.new).or_else(|| position(&pair.comparison.old, finding.old));
                let place =
                    place.map_or_else(String::new, |(name, line, column)| format!("file={},line={line},col={column},", property(&name)));
                let mut message = format!("{}: {}: {}", finding.path, finding.message, meaning(direction, outcome.effect));
                if let Some(rule) = outcome.rule {
                    let _ = write!(message, " ({}: {})", rule.id, rule.text);
                }
                if let Some(witness) = &outcome.witness {
                    let _ = write!(message, "\n{}", witness_line(witness));
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
    for direction in Direction::ALL {
        let Outcome { effect, rule, witness } = finding.outcome(direction);
        writeln!(out, "    {}: {}", direction.name(), meaning(direction, *effect))?;
        if let Some(rule) = rule {
            writeln!(out, "      rule {} (section {}): {}", rule.id, rule.section, rule.text)?;
        }
        if let Some(witness) = witness {
            writeln!(out, "      {}", witness_line(witness).replace('\n', "\n      "))?;
        }
    }
    Ok(())
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
