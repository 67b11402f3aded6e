//! Versions of `.proto` texts: each kind of change with its verdicts, and witnesses that show them.

use polywire_core::schema::language::{Comparison, Compatibility, Effect, Finding, Outcome, Reading, Version};
use polywire_core::schema::language::{SchemaLanguage, SchemaText};
use polywire_core::text::sources::NoFiles;
use polywire_protobuf::compat::RULES;
use polywire_protobuf::language::Proto;

use Effect::{Fine, Misread, Refused, Warns};

fn compare_whole(old: &str, new: &str, root: Option<&str>) -> Comparison {
    let text = |bytes: &'static str, text: &str| {
        let leaked: &'static [u8] = Box::leak(text.as_bytes().to_vec().into_boxed_slice());
        SchemaText { name: bytes, bytes: leaked, identity: "" }
    };
    let compatibility: &dyn Compatibility = Proto.compatibility().unwrap();
    let (mut one, mut two) = (NoFiles, NoFiles);
    let old = Version { text: text("old.proto", old), files: &mut one };
    let new = Version { text: text("new.proto", new), files: &mut two };
    compatibility.compare(old, new, root).unwrap_or_else(|error| panic!("{error}"))
}

/// Compares bodies of a proto3 message `M` beside some helpers.
fn compare(old: &str, new: &str) -> Vec<Finding> {
    let whole = |body: &str| {
        let (syntax, body) = body.strip_prefix("2|").map_or(("proto3", body), |body| ("proto2", body));
        let helpers = "message P { int32 x = 1; string y = 2; } message Q { int32 x = 1; } enum E { A = 0; B = 1; }";
        let helpers = if syntax == "proto2" {
            helpers.replace("; string", "; optional string").replace("{ int32", "{ optional int32")
        } else {
            helpers.into()
        };
        format!("syntax = \"{syntax}\"; message M {{ {body} }} {helpers}")
    };
    let Comparison { findings, .. } = compare_whole(&whole(old), &whole(new), Some("M"));
    findings.iter().for_each(sound);
    findings
}

/// Asserts that a finding agrees with its witness.
fn sound(finding: &Finding) {
    for Outcome { effect, rule, witness, json } in [&finding.backward, &finding.forward] {
        assert_eq!(*effect == Fine, rule.is_none(), "{finding:#?}");
        if let Some(rule) = rule {
            assert!(RULES.contains(rule));
        }
        if let Some(json) = json {
            assert!(effect.breaks(), "{finding:#?}");
            assert_eq!(json.effect == Fine, json.witness.is_none(), "{finding:#?}");
        }
        let Some(witness) = witness else { continue };
        match (effect, &witness.read) {
            (Refused, read) => assert!(matches!(read, Reading::Refused(_)), "{finding:#?}"),
            (Misread, Reading::As(read)) => assert_ne!(*read, witness.meant, "{finding:#?}"),
            (Misread, Reading::Refused(_)) => panic!("{finding:#?}"),
            (Warns, Reading::As(read)) => assert_ne!(*read, witness.meant, "{finding:#?}"),
            _ => {}
        }
    }
}

