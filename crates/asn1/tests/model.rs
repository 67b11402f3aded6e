//! The resolved model of a text that has each construct once.

use polywire_asn1::Modules;
use polywire_asn1::model::{Addition, Bounds, Cell, Kind, Model, Presence, Range, Tag, TagClass, Type, TypeId, Value};
use polywire_core::Limits;
use polywire_core::text::diagnostic::Diagnostics;

const TICKETS: &str = include_str!("../../../testdata/asn1/Tickets.asn");

fn resolve(text: &str) -> Result<Model, Diagnostics> {
    let mut modules = Modules::new();
    modules.add("t.asn", text.as_bytes());
    modules.resolve(&Limits::DEFAULT)
}

/// Resolves assignments in a module of automatic tags.
fn module(assignments: &str) -> Result<Model, Diagnostics> {
    resolve(&format!("M DEFINITIONS AUTOMATIC TAGS ::= BEGIN\n{assignments}\nEND"))
}

fn tickets() -> Model {
    resolve(TICKETS).unwrap_or_else(|found| panic!("{found}"))
}

fn id(model: &Model, name: &str) -> TypeId {
    model.named("Tickets", name).or_else(|| model.named("M", name)).unwrap_or_else(|| panic!("no {name}"))
}

fn ty<'m>(model: &'m Model, name: &str) -> &'m Type {
    model.ty(id(model, name))
}

fn bounds(low: i128, high: i128, extensible: bool) -> Option<Bounds> {
    Some(Bounds { range: Range { low: Some(low), high: Some(high) }, extensible })
}

fn context(number: u64) -> Tag {
    Tag { class: TagClass::Context, number }
}

fn universal(number: u64) -> Tag {
    Tag { class: TagClass::Universal, number }
}

/// The code and the place of the first error.
fn first(found: &Diagnostics) -> (&'static str, String) {
    let error = found.findings.iter().find(|finding| finding.severity == polywire_core::text::diagnostic::Severity::Error);
    let error = error.unwrap_or_else(|| panic!("no error in {found}"));
    (error.code, found.position(error.at))
}

#[test]
fn structures_have_their_parts() {
    let model = tickets();
    assert!(model.cautions.is_empty(), "{:?}", model.cautions);
    let Kind::Sequence(sale) = &ty(&model, "Sale").kind else { panic!("no sequence") };
    let names: Vec<&str> = sale.root.iter().map(|component| component.name.as_str()).collect();
    assert_eq!(names, ["serial", "state", "seats", "price", "note", "parts"]);
    assert!(sale.extensible);
    let tags: Vec<Vec<Tag>> = sale.root.iter().map(|component| model.ty(component.ty).tags.clone()).collect();
    // The choice's tag is explicit, whatever the environment says (X.680 31.2.7).
    assert_eq!(tags, [0, 1, 2, 3, 4, 5].map(|number| vec![context(number)]));
    let [Addition::Group(group, None)] = &sale.additions[..] else { panic!("no group") };
    assert_eq!(group.iter().map(|component| model.ty(component.ty).tags[0].number).collect::<Vec<_>>(), [6, 7]);
    assert_eq!(model.ty(group[0].ty).contents, Some(id(&model, "Voucher")));
    assert_eq!(sale.root[1].presence, Presence::Default(Value::Enumerated(0)));
    assert_eq!(model.ty(sale.root[2].ty).constraints.size, bounds(1, 10, false));
    assert_eq!(model.ty(sale.root[0].ty).constraints.value, bounds(1, 4_294_967_295, false));
}

