//! Calls that no clock of an engine stops, in worker processes. Each ends within its limit, harms
//! no other call, and leaves nothing behind.

mod common;

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use common::{Tables, record, worker};
use polywire_doc::Datum;
use polywire_hooks::{HookErrorKind, Hooks, LogRecord, LogSink, Patch, Reply};
use rustix::process::{Pid, Signal, kill_process};

/// Time of a call. The engine ends most calls itself; a process gets 100 ms more.
const TIME: Duration = Duration::from_millis(150);
/// Time after which a call must have ended, on the busiest machine. On their own they take minutes.
const ENDED: Duration = Duration::from_secs(20);

/// Built-in functions that run long on large data: a script for each. Some need what `text`, `list`
/// or `bytes` make.
const STUCK: &[(&str, &str)] = &[
    ("indexOf", "text.indexOf(half + 'b')"),
    ("lastIndexOf", "text.lastIndexOf('b' + half)"),
    ("includes", "text.includes(half + 'b')"),
    ("split", "text.split(half + 'b')"),
    ("replace", "text.replace(half + 'b', '')"),
    ("replaceAll", "text.replaceAll(half + 'b', '')"),
    ("search", "text.search(/a*a*a*a*b/)"),
    ("match", "text.match(/(a*)*b/)"),
    ("matchAll", "Array.from(text.matchAll(/a*a*a*b/g))"),
    ("test", "/^(a|a)*$/.test(text + 'b')"),
    ("lookbehind", "/(?<=(a*a*a*)b)c/.test(text)"),
    ("reReplace", "text.replace(/a*a*a*b/g, '')"),
    ("reSplit", "text.split(/a*a*a*b/)"),
    ("sort", "list.sort(function () { return list.join().length % 3 - 1; })"),
    ("toSorted", "list.toSorted(function () { return list.join().length % 3 - 1; })"),
    ("typedSort", "bytes.sort(function () { return bytes.join().length % 3 - 1; })"),
    ("typedIndexOf", "(function () { for (;;) bytes.indexOf(7); })()"),
    ("typedIncludes", "(function () { for (;;) bytes.includes(7); })()"),
    ("fill", "(function () { for (;;) bytes.fill(1); })()"),
    ("set", "(function () { for (;;) bytes.set(bytes.slice()); })()"),
    ("copyWithin", "(function () { for (;;) bytes.copyWithin(1, 0); })()"),
    ("typedReverse", "(function () { for (;;) bytes.reverse(); })()"),
    ("typedJoin", "(function () { for (;;) bytes.join(); })()"),
    ("typedFrom", "Uint8Array.from({ length: 1e9 })"),
    ("arrayFrom", "Array.from({ length: 1e9 })"),
    ("repeat", "(function () { for (;;) 'ab'.repeat(1e6).length; })()"),
    ("padStart", "(function () { for (;;) 'x'.padStart(1e6, 'ab').length; })()"),
    ("join", "(function () { var a = new Array(1e5); for (;;) a.join('ab'); })()"),
    ("concat", "(function () { for (;;) list.concat(list, list); })()"),
    ("flat", "(function () { for (;;) list.flat(9); })()"),
    ("every", "Array.prototype.every.call({ length: 9007199254740991 }, function () { return true; })"),
    ("some", "Array.prototype.some.call({ length: 9007199254740991 }, function () { return false; })"),
    ("forEach", "Array.prototype.forEach.call({ length: 9007199254740991 }, function () {})"),
    ("map", "Array.prototype.reduce.call({ length: 9007199254740991 }, function (a) { return a; }, 0)"),
    ("find", "Array.prototype.findLast.call({ length: 9007199254740991 }, function () { return false; })"),
    ("arrayIncludes", "Array.prototype.includes.call({ length: 9007199254740991 }, 7)"),
    ("filter", "Array.prototype.filter.call({ length: 9007199254740991 }, function () { return true; })"),
    ("push", "Array.prototype.push.call({ length: 1e15 }, 1) && Array.prototype.unshift.call({ length: 9e6 }, 1) && indexOfAgain()"),
    (
        "stringify",
        "JSON.stringify(new Proxy([], { get: function (t, k) { return k === 'length' ? 4294967295 : k === 'toJSON' ? undefined : 1; } }))",
    ),
    ("stringifyDeep", "(function () { var a = [1]; for (var i = 0; i < 20; i++) a = [a, a]; for (;;) JSON.stringify(a).length; })()"),
    ("parse", "(function () { var t = '[' + new Array(1e5).join('1,') + '1]'; for (;;) JSON.parse(t, function (k, v) { return v; }); })()"),
    ("ownKeys", "Object.keys(new Proxy({}, { ownKeys: function () { for (;;) text.indexOf(half + 'b'); } }))"),
    ("assign", "(function () { for (;;) Object.assign({}, text.slice(0, 1e5)); })()"),
    ("spread", "(function () { for (;;) Math.max.apply(null, list); })()"),
    ("bigMul", "(function () { var n = 3n; for (;;) n = n * n; })()"),
    ("bigPow", "7n ** 1000000000n"),
    ("bigText", "(7n ** 300000n).toString() + (7n ** 900000n).toString(7)"),
    ("bigParse", "BigInt(new Array(1e6).join('7')) % 7n"),
    ("bigShift", "(function () { for (;;) (1n << 20000000n) >> 3n; })()"),
    ("normalize", "(function () { for (;;) text.normalize('NFKD'); })()"),
    ("upper", "(function () { for (;;) text.toUpperCase(); })()"),
    ("locale", "(function () { for (;;) text.localeCompare(text + 'a'); })()"),
    ("encode", "(function () { for (;;) encodeURIComponent(text); })()"),
    ("date", "(function () { for (;;) new Date(text); })()"),
    ("parseFloat", "(function () { for (;;) parseFloat(new Array(1e6).join('7')); })()"),
    ("evalText", "(function () { for (;;) Function('return [' + new Array(1e5).join('1,') + '1]')(); })()"),
    ("map2", "(function () { var m = new Map(); for (;;) m.set(m.size % 1000, text); })()"),
    ("bufferIndexOf", "(function () { for (;;) Buffer.from(text).toString('base64').length; })()"),
    ("hash", "(function () { var c = require('crypto'); for (;;) c.createHash('sha512').update(text).digest('hex'); })()"),
    ("read", "(function () { var f = require('fs'); for (;;) f.readFileSync(__filename); })()"),
    ("own", "(function () { var a = text.split(''); return a.join('').indexOf(half + 'b'); })()"),
    ("getterLength", "Array.prototype.indexOf.call({ get length() { for (;;) text.indexOf(half + 'b'); } }, 1)"),
    ("toText", "String({ toString: function () { return text.lastIndexOf('b' + half); } })"),
];

