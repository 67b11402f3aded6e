//! The protocol language: checks beyond the vectors, recovery, the expanded model, the formatter,
//! and hostile texts.

use polywire_core::text::diagnostic::Diagnostics;
use polywire_extprot::model::{Kind, Literal, NodeId, Primitive, Protocol};
use polywire_extprot::protocol::{Loaded, Loader, NoFiles, compile, format, parse};
use polywire_extprot::testing::{self, Layout, Rng};

fn accepted(text: &str) -> Protocol {
    compile("p", text.as_bytes(), &mut NoFiles).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics}"))
}

fn refused(text: &str) -> Diagnostics {
    compile("p", text.as_bytes(), &mut NoFiles).err().unwrap_or_else(|| panic!("accepted: {text}"))
}

fn codes(text: &str) -> Vec<String> {
    refused(text)
        .findings
        .iter()
        .map(|finding| format!("{} {}", finding.code, finding.get("name").unwrap_or("")).trim().to_string())
        .collect()
}

#[test]
fn everything_of_the_grammar_is_accepted() {
    for text in [
        "",
        "(* nothing *)",
        "type a = int type b = a type c 'x 'y = ('x * ['y]) message m = { f : c<c<int, a>, [| b |]> }",
        "type t 'a = A 'a message m = { f : t<t<t<int>>>; g : t<t<int> > }",
        "message m = { a [ @lazy] : [ int ]; mutable b [@ eager ] : int [ @ default - 3 ] }",
        "message m [@autolazy] = { a : string }",
        "type r 'a = { x : 'a } message m = A { x : int } | B r<int> message n = r<string> message o = n message p = m message q = {| n | x |}",
        "message m = Mod.name message n = A.B.C.name message o = { f : Mod.name; g : [ A.B.name ] }",
        "type t = A Foo.bar (int * Foo.bar) | B",
        "type t = int options \"default\" = \"5\" \"ocaml.pp\" = \"x\" type u = int options",
        "type t = int options \"ocaml.type\" = \"T.t; T.of; T.to\" message m = { x : t }",
        "type t = bool options \"ocaml.type\" = \"T.t; T.of; T.to; T.none\" message m = { x : t }",
        "message m = { a : int; b : string } message s = {| m | a : long; b [@lazy] |} message t = {| m | not a |}",
        "type id 'a = 'a message m = { x : id<id<int>> }",
        "type t = { a : int } message m = t message n = V t",
        "message m = { a : string [@default 5] ; b : bool [@default \"TRUE\"]; c : float [@default 3] }",
    ] {
        accepted(text);
    }
}

