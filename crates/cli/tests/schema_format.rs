//! `polywire schema format` of texts that are broken.

mod common;

fn format(lang: &str, text: &str) -> (Option<i32>, String, String) {
    let output = common::fed(common::command(&["schema", "format", "--lang", lang, "-"]), text.as_bytes());
    (output.status.code(), String::from_utf8(output.stdout).expect("text"), String::from_utf8(output.stderr).expect("text"))
}

#[test]
fn a_broken_text_is_refused_with_its_place() {
    for (text, line) in [
        ("syntax = \"proto3\";\nmessage A { string a = ; }\n", "2 │"),
        ("syntax = \"proto3\";\nmessage A { string a = 1 }\n", "2 │"),
        ("syntax = \"proto3\";\nmessage A {\n  string a = 1;\n  nonsense;\n}\n", "4 │"),
        ("syntax = \"proto2\";\nmessage { }\n", "2 │"),
        ("syntax = \"proto3\";\nmessage A {\n", "3 │"),
        ("edition = \"2023\";\nmessage A { string a = ; }\n", "2 │"),
        ("edition=\"2023\";message A { string a = ; }\n", "1 │"),
        ("edition = \"2024\";\nexport message A { string a = 1 }\n", "2 │"),
        ("edition = \"2024\";\nmessage A { reserved a b; }\n", "2 │"),
        ("edition = \"2026\";\nmessage A {\n", "1 │"),
        ("edition = 2023;\nmessage A { }\n", "1 │"),
        ("syntax = \"proto3\"\nmessage A { }\n", "2 │"),
        ("this is no schema\n", "1 │"),
    ] {
        let (code, out, told) = format("proto", text);
        assert_eq!((code, out.as_str()), (Some(3), ""), "{text}: {told}");
        assert!(told.contains("error") && told.replace('|', "│").contains(line), "{text}: {told}");
    }
    for lang in ["extprot", "usds"] {
        let (code, out, _) = format(lang, "this is no schema\n");
        assert_eq!((code, out.as_str()), (Some(3), ""), "{lang}");
    }
}

#[test]
fn a_sound_text_is_laid_out_without_its_imports() {
    let text = "syntax = \"proto3\";\nimport \"not/there.proto\";\nmessage A {\nnot.There b = 1; // that\n}\n";
    let expected = text.replace("\nnot.There", "\n  not.There");
    assert_eq!(format("proto", text), (Some(0), expected, String::new()));
    for editions in [
        "edition = \"2023\";\nmessage A {\nstring a = 1 [features.field_presence = IMPLICIT];\n}\n",
        "edition = \"2023\";\nmessage A {\nstring a = 1 [default = \"x\"];\n  reserved b, c;\n}\n",
        "edition = \"2023\";\nenum E {\n  option features.enum_type = CLOSED;\n  reserved B;\n  A = 1;\n}\n",
        "syntax = \"proto2\";\nmessage A {\n  optional string a = 1;\n  extensions 5 [verification = UNVERIFIED];\n}\n",
        "edition = \"2024\";\nimport option \"o.proto\";\nexport message A {\nstring a = 1;\n  local enum E {\n    B = 0;\n  }\n}\n",
    ] {
        assert_eq!(format("proto", editions), (Some(0), editions.replace("\nstring", "\n  string"), String::new()));
    }
}

#[cfg(feature = "etch")]
#[test]
fn nsdl_is_laid_out_and_converted() {
    let text = "module a\nservice S{ /** Sets. */ void set( int x, // which\nstring y ) ; }\n";
    let expected = "module a\n\nservice S {\n  /** Sets. */\n  void set(\n      int x, // which\n      string y\n  )\n}\n";
    assert_eq!(format("etch", text), (Some(0), expected.to_owned(), String::new()));
    let (code, out, told) = format("etch", "module a\nservice S {\n  void set(int)\n}\n");
    assert_eq!((code, out.as_str()), (Some(3), ""));
    assert!(told.contains("expected the name of a parameter, saw `)`") && told.replace('|', "│").contains("3 │"), "{told}");
    let args = ["schema", "convert", "testdata/schemas/shop.etch", "--to", "proto"];
    let output = common::command(&args).output().expect("the program runs");
    let (out, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(out.contains("message Item {") && out.contains("enum State {"), "{out}{told}");
    assert!(told.contains("put: what its reply holds"), "{told}");
}