/// Tests look at all processes of this one, so each is alone.
static ALONE: Mutex<()> = Mutex::new(());

/// A world whose hook `patch status` evaluates a script of [`STUCK`].
fn world(change: impl FnOnce(&mut polywire_hooks::Settings)) -> (MutexGuard<'static, ()>, Tables, Hooks, Patch) {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let cases: Vec<String> = STUCK.iter().map(|(name, script)| format!("{name}: function () {{ return {script}; }}")).collect();
    let script = format!(
        "var made = 0, text = '', half = '', list = [], bytes;
         var cases = {{ {} }};
         function indexOfAgain() {{ return text.indexOf(half + 'b'); }}
         exports['patch status'] = function (args) {{
            made++;
            var how = args.params.how;
            if (how === 'fine') return 200 + made;
            text = 'a'.repeat(1400000); half = 'a'.repeat(500000);
            list = []; for (var n = 0; n < 3000; n++) list.push(n * 7919 % 3001);
            bytes = new Uint8Array(4000000);
            cases[how]();
            return 299;
         }};
         exports['patch mediaType'] = function (args) {{ return String(args.body.indexOf(args.body.slice(0, args.body.length / 2) + 'b')); }};
         exports['patch headers'] = function (args) {{ log(args); return args.headers; }};
         function log(args) {{ args.log('warn', 'before'); if (args.params.how) text = 'a'.repeat(1400000), text.indexOf('a'.repeat(500000) + 'b'); }}",
        cases.join(",\n")
    );
    let tables = Tables::new(&[("patch.js", &script)]);
    let hooks = tables.hooks_with(|settings| {
        settings.time = TIME;
        settings.worker = Some(worker());
        change(settings);
    });
    let patch = hooks.patch("patch.js").wait().unwrap();
    (alone, tables, hooks, patch)
}

