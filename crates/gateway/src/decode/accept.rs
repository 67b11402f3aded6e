//! Content negotiation (RFC 9110 12.5.1).

use mediatype::{MediaTypeList, Name};

/// One range of an `accept` header.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// Type and subtype in lower case; `*` stands for any.
    pub essence: String,
    /// The weight in thousandths: 1,000 the most, 0 not at all.
    pub quality: u16,
}

/// The highest quality.
const MOST: u16 = 1000;

/// Reads the ranges of an `accept` header, in its order. `None` accepts anything. Ranges that
/// cannot be parsed are left out.
pub fn ranges(accept: Option<&str>) -> Vec<Range> {
    let anything = || vec![Range { essence: "*/*".into(), quality: MOST }];
    // Most programs send two stars.
    let Some(accept) = accept.filter(|accept| !matches!(accept.trim(), "" | "*/*")) else { return anything() };
    let found = MediaTypeList::new(accept).flatten().filter_map(|range| {
        let quality = match Name::new("q").and_then(|q| range.params.iter().find(|(name, _)| *name == q)) {
            Some((_, value)) => quality(value.as_str())?,
            None => MOST,
        };
        let essence = range.essence().to_string().to_ascii_lowercase();
        // Old Java clients send a star alone for anything.
        Some(Range { essence, quality })
    });
    let found: Vec<Range> = found.collect();
    if found.is_empty() && accept.trim() == "*" { anything() } else { found }
}

/// A weight of at most three decimals (RFC 9110, section 12.4.2).
fn quality(text: &str) -> Option<u16> {
    let value: f32 = text.parse().ok()?;
    (0.0..=1.0).contains(&value).then(|| (value * 1000.0).round() as u16)
}

/// Returns the first of `offers` with the highest weight; `None` if no offer is accepted. An exact
/// range decides before one with a star.
pub fn choose<'o>(ranges: &[Range], offers: impl IntoIterator<Item = &'o str>) -> Option<&'o str> {
    let mut best: Option<(u16, &str)> = None;
    for offer in offers {
        let quality = wanted(ranges, offer);
        if quality > best.map_or(0, |(quality, _)| quality) {
            best = Some((quality, offer));
            if quality == MOST {
                break;
            }
        }
    }
    best.map(|(_, offer)| offer)
}

fn wanted(ranges: &[Range], offer: &str) -> u16 {
    let kind = offer.split_once('/').map_or(offer, |(kind, _)| kind);
    let precision = |range: &Range| match range.essence.split_once('/') {
        _ if range.essence == offer => 3,
        Some((of, "*")) if of == kind => 2,
        Some(("*", "*")) => 1,
        _ => 0,
    };
    let fitting = ranges.iter().map(|range| (precision(range), range.quality)).filter(|(precision, _)| *precision > 0);
    fitting.max().map_or(0, |(_, quality)| quality)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(accept: Option<&str>) -> Option<&'static str> {
        choose(&ranges(accept), ["application/json", "application/xml", "text/xml", "application/cbor"])
    }

    #[test]
    fn the_most_wanted_offer_is_chosen() {
        for (accept, expected) in [
            (None, Some("application/json")),
            (Some(""), Some("application/json")),
            (Some("*/*"), Some("application/json")),
            (Some("*"), Some("application/json")),
            (Some("text/html, application/xml;q=0.9, */*;q=0.8"), Some("application/xml")),
            (Some("application/cbor, application/json;q=0.5"), Some("application/cbor")),
            (Some("application/cbor;q=0.001"), Some("application/cbor")),
            (Some("text/*"), Some("text/xml")),
            (Some("application/*;q=0.3, application/json;q=0"), Some("application/xml")),
            (Some("APPLICATION/JSON; charset=utf-8"), Some("application/json")),
            (Some("*/*;q=0.1, application/json;q=0"), Some("application/xml")),
            (Some("image/png"), None),
            (Some("application/json;q=0"), None),
            (Some("application/json;q=2"), None),
            (Some("application/json;q=x, text/xml"), Some("text/xml")),
            (Some(",,; =, application/json"), Some("application/json")),
        ] {
            assert_eq!(chosen(accept), expected, "{accept:?}");
        }
    }
}
