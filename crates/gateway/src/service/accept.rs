//! The value of `Accept` where a table declares nothing.

use http::HeaderValue;
use polywire_formats::registry;

/// Returns the formats that replies may be in where nothing is declared (docs/spec/ql.md 8.1).
pub(crate) fn accepted() -> HeaderValue {
    let media_types: Vec<&str> = registry::REPLIES.iter().filter_map(|format| format.media_types.first().copied()).collect();
    // Media types are ASCII.
    HeaderValue::from_str(&media_types.join(",")).unwrap_or(HeaderValue::from_static("*/*"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_come_in_the_order_of_the_specification() {
        assert_eq!(accepted(), "application/xml,application/json,text/csv");
    }
}