#[test]
fn tags_follow_the_environment() {
    let model = tickets();
    let serial = model.ty(model.named("Numbers", "Serial").unwrap());
    assert_eq!(serial.tags, [Tag { class: TagClass::Application, number: 3 }]);
    // A tag of its own turns automatic tags off (X.680 25.3).
    let Kind::Sequence(tagged) = &ty(&model, "Tagged").kind else { panic!("no sequence") };
    let tags: Vec<Vec<Tag>> = tagged.root.iter().map(|component| model.ty(component.ty).tags.clone()).collect();
    assert_eq!(tags, [vec![context(1)], vec![], vec![context(3)]]);
    // COMPONENTS OF brings the root alone, and its tags are replaced (X.680 25.5, 25.9).
    let Kind::Sequence(voucher) = &ty(&model, "Voucher").kind else { panic!("no sequence") };
    let parts: Vec<(&str, Vec<Tag>)> =
        voucher.root.iter().map(|component| (component.name.as_str(), model.ty(component.ty).tags.clone())).collect();
    assert_eq!(parts, [("id", vec![context(0)]), ("sum", vec![context(1)])]);
    // A dummy parameter's tag is explicit, and EXTENSIBILITY IMPLIED is for enumerations too.
    let text = "M DEFINITIONS AUTOMATIC TAGS EXTENSIBILITY IMPLIED ::= BEGIN
        A ::= P { BOOLEAN } P { T } ::= SEQUENCE { t T, u BOOLEAN } E ::= ENUMERATED { e } END";
    let implied = resolve(text).unwrap();
    let Kind::Sequence(a) = &ty(&implied, "A").kind else { panic!("no sequence") };
    let tags: Vec<Vec<Tag>> = a.root.iter().map(|component| implied.ty(component.ty).tags.clone()).collect();
    assert_eq!(tags, [vec![context(0), universal(1)], vec![context(1)]]);
    assert!(matches!(&ty(&implied, "E").kind, Kind::Enumerated(items) if items.extensible));
    let explicit = resolve("M DEFINITIONS ::= BEGIN A ::= [1] [2] IMPLICIT B B ::= [3] BOOLEAN C ::= [4] CHOICE { a A } END").unwrap();
    assert_eq!(ty(&explicit, "A").tags, [context(1), context(2), universal(1)]);
    assert_eq!(ty(&explicit, "C").tags, [context(4)]);
}

#[test]
fn enumerators_have_numbers() {
    let model = tickets();
    let Kind::Enumerated(state) = &ty(&model, "State").kind else { panic!("no enumeration") };
    assert_eq!(state.root, [("reserved".into(), 0), ("open".into(), 2), ("sold".into(), 5)]);
    assert_eq!(state.additions, [("returned".into(), 1), ("lost".into(), 9)]);
    let model = module("A ::= ENUMERATED { a, b, ..., c } B ::= ENUMERATED { a, b(3), ..., c(1), d }").unwrap();
    let Kind::Enumerated(one) = &ty(&model, "A").kind else { panic!("no enumeration") };
    assert_eq!(one.additions, [("c".into(), 2)]);
    let Kind::Enumerated(two) = &ty(&model, "B").kind else { panic!("no enumeration") };
    assert_eq!(two.additions, [("c".into(), 1), ("d".into(), 2)]);
}

