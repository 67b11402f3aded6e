//! Versions of dictionaries: verdicts with witnesses, and verdicts held against documents.

use polywire_core::schema::language::SchemaText;
use polywire_core::schema::language::{Comparison, Direction, Effect, Finding, Reading};
use polywire_usds::compat::{RULES, compare};
use polywire_usds::dictionary::{Dictionary, Identity};
use polywire_usds::error::Revision;
use polywire_usds::testing::{Rng, change, dictionary, held, versions};

fn check(old: &str, new: &str) -> Comparison {
    held(old.as_bytes(), new.as_bytes(), &mut Rng::with_seed(1))
}

fn in_b(tags: &str) -> String {
    format!("USDS 7: D 1.0 {{ {tags} }}")
}

/// Effects of the tags of B on each other in both directions, for bodies without a head.
fn effects(old: &str, new: &str) -> (Effect, Effect) {
    let found = check(&in_b(old), &in_b(new));
    let of = |direction| {
        let findings = found.findings.iter().filter(|finding| !finding.kind.starts_with("identity"));
        findings.map(|finding| finding.outcome(direction).effect).max().unwrap_or(Effect::Fine)
    };
    (of(Direction::Backward), of(Direction::Forward))
}

const FINE: Effect = Effect::Fine;
const WARNS: Effect = Effect::Warns;
const MISREAD: Effect = Effect::Misread;
const REFUSED: Effect = Effect::Refused;