#[test]
fn each_check_has_its_finding() {
    for (text, expected) in [
        ("message m = { a : int; a : bool }", "duplicate_binding a"),
        ("type t = A | B | A int", "duplicate_binding A"),
        ("message m = A { x : int } | A { y : int }", "duplicate_binding A"),
        ("type t 'a 'a = ('a * int)", "duplicate_binding 'a"),
        ("message m = { a : int; b : int } message s = {| m | a; a |}", "duplicate_binding a"),
        ("message m = { a : int; b : int } message s = {| m | not a; a |}", "duplicate_binding a"),
        ("message m = { m : m }", "recursive_type m"),
        ("type l 'a = 'a type t = A l<t>", "recursive_type t"),
        ("type t = A [ u ] type u = B t", "unbound_type u"),
        ("type t = 'a", "unbound_type 'a"),
        ("type t 'a = int message m = { x : t }", "wrong_arity t"),
        ("message n = { x : int } message m = { x : n<int> }", "wrong_arity n"),
        ("message m = {| m | x |}", "missing_subset_source m"),
        ("message s = {| m | x |} message m = { x : int }", "missing_subset_source m"),
        ("message u = A { x : int } message s = {| u | x |}", "missing_subset_source u"),
        ("message n = { x : int } message m = n message s = {| m | x |}", "missing_subset_source m"),
        ("message n = { x : int } message m = {| n | x |} message s = {| m | x |}", "missing_subset_source m"),
        ("type t = A message s = {| t | x |}", "missing_subset_source t"),
        ("type r 'a = { x : 'a } message s = {| r | x |}", "not_simple_message r"),
        ("message m = { x : int [@colour 1] }", "unknown_option colour"),
        ("message m = { x : int } message s = {| m | y |}", "empty_subset s"),
        ("message m = { x : int } message s = {| m | not y |}", "unknown_subset_field y"),
        ("type t = (int * int) message m = t", "not_a_record t"),
        ("type id 'a = 'a message m = id<int>", "not_a_record id"),
        ("message u = A { x : int } message m = B u", "not_a_record u"),
        ("type t 'a = [ ('a) ]", "one_element_tuple"),
        ("type t = bool [@default \"yes\"]", "bad_default"),
        ("type t = float options \"default\" = \"1e999\"", "bad_default"),
        ("type t = long options \"default\" = \"9223372036854775808\"", "bad_default"),
        ("type t = int options \"ocaml.type\" = \"T.t\"", "bad_wrapped_type t"),
        ("type t = bool options \"ocaml.type\" = \"T.t; f; g\" message m = { x : [ t ] }", "missing_wrapped_default t"),
        ("include \"nowhere\"", "file_error nowhere"),
        ("type t = Foo.bar", "syntax_error"),
        ("type t = | A", "syntax_error"),
        ("message m = A | B { x : int }", "syntax_error"),
        ("type t = int;", "syntax_error"),
        ("message m = { x : Foo.bar<int> }", "syntax_error"),
        ("message m 'a = { x : int }", "syntax_error"),
        ("message m = { x : int;; y : int }", "syntax_error"),
        ("message m = { x : { y : int } }", "syntax_error"),
        ("type t = int * int", "syntax_error"),
        ("type t = a [@default 1]", "syntax_error"),
        ("message m = { x : int [@default 1", "syntax_error"),
        ("type t = int options \"a\"", "syntax_error"),
        ("message", "syntax_error"),
        ("é", "syntax_error"),
        ("message m = { é : int }", "syntax_error"),
        ("message m = { café_au : int; x : bool }", "syntax_error"),
        ("message m = { x : int # }", "syntax_error"),
    ] {
        assert_eq!(codes(text), [expected], "{text}");
    }
}

#[test]
fn the_place_of_an_option_in_a_variant_names_the_variant() {
    let diagnostics = refused("message m = A { x : int } | B { y : int [@odd 1] }");
    assert_eq!(diagnostics.findings[0].get("in"), Some("m.B"));
}

#[test]
fn one_run_tells_all_mistakes() {
    let text = "message a = { x : int; type : bool; Y : int; z : ; w : strin }\n\
                type t = A | B { q : int }\n\
                message = { x : int }\n\
                message b = { x : missing; y, z : int }\n\
                type u = C nowhere\n\
                message Z = { k : u }\n\
                message c = { ok : long }";
    let diagnostics = refused(text);
    let told: Vec<String> =
        diagnostics.findings.iter().map(|finding| format!("{} {}", &diagnostics.position(finding.at)[2..], finding.message)).collect();
    assert_eq!(
        told,
        [
            "1:24 expected the name of a field, saw `type`",
            "1:37 expected the name of a field, saw `Y`",
            "1:50 expected a type, saw `;`",
            "2:16 expected `|` or the next declaration, saw `{`",
            "3:9 expected the name of a message, saw `=`",
            "4:29 expected `:`, saw `,`",
            "6:9 expected the name of a message, saw `Z`",
        ]
    );
    // If every declaration could be parsed, unknown names are reported too.
    let diagnostics = refused("message a = { x : strin; type : bool }\ntype t = A nowhere");
    let told: Vec<&str> = diagnostics.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(told, ["syntax_error", "unbound_type", "unbound_type"]);
    assert_eq!(diagnostics.findings[1].hint, "is `string` meant?");
}

