//! Canonical JSON: RFC 8785's own examples, order, numbers, losses, and random values.

use polywire_core::tools::adapt::Walker;
use polywire_core::{Limits, Value};
use polywire_formats::{json, json_canonical};
use polywire_testing::{self as testing, Rng, Shape};

/// Converts one JSON text; returns the canonical one and what was lost.
fn canonical(text: &str) -> (String, Vec<&'static str>) {
    let mut walker = Walker::new(&json::FORMAT, &Limits::DEFAULT);
    let mut writer = json_canonical::CanonicalWriter::default();
    let mut out = Vec::new();
    walker.walk(text.as_bytes(), 0, &mut writer).unwrap();
    polywire_core::Writer::finish(&mut writer, &mut out).unwrap();
    let lost = polywire_core::Writer::losses(&mut writer).into_iter().map(|lost| lost.what).collect();
    (String::from_utf8(out).unwrap(), lost)
}

#[test]
fn the_sample_of_the_standard() {
    // RFC 8785 3.2.2 and 3.2.3.
    let text = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
      }"#;
    let (out, lost) = canonical(text);
    let expected = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
                    \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
    assert_eq!(out, expected);
    // The first number has more digits than its float needs. 1E30 is a float to readers of other
    // formats, and 1e+30 is one again.
    assert_eq!(lost, ["number rounded to the nearest 64-bit float"]);
    let text = "{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\",\"\\ufb33\":\"Hebrew Letter Dalet With Dagesh\",\"1\":\"One\",\
                \"\\ud83d\\ude00\":\"Emoji: Grinning Face\",\"\\u0080\":\"Control\",\"\\u00f6\":\"Latin Small Letter O With Diaeresis\"}";
    let (out, _) = canonical(text);
    let order = ["Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"].map(|word| out.find(word).unwrap());
    assert!(order.is_sorted(), "{out}");
}

#[test]
fn numbers_are_binary64_and_each_change_is_named() {
    const ROUNDED: &str = "number rounded to the nearest 64-bit float";
    const INTEGER: &str = "whole float became an integer";
    for (text, expected, lost) in [
        ("9007199254740992", "9007199254740992", vec![]),
        ("9007199254740993", "9007199254740992", vec![ROUNDED]),
        ("-9007199254740993", "-9007199254740992", vec![ROUNDED]),
        ("18446744073709551615", "18446744073709552000", vec![ROUNDED]),
        ("100000000000000000000", "100000000000000000000", vec![]),
        ("1000000000000000000000", "1e+21", vec![ROUNDED]),
        ("0.1000000000000000055", "0.1", vec![ROUNDED]),
        ("1.0", "1", vec![INTEGER]),
        ("1e20", "100000000000000000000", vec![INTEGER]),
        ("-8.999131647569814e20", "-899913164756981400000", vec![INTEGER]),
        ("1e21", "1e+21", vec![]),
        ("-0.0", "0", vec!["minus zero became zero"]),
        ("1.50", "1.5", vec![]),
        ("1e999", "\"1e999\"", vec!["number beyond 64-bit floats became text"]),
    ] {
        let (out, found) = canonical(text);
        assert_eq!(out, expected, "{text}");
        assert_eq!(found, lost, "{text}");
    }
}

#[test]
fn the_first_of_duplicate_keys_stays_and_the_other_is_named() {
    let mut writer = json_canonical::CanonicalWriter::default();
    let value = Value::record([("a", Value::int(1)), ("a", Value::int(2))]);
    value.emit(&mut writer).unwrap();
    let mut out = Vec::new();
    polywire_core::Writer::finish(&mut writer, &mut out).unwrap();
    assert_eq!(out, br#"{"a":1}"#);
    let lost = polywire_core::Writer::losses(&mut writer);
    assert_eq!(lost.len(), 1);
    assert_eq!(lost[0].what, "entry dropped, because an earlier one has its key");
}

#[test]
fn canonical_text_stays_as_it_is() {
    let mut rng = Rng::with_seed(85);
    for _ in 0..2000 {
        let value = testing::value(&mut rng, Shape::PLAIN);
        let Ok(once) = testing::write(&json_canonical::FORMAT, &value) else { continue };
        let (twice, lost) = canonical(std::str::from_utf8(&once).unwrap());
        assert_eq!(twice.as_bytes(), once, "{value:?}");
        assert!(lost.iter().all(|what| what.contains("float")), "{lost:?}");
    }
}
