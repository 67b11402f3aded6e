//! Media types, as far as bodies depend on them (docs/spec/ql.md 9).

use mediatype::MediaType;
use polywire_core::format::{Format, Nature};
use polywire_formats::registry;

/// Returns the media type of answers, and of bodies that name none.
pub(crate) fn data_type() -> &'static str {
    registry::DATA.media_types.first().copied().unwrap_or_default()
}

/// A media type, as far as the reading of a body depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyType {
    /// Type and subtype in lower case, without parameters.
    pub essence: String,
    /// The character set that it names.
    pub charset: Option<String>,
    /// True if the first row of a table names its columns (RFC 4180 3: `header=present`; the
    /// parameter alone counts too).
    pub header: bool,
    /// True if the type says that no row names the columns (`header=absent`).
    pub headless: bool,
}

impl BodyType {
    /// Reads a `content-type` header. `None` and a blank one mean JSON; a word alone, such as
    /// `XML`, is the name of a format. A malformed one is read as far as it goes.
    pub fn parse(content_type: Option<&str>) -> BodyType {
        let text = content_type.unwrap_or_default().trim();
        if text.is_empty() {
            return BodyType { essence: data_type().into(), charset: None, header: false, headless: false };
        }
        match MediaType::parse(text) {
            Ok(parsed) => {
                let parameter = |wanted: &str| {
                    let mut parameters = parsed.params.iter();
                    parameters
                        .find(|(name, _)| name.as_str().eq_ignore_ascii_case(wanted))
                        .map(|(_, value)| value.unquoted_str().into_owned())
                };
                let essence = text.split_once(';').map_or(text, |(essence, _)| essence);
                BodyType {
                    essence: essence.trim_end().to_ascii_lowercase(),
                    charset: parameter("charset").filter(|charset| !charset.trim().is_empty()),
                    header: parameter("header").is_some_and(|header| !header.eq_ignore_ascii_case("absent")),
                    headless: parameter("header").is_some_and(|header| header.eq_ignore_ascii_case("absent")),
                }
            }
            Err(_) => lenient(text),
        }
    }

    /// Returns the format of the type.
    pub fn format(&self) -> Option<&'static Format> {
        registry::by_media_type(&self.essence)
    }

    /// Returns true for text in no known format.
    pub(super) fn is_other_text(&self) -> bool {
        self.essence.starts_with("text/") && self.format().is_none()
    }

    /// Returns true if the body is text, so that it may be in another character set.
    pub(super) fn is_text(&self) -> bool {
        self.essence.starts_with("text/") || self.format().is_some_and(|format| format.nature == Nature::Text)
    }
}

/// Reads a type with mistakes in its parameters, such as one without a value: `text/csv;header`.
fn lenient(text: &str) -> BodyType {
    let mut parts = text.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
    let mut this = BodyType { essence, charset: None, header: false, headless: false };
    for part in parts {
        let (name, value) = part.split_once('=').map_or((part, ""), |(name, value)| (name.trim(), value.trim().trim_matches('"')));
        if name.eq_ignore_ascii_case("charset") && !value.is_empty() {
            this.charset = Some(value.to_string());
        } else if name.eq_ignore_ascii_case("header") {
            this.headless = value.eq_ignore_ascii_case("absent");
            this.header = !this.headless;
        }
    }
    this
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(content_type: &str) -> Option<&'static str> {
        BodyType::parse(Some(content_type)).format().map(|format| format.name)
    }

    #[test]
    fn types_name_formats() {
        let [json, xml] = registry::GUESSES else { panic!("expected two formats") };
        let (json, xml) = (Some(json.name), Some(xml.name));
        for text in ["", "  ", "JSON", "json", "application/json", "Application/JSON; charset=utf-8", "application/vnd.x+json", "text/json"]
        {
            assert_eq!(named(text), json, "{text}");
        }
        for text in ["XML", "text/xml;charset=UTF-8", "application/xml", "image/svg+xml", "application/soap+xml; action=\"x\""] {
            assert_eq!(named(text), xml, "{text}");
        }
        assert_eq!(BodyType::parse(None).essence, "application/json");
        for text in ["application/octet-stream", "text/plain", "x", "a/b/c", ";"] {
            assert_eq!(named(text), None, "{text}");
        }
    }

    #[test]
    fn parameters_are_read() {
        let of = |text: &str| {
            let this = BodyType::parse(Some(text));
            (this.charset, this.header)
        };
        assert_eq!(of("text/csv; header=present; charset=\"ISO-8859-1\""), (Some("ISO-8859-1".into()), true));
        assert_eq!(of("text/csv;header"), (None, true));
        assert_eq!(of("text/csv; HEADER=absent; Charset=latin1"), (Some("latin1".into()), false));
        assert_eq!(of("text/csv"), (None, false));
    }
}