fn field(protocol: &Protocol, message: &str, name: &str) -> NodeId {
    let Kind::Record(record) = &protocol[protocol.message(message).unwrap()].kind else { panic!("{message} is no record") };
    record.fields.iter().find(|field| field.name == name).unwrap().ty
}

#[test]
fn types_are_expanded_and_keep_their_names() {
    let protocol = accepted(
        "(* A pair. *)\ntype pair 'a 'b = ('a * 'b)\ntype swapped 'a 'b = pair<'b, 'a>\ntype id 'a = 'a\n\
         type sum 'a = None | Some 'a | Other | Both 'a int\n\
         message m = { (* The first. *) a : swapped<int, string>; b : id<int>; (* of b *)\n c : sum<bool>; d : [ pair<string, int> ]; e : pair<string, int> }\n\
         message alias = m",
    );
    let a = &protocol[field(&protocol, "m", "a")];
    assert_eq!(protocol.type_name(field(&protocol, "m", "a")), "swapped<int, string>");
    let Kind::Tuple(parts) = &a.kind else { panic!() };
    assert!(matches!(protocol[parts[0]].kind, Kind::Primitive { primitive: Primitive::String, default: None }));
    let pair = a.origin.as_ref().unwrap().alias_of.unwrap();
    assert_eq!(protocol.type_name(pair), "pair<string, int>");
    assert_eq!(pair, field(&protocol, "m", "e"), "equal types are one node");
    let Kind::List { element, array: false } = protocol[field(&protocol, "m", "d")].kind else { panic!() };
    assert_eq!(element, pair);
    let Kind::Sum(sum) = &protocol[field(&protocol, "m", "c")].kind else { panic!() };
    let numbers: Vec<(&str, u32, usize)> =
        sum.constructors.iter().map(|case| (case.name.as_str(), case.number, case.arguments.len())).collect();
    assert_eq!(numbers, [("None", 0, 0), ("Some", 0, 1), ("Other", 1, 0), ("Both", 1, 2)]);
    assert_eq!(sum.carrying(1).unwrap().name, "Both");
    assert_eq!(sum.constant(2), None);
    let Kind::Record(record) = &protocol[protocol.message("alias").unwrap()].kind else { panic!() };
    assert_eq!(record.name, "alias");
    assert_eq!((record.fields[0].doc.as_str(), record.fields[1].doc.as_str(), record.fields[2].doc.as_str()), ("The first.", "of b", ""));
    assert_eq!(protocol[protocol.declaration("pair").unwrap()].doc, "A pair.");
}

#[test]
fn the_closest_default_wins() {
    let protocol = accepted(
        "type five = int options \"default\" = \"5\" \"default\" = \"6\"\n\
         type own = int [@default 7] [@default 8] options \"default\" = \"x\"\n\
         type outer = five options \"default\" = \"9\"\n\
         type id 'a = 'a options \"default\" = \"4\"\n\
         message m = { a : five; b : own; c : outer; d : id<int>; e : id<five>; f : id<[ int ]> }",
    );
    let default = |name: &str| match &protocol[field(&protocol, "m", name)].kind {
        Kind::Primitive { default: Some(Literal::Int(value)), .. } => Some(*value),
        _ => None,
    };
    assert_eq!(["a", "b", "c", "d", "e", "f"].map(default), [Some(5), Some(7), Some(5), Some(4), Some(5), None]);
}

