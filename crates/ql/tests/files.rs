//! Files as tables, an extension of the language (docs/ql.md, "Files as tables").

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{World, refused};
use polywire_core::text::diagnostic::Source;
use polywire_doc::{Datum, Wanted};
use polywire_ql::error::QueryError;
use polywire_ql::files::{File, Files, RowSink};
use polywire_ql::plan::Plan;
use polywire_ql::testing::datum;

/// Files in memory, and the number of rows that were read of them.
struct Shelf {
    files: Vec<(&'static str, Datum)>,
    read: Arc<AtomicUsize>,
}

impl Files for Shelf {
    fn read(&self, file: &File, _: &Wanted, row: &mut RowSink<'_>) -> Result<(), QueryError> {
        let Some((_, rows)) = self.files.iter().find(|(name, _)| *name == &*file.path) else {
            return Err(QueryError::new("none", format!("no file {}", file.path)));
        };
        for one in rows.view().items() {
            self.read.fetch_add(1, Ordering::Relaxed);
            if !row(one.to_datum())? {
                break;
            }
        }
        Ok(())
    }
}

fn world() -> (World, Arc<AtomicUsize>) {
    let orders = r#"[{"sku": "a", "n": 2, "of": {"id": 1}, "tags": ["x", "y"]}, {"sku": "b", "n": 1, "of": {"id": 2}},
        {"sku": "c", "n": 2, "of": {"id": 1}, "tags": []}, {"sku": "d", "n": "2", "of": {"id": null}}]"#;
    let people = r#"[{"id": "1", "name": "Ada"}, {"id": 2, "name": "Bob"}, {"id": 1.0, "name": "Eve"}, {"id": [3, 2], "name": "Two"}]"#;
    let read = Arc::new(AtomicUsize::new(0));
    let files = vec![("orders.jsonl", datum(orders)), ("p.csv", datum(people)), ("none.csv", datum("[]"))];
    let mut world = World::new(&[]);
    world.files = Some(Box::new(Shelf { files, read: read.clone() }));
    (world, read)
}