/// Old, new, backward, forward.
#[rustfmt::skip]
const TABLE: &[(&str, &str, Effect, Effect)] = &[
    ("S { INT a; };", "S { INT a; };", FINE, FINE),
    // Names.
    ("S { INT a; };", "S { INT b; };", WARNS, WARNS),
    ("S { INT a; };", "T { INT a; };", WARNS, WARNS),
    // Fields: neither a length nor a tag marks the end of a structure.
    ("S { INT a; };", "S { INT a; INT b; };", REFUSED, REFUSED),
    ("S { INT a; }; L { S[] s; };", "S { INT a; INT b; }; L { S[] s; };", REFUSED, REFUSED),
    ("S { INT a; INT b; };", "S { INT a; };", REFUSED, REFUSED),
    ("S { INT a; INT b; };", "S { INT b; INT a; };", MISREAD, MISREAD),
    ("S { BOOLEAN a; BOOLEAN b; BOOLEAN c; };", "S { BOOLEAN c; BOOLEAN b; BOOLEAN a; };", MISREAD, MISREAD),
    // Null: one bit each, in whole bytes, and a bit that is not known is 0.
    ("S { INT a; };", "S { INT a = NULL; };", REFUSED, REFUSED),
    ("S { INT a = NULL; };", "S { INT a = NULL; INT b = NULL; };", FINE, REFUSED),
    ("S { INT a = NULL; INT c; };", "S { INT a = NULL; INT b = NULL; INT c; };", FINE, REFUSED),
    ("S { INT a = NULL; };", "S { INT b = NULL; INT a = NULL; };", MISREAD, MISREAD),
    // Types.
    ("S { INT a; };", "S { LONG a; };", REFUSED, REFUSED),
    ("S { INT a; };", "S { FLOAT a; };", REFUSED, MISREAD),
    ("S { LONG a; };", "S { DOUBLE a; };", MISREAD, MISREAD),
    ("S { BYTE a; };", "S { UBYTE a; };", MISREAD, MISREAD),
    ("S { UBYTE a; };", "S { UVARINT a; };", REFUSED, REFUSED),
    ("S { UVARINT a; };", "S { VARINT a; };", REFUSED, MISREAD),
    ("S { BOOLEAN a; };", "S { UVARINT a; };", MISREAD, MISREAD),
    ("S { STRING a; };", "S { UBYTE[] a; };", REFUSED, MISREAD),
    ("S { STRING<UTF-8> a; };", "S { STRING a; };", FINE, REFUSED),
    ("S { INT[] a; };", "S { INT a; };", REFUSED, REFUSED),
    ("S { p { INT x; LONG y; }; };", "S { P p; }; P { INT x; LONG y; };", FINE, REFUSED),
    ("S { P p; }; P { INT x; }; Q { INT x; };", "S { Q p; }; P { INT x; }; Q { INT x; };", FINE, FINE),
    ("S { P p; }; P { LONG x; }; Q { DOUBLE x; };", "S { Q p; }; P { LONG x; }; Q { DOUBLE x; };", MISREAD, MISREAD),
    // Enumerators.
    ("S { ENUM e { a, b }; };", "S { ENUM e { a, b, c }; };", FINE, REFUSED),
    ("S { ENUM e { a, b }; };", "S { ENUM e { b, a }; };", MISREAD, MISREAD),
    ("S { ENUM e { a, b }; };", "S { ENUM e { a, x }; };", WARNS, WARNS),
    ("S { ENUM e { a, b = 5 }; };", "S { ENUM e { a, b = 6 }; };", REFUSED, REFUSED),
    ("S { ENUM<BYTE> e { a, b }; };", "S { ENUM<UBYTE> e { a, b }; };", FINE, FINE),
    ("S { ENUM<BYTE> e { a, b = -1 }; };", "S { ENUM<SHORT> e { a, b = -1 }; };", REFUSED, REFUSED),
    ("S { ENUM<BYTE> e { a, b }; };", "S { BYTE e; };", WARNS, REFUSED),
    // Polymorphs: members by the ids of their tags.
    ("S { <A> p; }; A { INT x; }; B { INT x; };", "S { <A || B> p; }; A { INT x; }; B { INT x; };", FINE, REFUSED),
    ("S { <A || B> p; }; A { INT x; }; B { INT x; };", "S { <B || A> p; }; A { INT x; }; B { INT x; };", FINE, FINE),
    ("S { <A || B> p; }; A { INT x; }; B { INT x; };", "S { <Q> p; }; A { INT x; }; B { INT x; }; <A || B> Q;", FINE, FINE),
    // Tags are known by their ids.
    ("1: A { 1: INT x; }; 2: B { 1: INT x; };", "2: A { 1: INT x; }; 1: B { 1: INT x; };", MISREAD, MISREAD),
    ("1: S { 1: INT a; 2: LONG b; };", "1: S { 2: INT a; 1: LONG b; };", MISREAD, MISREAD),
    ("A { INT x; };", "A { INT x; }; B { INT x; };", FINE, REFUSED),
    ("A { INT x; };", "B { INT y; }; A { INT x; };", MISREAD, REFUSED),
    ("<A> P; A { INT x; };", "<A> P; A { INT x; }; <A> Q;", FINE, FINE),
    // Defaults: writers take them.
    ("S { INT a = 1; };", "S { INT a = 2; };", WARNS, WARNS),
    // Bodies of B and of the profile.
    ("S { INT a; };", "S { INT a; }; T { BYTE b; };", REFUSED, REFUSED),
    ("N { INT n; N[] kids; };", "N { INT n; N[] kids; };", FINE, FINE),
    ("N { INT n; N[] kids; };", "N { N[] kids; INT n; };", REFUSED, MISREAD),
];