#[test]
fn whether_there_is_a_default_follows_section_6() {
    let protocol = accepted(
        "type hollow = A int | B\ntype full = A int\nmessage no = { x : int }\nmessage yes = { x : int [@default 1]; y : [ int ] }\n\
         type w = int [@default 1] options \"ocaml.type\" = \"T.t; f; g; z\"\ntype v = int options \"ocaml.type\" = \"T.t; f; g\"\n\
         message m = { a : hollow; b : full; c : no; d : yes; e : (no * bool); f : (int * bool); g : w; h : v; i : [| no |]; j : bool }",
    );
    let default = |name: &str| {
        let has = protocol[field(&protocol, "m", name)].default;
        (has.claimed, has.exists)
    };
    let expected = [
        ("a", (true, true)),
        ("b", (false, false)),
        ("c", (true, false)),
        ("d", (true, true)),
        ("e", (true, false)),
        ("f", (false, false)),
        ("g", (true, true)),
        ("h", (false, false)),
        ("i", (true, true)),
        ("j", (true, true)),
    ];
    for (name, has) in expected {
        assert_eq!(default(name), has, "{name}");
    }
}

#[test]
fn subsets_and_regimes_are_resolved() {
    let protocol = accepted(
        "message in_ = { x : int; s : string }\nmessage src [@autolazy] = { a : int; b : [ int ]; c [@eager] : in_; d : (int * int); e : in_ }\n\
         message some = {| src | e : long; b [@eager]; a [@lazy] |}\nmessage most = {| src | not a; c |}\nmessage has = { v : [ some ] }",
    );
    let Kind::Record(source) = &protocol[protocol.message("src").unwrap()].kind else { panic!() };
    assert_eq!(source.fields.iter().map(|field| field.lazy).collect::<Vec<_>>(), [false, true, false, false, true]);
    let Kind::Subset(some) = &protocol[protocol.message("some").unwrap()].kind else { panic!() };
    let wanted: Vec<(u32, &str, bool, bool)> =
        some.fields.iter().map(|wanted| (wanted.position, wanted.field.name.as_str(), wanted.ascribed, wanted.field.lazy)).collect();
    assert_eq!(wanted, [(0, "a", false, true), (1, "b", false, false), (4, "e", true, true)]);
    let Kind::Subset(most) = &protocol[protocol.message("most").unwrap()].kind else { panic!() };
    assert_eq!(most.fields.iter().map(|wanted| wanted.position).collect::<Vec<_>>(), [1, 3, 4]);
    assert!(!protocol[protocol.message("has").unwrap()].encodable && protocol[protocol.message("src").unwrap()].encodable);
}

#[test]
fn a_default_that_the_original_cannot_hold_is_a_warning() {
    let protocol = accepted("message m = { x : int [@default 4611686018427387904]; y : int [@default -4611686018427387904] }");
    assert_eq!(protocol.warnings().iter().map(|finding| finding.code).collect::<Vec<_>>(), ["wide_default"]);
}

/// Files in memory.
struct Memory(&'static [(&'static str, &'static str)]);

impl Loader for Memory {
    fn load(&mut self, path: &str) -> std::io::Result<Loaded> {
        let file = self.0.iter().find(|(name, _)| *name == path).ok_or(std::io::ErrorKind::NotFound)?;
        Ok(Loaded { bytes: file.1.as_bytes().to_vec(), identity: path.to_string() })
    }
}

#[test]
fn includes_are_visible_and_checked() {
    let mut files = Memory(&[
        ("a", "include \"b\" message a = { x : b }"),
        ("b", "type b = int"),
        ("c", "include \"d\""),
        ("d", "include \"c\""),
        ("broken", "type t = "),
    ]);
    let protocol = compile("p", b"include \"a\" message m = { a : a; b : b }", &mut files).unwrap();
    let included: Vec<(&str, bool)> =
        protocol.declarations().map(|(_, declaration)| (declaration.name.as_str(), declaration.included)).collect();
    assert_eq!(included, [("b", true), ("a", true), ("m", false)]);
    for (text, code) in [
        ("include \"a\" type b = int", "duplicate_binding"),
        ("include \"b\" include \"b\"", "duplicate_binding"),
        ("include \"c\"", "file_error"),
        ("include \"broken\" message m = { x : t }", "syntax_error"),
    ] {
        let diagnostics = compile("p", text.as_bytes(), &mut files).unwrap_err();
        assert_eq!(diagnostics.findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), [code], "{text}");
    }
    let diagnostics = compile("p", b"include \"broken\"", &mut files).unwrap_err();
    assert_eq!(diagnostics.position(diagnostics.findings[0].at), "broken:1:10");
}

