//! Settings of ASN.1's encodings: framing, and what constraints mean.

use std::sync::Arc;

use polywire_core::format::{Configure, Configured, Setting};
use polywire_core::{Error, Reader, Result, Writer};

use crate::framing::Framing;

const FRAMING: &str = "framing";
const CONSTRAINTS: &str = "constraints";

/// Framings of BER, DER and CER.
pub(crate) const OF_BER: &[&str] = &["plain", "ts32297"];

/// Framings of PER.
pub(crate) const OF_PER: &[&str] = &["plain", "length-2", "length-4", "ts32297"];

/// Framings of JER and XER: messages have their own ends.
pub(crate) const OF_TEXT: &[&str] = &["plain"];

/// Framings of OER.
pub(crate) const OF_OER: &[&str] = &["plain", "length-2", "length-4"];

static LIST: &[Setting] = &[
    Setting::new(
        FRAMING,
        "KIND",
        "how messages follow each other: plain (default); ts32297: files of call records with the heads of 3GPP TS 32.297, not for OER; \
         length-2, length-4: for PER and OER, a length of 2 or 4 octets before each",
    )
    .reads()
    .writes("to-framing"),
    Setting::new(
        CONSTRAINTS,
        "KIND",
        "values outside of the module's constraints: refuse: an error (default of PER and OER); remark: they are read where they have \
         an encoding, and inspect remarks on them (default of the others)",
    )
    .reads(),
];

/// The choices of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Choices {
    pub framing: Framing,
    /// True if values outside of constraints are errors. `None` is the encoding's own default.
    pub refuses: Option<bool>,
}

impl Choices {
    /// Reads settings.
    ///
    /// # Errors
    /// A value is none of its setting's.
    pub fn of(given: &[(&str, &str)], framings: &[&str]) -> Result<Choices> {
        let mut choices = Choices::default();
        for &(name, value) in given {
            match (name, value) {
                (FRAMING, _) => choices.framing = Framing::named(value, framings)?,
                (CONSTRAINTS, "refuse") => choices.refuses = Some(true),
                (CONSTRAINTS, "remark") => choices.refuses = Some(false),
                (CONSTRAINTS, _) => {
                    return Err(
                        Error::usage(format!("the value `{value}` of the setting `{CONSTRAINTS}`")).expected("one of refuse, remark")
                    );
                }
                _ => return Err(Error::usage(format!("the setting `{name}`"))),
            }
        }
        Ok(choices)
    }
}

/// Settings of an encoding. Without a schema they change nothing: each message is refused.
pub(crate) struct Settings {
    /// Names of framings.
    pub framings: &'static [&'static str],
    pub reader: fn() -> Box<dyn Reader>,
}

impl Configure for Settings {
    fn settings(&self) -> &'static [Setting] {
        // One framing is no choice.
        if self.framings.len() > 1 { LIST } else { &LIST[1..] }
    }

    fn configure(&self, given: &[(&str, &str)]) -> Result<Arc<dyn Configured>> {
        Choices::of(given, self.framings)?;
        Ok(Arc::new(Unbound(self.reader)))
    }
}

struct Unbound(fn() -> Box<dyn Reader>);

impl Configured for Unbound {
    fn reader(&self) -> Box<dyn Reader> {
        self.0()
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked() {
        let refused = |given: &[(&str, &str)], framings| Choices::of(given, framings).unwrap_err().to_string();
        assert!(refused(&[("framing", "length-2")], OF_BER).contains("one of plain, ts32297"));
        assert!(refused(&[("constraints", "maybe")], OF_PER).contains("one of refuse, remark"));
        let choices = Choices::of(&[("framing", "length-4"), ("constraints", "remark")], OF_PER).unwrap();
        assert_eq!(choices, Choices { framing: Framing::Length(4), refuses: Some(false) });
    }
}
