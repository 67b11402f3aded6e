//! Lexis and grammar (docs/spec/ql.md 2 and 3): what parses, as what, and what is said of what does
//! not.

mod common;

use polywire_core::text::diagnostic::Source;
use polywire_ql::syntax::ast::{Item, Operand, Rhs, Script, StatementKind, VerbKind};
use polywire_ql::syntax::{MAX_SCRIPT, parse};

fn read(text: &str) -> Script {
    parse(&Source::new("t", text)).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

/// The script in its one layout.
fn printed(text: &str) -> String {
    read(text).to_string()
}

fn wrong(text: &str) -> String {
    parse(&Source::new("t", text)).expect_err("a mistake").to_string()
}

fn same(one: &str, other: &str) {
    assert_eq!(printed(one), printed(other), "{one:?} and {other:?}");
}

#[test]
fn gaps_are_blanks_line_ends_blanks() {
    same("select a from t", "select\ta\n\n\r\n  from \u{2028}\u{2029}\tt");
    same("a = 1\nb = 2", "a=1b=2");
    same("\u{feff}-- a\nreturn 1", "-- a\nreturn 1");
    same("a = 1;\n   \n\t\nb = 2", "a = 1; b = 2");
    let message = wrong("select a\n   \nfrom t");
    assert!(message.contains("t:1:9") || message.contains("t:2:"), "{message}");
    assert!(message.contains("nothing but blanks"), "{message}");
    assert!(parse(&Source::new("t", "return\n  \n1")).is_err());
}

#[test]
fn keywords_need_no_blank_behind_them() {
    same("describe foo", "describefoo");
    same("select a from t where b = 1 limit 2 offset 3", "selecta fromt whereb=1limit2offset3");
    same("desc foo", "describe foo");
    same("create table t on select get from 'x' resultset 'r'", "createtablet onselectgetfrom'x'resultset'r'");
    same("select * from t timeout 5 minDelay 6 maxDelay 7", "select * from t TIMEOUT 5 MINDELAY 6 MaxDelay 7");
    assert!(wrong("SELECT a from t").contains("t:1:8"));
}

#[test]
fn words_names_and_quotes() {
    same("$t = select a:b.$c from soap:env.x_1", "$t=select a:b.$c from soap:env.x_1");
    for text in ["_a = 1", "a-b = 1", "a$b = 1", "return é"] {
        wrong(text);
    }
    let Item::Line(line) = &read("x = select a from t where b = \"it's\nhere\\\"").items[0] else { panic!() };
    let Rhs::Statement(statement) = &line.alternatives[0] else { panic!() };
    let StatementKind::Select(select) = &statement.kind else { panic!() };
    let polywire_ql::syntax::ast::Condition::Equal(_, Operand::Text(text)) = &select.conditions[0] else { panic!() };
    assert_eq!(text.text, "it's\nhere\\");
}

#[test]
fn digits_are_decimal() {
    same("select a from t where b = 7 limit 10", "select a from t where b = 007 limit 0010");
    assert!(wrong("select a from t where b = -7").contains("saw `-`"));
    wrong("select a from t limit x");
}

#[test]
fn comments_stand_between_statements() {
    let script = read("-- one\n/* two */ /** three */\na = 1 -- four\nb = 2 /* five */ return a -- six\n/* seven */");
    assert_eq!((script.items.len(), script.trailing.len()), (7, 2));
    let message = wrong("select a -- no\nfrom t");
    assert!(message.contains("comments stand between"), "{message}");
    assert!(wrong("/* no end").contains("does not end"));
    assert_eq!(read("").items.len() + read(" \n\t").items.len(), 0);
}

#[test]
fn values_are_json_with_either_quote() {
    same(
        r#"return {"a": 'b', "c": [1, -2.5, true, false, null, {}], "d": []}"#,
        r#"return{'a':"b",'c':[1,-2.5,true,false,null,{}],'d':[]}"#,
    );
    same("return 5", "return +005");
    same("return 1.5", "return 1.5e");
    same("return 1", "return 1.");
    same("return 1e3", "return 1E+3");
    same(r#"return "a\"\\\/\b\f\n\r\té😀""#, "return 'a\"\\\\/\\u0008\\u000c\\u000a\\u000d\\u0009\\u00e9\\ud83d\\ude00'");
    same(r#"return "�x""#, r#"return "\ud83dx""#);
    for (text, part) in [
        ("return {a: 1}", "in quotes"),
        ("return {\"a\" 1}", "expected :"),
        ("return {\"a\": }", "a value"),
        ("return [1 2]", "] or ,"),
        ("return [1,]", "a value"),
        ("return \"a\nb\"", "U+000A"),
        ("return \"a\u{7f}\"", "U+007F"),
        ("return \"a", "does not end"),
        (r#"return "\x""#, "escape"),
        (r#"return "\u12g4""#, "escape"),
        (r#"return "\'""#, "escape"),
        ("return - 5", "whole number"),
        ("return {\"a\": text}", "stands in quotes"),
    ] {
        let message = wrong(text);
        assert!(message.contains(part), "{text}: {message}");
    }
}

#[test]
fn paths_have_names_descents_and_indexes() {
    same("select a.b..c[0]['d e'].f from t", "select a.b..c[ 0 ][ \"d e\" ].f from t");
    same(r#"select items["?(@.price > 2)"] from t"#, r#"select items[?("@.price > 2")] from t"#);
    same("select a.b.c from t", "select 'a.b'.c from t");
    same("select 'x-y'.z from t", "select \"x-y\".z from t");
    assert!(wrong("select ..a from t").contains("t:1:8"));
    assert!(wrong("select a[?('@.x ~ 1')] from t").contains("cannot be read"));
    assert!(wrong("select a[b] from t").contains("a number, a name in quotes or a filter"));
}

#[test]
fn statements_are_told_apart() {
    for text in [
        "select * from t",
        "select f(a, 1, \"x\") as g, b as c from t as u, v as w where u.a = w.b and u.c in (select x from y limit 1) and d.e(z)",
        "select a from t where b in (1, 'two', three) and c in 'd' and e = f.g",
        "insert into t (a, b) values (1, 'x') timeout 5",
        "insert \"{o}\" into t",
        "insert into t",
        "insert into t values ('{body}') with parts '{req.parts[0]}', p",
        "update t with \"{o}\" minDelay 1",
        "delete from t where a = 1 maxDelay 4",
        "show tables",
        "show routes",
        "describe route '/a/{b}' using method get",
        "u = require(\"x.js\"); x = u.f(a.b, {\"c\": 1})",
        "a = select x from t || {\"b\": 1} || u.g()",
        "return x || select * from t || 5",
        "return select a from t via route '/p/{q}?r={s}' with optional params using defaults s = 'x', t = 5 using method post using headers 'X-A' = '{q}', b = 'c'",
        "if (a && !(b || !c)) { x = 1 } else { throw (oops) y = 2; if (z) { } }",
        "try { if (t) { throw(oops) } } catch (oops) { r = 1 } catch (!oops) { } finally { q = 2 }",
    ] {
        let once = printed(text);
        assert_eq!(printed(&once), once, "{text}");
        assert_eq!(read(&once), read(text), "{text}");
    }
}

#[test]
fn an_assignment_goes_before_a_keyword() {
    let script = read("selected = 1; ifs = 2; returned = 3; describe = 4; show = 5\ntry1 = 6; return selected");
    assert_eq!(script.items.len(), 6);
    let script = read("a = select * from t\nassets = 3\nlimits = 4");
    assert_eq!(script.items.len(), 3);
    same("showx(1)", "showx( 1 )");
    same("return nullable", "return nullable;");
}

#[test]
fn conditions_bind_as_usual() {
    let condition = |text: &str| printed(&format!("if ({text}) {{ }}")).lines().next().unwrap().to_string();
    assert_eq!(condition("a && b || c"), "if ((a && b) || c) {");
    assert_eq!(condition("a || b && c"), "if (a || (b && c)) {");
    assert_eq!(condition("(a || b) && !!c"), "if ((a || b) && !!c) {");
    assert_eq!(condition("!(a || b) && c"), "if (!(a || b) && c) {");
}

#[test]
fn tables_have_clauses_in_order() {
    let text = "create table a.b via http
      on select get from 'http://h/{^2|#x}'
        with aliases limit = 'per', offset = 'skip'
        using headers 'X-A' = '{config.a}', plain = v.w
        using defaults n = 5, f = 'JSON', group.member = x
        using patch 'p.js'
        using bodyTemplate 'b.ejs' type 'application/xml' foreach 'p'
        auth using 'auth.js'
        resultset 'r.s'
        expires 60
      on insert do add at 'host:1:db' expect ^name, other using defaults a = 1
      on update patch 'u'
      on delete delete 'd'";
    let script = read(text);
    let Item::Line(line) = &script.items[0] else { panic!() };
    let Rhs::Statement(statement) = &line.alternatives[0] else { panic!() };
    let StatementKind::Create(create) = &statement.kind else { panic!() };
    assert_eq!(
        create.verbs.iter().map(|verb| verb.kind).collect::<Vec<_>>(),
        [VerbKind::Select, VerbKind::Insert, VerbKind::Update, VerbKind::Delete]
    );
    assert_eq!(create.verbs[0].expires, Some(60));
    assert_eq!(create.verbs[1].expect.len(), 2);
    assert_eq!(read(&script.to_string()), script);
    assert_eq!(read(&text.replace('\n', "\r\n  \t\r\n")), script, "blank lines in a table");
    wrong("create table t on select get from 'x' resultset 'r' using defaults a = 1");
    wrong("create table t on select fetch from 'x'");
}

#[test]
fn our_clauses_stand_between_the_old_ones() {
    let one = "create table t on select get from 'x' using decoder 'protobuf' schema 'f.proto' message 'p.M' resultset 'r' using mapping 'ql' with arrays 'a.b', 'c' numbers 'd' text 'e' expires 5 using encoder 'e' schema 's' message 'm' using soap '1.1' element '{u}a'";
    let other = "create table t on select get from 'x' using soap '1.1' element '{u}a' using encoder 'e' schema 's' message 'm' with arrays 'a.b','c' numbers 'd' text 'e' using mapping 'ql' resultset 'r' expires 5 using decoder 'protobuf' schema 'f.proto' message 'p.M'";
    same(one, other);
    same("create table t on select get from 'x' with text 'a'", "create table t on select get from 'x'   with text 'a'");
    wrong("create table t on select get from 'x' with lists 'a'");
}

#[test]
fn clauses_say_how_a_service_is_asked() {
    let table = |clauses: &str| format!("create table t on select get from 'x' {clauses}");
    for (one, other) in [
        ("with pages by page 'p' from 0 size 50 most 9 resultset 'r'", "resultset 'r'   with  pages by page \"p\"from 0\nsize 50 most 9"),
        ("with pages by offset 'o'", "with pages by offset'o'"),
        ("with pages by cursor 'c' at 'a.b' most 3", "with pages by cursor 'c' at 'a.b'\n\n most 3"),
        ("with pages by link", "with pages by link "),
        ("with pages by link at 'next' most 2 expires 5", "with pages by link at 'next' most 2 expires 5"),
        ("with batches id = 'a.b', \"x-y\" = 'c'", "with batches id='a.b',\"x-y\"='c'"),
        ("with shared replies with aliases limit = 'l'", "with shared replies with aliases limit = 'l'"),
        (
            "with batches id = 'i' with separate replies with pages by link",
            "with pages by link with batches id = 'i' with separate replies",
        ),
    ] {
        same(&table(one), &table(other));
    }
    let printed = read(&table("with separate replies with batches a.b = 'c' with pages by offset 'o' size 5")).to_string();
    assert!(printed.contains("    with pages by offset 'o' size 5\n    with batches a.b = 'c'\n    with separate replies"), "{printed}");
    for bad in [
        "with pages",
        "with pages by row 'x'",
        "with pages by page",
        "with pages by cursor 'c'",
        "with pages by link most x",
        "with batches",
        "with batches id",
    ] {
        wrong(&table(bad));
    }
    wrong(&table("with shared"));
    wrong(&table("with shared replies with separate replies"));
    wrong(&table("with pages by link with pages by link"));
}

#[test]
fn mistakes_have_places_and_advice() {
    for (text, place, part) in [
        ("select a frm t", "t:1:10", "expected"),
        ("a = ", "t:1:5", "the end of the script"),
        ("a = select x\n  from", "t:2:7", "the name of a table or variable"),
        ("return", "t:1:7", "saw the end of the script"),
        ("return 1 2", "t:1:10", "expected"),
        ("if (a) { b = 1", "t:1:15", "expected"),
        ("if a { }", "t:1:4", "expected"),
        ("try { a = 1 }", "t:1:14", "catch"),
        ("try { } catch (a) { }", "t:1:1", "nothing in it"),
        ("a = 1; }", "t:1:8", "saw `}`"),
        ("select a from t where", "t:1:22", "a name"),
        ("create tabel t", "t:1:8", "table"),
        ("select a from t where b in (select c from)", "t:1:42", "the name of a table"),
        ("x = 'no end", "t:1:5", "does not end"),
    ] {
        let message = wrong(text);
        assert!(message.contains(place) && message.contains(part), "{text}: {message}");
    }
}

#[test]
fn hostile_scripts_are_refused_in_time() {
    let deep = 200_000;
    for text in [
        format!("return {}", "[".repeat(deep)),
        format!("return {}", "{\"a\":".repeat(deep)),
        format!("if ({}", "(".repeat(deep)),
        format!("if ({}", "!".repeat(deep)),
        "if (a) { ".repeat(deep / 4),
        "try { ".repeat(deep / 4),
        format!("return {}", "select a from t where b in (".repeat(deep / 10)),
        format!("return select a from t where {}", "a = 1 and ".repeat(deep / 4)),
        format!("return {}", "1 || ".repeat(deep / 4)),
        format!("return f({}", "1, ".repeat(deep / 4)),
        format!("return select a{} from", "[0]".repeat(deep / 4)),
        "a".repeat(MAX_SCRIPT + 1),
        "'".repeat(99_999),
        "/*".repeat(99_999),
        "\n".repeat(deep) + "}",
        "if (a) { x = {\"a\": ".repeat(5000),
        "return ".to_string() + &"-".repeat(deep),
    ] {
        assert!(parse(&Source::new("t", text.as_str())).is_err(), "{}", &text[..40]);
    }
    let long = "a = 1; ".repeat(100_000);
    assert_eq!(read(&long).items.len(), 100_000);
}

#[test]
fn encoders_stand_between_the_clauses_of_a_route() {
    let one = "return 1 via route '/a' using encoder 'protobuf' schema 's.proto' message 'p.M' using encoder 'extprot' schema 's.epr' \
               using defaults a = 1 using method get using headers 'X' = 'y'";
    let other = "return 1 via route '/a' using defaults a = 1 using encoder 'protobuf' schema 's.proto' message 'p.M' using method get \
                 using headers 'X' = 'y' using encoder 'extprot' schema 's.epr'";
    same(one, other);
    let script = read(one);
    let encoders = script.result.as_ref().unwrap().route.as_ref().unwrap().encoders.clone();
    let told: Vec<_> =
        encoders.iter().map(|encoder| (encoder.format.text.as_str(), encoder.message.as_ref().map(|m| m.text.as_str()))).collect();
    assert_eq!(told, [("protobuf", Some("p.M")), ("extprot", None)]);
    wrong("return 1 via route '/a' using method get using encoder schema 's'");
}