#[test]
fn the_table_holds_row_by_row() {
    let mut wrong = Vec::new();
    for (old, new, backward, forward) in TABLE {
        let effects = effects(old, new);
        if effects != (*backward, *forward) {
            wrong.push(format!("{old}\n{new}\n{effects:?} instead of {:?}", (backward, forward)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn only(comparison: &Comparison, kind: &str) -> Finding {
    let found: Vec<&Finding> = comparison.findings.iter().filter(|finding| finding.kind == kind).collect();
    assert_eq!(found.len(), 1, "{kind}: {:#?}", comparison.findings);
    found[0].clone()
}

#[test]
fn swapped_fields_of_one_type_are_a_silent_misread() {
    let found = check("USDS 7: D 1.0 { S { INT a; INT b; }; L { S[] s; }; }", "USDS 7: D 1.0 { S { INT b; INT a; }; L { S[] s; }; }");
    let finding = only(&found, "field_moved");
    let outcome = finding.outcome(Direction::Backward);
    assert_eq!((finding.path.as_str(), outcome.effect, outcome.rule.map(|rule| rule.id)), ("S.b", Effect::Misread, Some("position")));
    let witness = outcome.witness.clone().expect("a witness");
    assert_eq!(witness.bytes, [0x62, 1, 1, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(witness.meant, "S { a = 1, b = 2 }");
    assert_eq!(witness.read, Reading::As("S { b = 1, a = 2 }".into()));
    assert_eq!(found.old[0].line_column(finding.old.expect("a place").start as usize), (1, 32));
    assert_eq!(found.new[0].line_column(finding.new.expect("a place").start as usize), (1, 25));
}

/// A document with its dictionary is misread too if the reader knows another one with that
/// identity.
#[test]
fn a_change_under_the_same_identity_is_a_finding() {
    let old = "USDS DICTIONARY ID=7 v.1.0 { 1: STRUCT S { 1: INT a; 2: INT b; } }";
    let found = check(old, "USDS DICTIONARY ID=7 v.1.0 { 1: STRUCT S { 1: INT b; 2: INT a; } }");
    let kept = only(&found, "identity_kept");
    let witness = kept.backward.witness.expect("a witness");
    assert_eq!((&witness.bytes[..4], kept.backward.effect), (&[0x24, 0x53, 1, 0][..], Effect::Misread));
    assert_eq!(witness.read, Reading::As("S { b = 1, a = 2 }".into()));

    let found = check(old, "USDS DICTIONARY ID=7 v.1.1 { 1: STRUCT S { 1: INT a; 2: INT b; } }");
    assert_eq!(found.findings.len(), 1);
    let changed = only(&found, "identity_changed");
    let Reading::Refused(error) = changed.forward.witness.expect("a witness").read else { panic!("it is not known") };
    assert!(error.contains("9001"), "{error}");
    // Bodies without a head did not change.
    let text = |name, text: &'static str| SchemaText { name, bytes: text.as_bytes(), identity: "" };
    let new = "USDS DICTIONARY ID=7 v.1.1 { 1: STRUCT S { 1: INT a; 2: INT b; } }";
    let old = "USDS DICTIONARY ID=7 v.1.0 { 1: STRUCT S { 1: INT a; 2: INT b; } }";
    assert_eq!(compare(text("old", old), text("new", new), Some("S")).expect("both have it").findings, []);
    assert!(compare(text("old", old), text("new", new), Some("T")).is_err());
}

#[test]
fn revisions_refuse_each_other() {
    let a = "USDS DICTIONARY ID=7 v.1.0 { 1: STRUCT S { 1: INT a; 2: STRING<UTF-8> b; } }";
    let b = "USDS 7: D 1.0 { S { INT a; STRING<UTF-8> b; }; }";
    let found = check(a, b);
    let finding = only(&found, "revision_changed");
    assert_eq!((finding.backward.effect, finding.forward.effect), (Effect::Refused, Effect::Refused));
    let Reading::Refused(error) = finding.backward.witness.expect("a witness").read else { panic!("another signature") };
    assert!(error.contains("11001"), "{error}");
}

#[test]
fn tags_that_are_no_roots_matter_where_they_are_used() {
    let text = |i: &str, root: bool| {
        let restrict = if root { "" } else { "RESTRICT { notRoot; }" };
        format!("USDS DICTIONARY ID=1 v.1.0 {{ 1: STRUCT I {{ {i} }} {restrict} 2: STRUCT S {{ 1: ARRAY<I> v; }} }}")
    };
    let found = check(&text("1: INT n;", true), &text("1: INT n;", false));
    assert_eq!(only(&found, "root_changed").backward.effect, Effect::Refused);
    assert_eq!(found.effect(Direction::Forward), Effect::Fine);
    let found = check(&text("1: INT n;", false), &text("1: LONG n;", false));
    let witness = only(&found, "field_type_changed").backward.witness.expect("a witness");
    assert_eq!(witness.meant, "S { v = [{ n = 7 }] }");
    // Nothing leads to it.
    let alone = |field: &str| {
        format!("USDS DICTIONARY ID=1 v.1.0 {{ 1: STRUCT I {{ {field} }} RESTRICT {{ notRoot; }} 2: STRUCT S {{ 1: INT v; }} }}")
    };
    assert_eq!(check(&alone("1: INT n;"), &alone("1: LONG n;")).findings, []);
}

/// Eight fields that may be null fill a byte.
#[test]
fn a_ninth_field_that_may_be_null_takes_another_byte() {
    let fields = |count: usize| {
        let fields: String = (0..count).map(|n| format!("INT f{n} = NULL; ")).collect();
        format!("S {{ {fields} }};")
    };
    assert_eq!(effects(&fields(7), &fields(8)), (FINE, REFUSED));
    assert_eq!(effects(&fields(8), &fields(9)).0, REFUSED);
    // Each alone would do no harm.
    let found = check(&in_b(&fields(7)), &in_b(&fields(9)));
    assert!(found.findings.iter().filter(|finding| finding.kind == "field_added").all(|finding| finding.backward.effect.breaks()));
}

#[test]
fn rules_have_ids_of_their_own() {
    let mut ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), RULES.len());
}

#[test]
fn types_that_multiply_are_compared_in_bounded_time() {
    let nested = |leaf: &str| {
        let tags: String = (1..60).map(|n| format!("T{n} {{ T{m} a; T{m} b; }}; ", m = n - 1)).collect();
        format!("USDS D {{ T0 {{ {leaf} x; }}; {tags} }}")
    };
    assert_eq!(check(&nested("INT"), &nested("INT")).findings, []);
    assert!(check(&nested("INT"), &nested("LONG")).effect(Direction::Backward).breaks());
    let wide = |ty: &str| format!("USDS D {{ S {{ {} }}; }}", (0..5000).map(|n| format!("{ty} f{n}; ")).collect::<String>());
    assert!(
        compare(text("old", &wide("INT")), text("new", &wide("LONG")), None).expect("dictionaries").effect(Direction::Forward).breaks()
    );
    // Chains of links that lead elsewhere.
    let chain = |name: &str| {
        let tags: String = (1..1000).map(|n| format!("{name}{n} {{ {name}{m} a; }}; ", m = n - 1)).collect();
        format!("USDS D {{ {name}0 {{ INT x; }}; INT {name}_; {tags} }}")
    };
    let found = compare(text("old", &chain("A")), text("new", &chain("B")), None).expect("dictionaries");
    assert!(found.findings.len() < 9_000);
}

fn text<'t>(name: &'t str, text: &'t str) -> SchemaText<'t> {
    SchemaText { name, bytes: text.as_bytes(), identity: "" }
}

/// Random changes of random dictionaries.
#[test]
fn verdicts_hold_for_documents() {
    let mut rng = Rng::with_seed(11);
    let (mut fine, mut broken) = (0, 0);
    for round in 0..300 {
        let revision = [Revision::A, Revision::B, Revision::Profile][round % 3];
        let old = dictionary(&mut rng, revision);
        let mut tags = old.tags().to_vec();
        for _ in 0..rng.usize(1..4) {
            change(&mut rng, &mut tags);
        }
        let identity = Identity { major: rng.u8(..2), ..Identity::default() };
        let Ok(new) = Dictionary::new(old.revision(), old.name(), identity, &tags) else { continue };
        let (Ok((old, _)), Ok((new, _))) = (old.to_text(), new.to_text()) else { continue };
        // Revision A has fewer types than changes bring.
        if Dictionary::parse("new", new.as_bytes()).is_err() {
            continue;
        }
        let found = held(old.as_bytes(), new.as_bytes(), &mut rng);
        for direction in Direction::ALL {
            let of_bodies = found.findings.iter().filter(|finding| !finding.kind.starts_with("identity"));
            let breaks = of_bodies.map(|finding| finding.outcome(direction).effect).any(Effect::breaks);
            fine += u32::from(!breaks);
            broken += u32::from(breaks);
        }
        versions(&[old.as_bytes(), &[0], new.as_bytes()].concat());
    }
    assert!(fine > 50 && broken > 150, "{fine} {broken}");
}
