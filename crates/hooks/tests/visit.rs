//! Several calls in one visit to a thread: each is a call as any other.

mod common;

use std::sync::mpsc;
use std::time::Duration;

use common::{Tables, record};
use polywire_doc::Datum;
use polywire_hooks::{HookError, HookErrorKind, Hooks, Patch, Reply, Request};

const PATCH: &str = "var made = 0;
    exports['patch uri'] = function (args) { made++; leaked = 1; args.params.seen = 1; return args.uri.setParam('made', made); };
    exports['patch status'] = function (args) {
        var acts = {
            made: function () { return 200 + made; },
            leaked: function () { return typeof leaked === 'undefined' ? 200 : 500; },
            loops: function () { for (;;) {} },
            eats: function () { var all = []; for (;;) all.push(new Array(1000).fill('x')); },
            deep: function () { return (function down() { return down() + 1; })(); },
            throws: function () { throw new Error('no'); },
            sleeps: function () { return new Promise(function (done) { setTimeout(function () { done(200); }, 700); }); },
            hangs: function () { var a = 'a'.repeat(1400000); return a.indexOf('a'.repeat(500000) + 'b'); },
        };
        return acts[args.params.act]();
    };";

fn world(time: u64) -> (Tables, Hooks, Patch) {
    let tables = Tables::new(&[("patch.js", PATCH), ("t.ejs", "<<%= params.a %>>")]);
    let hooks = tables.hooks_with(|settings| {
        settings.time = Duration::from_millis(time);
        settings.memory = 16 << 20;
    });
    let patch = hooks.patch("patch.js").wait().unwrap();
    (tables, hooks, patch)
}

async fn ask(patch: &Patch, act: &str) -> Result<u16, HookErrorKind> {
    let record = record(&format!(r#"{{"act":"{act}"}}"#));
    let answer = patch.patch_status(record, Reply { status: 200, ..Reply::default() }, Datum::Null).await;
    answer.map(|answer| answer.value).map_err(|error| error.kind())
}

#[test]
fn calls_of_a_visit_are_made_on_the_spot() {
    let (_tables, hooks, patch) = world(20_000);
    let inner = hooks.clone();
    let seen = hooks.visit("t", async move {
        // There is one thread, and this is it.
        let uri = patch.patch_uri(record("{}"), "http://h/").await?;
        let text = inner.template("t.ejs", "", record(r#"{"a":1}"#), Request::default).await?;
        let others = (ask(&patch, "made").await, ask(&patch, "leaked").await, ask(&patch, "throws").await, ask(&patch, "deep").await);
        Ok::<_, HookError>((uri.value, uri.params.is_some(), text, others))
    });
    let errors = (Err(HookErrorKind::Thrown), Err(HookErrorKind::Stack));
    let others = (Ok(201), Ok(200), errors.0, errors.1);
    assert_eq!(seen.wait().unwrap().unwrap(), (vec!["http://h/?made=1".to_string()], true, "<1>".to_string(), others));
}

#[test]
fn each_call_of_a_visit_has_the_limits_of_a_call() {
    let (_tables, hooks, patch) = world(1500);
    let seen = hooks.visit("t", async move {
        let mut seen = Vec::new();
        // Each may take its time; together they take longer than one may.
        for act in ["sleeps", "sleeps", "sleeps", "sleeps", "loops", "made", "eats", "made", "sleeps"] {
            seen.push(ask(&patch, act).await);
        }
        seen
    });
    let (time, memory) = (Err(HookErrorKind::Time), Err(HookErrorKind::Memory));
    assert_eq!(seen.wait().unwrap(), [Ok(200), Ok(200), Ok(200), Ok(200), time, Ok(200), memory, Ok(200), Ok(200)]);
}

#[test]
fn a_visit_whose_call_hangs_is_given_up() {
    let (_tables, hooks, patch) = world(300);
    let inner = patch.clone();
    let visit = hooks.visit("t", async move {
        let first = ask(&inner, "made").await;
        (first, ask(&inner, "hangs").await, ask(&inner, "made").await)
    });
    if common::APART {
        // A process ends alone.
        assert_eq!(visit.wait().unwrap(), (Ok(200), Err(HookErrorKind::Time), Ok(200)));
        return;
    }
    let error = visit.wait().unwrap_err();
    assert_eq!((error.kind(), error.hook(), error.module()), (HookErrorKind::Time, "patch status", "patch.js"));
    // Another thread has taken its place.
    let again = hooks.visit("t", async move { ask(&patch, "made").await });
    assert_eq!(again.wait().unwrap(), Ok(200));
}

#[test]
fn a_visit_that_nobody_waits_for_makes_no_more_calls() {
    let (_tables, hooks, patch) = world(20_000);
    let inner = patch.clone();
    let ((go, gone), (tell, told)) = (mpsc::channel(), mpsc::channel());
    let visit = hooks.visit("t", async move {
        let first = ask(&inner, "made").await;
        tell.send(first).unwrap();
        gone.recv().unwrap();
        tell.send(ask(&inner, "made").await).unwrap();
    });
    assert_eq!(told.recv(), Ok(Ok(200)));
    drop(visit);
    go.send(()).unwrap();
    assert_eq!(told.recv(), Ok(Err(HookErrorKind::Busy)));
    // The thread is well, and goes on with others.
    assert_eq!(hooks.visit("t", async move { ask(&patch, "made").await }).wait().unwrap(), Ok(200));
}

#[test]
fn a_task_that_waits_or_fails_does_no_harm() {
    let (_tables, hooks, patch) = world(20_000);
    let error = hooks.visit("t", std::future::pending::<()>()).wait().unwrap_err();
    assert!(error.kind() == HookErrorKind::Internal && error.message().contains("waits"), "{error}");
    let error = hooks
        .visit("t", async {
            if hooks_fail() {
                panic!("on purpose")
            }
        })
        .wait()
        .unwrap_err();
    assert!(error.kind() == HookErrorKind::Internal && error.message().contains("failed"), "{error}");
    // Those of another directory go to a thread of their own.
    let (_others, other, _) = world(20_000);
    let call = other.template("t.ejs", "", record(r#"{"a":2}"#), Request::default);
    let seen = hooks.visit("t", async move { (ask(&patch, "made").await, call.wait().unwrap()) });
    assert_eq!(seen.wait().unwrap(), (Ok(200), "<2>".to_string()));
}

fn hooks_fail() -> bool {
    true
}