#[test]
fn hostile_texts_are_refused_within_bounds() {
    let nested = |open: &str, close: &str, count: usize| format!("type t = {}int{}", open.repeat(count), close.repeat(count));
    for text in [
        nested("[", "]", 1_000_000),
        nested("(", ")", 300_000),
        nested("[|", "|]", 500_000),
        format!("type t 'a = int message m = {{ x : {} }}", "t<".repeat(300_000)),
        "(*".repeat(500_000),
        "{".repeat(1_000_000),
        format!("message m = {}", "{ x : ".repeat(200_000)),
        "message m = {| ".repeat(50_000),
        "\"".repeat(999_999),
        "é ".repeat(300_000),
        "message ".repeat(200_000),
        "type t = A | ".repeat(50_000),
        "include \"x\" ".repeat(100_000),
        format!("message m = {{ {} }}", "x : nowhere; ".repeat(100_000)),
        format!("type a = int {}", "(* c *)".repeat(100_000) + " type a = int"),
        format!("type t {} = int message m = {{ x : t<{}> }}", "'a ".repeat(50_000), "int,".repeat(50_000)),
    ] {
        let diagnostics = refused(&text);
        assert!(diagnostics.findings.len() <= 100 && !diagnostics.to_string().is_empty());
        // Some have no mistake of syntax; none takes long.
        let _ = format::format("p", &text);
    }
    // Types that double with each declaration are shared.
    let doubling: String = (1..90).map(|n| format!("type t{n} 'a = (t{}<'a> * t{}<'a>)\n", n - 1, n - 1)).collect::<String>();
    let protocol = accepted(&format!("type t0 'a = ('a * 'a)\n{doubling}message m = {{ x : t89<int> }}"));
    assert!(protocol.nodes().len() < 500);
    assert!(protocol.type_name(protocol.message("m").unwrap()).len() < 1000);
    // Types that cannot be shared have a bound.
    let squared: String = (1..64).map(|n| format!("type t{n} 'a = t{}<t{}<'a>>\n", n - 1, n - 1)).collect();
    assert_eq!(refused(&format!("type t0 'a = ['a]\n{squared}message m = {{ x : t63<int> }}")).findings[0].code, "too_deep");
    let chain: String = (1..5_000).map(|n| format!("type t{n} 'a = t{}<'a>\n", n - 1)).collect();
    assert_eq!(refused(&format!("type t0 'a = 'a\n{chain}message m = {{ x : t4999<int> }}")).findings[0].code, "too_deep");
    let deep: String = (1..5_000).map(|n| format!("type t{n} = A t{}\n", n - 1)).collect();
    assert_eq!(refused(&format!("type t0 = int\n{deep}")).findings[0].code, "too_deep");
    let wide = format!("type t0 = {}\n", (0..2000).map(|n| format!("C{n} int")).collect::<Vec<_>>().join(" | "));
    let aliases: String = (1..2000).map(|n| format!("type t{n} = t{}\n", n - 1)).collect();
    assert_eq!(refused(&format!("{wide}{aliases}")).findings[0].code, "too_large");
}