fn ask(patch: &Patch, how: &str) -> Result<u16, polywire_hooks::HookError> {
    let record = record(&format!(r#"{{"how":"{how}"}}"#));
    patch.patch_status(record, Reply { status: 200, ..Reply::default() }, Datum::Null).wait().map(|answer| answer.value)
}

/// Processes of this one: its worker processes, and their states.
fn children() -> Vec<(i32, char)> {
    let mut children = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((id, rest)) = stat.split_once(' ').zip(stat.rsplit_once(')')).map(|((id, _), (_, rest))| (id, rest)) else { continue };
        let mut fields = rest.split_ascii_whitespace();
        let (state, parent) = (fields.next().unwrap(), fields.next().unwrap());
        if parent.parse() == Ok(std::process::id()) {
            children.push((id.parse().unwrap(), state.chars().next().unwrap()));
        }
    }
    children
}

#[test]
fn each_built_in_ends_within_the_limit() {
    let (_alone, _tables, _hooks, patch) = world(|_| {});
    for (name, _) in STUCK {
        let start = Instant::now();
        let outcome = ask(&patch, name);
        let took = start.elapsed();
        let error = match outcome {
            // A fast machine may do it in time.
            Ok(299) => None,
            Ok(other) => panic!("{name}: {other}"),
            Err(error) => Some(error),
        };
        assert!(took < ENDED, "{name}: {took:?}");
        if let Some(error) = error {
            let kind = error.kind();
            // The engine refuses some amounts at once.
            let known = ["RangeError", "TypeError: cannot", "InternalError: out of memory"];
            let refused = kind == HookErrorKind::Memory || known.iter().any(|known| error.message().starts_with(known));
            assert!(kind == HookErrorKind::Time && took >= TIME || refused, "{name} after {took:?}: {error}");
        }
        assert!(ask(&patch, "fine").is_ok(), "after {name}");
    }
}

#[test]
fn a_stuck_call_is_reported_as_out_of_time() {
    let (_alone, _tables, _hooks, patch) = world(|_| {});
    let error = ask(&patch, "indexOf").unwrap_err();
    assert_eq!((error.kind(), error.hook(), error.module()), (HookErrorKind::Time, "patch status", "patch.js"));
    assert!(error.to_string().contains("its engine was ended"), "{error}");
    // An error of the engine has a place.
    let error = ask(&patch, "map2").unwrap_err();
    assert!(error.place().is_some_and(|place| place.file == "patch.js"), "{error}");
}

/// Calls that are stuck for much longer than a test takes, each on a thread that waits for it.
struct Stuck {
    ended: Arc<AtomicUsize>,
    threads: Vec<std::thread::JoinHandle<Result<(), HookErrorKind>>>,
}

impl Stuck {
    fn new(patch: &Patch, count: usize, length: usize) -> Stuck {
        let (ended, body) = (Arc::new(AtomicUsize::new(0)), "a".repeat(length));
        let thread = |_| {
            let (ended, call) = (ended.clone(), patch.patch_media_type(record("{}"), Reply::default(), &body));
            std::thread::spawn(move || {
                let outcome = call.wait();
                ended.fetch_add(1, Ordering::Relaxed);
                outcome.map(drop).map_err(|error| error.kind())
            })
        };
        let threads = (0..count).map(thread).collect();
        Stuck { ended, threads }
    }

    fn ended(&self) -> usize {
        self.ended.load(Ordering::Relaxed)
    }

    fn outcomes(self) -> Vec<Result<(), HookErrorKind>> {
        self.threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    }
}

#[test]
fn others_are_served_while_calls_are_stuck() {
    let (_alone, tables, hooks, patch) = world(|settings| settings.time = Duration::from_secs(600));
    let stuck = Stuck::new(&patch, 6, 7_000_000);
    // There is one thread, and calls that are stuck hold processes for ten minutes.
    for _ in 0..20 {
        ask(&patch, "fine").unwrap();
    }
    assert_eq!(stuck.ended(), 0);
    // All end with the hooks.
    drop((patch, hooks, tables));
    assert!(stuck.outcomes().iter().all(|outcome| matches!(outcome, Err(HookErrorKind::Internal | HookErrorKind::Busy))));
}

#[test]
fn one_function_does_not_get_all_places() {
    let (_alone, tables, hooks, patch) = world(|settings| settings.time = Duration::from_secs(600));
    let stuck = Stuck::new(&patch, 20, 1_500_000);
    for _ in 0..20 {
        ask(&patch, "fine").unwrap();
    }
    let mine = children().len();
    assert!(stuck.ended() == 0 && mine <= 10, "{mine} processes");
    drop((patch, hooks, tables));
    assert_eq!(stuck.outcomes().len(), 20);
}

#[test]
fn a_process_that_ends_fails_its_own_call_only() {
    let (_alone, _tables, _hooks, patch) = world(|settings| settings.time = Duration::from_secs(600));
    assert!(ask(&patch, "fine").is_ok());
    let before = children();
    let stuck = Stuck::new(&patch, 1, 7_000_000);
    // Killed in the midst of a call: the search has used some time.
    let ticks = |id: i32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(11)?.parse::<u64>().ok()).unwrap_or(0)
    };
    while before.iter().all(|(id, _)| ticks(*id) < 30) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(ask(&patch, "fine").is_ok());
    before.iter().for_each(|(id, _)| kill_process(Pid::from_raw(*id).unwrap(), Signal::KILL).unwrap());
    assert_eq!(stuck.outcomes(), [Err(HookErrorKind::Internal)]);
    assert!(ask(&patch, "fine").is_ok());
    // Killed between two calls: nobody notices.
    let idle = children();
    idle.iter().for_each(|(id, _)| kill_process(Pid::from_raw(*id).unwrap(), Signal::KILL).unwrap());
    let lives = |id: i32| fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    while idle.iter().any(|(id, _)| lives(*id)) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(ask(&patch, "fine").is_ok());
}

