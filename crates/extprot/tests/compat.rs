//! Compatibility: the table of docs/spec/extprot.md 7 row by row, witnesses that hold, and verdicts
//! held against messages.

use std::sync::Arc;

use polywire_core::schema::language::{Comparison, Direction, Effect, Finding, Reading};
use polywire_core::value::{Value, ValueSink};
use polywire_core::{Budget, Limits, Reader, Writer};
use polywire_extprot::compat::compare;
use polywire_extprot::model::{Kind, NodeId, Primitive, Protocol};
use polywire_extprot::plan::Plan;
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_extprot::walk::{ExtprotReader, ExtprotWriter};

fn protocol(text: &str) -> Protocol {
    compile("p", text.as_bytes(), &mut NoFiles).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn check(old: &str, new: &str) -> Comparison {
    compare(&protocol(old), &protocol(new), None)
}

/// Returns whether messages are accepted in both directions, as in the table.
fn accepted(comparison: &Comparison) -> (bool, bool) {
    let fine = |direction| {
        let outcomes = comparison.findings.iter().map(|finding| finding.outcome(direction));
        outcomes.filter(|outcome| outcome.effect.breaks()).all(|outcome| outcome.rule.is_some_and(|rule| rule.id == "position"))
    };
    (fine(Direction::Backward), fine(Direction::Forward))
}

/// The rows of the table: old, new, backward, forward.
#[rustfmt::skip]
const TABLE: &[(&str, &str, bool, bool)] = &[
    // Renames.
    ("message m = { a : int }", "message m = { b : int }", true, true),
    ("type s = A | B int message m = { v : s }", "type t = X | Y int message m = { v : t }", true, true),
    // Fields, elements and arguments at the end.
    ("message m = { a : int }", "message m = { a : int; b : bool }", true, true),
    ("message m = { a : int }", "message m = { a : int; b : int }", false, true),
    ("message m = { a : (int * int) }", "message m = { a : (int * int * [int]) }", true, true),
    ("message m = { a : (int * int) }", "message m = { a : (int * int * string) }", false, true),
    ("type s = A int message m = { a : s }", "type s = A int bool message m = { a : s }", true, true),
    ("type s = A int message m = { a : s }", "type s = A int string message m = { a : s }", false, true),
    ("message m = { a : int; b : bool }", "message m = { a : int }", true, true),
    ("message m = { a : int; b : int }", "message m = { a : int }", true, false),
    // Constructors and variants.
    ("type s = A | B message m = { a : s }", "type s = A | B | C message m = { a : s }", true, false),
    ("message m = A { x : int }", "message m = A { x : int } | B { x : int }", true, false),
    ("type s = A | B message m = { a : s }", "type s = A message m = { a : s }", false, true),
    ("message m = A { x : int } | B { x : int }", "message m = A { x : int }", false, true),
    ("type s = A | B message m = { a : s }", "type s = C | A | B message m = { a : s }", false, false),
    ("message m = A { x : int }", "message m = B { x : int } | A { x : int }", false, false),
    ("type s = A | B message m = { a : s }", "type s = B | A message m = { a : s }", false, false),
    ("type s = B int message m = { a : s }", "type s = A | B int message m = { a : s }", true, false),
    // Promotion.
    ("message m = { a : int }", "message m = { a : (int * [int]) }", true, true),
    ("message m = { a : int }", "message m = { a : (int * string) }", false, true),
    ("message m = { a : int }", "type s = A int message m = { a : s }", true, true),
    ("message m = { a : int }", "type s = A int | B message m = { a : s }", true, false),
    ("message m = { a : int }", "type s = A int | B int message m = { a : s }", true, false),
    // Numbers.
    ("message m = { a : byte }", "message m = { a : int }", true, false),
    ("message m = { a : byte }", "message m = { a : float }", true, false),
    ("message m = { a : int }", "message m = { a : long }", true, false),
    ("message m = { a : long }", "message m = { a : float }", true, false),
    ("message m = { a : byte }", "message m = { a : (int * [int]) }", false, false),
    ("message m = { a : int }", "message m = { a : (byte * [int]) }", false, true),
    ("message m = { a : long }", "message m = { a : int }", false, true),
    // Lists.
    ("message m = { a : [int] }", "message m = { a : [|int|] }", true, true),
    ("message m = { a : int }", "message m = { a : [int] }", false, false),
    ("message m = { a : [int] }", "message m = { a : int }", false, false),
    // Messages and unions, shapes.
    ("message m = { a : int }", "message m = A { a : int }", true, true),
    ("message m = { a : int }", "message m = A { a : int } | B { a : int }", true, false),
    ("message m = { a : (int * bool) }", "type r = { x : int; y : bool } message m = { a : r }", true, true),
    ("message m = { a : (int * bool) }", "type s = A int bool message m = { a : s }", true, true),
    ("message m = { a : (int * bool) }", "type s = A int bool | B message m = { a : s }", true, false),
    ("type r = { x : int; y : bool } message m = { a : r }", "type s = A int bool message m = { a : s }", true, true),
    ("type r = { x : int; y : bool } message m = { a : r }", "type s = A int bool | B int bool message m = { a : s }", true, false),
    // Defaults, and what is not on the wire.
    ("message m = { a : int [@default 1] }", "message m = { a : int [@default 2] }", true, true),
    ("message m = { a : int }", "message m = { mutable a [@lazy] : int }", true, true),
    ("message m = { a : Module.one }", "message m = { a : Module.one }", true, true),
    ("message m = { a : Module.one }", "message m = { a : Other.one }", false, false),
];

#[test]
fn the_table_holds_row_by_row() {
    for (old, new, backward, forward) in TABLE {
        let found = check(old, new);
        assert_eq!(accepted(&found), (*backward, *forward), "{old}\n{new}\n{:#?}", found.findings);
        // The other way round the directions change places.
        assert_eq!(accepted(&check(new, old)), (*forward, *backward), "{new}\n{old}");
    }
}

fn only(comparison: &Comparison, kind: &str) -> Finding {
    let found: Vec<&Finding> = comparison.findings.iter().filter(|finding| finding.kind == kind).collect();
    assert_eq!(found.len(), 1, "{kind}: {:#?}", comparison.findings);
    found[0].clone()
}

#[test]
fn a_constructor_in_between_is_a_silent_misread() {
    let found = check("type s = A | B message m = { a : [s] }", "type s = A | C | B message m = { a : [s] }");
    let finding = only(&found, "constructor_renumbered");
    assert_eq!(
        (finding.path.as_str(), finding.backward.effect, finding.backward.rule.unwrap().id),
        ("m.a[].B", Effect::Misread, "numbering")
    );
    let witness = finding.backward.witness.expect("a witness");
    assert_eq!(witness.bytes, [0x01, 0x05, 0x01, 0x05, 0x02, 0x01, 0x1a]);
    assert_eq!(witness.meant, "{ a = [B] }");
    assert_eq!(witness.read, Reading::As("{ a = [C] }".into()));
    assert!(finding.old.is_some() && finding.new.is_some());
}

#[test]
fn swapped_fields_of_one_type_are_a_silent_misread() {
    let found = check("message m = { a : int; b : int }", "message m = { b : int; a : int }");
    let finding = found.findings.iter().find(|finding| finding.path == "m.b").expect("a finding");
    assert_eq!((finding.kind, finding.backward.effect, finding.forward.effect), ("field_renamed", Effect::Misread, Effect::Misread));
    let witness = finding.backward.witness.clone().expect("a witness");
    assert_eq!(witness.meant, "{ a = 1; b = 7 }");
    assert_eq!(witness.read, Reading::As("{ b = 1; a = 7 }".into()));
}

#[test]
fn a_refusal_tells_the_readers_error() {
    let found = check("message m = { a : [ (int * string) ] }", "message m = { a : [ (int * long) ] }");
    let finding = only(&found, "field_type_changed");
    assert_eq!(finding.path, "m.a[].1");
    let witness = finding.backward.witness.expect("a witness");
    assert_eq!(witness.meant, r#"{ a = [(7, "x")] }"#);
    assert!(matches!(witness.read, Reading::Refused(error) if error.contains("Bytes")), "the wire type that was found");
}

#[test]
fn messages_that_come_and_go_are_told() {
    let found = check("message m = { a : int }", "message n = { a : int }");
    assert_eq!(only(&found, "message_removed").backward.effect, Effect::Refused);
    assert_eq!(only(&found, "message_added").effect(), Effect::Fine);
}

#[test]
fn types_that_multiply_are_compared_in_bounded_time() {
    use std::fmt::Write;
    let nested = |leaf: &str| {
        let mut text = format!("type t0 = {leaf}\n");
        for n in 1..40 {
            writeln!(text, "type t{n} = (t{m} * t{m})", m = n - 1).unwrap();
        }
        text + "message m = { a : t39 }"
    };
    let (same, found) = (check(&nested("int"), &nested("int")), check(&nested("int"), &nested("string")));
    assert!(same.findings.is_empty());
    assert!(found.findings.len() <= 1000 && found.effect(Direction::Backward) == Effect::Refused);
}

/// A protocol made of parts that can be changed one at a time.
#[derive(Clone)]
enum Ty {
    Primitive(&'static str),
    List(Box<Ty>, bool),
    Tuple(Vec<Ty>),
    /// Names and arguments of the constructors of a sum.
    Sum(Vec<(u32, Vec<Ty>)>),
    Record(Vec<(u32, Ty)>),
    Union(Vec<(u32, Vec<(u32, Ty)>)>),
}

const PRIMITIVES: [&str; 9] =
    ["bool", "byte", "int", "long", "float", "string", "int [@default 3]", "string [@default \"d\"]", "long [@default 9]"];

fn some(random: &mut fastrand::Rng, depth: u32) -> Ty {
    let row = |random: &mut fastrand::Rng, least: usize| (0..random.usize(least..4)).map(|_| some(random, depth + 1)).collect::<Vec<_>>();
    let named = |row: Vec<Ty>| (0..).zip(row).collect::<Vec<_>>();
    match random.u32(if depth > 2 { 0..3 } else { 0..10 }) {
        0..=2 => Ty::Primitive(PRIMITIVES[random.usize(..PRIMITIVES.len())]),
        3 => Ty::List(Box::new(some(random, depth + 1)), random.bool()),
        4 | 5 => Ty::Tuple(row(random, 2)),
        6 | 7 => Ty::Sum((0..random.u32(1..5)).map(|n| (n, row(random, 0))).collect()),
        8 => Ty::Record(named(row(random, 1))),
        _ => Ty::Union((0..random.u32(1..4)).map(|n| (n, named(row(random, 1)))).collect()),
    }
}

/// The text of a type, with the declarations that it needs.
fn write(ty: &Ty, declared: &mut String, count: &mut u32) -> String {
    let declare = |kind: &str, body: String, declared: &mut String, count: &mut u32| {
        *count += 1;
        declared.push_str(&format!("{kind} d{count} = {body}\n"));
        format!("d{count}")
    };
    let fields = |row: &[(u32, Ty)], declared: &mut String, count: &mut u32| {
        let row: Vec<String> = row.iter().map(|(name, ty)| format!("f{name} : {}", write(ty, declared, count))).collect();
        format!("{{ {} }}", row.join("; "))
    };
    match ty {
        Ty::Primitive(name) => (*name).into(),
        Ty::List(element, array) => {
            let element = write(element, declared, count);
            if *array { format!("[| {element} |]") } else { format!("[ {element} ]") }
        }
        Ty::Tuple(parts) => format!("({})", parts.iter().map(|part| write(part, declared, count)).collect::<Vec<_>>().join(" * ")),
        Ty::Sum(cases) => {
            let case = |(name, row): &(u32, Vec<Ty>), declared: &mut String, count: &mut u32| {
                row.iter().fold(format!("C{name}"), |text, part| format!("{text} {}", write(part, declared, count)))
            };
            let body: Vec<String> = cases.iter().map(|one| case(one, declared, count)).collect();
            declare("type", body.join(" | "), declared, count)
        }
        Ty::Record(row) => {
            let body = fields(row, declared, count);
            declare("type", body, declared, count)
        }
        Ty::Union(cases) => {
            let body: Vec<String> = cases.iter().map(|(name, row)| format!("V{name} {}", fields(row, declared, count))).collect();
            declare("message", body.join(" | "), declared, count)
        }
    }
}

fn text(row: &[(u32, Ty)]) -> String {
    let (mut declared, mut count) = (String::new(), 0);
    let fields: Vec<String> = row.iter().map(|(name, ty)| format!("f{name} : {}", write(ty, &mut declared, &mut count))).collect();
    format!("{declared}message root = {{ {} }}", fields.join("; "))
}

/// Changes a row of values somewhere.
fn change_row<T: Clone>(
    row: &mut Vec<T>,
    random: &mut fastrand::Rng,
    least: usize,
    fresh: impl FnOnce(&mut fastrand::Rng) -> T,
    change: impl FnOnce(&mut T, &mut fastrand::Rng),
) {
    match random.u32(0..8) {
        0 => row.push(fresh(random)),
        1 if row.len() > least => drop(row.pop()),
        2 if row.len() > 1 => {
            let (one, other) = (random.usize(..row.len()), random.usize(..row.len()));
            row.swap(one, other);
        }
        3 => {
            let at = random.usize(..=row.len());
            row.insert(at, fresh(random));
        }
        4 if row.len() > least => drop(row.remove(random.usize(..row.len()))),
        _ if row.is_empty() => {}
        _ => {
            let at = random.usize(..row.len());
            change(&mut row[at], random);
        }
    }
}

fn change(ty: &mut Ty, random: &mut fastrand::Rng) {
    let fresh = |random: &mut fastrand::Rng| random.u32(10..1000);
    if random.u32(0..6) == 0 {
        // Another shape around it, or in its place.
        let inner = ty.clone();
        let more = some(random, 3);
        *ty = match (random.u32(0..5), inner) {
            (0, inner) => Ty::Tuple(vec![inner, more]),
            (1, inner) => Ty::Sum(vec![(0, vec![inner]), (1, vec![])]),
            (2, Ty::Tuple(parts)) => Ty::Record((0..).zip(parts).collect()),
            (3, Ty::Record(row)) => Ty::Union(vec![(0, row)]),
            (4, Ty::Tuple(parts)) => Ty::Sum(vec![(0, parts)]),
            (_, Ty::Tuple(parts)) => parts[0].clone(),
            _ => more,
        };
        return;
    }
    match ty {
        Ty::Primitive(name) => *name = PRIMITIVES[random.usize(..PRIMITIVES.len())],
        Ty::List(element, array) => {
            if random.bool() {
                *array = !*array;
            } else {
                change(element, random);
            }
        }
        Ty::Tuple(parts) => change_row(parts, random, 2, |random| some(random, 2), change),
        Ty::Sum(cases) => change_row(
            cases,
            random,
            1,
            |random| (fresh(random), vec![]),
            |case, random| {
                if random.bool() {
                    case.0 = fresh(random);
                } else {
                    change_row(&mut case.1, random, 0, |random| some(random, 3), change);
                }
            },
        ),
        Ty::Record(row) => change_fields(row, random),
        Ty::Union(cases) => change_row(
            cases,
            random,
            1,
            |random| (fresh(random), vec![(0, some(random, 3))]),
            |case, random| change_fields(&mut case.1, random),
        ),
    }
}

fn change_fields(row: &mut Vec<(u32, Ty)>, random: &mut fastrand::Rng) {
    change_row(
        row,
        random,
        1,
        |random| (random.u32(10..1000), some(random, 2)),
        |field, random| {
            if random.u32(0..4) == 0 {
                field.0 = random.u32(10..1000);
            } else {
                change(&mut field.1, random);
            }
        },
    );
}

/// Some value of a type.
fn value(protocol: &Protocol, node: NodeId, random: &mut fastrand::Rng) -> Value {
    let mut row = |nodes: &[NodeId]| nodes.iter().map(|node| value(protocol, *node, random)).collect::<Vec<_>>();
    match &protocol[node].kind {
        Kind::Primitive { primitive, .. } => match primitive {
            Primitive::Bool => Value::Bool(random.bool()),
            Primitive::Byte => Value::UInt(u64::from(random.u8(..))),
            Primitive::Int | Primitive::Long => Value::int(random.i64(..) >> random.u32(0..64)),
            Primitive::Float => Value::F64(random.f64()),
            Primitive::String => Value::text("abc"),
        },
        Kind::List { element, .. } => {
            let elements = vec![*element; random.usize(..3)];
            Value::List(elements.iter().map(|node| value(protocol, *node, random)).collect())
        }
        Kind::Tuple(parts) => Value::Tuple(row(parts)),
        Kind::Sum(sum) => {
            let at = random.usize(..sum.constructors.len());
            let constructor = &sum.constructors[at];
            let values = constructor.arguments.iter().map(|node| value(protocol, *node, random)).collect();
            Value::Variant { name: constructor.name.clone(), index: at as u32, values }
        }
        Kind::Record(record) => Value::record(record.fields.iter().map(|field| (field.name.clone(), value(protocol, field.ty, random)))),
        Kind::Union(union) => {
            let at = random.usize(..union.variants.len());
            let variant = &union.variants[at];
            let fields = variant.fields.iter().map(|field| (field.name.clone(), value(protocol, field.ty, random)));
            Value::Variant { name: variant.name.clone(), index: at as u32, values: vec![Value::record(fields)] }
        }
        Kind::Subset(_) | Kind::External(_) => unreachable!("not in these protocols"),
    }
}

fn plan(protocol: &Protocol) -> Arc<Plan> {
    Arc::new(Plan::new(protocol, Some("root")).unwrap())
}

/// Verdicts against random messages: accepted ones must be read, and each witness must show its
/// verdict.
#[test]
fn verdicts_hold_for_messages() {
    let mut random = fastrand::Rng::with_seed(0x7e57);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..3000 {
        let mut row: Vec<(u32, Ty)> = (0..random.u32(1..4)).map(|n| (n, some(&mut random, 0))).collect();
        let before = text(&row);
        for _ in 0..random.u32(1..3) {
            change_fields(&mut row, &mut random);
        }
        let after = text(&row);
        // Two changes may give two fields or constructors one name.
        let (Ok(old), Ok(new)) = (compile("old", before.as_bytes(), &mut NoFiles), compile("new", after.as_bytes(), &mut NoFiles)) else {
            continue;
        };
        let found = compare(&old, &new, Some("root"));
        for (direction, writer, reader) in [(Direction::Backward, &old, &new), (Direction::Forward, &new, &old)] {
            let about = || format!("round {round} {direction:?}\n{before}\n{after}\n{:#?}", found.findings);
            let mut reader = ExtprotReader::new(plan(reader));
            let (mut broken, mut taken) = (false, false);
            for outcome in found.findings.iter().map(|finding| finding.outcome(direction)) {
                let Some(witness) = &outcome.witness else {
                    assert!(!outcome.effect.breaks(), "no witness: {}", about());
                    continue;
                };
                let refused = matches!(witness.read, Reading::Refused(_));
                assert!(refused || outcome.effect != Effect::Refused, "{witness:?}: {}", about());
                broken |= outcome.effect == Effect::Refused;
                taken |= refused && outcome.effect != Effect::Refused;
            }
            assert!(broken || !taken, "refused for a reason that was not found: {}", about());
            let mut writer_of = ExtprotWriter::new(plan(writer)).unwrap();
            let root = writer.message("root").unwrap();
            let mut any = false;
            for _ in 0..30 {
                value(writer, root, &mut random).emit(&mut writer_of).unwrap();
                let mut bytes = Vec::new();
                writer_of.finish(&mut bytes).unwrap();
                let read = reader.walk(&bytes, 0, &mut ValueSink::default(), &mut Budget::new(&Limits::DEFAULT));
                assert!(broken || read.is_ok(), "accepted in word, refused in deed: {:?} {}", read, about());
                any |= read.is_err();
            }
            accepted += u32::from(!broken);
            refused += u32::from(any);
        }
    }
    assert!(accepted > 500 && refused > 500, "{accepted} {refused}");
}

/// The effects of the one finding of a view itself, backward and forward.
fn of_view(old: &str, new: &str) -> Option<(Effect, Effect)> {
    let comparison = check(old, new);
    let mut found = comparison.findings.iter().filter(|finding| finding.root == "view" && finding.message.contains("which it views"));
    let finding = found.next()?;
    assert!(found.next().is_none(), "{comparison:?}");
    for direction in Direction::ALL {
        let outcome = finding.outcome(direction);
        if outcome.effect != Effect::Fine {
            let witness = outcome.witness.as_ref().unwrap_or_else(|| panic!("a message that shows it: {finding:?}"));
            assert!(matches!(witness.read, Reading::Refused(_)), "{witness:?}");
        }
    }
    Some((finding.backward.effect, finding.forward.effect))
}

#[test]
fn views_are_held_against_what_they_view() {
    let base = "message full = { id : int; at : (int * int); name : string } message view = {| full | id; name |}";
    let of = |new: &str| of_view(base, new);
    use Effect::{Fine, Warns};
    assert_eq!(of(base), None);
    // Fields that are not viewed may change, and so may later ones.
    assert_eq!(of("message full = { id : int; at : bool; name : string; more : int } message view = {| full | id; name |}"), None);
    // Another choice of fields, and a wider type for one.
    assert_eq!(of("message full = { id : int; at : (int * int); name : string } message view = {| full | id : long; at |}"), None);
    // The types that it gives are not theirs.
    assert_eq!(
        of("message full = { id : int; at : (int * int); name : string } message view = {| full | id; name : int |}"),
        Some((Warns, Fine))
    );
    // The fields of what it views have become other ones.
    assert_eq!(
        of("message full = { id : long; at : (int * int); name : string } message view = {| full | id; name |}"),
        Some((Fine, Warns))
    );
    assert_eq!(
        of("message full = { id : bool; at : (int * int); name : string } message view = {| full | id; name |}"),
        Some((Warns, Fine))
    );
    let inserted = "message full = { id : int; new : bool; at : (int * int); name : string } message view = {| full | id; name |}";
    assert_eq!(of(inserted), Some((Warns, Warns)));
    // The verdict is that of the messages that are written.
    let comparison = compare(&protocol(base), &protocol(inserted), Some("view"));
    assert_eq!(Direction::ALL.map(|direction| comparison.effect(direction)), [Warns, Warns]);
}
