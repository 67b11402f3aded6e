//! Doubts about scripts that compile.

#![allow(missing_docs)]

use std::sync::Arc;

use polywire_core::text::diagnostic::{Severity, Source};
use polywire_doc::Datum;
use polywire_ql::doubts::doubts;
use polywire_ql::explain;
use polywire_ql::plan::Plan;
use polywire_ql::table::Table;
use polywire_ql::testing::datum;

/// Codes of the doubts about a script, and the first message.
fn doubted(tables: &str, script: &str) -> (Vec<&'static str>, String) {
    let config = datum(r#"{"shop": {"key": "K"}}"#);
    let known: Vec<Arc<Table>> = Plan::tables(&Source::new("tables", tables), &config, None).unwrap();
    let plan = Plan::new(&Source::new("script", script), &config, None).unwrap_or_else(|mistakes| panic!("{}", mistakes));
    let found = doubts(&plan, &|name| known.iter().find(|table| &*table.name == name).cloned(), &config);
    assert!(found.iter().all(|doubt| doubt.severity == Severity::Warning && !doubt.hint.is_empty()), "{found:?}");
    (found.iter().map(|doubt| doubt.code).collect(), found.first().map(|doubt| doubt.message.clone()).unwrap_or_default())
}

const TABLES: &str = "create table t on select get from 'http://h/t?a={a}&key={config.shop.key}' using headers 'x-lang' = '{lang}'
      using defaults d = 'of {city}'
      on insert post to 'http://h/t?a={a}' on update put to 'http://h/t' on delete delete 'http://h/t?id={id}';
    create table hooked on select get from 'http://h/u' using patch 'u.js' on insert post to 'http://h/u' using patch 'u.js';
    create table made on insert post to 'http://h/v' using bodyTemplate 'v.mu' type 'application/json'";

#[test]
fn conditions_on_what_is_no_parameter() {
    let (codes, message) = doubted(TABLES, "select x from t where a = 1 and color = 'red'");
    assert_eq!(
        (codes, message.as_str()),
        (vec!["no_parameter"], "`color` is no parameter of table t, on select: the condition changes nothing")
    );
    for script in [
        "select x from t where a = 1 and lang = 'de' and city = 'Rome'",
        "select x from t as u where u.a = 1",
        "select x from hooked where anything = 1",
        "select x from gone where x = 1",
        "l = [{\"x\": 1}]; select x from l where x = 1",
        "delete from t where id = 1",
        "select u.x, v.y from hooked as u, t as v where v.a = u.x and u.z = 3",
        "create table own on select get from 'http://h/{b}'; select * from own where b = 1",
    ] {
        assert_eq!(doubted(TABLES, script).0, [""; 0], "{script}");
    }
    for (script, count) in [
        ("delete from t where name = 'x'", 1),
        ("select u.x, v.y from hooked as u, t as v where v.b = u.x and v.c = 3", 2),
        ("select x from t where a in (select y from t where z = 1)", 1),
        ("select x from t where b = 1 || select x from t where b = 2", 1),
        ("create table own on select get from 'http://h/{b}'; select * from own where a = 1", 1),
        ("create table t on select get from 'http://h/{b}'; select * from t where a = 1", 1),
    ] {
        assert_eq!(doubted(TABLES, script).0, vec!["no_parameter"; count], "{script}");
    }
}

#[test]
fn functions_among_the_columns() {
    let (codes, message) = doubted(TABLES, "select count(id) from t");
    assert_eq!((codes, message.contains("`count`")), (vec!["column_function"], true), "{message}");
}

#[test]
fn values_that_no_body_holds() {
    for (script, what) in [
        ("insert into t (a, b, c) values (1, 2, 3)", "`b`, `c` are not sent"),
        ("insert into t (b) values (1)", "`b` is not sent"),
        ("o = {\"x\": 1}; update t with \"{o}\"", "the members of the object are not sent"),
    ] {
        let (codes, message) = doubted(TABLES, script);
        assert!(codes == ["no_template"] && message.contains(what), "{script}: {codes:?} {message}");
    }
    for script in [
        "insert into t (a) values (1)",
        "insert into t values ('text')",
        "insert into t",
        "insert into hooked (x) values (1)",
        "insert into made (x) values (1)",
        "o = {\"x\": 1}; insert \"{o}\" into t",
        "o = {\"x\": 1}; insert into o (y) values (2)",
    ] {
        assert_eq!(doubted(TABLES, script).0, [""; 0], "{script}");
    }
}

#[test]
fn batches_of_what_takes_one_value() {
    let table = |uri: &str| format!("create table b on select get from 'http://h/{uri}' with batches id = 'i'");
    for uri in ["{id}", "?x={5|x}"] {
        let (codes, message) = doubted("", &table(uri));
        assert_eq!((codes, message.contains("takes no several values of `id`")), (vec!["no_batch"], true), "{message}");
    }
    for uri in ["{|id}", "?id={5|*id}", "?id={*id}"] {
        assert_eq!(doubted("", &table(uri)).0, [""; 0], "{uri}");
    }
}

#[test]
fn keys_that_the_configuration_lacks() {
    let table = "create table k on select get from 'http://h/?k={config.shop.kye}' using headers 'x' = 'Bearer {config.token}' using defaults d = '{config.d}'";
    let (codes, message) = doubted("", table);
    assert_eq!((codes, message.as_str()), (vec!["no_config"; 3], "table k, on select: the configuration has no `shop.kye`"));
    let (codes, message) = doubted(TABLES, "return [\"{config.shop.key}\", \"{config.shop.kye}\", \"{config}\"]");
    assert_eq!((codes, message.as_str()), (vec!["no_config"], "the configuration has no `shop.kye`"));
    assert_eq!(doubted(TABLES, "select x from t where a = '{config.none}'").0, ["no_config"]);
    assert_eq!(doubted(TABLES, "config = {\"a\": 1}; return \"{config.b}\"").0, [""; 0]);
}

#[test]
fn doubts_are_few_and_explained() {
    let many: String = (0..200).map(|n| format!("select x from t where n{n} = 1;")).collect();
    assert_eq!(doubted(TABLES, &many).0.len(), 100);
    let source = Source::new("script", "a = 1;\nselect count(id) from t");
    let mut plan = Plan::new(&source, &Datum::Null, None).unwrap();
    plan.warnings = doubts(&plan, &|_| None, &Datum::Null);
    let text = explain::text(&plan, &polywire_ql::execute::NoTables);
    assert!(text.contains("\nwarning, line 2: the function `count`"), "{text}");
    assert_eq!(explain::value(&plan, &polywire_ql::execute::NoTables).view().get("warnings").map(|warnings| warnings.len()), Some(1));
    let plan = Plan::new(&Source::new("script", "select * from t order by x"), &Datum::Null, None).unwrap_err();
    assert!(plan.findings[0].hint.contains("no `order by`"), "{}", plan);
    let plan = Plan::new(&Source::new("script", "return select * from t group by x"), &Datum::Null, None).unwrap_err();
    assert!(plan.findings[0].hint.contains("no `group by`"), "{}", plan);
}