#[test]
fn processes_are_fenced_in_and_leave_nothing() {
    let (_alone, tables, hooks, patch) = world(|_| {});
    assert!(ask(&patch, "fine").is_ok());
    let own = children();
    let mine: Vec<i32> = own
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| fs::read_to_string(format!("/proc/{id}/cmdline")).is_ok_and(|line| line.contains("hooks-worker")))
        .collect();
    assert!(!mine.is_empty());
    for id in &mine {
        let environment = fs::read_to_string(format!("/proc/{id}/environ")).unwrap_or_default();
        assert!(environment.split('\0').all(|each| each.is_empty() || each.starts_with("TZ=")), "{environment}");
        let limits = fs::read_to_string(format!("/proc/{id}/limits")).unwrap_or_default();
        let limit = |name: &str| {
            limits
                .lines()
                .find(|line| line.starts_with(name))
                .map(|line| line[name.len()..].split_whitespace().next().unwrap_or_default().to_string())
        };
        assert_eq!(limit("Max core file size").as_deref(), Some("0"));
        assert!(limit("Max data size").is_some_and(|most| most.parse::<u64>().is_ok_and(|most| most < 1 << 30)), "{limits}");
        // Standard streams, the copy of the socket, and nothing of the gateway's.
        let files: Vec<_> =
            fs::read_dir(format!("/proc/{id}/fd")).unwrap().flatten().map(|file| fs::read_link(file.path()).unwrap_or_default()).collect();
        let sockets: std::collections::HashSet<_> = files.iter().filter(|file| file.to_string_lossy().starts_with("socket")).collect();
        assert!(sockets.len() == 1 && files.len() <= 6, "{files:?}");
        // A signal for all is the gateway's to obey.
        for signal in [Signal::TERM, Signal::INT] {
            kill_process(Pid::from_raw(*id).unwrap(), signal).unwrap();
        }
    }
    std::thread::sleep(Duration::from_millis(100));
    assert!(mine.iter().all(|id| children().iter().any(|(other, state)| other == id && *state != 'Z')));
    assert!(ask(&patch, "indexOf").is_err());
    drop((patch, hooks, tables));
    for _ in 0..100 {
        if !children().iter().any(|(id, _)| mine.contains(id)) {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!children().iter().any(|(id, _)| mine.contains(id)), "{:?}", children());
}

#[test]
fn messages_come_before_a_call_is_ended() {
    let (sender, messages) = mpsc::channel();
    let (_alone, _tables, _hooks, patch) = world(|settings| {
        settings.log = LogSink::new(move |LogRecord { message, hook, .. }| {
            let _ = sender.send((hook, message));
        });
    });
    let error = patch.patch_headers(record(r#"{"how":1}"#), Default::default()).wait().unwrap_err();
    assert_eq!(error.kind(), HookErrorKind::Time);
    assert_eq!(messages.try_recv(), Ok(("patch headers".to_string(), "before".to_string())));
}

#[test]
fn a_program_that_is_no_worker_is_reported() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for program in ["/nonexistent/program", "/bin/true"] {
        let tables = Tables::new(&[("patch.js", "exports.a = 1;")]);
        let hooks = tables.hooks_with(|settings| settings.worker = Some(polywire_hooks::worker::WorkerProgram::at(program)));
        let error = hooks.patch("patch.js").wait().unwrap_err();
        assert!(error.kind() == HookErrorKind::Busy && error.message().contains("no process for hooks"), "{error}");
    }
}