#[test]
fn each_change_has_its_verdicts() {
    let mut wrong = Vec::new();
    for (old, new, kind, backward, forward) in [
        ("int32 a = 1;", "int64 a = 1;", "field_type_changed", Fine, Misread),
        ("int32 a = 1;", "uint32 a = 1;", "field_type_changed", Misread, Misread),
        ("bool a = 1;", "int32 a = 1;", "field_type_changed", Warns, Misread),
        ("int32 a = 1;", "sint32 a = 1;", "field_type_changed", Misread, Misread),
        ("sint32 a = 1;", "sint64 a = 1;", "field_type_changed", Fine, Misread),
        ("fixed32 a = 1;", "sfixed32 a = 1;", "field_type_changed", Misread, Misread),
        ("int32 a = 1;", "fixed32 a = 1;", "field_type_changed", Misread, Misread),
        ("int32 a = 1;", "string a = 1;", "field_type_changed", Misread, Misread),
        ("string a = 1;", "bytes a = 1;", "field_type_changed", Warns, Refused),
        ("int32 a = 1;", "E a = 1;", "field_type_changed", Fine, Warns),
        ("P a = 1;", "bytes a = 1;", "field_type_changed", Warns, Refused),
        ("P a = 1;", "Q a = 1;", "field_type_changed", Misread, Fine),
        ("P a = 1;", "string a = 1;", "field_type_changed", Misread, Refused),
        ("map<string, int32> a = 1;", "map<string, int64> a = 1;", "field_type_changed", Fine, Misread),
        ("int32 a = 1;", "repeated int32 a = 1;", "field_cardinality_changed", Warns, Misread),
        ("string a = 1;", "repeated string a = 1;", "field_cardinality_changed", Warns, Misread),
        (
            "repeated N a = 1; message N { int32 x = 1; }",
            "N a = 1; message N { string x = 1; }",
            "field_cardinality_changed",
            Misread,
            Warns,
        ),
        ("repeated int32 a = 1;", "repeated int32 a = 1 [packed = false];", "field_packing_changed", Fine, Fine),
        ("int32 a = 1;", "", "field_removed", Warns, Fine),
        ("int32 a = 1;", "reserved 1; reserved \"a\";", "field_removed", Fine, Fine),
        ("", "int32 a = 1;", "field_added", Fine, Fine),
        ("reserved 1;", "int32 a = 1;", "reserved_field_added", Warns, Fine),
        ("reserved 1 to 5;", "reserved 2 to 5;", "reservation_removed", Warns, Fine),
        ("int32 a = 1;", "int32 a = 2;", "field_renumbered", Misread, Misread),
        ("int32 a = 1;", "int32 b = 1;", "field_renamed", Warns, Warns),
        ("int32 a = 1;", "int32 a = 1 [json_name = \"b\"];", "json_name_changed", Fine, Warns),
        ("int32 a = 1;", "optional int32 a = 1;", "field_presence_changed", Warns, Warns),
        ("int32 a = 1; int32 b = 2;", "oneof o { int32 a = 1; int32 b = 2; }", "oneof_changed", Misread, Fine),
        ("oneof o { int32 a = 1; int32 b = 2; }", "int32 a = 1; int32 b = 2;", "oneof_changed", Fine, Misread),
        ("2|optional int32 a = 1;", "2|required int32 a = 1;", "field_required_changed", Refused, Fine),
        ("2|required int32 a = 1;", "2|optional int32 a = 1;", "field_required_changed", Fine, Refused),
        ("2|", "2|required int32 a = 1;", "field_added", Refused, Fine),
        ("2|required int32 a = 1;", "2|reserved 1;", "field_removed", Fine, Refused),
        ("2|optional int32 a = 1 [default = 5];", "2|optional int32 a = 1 [default = 6];", "default_changed", Warns, Warns),
        ("2|optional group G = 1 { optional int32 x = 1; }", "2|optional P a = 1;", "field_type_changed", Misread, Misread),
        ("2|optional string a = 1;", "optional string a = 1;", "field_utf8_changed", Refused, Fine),
        ("E a = 1; enum E { A = 0; B = 1; }", "E a = 1; enum E { A = 0; B = 1; C = 2; }", "enum_value_added", Fine, Fine),
        ("E a = 1; enum E { A = 0; B = 1; }", "E a = 1; enum E { A = 0; }", "enum_value_removed", Warns, Fine),
        ("E a = 1; enum E { A = 0; B = 1; }", "E a = 1; enum E { A = 0; reserved 1; }", "enum_value_removed", Fine, Fine),
        ("E a = 1; enum E { A = 0; B = 1; }", "E a = 1; enum E { A = 0; X = 1; }", "enum_value_renamed", Warns, Warns),
        ("E a = 1; enum E { A = 0; B = 1; C = 2; }", "E a = 1; enum E { A = 0; B = 2; C = 1; }", "enum_value_renumbered", Misread, Misread),
        (
            "2|optional E a = 1; enum E { A = 0; B = 1; }",
            "2|optional E a = 1; enum E { A = 0; B = 1; C = 2; }",
            "enum_value_added",
            Fine,
            Misread,
        ),
        ("2|optional E a = 1; enum E { A = 0; B = 1; }", "optional E a = 1; enum E { A = 0; B = 1; }", "enum_opened", Fine, Warns),
        ("N a = 1; message N { int32 x = 1; }", "O a = 1; message O { int32 x = 1; }", "message_renamed", Warns, Warns),
    ] {
        let findings = compare(old, new);
        let found = findings.iter().find(|finding| finding.kind == kind);
        let Some(found) = found else { panic!("{old} => {new}: no {kind} in {findings:#?}") };
        if (found.backward.effect, found.forward.effect) != (backward, forward) {
            wrong.push(format!("{old} => {new}: expected {:?}, saw {found:?}", (backward, forward)));
        }
        assert!(found.old.is_some() || found.new.is_some(), "{found:#?}");
        if backward.breaks() || forward.breaks() {
            let shown = [&found.backward, &found.forward].into_iter().all(|outcome| !outcome.effect.breaks() || outcome.witness.is_some());
            assert!(shown, "{old} => {new}: no witness in {found:#?}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where the wire breaks, the JSON of the same messages is tried as well.
#[test]
fn json_is_tried_where_the_wire_breaks() {
    for (old, new, kind, backward, forward) in [
        ("int32 a = 1;", "string a = 1;", "field_type_changed", Some(Refused), Some(Refused)),
        ("int32 a = 1;", "sint32 a = 1;", "field_type_changed", Some(Fine), Some(Fine)),
        ("int32 a = 1;", "int64 a = 1;", "field_type_changed", None, Some(Refused)),
        ("int32 a = 1;", "int32 a = 2;", "field_renumbered", Some(Fine), Some(Fine)),
        (
            "E a = 1; enum E { A = 0; B = 1; C = 2; }",
            "E a = 1; enum E { A = 0; B = 2; C = 1; }",
            "enum_value_renumbered",
            Some(Fine),
            Some(Fine),
        ),
    ] {
        let findings = compare(old, new);
        let found = findings.iter().find(|finding| finding.kind == kind).unwrap_or_else(|| panic!("{findings:#?}"));
        let json = [&found.backward, &found.forward].map(|outcome| outcome.json.as_ref().map(|json| json.effect));
        assert_eq!(json, [backward, forward], "{old} => {new}: {found:#?}");
    }
}

/// The text of a rule explains the change at hand; its name is for programs.
#[test]
fn rules_explain_the_change_of_a_type() {
    for (old, new, part) in [
        ("int32 a = 1;", "uint32 a = 1;", "negative numbers become large"),
        ("fixed64 a = 1;", "sfixed64 a = 1;", "negative numbers become large"),
        ("int64 a = 1;", "sint64 a = 1;", "zigzag"),
        ("sint32 a = 1;", "sint64 a = 1;", "loses its upper bits"),
        ("bool a = 1;", "int32 a = 1;", "true for every number but 0"),
        ("map<string, int32> a = 1;", "map<string, uint32> a = 1;", "negative numbers become large"),
    ] {
        let findings = compare(old, new);
        let found = findings.iter().find(|finding| finding.kind == "field_type_changed").unwrap_or_else(|| panic!("{findings:#?}"));
        let rule = found.forward.rule.unwrap_or_else(|| panic!("{found:#?}"));
        assert!(rule.id == "compatible-types" && rule.text.contains(part), "{old} => {new}: {}", rule.text);
    }
}

#[test]
fn the_same_version_has_no_findings() {
    let text = "syntax = \"proto2\"; message M { required int32 a = 1; optional M m = 2; map<string, E> e = 3; extensions 10 to 20; } \
                enum E { A = 1; } extend M { optional int32 x = 10; } service S { rpc F(M) returns (M); }";
    assert_eq!(compare_whole(text, text, None).findings, []);
}

#[test]
fn a_moved_package_is_a_rename() {
    let text = |package: &str, more: &str| {
        format!(
            "syntax = \"proto3\"; package {package}; message M {{ N n = 1; {more} }} message N {{ int32 a = 1; E e = 2; }} enum E {{ Z = 0; }}"
        )
    };
    let Comparison { findings, .. } = compare_whole(&text("a.v1", ""), &text("a.v2", "int32 x = 2;"), None);
    let kinds: Vec<&str> = findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, ["message_renamed", "field_added", "message_renamed", "enum_renamed"], "{findings:#?}");
    assert!(findings.iter().all(|finding| !finding.effect().breaks()));
}

#[test]
fn types_and_services_that_go() {
    let old = "syntax = \"proto3\"; message M {} message N { M m = 1; } message Gone { int32 a = 1; } service S { rpc F(M) returns (M); rpc G(M) returns (N); rpc H(M) returns (M); } service T {}";
    let new = "syntax = \"proto3\"; message M {} message N { M m = 1; } service S { rpc F(M) returns (stream M); rpc G(N) returns (N); }";
    let Comparison { findings, old, new } = compare_whole(old, new, None);
    let kinds: Vec<&str> = findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, ["message_removed", "method_streaming_changed", "method_type_changed", "method_removed", "service_removed"]);
    assert!(findings.iter().all(|finding| finding.backward.effect == Refused));
    assert_eq!((old.len(), new.len()), (1, 1));
    let at = findings[0].old.unwrap();
    assert_eq!(&old[0].text[at.range()], "Gone");
}

#[test]
fn a_type_that_nobody_has_is_told() {
    let compatibility = Proto.compatibility().unwrap();
    let text = SchemaText { name: "a.proto", bytes: b"syntax = \"proto3\"; message M {}", identity: "" };
    let version = |files| Version { text, files };
    let error = compatibility.compare(version(&mut NoFiles), version(&mut NoFiles), Some("X")).unwrap_err();
    assert!(error.to_string().contains("there are M"), "{error}");
}

/// Compares schemas that have only names in common. Each verdict agrees with its witness.
#[test]
fn witnesses_of_random_versions_show_what_is_said() {
    use polywire_protobuf::source::read;
    use polywire_protobuf::testing::{Rng, schema};
    let mut rng = Rng::with_seed(9);
    let mut next = || loop {
        let text = schema(&mut rng);
        if let Ok(protos) = read(&SchemaText { name: "a.proto", bytes: text.as_bytes(), identity: "" }, &mut NoFiles) {
            return (protos, text);
        }
    };
    let (mut findings, mut witnesses) = (0, 0);
    for _ in 0..60 {
        let ((old, old_text), (new, new_text)) = (next(), next());
        let comparison = polywire_protobuf::compat::compare(&old, &new, None);
        for finding in &comparison.findings {
            for outcome in [&finding.backward, &finding.forward] {
                let Some(witness) = &outcome.witness else { continue };
                witnesses += 1;
                // The reader may stop at another change in the same message.
                match (outcome.effect, &witness.read) {
                    (Refused, Reading::As(_)) => panic!("{finding:#?}\n{old_text}\n{new_text}"),
                    (Misread, Reading::As(read)) => assert_ne!(*read, witness.meant, "{finding:#?}\n{old_text}\n{new_text}"),
                    _ => {}
                }
            }
            findings += 1;
        }
        assert_eq!(polywire_protobuf::compat::compare(&new, &new, None).findings, []);
    }
    assert!(findings > 500 && witnesses > 200, "{findings}, {witnesses}");
}