#[test]
fn rows_are_chosen_and_shown() {
    let (world, _) = world();
    for (script, expected) in [
        (r#"select sku from "orders.jsonl""#, r#"["a","b","c","d"]"#),
        (r#"select sku, of.id from 'orders.jsonl' where n = 2"#, r#"[["a",1],["c",1],["d",null]]"#),
        (r#"select sku as s from "orders.jsonl" where tags = 'y'"#, r#"[{"s":"a"}]"#),
        (r#"select sku from "orders.jsonl" where of.id = 1 and n = 2 limit 1 offset 1"#, r#"["c"]"#),
        (r#"select * from "orders.jsonl" where sku in ('b', 'z')"#, r#"[{"sku":"b","n":1,"of":{"id":2}}]"#),
        (r#"select tags[0] from "orders.jsonl" limit 2"#, r#"["x",null]"#),
        (r#"select * from "orders.jsonl" where sku = 'none'"#, "[]"),
        (r#"select * from "none.csv""#, "[]"),
        (r#"select * from "none.json" || "other""#, r#""other""#),
        (r#"select sku from "orders.jsonl" where of.id in (select id from "p.csv" where name = 'Bob')"#, r#"["b"]"#),
        (r#"rows = select * from "orders.jsonl" where n = 1; return {"first": "{rows[0].sku}"}"#, r#"{"first":"b"}"#),
    ] {
        assert_eq!(world.run(script), expected, "{script}");
    }
    assert_eq!(world.run(r#"select a from "none.json""#), "failed: no file none.json");
}

#[test]
fn joins_find_equal_values_on_either_side() {
    let (world, read) = world();
    let all = r#"[["a","Ada"],["a","Eve"],["b","Bob"],["b","Two"],["c","Ada"],["c","Eve"]]"#;
    let files = r#"select o.sku, p.name from "orders.jsonl" as o, "p.csv" as p where p.id = o.of.id"#;
    assert_eq!(world.run(files), all);
    assert_eq!(read.load(Ordering::Relaxed), 8, "each file is read once");
    let variables = r#"a = select * from "orders.jsonl"; b = select * from "p.csv"; return select o.sku, p.name from a as o, b as p where p.id = o.of.id"#;
    assert_eq!(world.run(variables), all);
    let some = r#"select o.sku, p.name from "orders.jsonl" as o, "p.csv" as p where o.of.id = p.id and p.name = 'Eve' limit 1 offset 1"#;
    assert_eq!(world.run(some), r#"[["c","Eve"]]"#);
}

#[test]
fn a_limit_ends_the_reading() {
    let (world, read) = world();
    assert_eq!(world.run(r#"select sku from "orders.jsonl" limit 1 offset 1"#), r#"["b"]"#);
    assert_eq!(read.swap(0, Ordering::Relaxed), 2);
    assert_eq!(world.run(r#"select sku from "orders.jsonl" limit 0"#), "[]");
    assert_eq!(read.load(Ordering::Relaxed), 0);
}

#[test]
fn many_values_are_found_as_few_are() {
    let mut world = World::new(&[]);
    let rows: Vec<String> = (0..3000).map(|n| format!(r#"{{"id": {n}, "t": "{}"}}"#, n % 7)).collect();
    let files = vec![("rows", datum(&format!("[{}]", rows.join(","))))];
    world.files = Some(Box::new(Shelf { files, read: Arc::default() }));
    // Compared each with each, these would take more than an execution may.
    world.limits.work = 100_000;
    let count = |script: &str| datum(&world.run(script)).view().len();
    assert_eq!(count(r#"select id from "rows" where id in (select id from "rows" where t = 3)"#), 429);
    assert_eq!(count(r#"select a.id, b.t from "rows" as a, "rows" as b where b.id = a.id"#), 3000);
}

#[test]
fn the_memory_of_results_is_bounded() {
    let (mut world, _) = world();
    world.limits.memory = 100;
    assert!(world.run(r#"select sku from "orders.jsonl""#).contains("more memory"));
    world.limits.memory = 1000;
    world.limits.rows = 3;
    assert!(world.run(r#"select sku from "orders.jsonl""#).contains("4 rows in one result"));
}

#[test]
fn only_selects_read_files() {
    for script in [r#"insert into "a" (x) values (1)"#, r#"update "a" with "{b}""#, r#"delete from "a""#, r#"describe "a""#] {
        assert_eq!(refused(script).0, "syntax", "{script}");
    }
    assert_eq!(refused(r#"select * from "a" each 'b..c'"#).0, "bad_each");
    assert_eq!(refused(r#"select * from "a"#).0, "unclosed_quote");
    assert_eq!(refused(r#"select x.a from "a" as x, "b" where x.a = 1"#).0, "join_without_alias");
}

#[test]
fn without_files_nothing_is_read() {
    let world = World::new(&[]);
    for script in [
        r#"select * from "/etc/passwd""#,
        r#"a = select * from t || select * from "x""#,
        r#"select a from b where a in (select c from "x")"#,
        r#"select a.x, b.x from b as a, "x" as b where b.x = a.x"#,
        r#"if (a) { select * from "x" } return 1"#,
        r#"v = {"a": 1}; delete from v where a in (select b from "x")"#,
    ] {
        let plan = Plan::new(&Source::new("script", script), &datum("{}"), None).unwrap();
        assert_eq!(plan.files().len(), 1, "{script}");
        let refused = plan.without_files().unwrap_err();
        assert_eq!(refused.findings[0].code, "no_files", "{script}");
        assert!(script[refused.findings[0].at.range()].starts_with('"'), "{script}");
    }
    assert!(world.run(r#"select * from "x""#).contains("scripts read no files here"));
    let plan = Plan::new(&Source::new("script", "a = select * from t; return 'x'"), &datum("{}"), None).unwrap();
    assert!(plan.without_files().is_ok());
}

#[test]
fn files_print_as_they_are_written() {
    let script = "select * from \"a.b\" each 'c.d' using decoder 'csv' schema 's' as x, 'it' as y where x.a = y.b;\n";
    let parsed = polywire_ql::syntax::parse(&Source::new("script", script)).unwrap();
    assert_eq!(parsed.to_string(), script.replace('"', "'"));
    let order = "select * from 'a' using decoder 'csv' each 'c';";
    let parsed = polywire_ql::syntax::parse(&Source::new("script", order)).unwrap();
    assert_eq!(parsed.to_string().trim_end(), "select * from 'a' each 'c' using decoder 'csv';");
}
