//! Static rules (docs/spec/ql.md 4): each with what breaks it, where, and something close to it
//! that does not.

mod common;

use polywire_core::text::diagnostic::Source;
use polywire_ql::error::QueryError;
use polywire_ql::plan::Plan;
use polywire_ql::testing::{datum, json};

use common::{World, refused};

fn breaks(script: &str, code: &str, line: usize, column: usize, part: &str) {
    let (found, at_line, at_column, message) = refused(script);
    assert_eq!((found, at_line, at_column), (code, line, column), "{script}: {message}");
    assert!(message.contains(part), "{script}: {message}");
}

fn compiles(script: &str) {
    World::new(&[]).plan(script);
}

#[test]
fn a_symbol_is_assigned_once() {
    breaks("a = 1;\na = 2", "assigned_twice", 2, 1, "`a`");
    breaks("c = true; if (c) { a = 1 } else { a = 2 }", "assigned_twice", 1, 35, "another name");
    breaks("try { a = 1 throw (b) } catch (b) { a = 1 }", "assigned_twice", 1, 37, "`a`");
    compiles("if (c) { a = 1 throw_ = 2 } return {\"a\": \"{a}\"}".replace("throw_", "b").as_str());
}

#[test]
fn a_returned_word_is_assigned() {
    breaks("a = 1; return b", "unresolved_symbol", 1, 15, "`b`");
    breaks("return a || b", "unresolved_symbol", 1, 8, "`a`");
    compiles("t = 1; if (t) { b = 1 } return b");
    compiles("return \"{nothing}\"");
    compiles("return true || false || null");
}

#[test]
fn all_columns_have_aliases_or_none() {
    breaks("a = [];\nreturn select x as y, z from a", "some_aliases", 2, 8, "1 of 2");
    compiles("a = []; return select x as y, z as w from a");
}

#[test]
fn joins_are_of_two_with_aliases_and_a_relation() {
    let head = "p = []; s = []; q = []; return select ";
    for (rest, code) in [
        ("a.x, b.y from p as a, s as b, q as c where a.x = b.y", "too_many_sources"),
        ("a.x, b.y from p as a, s where a.x = b.y", "join_without_alias"),
        ("a.x, a.y from p as a, s as a where a.x = a.y", "same_alias"),
        ("a.x, b.y from p as a, s as b", "join_without_condition"),
        ("x, b.y from p as a, s as b where a.x = b.y", "join_column"),
        ("a, b.y from p as a, s as b where a.x = b.y", "join_column"),
        ("* from p as a, s as b where a.x = b.y", "join_column"),
        ("a.x, b.y from p as a, s as b where a.x = 'b.y' and a.x = 1 and a.x = a.y", "join_without_relation"),
    ] {
        let script = format!("{head}{rest}");
        assert_eq!(refused(&script).0, code, "{rest}");
    }
    compiles(&format!("{head}a.x, b.y from p as a, s as b where a.y = b.x and a.z = 1 and b.x = a.w"));
}

#[test]
fn inserts_have_values_for_their_columns() {
    for (script, code) in [
        ("insert \"{o}\" into t (a) values (1)", "insert_object_and_values"),
        ("insert \"{o}\" into t values (1)", "insert_object_and_values"),
        ("insert into t (a, b)", "insert_without_values"),
        ("insert into t (a, b) values (1)", "insert_counts"),
        ("insert into t values (1, 2)", "insert_counts"),
        ("insert into t (*) values (1)", "insert_column"),
        ("insert into t (f(a)) values (1)", "insert_column"),
    ] {
        assert_eq!(refused(script).0, code, "{script}");
    }
    compiles("insert into t (a, b) values (1, 2); insert into t values ('x'); insert into t; insert \"{o}\" into t");
}

#[test]
fn a_catch_names_what_its_try_throws() {
    breaks("try { a = 1 } catch (b) { c = 1 }", "never_thrown", 1, 22, "`b`");
    breaks("try { try { throw (b) } catch (b) { x = 1 } throw (d) } catch (d && e) { c = 1 }", "never_thrown", 1, 69, "`e`");
    compiles("try { if (t) { throw (b) } } catch (b) { c = 1 }");
    compiles("try { try { throw (b) } catch (b) { throw (d) } } catch (d || !b) { c = 1 }");
}

#[test]
fn functions_are_of_modules_of_the_script() {
    breaks("a = []; return select x from a where u.f(x)", "unknown_module", 1, 38, "`u`");
    breaks("x = v.f(1)", "unknown_module", 1, 5, "require");
    breaks("x = 1; u = require(x)", "bad_require", 1, 12, "path of a module");
    breaks("throw (oops)", "unknown_module", 1, 1, "inside of blocks");
    breaks("a = []; return select x from a where u.f(x) = 1", "compared_function", 1, 38, "compared");
    compiles("u = require(\"u\"); a = []; x = u.f(1); return select x from a where u.f(x) and u.g()");
}