#[test]
fn constraints_are_as_per_sees_them() {
    let model = tickets();
    let Kind::Sequence(seat) = &ty(&model, "Seat").kind else { panic!("no sequence") };
    assert_eq!(model.ty(seat.root[0].ty).constraints.value, bounds(1, 60, false));
    let place = &model.ty(seat.root[1].ty).constraints;
    assert_eq!(place.size, bounds(1, 3, false));
    assert_eq!(place.alphabet.as_ref().unwrap().ranges(), [(0x30, 0x39), (0x41, 0x46)]);
    assert_eq!(ty(&model, "Note").constraints.size, None, "PER sees no size of UTF8String (X.691 10.3)");
    assert_eq!(ty(&model, "Pair").constraints.value, bounds(2, 4, false));
    assert_eq!(ty(&model, "Chosen").constraints.value, bounds(0, 1_000_000, true));
    let model = module(
        "A ::= INTEGER (1..10, ..., 20) B ::= A (2..5) C ::= INTEGER ((1..5) ^ (4..9) | 7) D ::= INTEGER (ALL EXCEPT 3)
         E ::= INTEGER (1<..<9 EXCEPT 4) F ::= IA5String (FROM (\"abc\") | SIZE (3)) G ::= OCTET STRING (SIZE (4, ...))
         H ::= INTEGER { five(5) } (five..MAX) I ::= BIT STRING (SIZE (A)) K ::= A (MIN..4) L ::= INTEGER (CONSTRAINED BY {})(1..2)",
    )
    .unwrap();
    assert_eq!(ty(&model, "A").constraints.value, bounds(1, 10, true));
    assert_eq!(ty(&model, "B").constraints.value, bounds(2, 5, false), "the marker of the parent is gone (X.680 50.8)");
    assert_eq!(ty(&model, "C").constraints.value, bounds(4, 7, false));
    assert_eq!(ty(&model, "D").constraints.value, None);
    assert_eq!(ty(&model, "E").constraints.value, bounds(2, 8, false));
    assert_eq!((ty(&model, "F").constraints.size, &ty(&model, "F").constraints.alphabet), (None, &None));
    assert_eq!(ty(&model, "G").constraints.size, bounds(4, 4, true));
    assert_eq!(ty(&model, "H").constraints.value.unwrap().range, Range { low: Some(5), high: None });
    assert_eq!(ty(&model, "I").constraints.size, bounds(1, 10, false));
    assert_eq!(ty(&model, "K").constraints.value, bounds(1, 4, false));
    assert_eq!(ty(&model, "L").constraints.value, bounds(1, 2, false));
}

#[test]
fn open_types_have_their_tables() {
    let model = tickets();
    let Kind::Sequence(sale) = &ty(&model, "Sale").kind else { panic!("no sequence") };
    let Kind::SequenceOf(part) = &model.ty(sale.root[5].ty).kind else { panic!("no list") };
    let Kind::Sequence(part) = &model.ty(*part).kind else { panic!("no sequence") };
    let [id_part, must, body] = [0, 1, 2].map(|at: usize| model.ty(part.root[at].ty));
    assert_eq!(id_part.constraints.value, bounds(0, 255, false));
    assert!(matches!(body.kind, Kind::Open) && matches!(must.kind, Kind::Boolean));
    let used = body.table.as_ref().unwrap();
    assert_eq!((used.field.as_str(), used.relations.len(), used.relations[0].path[0].as_str()), ("Type", 1, "id"));
    assert_eq!(id_part.table.as_ref().unwrap().table, used.table, "one table for one set");
    let table = model.table(used.table);
    assert!(table.extensible);
    let cells: Vec<(Option<&Cell>, Option<&Cell>)> = table.rows.iter().map(|row| (row.cell("Type"), row.cell("must"))).collect();
    assert_eq!(cells[0].0, Some(&Cell::Type(id(&model, "Seat"))));
    assert!(matches!(cells[0].1, Some(Cell::Value(_, Value::Boolean(true)))));
    assert!(matches!(cells[1].1, Some(Cell::Value(_, Value::Boolean(false)))), "the default of the class");
}

#[test]
fn values_are_resolved() {
    let model = tickets();
    let value = |name: &str| model.value("Tickets", name).unwrap_or_else(|| panic!("no {name}")).1.clone();
    assert_eq!(value("sales"), Value::Oid(vec![1, 3, 6, 1, 7, 4]));
    assert_eq!(value("flags"), Value::Bits(vec![0x10], 4));
    assert_eq!(value("mask"), Value::Octets(vec![0xa0, 0xf0]));
    assert_eq!(model.value("Numbers", "maxSeats").unwrap().1, &Value::Integer(10));
    let Value::Structure(first) = value("first") else { panic!("no structure") };
    assert_eq!(first[2], ("price".into(), Value::Choice("cents".into(), Box::new(Value::Integer(1250)))));
    assert_eq!(first[3], ("note".into(), Value::Text("gift \"wrapped\"".into())));
    assert_eq!(model.modules[0].oid, [1, 3, 6, 1, 7]);
}

#[test]
fn choices_are_ordered_by_tags() {
    let model = resolve(
        "M DEFINITIONS IMPLICIT TAGS ::= BEGIN
           C ::= CHOICE { z [5] NULL, inner CHOICE { b [PRIVATE 1] NULL, a [2] NULL }, i INTEGER, app [APPLICATION 9] NULL }
           S ::= SET { z [5] NULL, c C2, i INTEGER } C2 ::= CHOICE { k [3] NULL, l [7] NULL }
         END",
    )
    .unwrap();
    let Kind::Choice(choice) = &ty(&model, "C").kind else { panic!("no choice") };
    assert_eq!(choice.order, [2, 3, 1, 0]);
    let Kind::Set(set) = &ty(&model, "S").kind else { panic!("no set") };
    assert_eq!(set.order, [2, 1, 0]);
}

#[test]
fn mistakes_have_their_places() {
    for (text, code, at) in [
        ("A ::= SEQUENCE { a Nothing }", "unknown_name", "t.asn:2:20"),
        ("A ::= SEQUENCE { a INTEGER, a BOOLEAN }", "twice", "t.asn:2:29"),
        ("A ::= B\nB ::= A", "circle", "t.asn:2:1"),
        ("A ::= SEQUENCE { COMPONENTS OF A }", "circle", "t.asn:2:1"),
        ("A ::= INTEGER (1..)", "unexpected_word", "t.asn:2:19"),
        ("A ::= SEQUENCE { a INTEGER", "unexpected_word", "t.asn:3:1"),
        ("a INTEGER ::= b\nb INTEGER ::= a", "circle", "t.asn:2:15"),
        ("A ::= P { INTEGER, BOOLEAN } P { T } ::= SEQUENCE { t T }", "parameters", "t.asn:2:7"),
        ("a BOOLEAN ::= 5", "value", "t.asn:2:15"),
        ("X ::= CLASS { &id INTEGER } WITH SYNTAX { ID &id } a X ::= { IT 5 }", "object", "t.asn:2:62"),
        ("A ::= x < CHOICE { y NULL }", "no_alternative", "t.asn:2:7"),
        ("A ::= ENUMERATED { a(1), b(1) }", "twice", "t.asn:2:20"),
        ("A ::= [X] NULL", "unexpected_word", "t.asn:2:8"),
        ("A ::= [X] NULL X ::= INTEGER", "unexpected_word", "t.asn:2:8"),
        ("A ::= SEQUENCE { a [APPLICATION x] NULL }", "unknown_name", "t.asn:2:33"),
        ("A ::= [x] NULL x BOOLEAN ::= TRUE", "value", "t.asn:2:8"),
        ("A ::= OCTET STRING (SIZE (x)) x NULL ::= NULL", "value", "t.asn:2:27"),
        ("A ::= P { X } P { T } ::= SEQUENCE { t T }", "unknown_name", "t.asn:2:11"),
        ("A ::= SEQUENCE { a [JER:NAME AS \"b\"] NULL, b NULL }", "twice", "t.asn:2:18"),
        ("A ::= [JER:BASE64] INTEGER", "instruction", "t.asn:2:1"),
        ("A ::= [JER:TEXT z AS \"b\"] ENUMERATED { a }", "instruction", "t.asn:2:17"),
        ("A ::= [JER:TEXT a AS \"b\"] ENUMERATED { a, b }", "twice", "t.asn:2:12"),
        ("A ::= [JER:NAME \"b\"] NULL", "unexpected_word", "t.asn:2:17"),
        // A parameter that the type does not use is looked at too.
        ("A ::= P { x } P { INTEGER: n } ::= NULL", "unknown_name", "t.asn:2:11"),
        ("A ::= P { TRUE } P { INTEGER: n } ::= NULL", "value", "t.asn:2:11"),
        ("A ::= P { X } P { INTEGER: Set } ::= NULL", "unknown_name", "t.asn:2:11"),
    ] {
        let found = module(text).err().unwrap_or_else(|| panic!("{text} has no mistake"));
        assert_eq!(first(&found), (code, at.to_string()), "{text}: {found}");
    }
}

#[test]
fn a_prefix_with_an_encoding_reference_is_no_tag() {
    let model = module("A ::= [XER:ATTRIBUTE] [TAG: 3] NULL").unwrap_or_else(|found| panic!("{found}"));
    assert_eq!(ty(&model, "A").tags, [context(3)]);
    // Where the module says so, a prefix without a reference is an instruction (X.680 31.3).
    let model = resolve("M DEFINITIONS XER INSTRUCTIONS ::= BEGIN A ::= [ATTRIBUTE] NULL END").unwrap_or_else(|found| panic!("{found}"));
    assert_eq!(ty(&model, "A").tags, [universal(5)]);
    // A number of a module that is not there is a caution, as that module is.
    let model = resolve("M DEFINITIONS ::= BEGIN IMPORTS x FROM Elsewhere; A ::= [x] NULL END").unwrap_or_else(|found| panic!("{found}"));
    assert_eq!(model.cautions.iter().map(|caution| caution.code).collect::<Vec<_>>(), ["missing_module"]);
    let found = module("A ::= [X] NULL").unwrap_err().to_string();
    assert!(found.contains("`X` where the number of a tag is expected (X.680 31.2"), "{found}");
}

#[test]
fn one_mistake_hides_no_other() {
    let found = module("A ::= SEQUENCE { a ] }\nB ::= INTEGER (1..\nC ::= Nothing").unwrap_err();
    let places: Vec<String> = found.findings.iter().map(|finding| found.position(finding.at)).collect();
    assert_eq!(places, ["t.asn:2:20", "t.asn:4:1", "t.asn:4:7"]);
}

#[test]
fn common_forms_are_cautions() {
    let text = "M DEFINITIONS ::= BEGIN IMPORTS X FROM Elsewhere
        A ::= SEQUENCE { a X, b INTEGER, }
        OPERATION MACRO ::= BEGIN TYPE NOTATION ::= \"ARGUMENT\" VALUE NOTATION ::= value(VALUE INTEGER) END
        op OPERATION ARGUMENT INTEGER ::= 5
        B ::= SEQUENCE { INTEGER }
        oid ::= { 1 2 3 }
        C ::= ANY DEFINED BY kind
      END";
    let model = resolve(text).unwrap_or_else(|found| panic!("{found}"));
    let mut codes: Vec<&str> = model.cautions.iter().map(|finding| finding.code).collect();
    codes.sort_unstable();
    assert_eq!(codes, ["macro", "missing_module", "no_governor", "no_name", "no_semicolon", "odd_comma"]);
    let Kind::Sequence(a) = &ty(&model, "A").kind else { panic!("no sequence") };
    assert!(matches!(model.ty(a.root[0].ty).kind, Kind::Unknown));
    assert!(matches!(ty(&model, "C").kind, Kind::Open));
}

#[test]
fn a_text_of_several_files_is_one() {
    let mut modules = Modules::new();
    modules.add("a.asn", b"A DEFINITIONS ::= BEGIN IMPORTS T FROM B; U ::= T END");
    assert_eq!(modules.missing(), ["B"]);
    modules.add("b.asn", b"B DEFINITIONS ::= BEGIN IMPORTS T FROM C; END");
    modules.add("c.asn", b"C DEFINITIONS ::= BEGIN T ::= INTEGER (7) END");
    assert!(modules.missing().is_empty());
    let model = modules.resolve(&Limits::DEFAULT).unwrap_or_else(|found| panic!("{found}"));
    let u = model.ty(model.named("A", "U").unwrap());
    assert_eq!(u.constraints.value, bounds(7, 7, false));
}
