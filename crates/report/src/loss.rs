//! A loss as an object.

use polywire_core::tools::loss::{Loss, LossReport};
use serde::Serialize;

/// A loss for programs.
#[derive(Debug, Clone, Serialize)]
pub struct LossLine<'l> {
    r#type: &'static str,
    kind: &'static str,
    path: String,
    what: &'l str,
    count: u64,
    offset: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    decoded: Option<bool>,
}

impl<'l> LossLine<'l> {
    /// Makes the object of a loss.
    pub fn new(loss: &'l Loss) -> LossLine<'l> {
        let Loss { path, what, count, first, kind } = loss;
        LossLine { r#type: "loss", kind: kind.name(), path: path.to_string(), what, count: *count, offset: *first, decoded: None }
    }

    /// Says whether the offset counts in bytes that were decoded, as those of a compressed file.
    #[must_use]
    pub fn decoded(self, decoded: bool) -> LossLine<'l> {
        LossLine { decoded: decoded.then_some(true), ..self }
    }
}

/// The number of losses that are not listed.
#[derive(Serialize)]
struct Others {
    r#type: &'static str,
    text: String,
}

/// Returns the losses and cautions of a report as a JSON array. Beyond those that a report lists,
/// it ends with a remark on their number.
pub fn losses(report: &LossReport) -> String {
    let lines = report.iter().chain(report.cautions()).map(LossLine::new);
    let mut objects: Vec<String> = lines.filter_map(|line| serde_json::to_string(&line).ok()).collect();
    if report.others() > 0 {
        let others = Others { r#type: "remark", text: format!("{} more losses at other paths", report.others()) };
        objects.extend(serde_json::to_string(&others).ok());
    }
    format!("[{}]", objects.join(","))
}

#[cfg(test)]
mod tests {
    use polywire_core::tools::Stream;
    use polywire_core::tools::adapt::Walker;
    use polywire_core::tools::convert::Converter;
    use polywire_core::{Limits, Result};
    use polywire_formats::registry::find;

    use super::*;

    #[test]
    fn losses_are_an_array() -> Result<()> {
        assert_eq!(losses(&LossReport::default()), "[]");
        let mut walker = Walker::new(find("msgpack")?, &Limits::DEFAULT);
        let mut converter = Converter::new(find("json")?);
        converter.add(&mut Stream::new(&b"\x81\xa1k\xc4\x01\x01"[..]), &mut Vec::new(), &mut walker)?;
        let expected = r#"[{"type":"loss","kind":"value","path":"k","what":"bytes became base64 text","count":1,"offset":3}]"#;
        assert_eq!(losses(&converter.done().losses), expected);
        Ok(())
    }
}