#[test]
fn nothing_refers_to_itself() {
    for script in [
        "a = {\"b\": \"{a.c}\"}",
        "a = select x from a",
        "a = select x from t where b = '{a.c}'",
        "a = select x from t where b = a",
        "a = select x from t where b in (1, a)",
        "a = select x from t where b in (select c from a)",
        "a = insert into t (b) values ('{a}')",
        "a = insert \"{a}\" into t",
        "a = update t with \"{a}\"",
        "a = delete from a",
        "u = require(\"u\"); a = u.f(a)",
        "a = 1 || \"{x.{a}}\"",
    ] {
        assert_eq!(refused(script).0, "refers_to_itself", "{script}");
    }
    compiles("a = \"{a} is text\"; b = select a.x from t as a where a.y = 'a'");
}

#[test]
fn http_has_its_methods() {
    breaks("create table t via http on select do fetch at 'u'", "unknown_method", 1, 38, "fetch");
    compiles("create table t via http on select do get at 'u'");
    compiles("create table t via mongodb on select do find at 'h:1:d'");
    breaks("create table t\n on select get from 'a'\n on select get from 'b'", "verb_twice", 3, 2, "select");
    breaks("return 1 via route '/a' using encoder 'f' using method get\n using encoder 'f'", "encoder_twice", 2, 16, "twice");
}

#[test]
fn writes_are_asked_once_for_each_value() {
    for clause in ["with pages by link", "with batches id = 'id'", "with shared replies"] {
        breaks(&format!("create table t\n on insert post to 'a' {clause}"), "clause_of_select", 2, 2, "this is insert");
        compiles(&format!("create table t on select post to 'a?id={{5|id}}' {clause}"));
    }
}

#[test]
fn statements_that_wait_for_each_other_are_refused() {
    let (code, line, _, message) = refused("a = \"{b}\";\nb = {\"x\": \"{c.d}\"};\nc = select y from t where z = '{a}'");
    assert_eq!((code, line), ("circle", 1));
    assert!(message.contains("`a` needs `b` needs `c` needs `a`"), "{message}");
    assert_eq!(refused("if (a) { a = 1 }").0, "circle");
    assert_eq!(refused("try { x = \"{y}\"; throw (z) } catch (z) { y = 1 }").0, "circle");
    compiles("b = \"{a}\"; a = 1; return b");
}

#[test]
fn all_mistakes_are_told_at_once() {
    let (_, _, _, message) = refused("a = 1; a = 2; b = select x as y, z from t; return c");
    assert_eq!(message.lines().count(), 3, "{message}");
}

#[test]
fn routes_are_read() {
    assert_eq!(refused("return 1 via route 'a/b' using method get").0, "bad_route");
    assert_eq!(refused("return 1 via route '/a/{b' using method get").0, "bad_route");
    let plan = World::new(&[]).plan("return 1 via route '/a?b=c&d={e}' using method get");
    assert_eq!(plan.warnings[0].code, "literal_in_query");
    assert_eq!(plan.route.as_ref().unwrap().query.len(), 1);
}

#[test]
fn bad_uri_templates_are_warned_of() {
    let plan = World::new(&[]).plan("create table t on select get from 'http://h/a b'");
    assert_eq!(plan.warnings[0].code, "bad_uri_template");
}

#[test]
fn lists_have_an_end() {
    let many = |what: &str| vec![what; 1001].join(", ");
    let conditions = vec!["a = 1"; 1001].join(" and ");
    for script in [
        format!("return select {} from t", many("a")),
        format!("return select a from t where {conditions}"),
        format!("return insert into t ({}) values ({})", many("a"), many("1")),
        format!("create table t on select get from 'u' using headers {}", many("a = 'b'")),
        format!("create table t on select get from '{}'", "{a}".repeat(1001)),
    ] {
        assert_eq!(refused(&script).0, "list_too_long");
    }
    assert_eq!(refused(&"1; ".repeat(2001)).0, "too_many_statements");
    assert_eq!(refused(&format!("try {{ {} }} catch (a) {{ }}", "throw (a) ".repeat(50_000))).0, "too_many_statements");
}

#[test]
fn mistakes_are_told_to_programs() {
    let told = |script: &str| {
        let diagnostics = Plan::new(&Source::new("s", script), &datum("{}"), None).unwrap_err();
        json(&QueryError::from(&diagnostics).to_datum())
    };
    assert_eq!(
        told("a = 1;\nreturn {\"b\" 5}"),
        r#"{"message":"expected :, saw `5`","code":"syntax","status":400,"line":2,"name":"SyntaxError","column":13,"offset":19,"expected":[":"],"found":"5"}"#
    );
    assert_eq!(
        told("return b || c"),
        r#"{"message":"nothing assigns `b`","code":"unresolved_symbol","status":400,"line":1,"hint":"assign it before the return, or write a reference in quotes and braces if it comes with the request","name":"CompileError","column":8,"offset":7,"errors":["s:1:13: nothing assigns `c`"]}"#
    );
}
