//! Random scripts, and scripts tampered with: the body of the fuzz target, with seeds.

use polywire_ql::template::mutable::MutableUri;
use polywire_ql::template::reference::Reference;
use polywire_ql::template::text::{Missing, TextTemplate};
use polywire_ql::template::uri::UriTemplate;
use polywire_ql::testing::{fuzz_script, random_script};

/// Texts that a script is tampered with.
const PIECES: &[&str] = &[
    " ",
    "\n",
    "\r",
    "\u{2028}",
    "'",
    "\"",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    "=",
    "||",
    "&&",
    "!",
    "..",
    ".",
    "*",
    "--",
    "/*",
    "*/",
    "\\",
    "\u{7f}",
    "é",
    "😀",
    "select ",
    "from ",
    "where ",
    "in ",
    "and ",
    "as ",
    "return ",
    "via route ",
    "limit ",
    "if (",
    "try {",
    "create table ",
    "0",
    "9e",
];

fn tamper(text: &str, rng: &mut fastrand::Rng) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=rng.usize(..3) {
        let at = rng.usize(..=chars.len());
        match rng.usize(..3) {
            0 => drop(chars.drain(at..(at + rng.usize(..4)).min(chars.len()))),
            1 => drop(chars.splice(at..at, PIECES[rng.usize(..PIECES.len())].chars())),
            _ => chars.truncate(at),
        }
    }
    chars.into_iter().collect()
}

#[test]
fn random_scripts_parse_and_print() {
    let mut rng = fastrand::Rng::with_seed(8);
    let mut planned = 0;
    for _ in 0..1500 {
        let script = random_script(&mut rng);
        let source = polywire_core::text::diagnostic::Source::new("random", script.as_str());
        polywire_ql::syntax::parse(&source).unwrap_or_else(|error| panic!("{error}\nin {script}"));
        fuzz_script(&script);
        planned += u32::from(polywire_ql::plan::Plan::new(&source, &polywire_doc::Datum::Null, None).is_ok());
    }
    assert!(planned > 150, "{planned} of 1500 random scripts are planned");
}

#[test]
fn steps_that_only_quoted_text_has_are_printed_in_it() {
    for text in [
        "dd('2es0dif==[\u{1034d}}?n\r(m].1')",
        "d('e-2.22-77#77.d\\#2..d22-77esc77#:2272730.d\\')",
        "return {a: '{b}'}; select 'a-b.1.c'.d, '..e-f[1:2]'.g from t where 'a..b-c'.d = 1",
    ] {
        fuzz_script(text);
    }
}

#[test]
fn tampered_scripts_do_no_harm() {
    let mut rng = fastrand::Rng::with_seed(9);
    for _ in 0..3000 {
        let script = random_script(&mut rng);
        fuzz_script(&tamper(&script, &mut rng));
    }
}

#[test]
fn templates_take_any_text() {
    let mut rng = fastrand::Rng::with_seed(10);
    let none = |_: &str| None;
    for _ in 0..5000 {
        let text = tamper("http://h/{a.b}/{^2|#c}?d={`e.{f}}&g={h[0].i[?(@.j > 1)]}", &mut rng);
        assert_eq!(TextTemplate::read(&text).format(&none, Missing::Keep), text);
        if let Ok(template) = UriTemplate::read(&text) {
            assert_eq!(template.to_string(), text);
            let _ = template.format(&none, 10);
        }
        let _ = Reference::read(&format!("{{{text}}}"));
        let once = MutableUri::read(&text).to_string();
        assert_eq!(MutableUri::read(&once).to_string(), once, "{text}");
    }
}
