//! Numbers as people read them, each in a bounded width whatever its value.

/// Returns up to 7 characters: `12.5`, `1,234`, `123 kB`.
pub(crate) fn bytes(value: f64) -> String {
    match value {
        v if !v.is_finite() || v < 0.0 => "–".to_string(),
        v if v < 99.95 => format!("{v:.1}"),
        v if v < 99_999.5 => thousands(v.round() as u64),
        v if v < 1e21 => scaled(v, &["B", "kB", "MB", "GB", "TB", "PB", "EB"]),
        v => format!("{v:.0e}"),
    }
}

/// Returns nanoseconds in up to 7 characters: `1.25 µs`.
pub(crate) fn time(ns: f64) -> String {
    match ns {
        v if !v.is_finite() || v < 0.0 => "–".to_string(),
        v if v < 1e12 => scaled(v, &["ns", "µs", "ms", "s"]),
        v => format!("{:.0e} s", v / 1e9),
    }
}

/// Returns a time with its spread in up to 14 characters: `1.25 µs ±2%`.
pub(crate) fn spread(ns: f64, relative: f64) -> String {
    let percent = (relative * 100.0).round();
    let percent = if percent > 999.0 { ">999".to_string() } else { format!("{percent:.0}") };
    format!("{} ±{percent}%", time(ns))
}

/// Returns up to 6 characters: `0.53`, `12.3`, `1,234`.
pub(crate) fn ratio(value: f64) -> String {
    match value {
        v if !v.is_finite() || v < 0.0 => "–".to_string(),
        v if v < 9.995 => format!("{v:.2}"),
        v => count(v),
    }
}

/// Returns up to 6 characters: `0`, `1.5`, `1,234`, `12.3k`.
pub(crate) fn count(value: f64) -> String {
    match value {
        v if !v.is_finite() || v < 0.0 => "–".to_string(),
        v if v.fract() == 0.0 && v < 10_000.0 => thousands(v as u64),
        v if v < 99.95 => format!("{v:.1}"),
        v if v < 9_999.5 => thousands(v.round() as u64),
        v if v < 1e18 => scaled(v, &["", "k", "M", "G", "T", "P"]).replace(' ', ""),
        v => format!("{v:.0e}"),
    }
}

/// Returns digits in groups of three: `1,234,567`.
pub(crate) fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns `3 messages`, `1 message`.
pub(crate) fn counted(number: u64, one: &str) -> String {
    format!("{} {one}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// Returns three digits and a unit, each unit a thousand of the one before.
fn scaled(value: f64, units: &[&str]) -> String {
    let mut value = value;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let decimals = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_at_a_glance() {
        assert_eq!([12.34, 283.4, 99_999.0, 123_456.0, 1.5e9].map(bytes), ["12.3", "283", "99,999", "123 kB", "1.50 GB"]);
        assert_eq!([0.5, 12.34, 999.6, 1_234.0, 1.5e9].map(time), ["0.50 ns", "12.3 ns", "1.00 µs", "1.23 µs", "1.50 s"]);
        assert_eq!(spread(1_234.0, 0.021), "1.23 µs ±2%");
        assert_eq!([0.5, 9.999, 12.34, 1_234.0].map(ratio), ["0.50", "10.0", "12.3", "1,234"]);
        assert_eq!([0.0, 1.5, 3.0, 12_345.0].map(count), ["0", "1.5", "3", "12.3k"]);
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!((counted(1, "message"), counted(2, "message")), ("1 message".to_string(), "2 messages".to_string()));
    }

    #[test]
    fn no_number_is_wider_than_its_column() {
        for exponent in -12..40 {
            for digits in [1.0, 1.5, 9.9949, 9.9951, 9.996, 99.951, 999.51] {
                let value = digits * 10f64.powi(exponent);
                let widths = [(bytes(value), 7), (time(value), 7), (ratio(value), 6), (count(value), 6), (spread(value, value), 14)];
                for (text, width) in widths {
                    assert!(text.chars().count() <= width, "{text} of {value}");
                }
            }
        }
        assert_eq!(bytes(f64::NAN), "–");
        assert_eq!(time(f64::INFINITY), "–");
    }
}