#[test]
fn deep_protocols_within_the_limits_are_read_on_small_stacks() {
    let deep: String = (1..90).map(|n| format!("type t{n} 'a = A t{}<'a>\n", n - 1)).collect();
    let text = format!("type t0 'a = 'a\n{deep}message m = {{ x : t89<int> }}");
    let nested = format!("message m = {{ x : {}int{} }}", "[(int*".repeat(99), ")]".repeat(99));
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(move || {
            accepted(&text);
            accepted(&nested);
            format::format("p", &nested).unwrap();
        })
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn random_protocols_pass_and_keep_their_meaning_when_formatted() {
    let mut rng = Rng::with_seed(5);
    for n in 0..600 {
        let layout = [Layout::Plain, Layout::Ragged, Layout::Commented][n % 3];
        let (text, messages) = testing::protocol(&mut rng, layout);
        let protocol = accepted(&text);
        assert_eq!(protocol.messages().map(|(declaration, _)| declaration.name.clone()).collect::<Vec<_>>(), messages);
        testing::language(text.as_bytes());
    }
}

#[test]
fn mutated_protocols_get_an_answer() {
    let mut rng = Rng::with_seed(6);
    for _ in 0..600 {
        let (text, _) = testing::protocol(&mut rng, Layout::Commented);
        let mut bytes = text.into_bytes();
        for _ in 0..rng.usize(1..4) {
            bytes = polywire_testing::mutate(&mut rng, &bytes);
        }
        testing::language(&bytes);
    }
}

#[test]
fn docs_stay_where_they_are() {
    let text = "\n\n(* the head *)\n\n(* of a *)\ntype a = A (* one *)\n  (* two *)\n | B int (* last *)\n\n\n\n(* m *) message m = { (* x *) x : int; (* beside x *)\n\n\n(* y\n   and more *)\n y : [int]   (* beside y *)\n (* end *) } (* behind *)\nmessage n = {a:int;b:t<t<int>>}  message o={|m|not x|} type l = int options \"default\"=\"1\"\n(* fin *)";
    let expected = "(* the head *)\n\n(* of a *)\ntype a =\n    A (* one *)\n    (* two *)\n  | B int (* last *)\n\n(* m *)\nmessage m = {\n    (* x *)\n    x : int; (* beside x *)\n\n    (* y\n       and more *)\n    y : [ int ]; (* beside y *)\n    (* end *)\n} (* behind *)\nmessage n = { a : int; b : t<t<int> > }\nmessage o = {| m | not x |}\ntype l = int options \"default\" = \"1\"\n(* fin *)\n";
    assert_eq!(format::format("p", text).unwrap(), expected);
    assert_eq!(format::format("p", expected).unwrap(), expected);
    let (before, after) = (parse::parse(text, 0).file, parse::parse(expected, 0).file);
    assert_eq!(before, after, "with what comments say");
}

#[test]
fn long_declarations_get_lines() {
    let fields: String = (0..12).map(|n| format!("field_{n} : int; ")).collect();
    let text = format!(
        "message m = {{ {fields} }} options \"ocaml.pp\" = \"x\" \"default\" = \"y\"\nmessage u = First {{ {fields} }} | Second {{ a : int }}"
    );
    let lines: String = (0..12).map(|n| format!("    field_{n} : int;\n")).collect();
    let inner = lines.replace("    field", "        field");
    let expected = format!(
        "message m = {{\n{lines}}}\n  options \"ocaml.pp\" = \"x\"\n          \"default\" = \"y\"\nmessage u =\n    First {{\n{inner}    }}\n  | Second {{ a : int }}\n"
    );
    assert_eq!(format::format("p", &text).unwrap(), expected);
}

/// The protocols of all vectors but those of mistakes are accepted, and formatted without a change
/// of meaning.
#[test]
fn the_protocols_of_the_vectors_are_accepted() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/extprot");
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap().flatten().filter(|file| file.path().extension().is_some_and(|ending| ending == "json")) {
        let vectors: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file.path()).unwrap()).unwrap();
        for case in vectors["cases"].as_array().unwrap().iter().filter(|case| case["kind"] != "compile_error") {
            for key in ["protocol", "writer_protocol", "old_protocol", "new_protocol"] {
                let Some(text) = case[key].as_str() else { continue };
                let protocol = accepted(text);
                for (_, name) in [("protocol", "message"), ("writer_protocol", "writer_message")].iter().filter(|(of, _)| *of == key) {
                    assert!(case[name].as_str().is_none_or(|name| protocol.message(name).is_some()), "{case}");
                }
                testing::language(text.as_bytes());
                count += 1;
            }
        }
    }
    assert!(count > 80, "{count}");
}
