//! Messages that are not in the one form of the canonical rules (X.693 9).

use polywire_core::{Budget, Error, ErrorKind, Result, Writer};

use super::super::CANONICAL;
use super::XerReader;
use crate::xer::XerWriter;

/// Most bytes of a message that an error shows.
const SHOWN: usize = 24;

impl XerReader {
    /// Refuses a message unless `writer`, a relay of the canonical rules, writes it as it is.
    ///
    /// # Errors
    /// The message is no message of the type, or has another form; the error names the rule.
    pub(super) fn check_canonical(&mut self, msg: &[u8], base: u64, budget: &Budget, writer: &mut XerWriter) -> Result<()> {
        writer.reset();
        self.read(msg, base, writer, &mut Budget::new(budget.limits()), true)?;
        let mut one = Vec::with_capacity(msg.len());
        writer.finish(&mut one)?;
        let _ = writer.losses();
        let common = msg.iter().zip(&one).take_while(|(seen, wanted)| seen == wanted).count();
        if common == msg.len() && common == one.len() {
            return Ok(());
        }
        // An element without contents ends before the rule of these begins.
        let at = common + usize::from(msg[common..].starts_with(b"/>"));
        let rule = rule_at(&msg[..common], &msg[common..], &one[common..]).unwrap_or_else(|| writer.rule_at(at));
        let error = Error::data(ErrorKind::Syntax, base + common as u64).seen(shown(msg, common));
        Err(error.expected(format!("{} ({rule})", shown(&one, common))).format_is(CANONICAL))
    }
}

/// Returns the rule of a place by its characters alone, if these show it.
fn rule_at(before: &[u8], seen: &[u8], wanted: &[u8]) -> Option<&'static str> {
    let is_white = |bytes: &[u8]| matches!(bytes.first(), Some(b' ' | b'\t' | b'\r' | b'\n'));
    match seen {
        _ if seen.starts_with(b"<?") || seen.starts_with(b"<!") || before.ends_with(b"<") && matches!(seen, [b'?' | b'!', ..]) => {
            Some("no prolog, comment or CDATA: X.693 9.1.1")
        }
        _ if is_white(seen) && !is_white(wanted) => Some("no white space: X.693 9.1.2"),
        [b'&', ..] => Some("no references by numbers: X.693 9.1.3"),
        [b'#', ..] if before.ends_with(b"&") => Some("no references by numbers: X.693 9.1.3"),
        [b'>', ..] if wanted.starts_with(b"/>") => Some("an empty element is one tag: X.693 9.1.4"),
        _ => None,
    }
}

/// Returns the beginning of what stands at an offset.
fn shown(bytes: &[u8], at: usize) -> String {
    // Not from the middle of a character.
    let at = (0..=at).rev().find(|at| bytes.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80)).unwrap_or(0);
    let rest = &bytes[at..];
    if rest.is_empty() {
        return "the end".to_string();
    }
    let text = String::from_utf8_lossy(&rest[..rest.len().min(SHOWN)]);
    let text = text.trim_end_matches('\u{fffd}').escape_debug().to_string();
    format!("`{text}{}`", if rest.len() > SHOWN { "…" } else { "" })
}
