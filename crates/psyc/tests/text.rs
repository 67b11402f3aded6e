//! Text templates, with every size of output buffers.

use fastrand::Rng;
use polywire_psyc::text::{Status, Text};

#[path = "fuzz/text.rs"]
mod fuzz;

#[test]
fn random_templates() {
    let mut rng = Rng::with_seed(14);
    for _ in 0..6_000 {
        let letters = b"[[[[]]]]$${}%% abijqr_";
        let template: Vec<u8> = (0..rng.usize(..30)).map(|_| letters[rng.usize(..letters.len())]).collect();
        fuzz::body(&template);
    }
}

#[test]
fn deviations_of_section_19() {
    let filled = |template: &str| {
        let mut out = Vec::new();
        Text::new(template.as_bytes()).append(&mut out, |name| (name == b"_a").then_some("X"));
        String::from_utf8(out).expect("text")
    };
    assert_eq!(filled("[][_a]"), "[]X");
    assert_eq!(filled("[[_a]]"), "[[_a]]");
    assert_eq!(filled("[_a][_b] [_a"), "X[_b] [_a");
    // psyc-D26: text between the last value and a buffer's end is not lost.
    let mut text = Text::new(b"[_a] [_b] [_c] [_a]");
    let mut out = [0; 8];
    let first = text.fill(&mut out, |name| (name == b"_a").then_some("X"));
    assert_eq!((first.status, &out[..first.written]), (Status::Incomplete, &b"X"[..]));
    let mut out = [0; 32];
    let second = text.fill(&mut out, |name| (name == b"_a").then_some("X"));
    assert_eq!((second.status, &out[..second.written]), (Status::Complete, &b" [_b] [_c] X"[..]));
}

#[test]
fn hostile_templates_take_linear_time() {
    // Quadratic work on these would take minutes.
    for template in ["[".repeat(4_000_000), "[]".repeat(2_000_000), "[x]".repeat(1_500_000)] {
        let mut out = Vec::new();
        assert!(!Text::new(template.as_bytes()).append(&mut out, |_| None::<&str>));
    }
}
