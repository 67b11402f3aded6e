//! Scripts of callers that multiply values, work, or time.

use crate::trial::Trial;
use crate::wire::http1::{encoded, post};

/// Refusals of a script that wants too much.
const TOO_MUCH: &[u16] = &[400, 403, 413, 422, 503, 504];

/// Returns a script of `steps` steps, each made from the one before.
fn chained(first: &str, steps: usize, step: impl Fn(usize) -> String) -> String {
    let steps: String = (1..=steps).map(|n| format!("a{n} = {};\n", step(n - 1))).collect();
    format!("a0 = {first};\n{steps}return \"{{a{}}}\"", steps.lines().count())
}

/// Scripts of a kilobyte whose values double.
fn doubling(steps: usize) -> Vec<(&'static str, String)> {
    vec![
        ("lists", chained("[1, 2]", steps, |n| format!("[\"{{a{n}}}\", \"{{a{n}}}\"]"))),
        ("objects", chained("{\"x\": 1}", steps, |n| format!("{{\"l\": \"{{a{n}}}\", \"r\": \"{{a{n}}}\"}}"))),
        (
            "nested",
            chained("[\"lamp\"]", steps, |n| format!("[{{\"l\": [\"{{a{n}}}\"]}}, {{\"r\": {{\"x\": \"{{a{n}}}\"}}}}, \"{{a{n}}}\"]")),
        ),
        ("wide", chained("[1]", steps, |n| format!("[{}]", vec![format!("\"{{a{n}}}\""); 50].join(",")))),
        ("paths", chained("[{\"x\": [1, 2]}]", steps, |n| format!("[{{\"x\": \"{{a{n}.x}}\"}}, {{\"x\": \"{{a{n}.x}}\"}}]"))),
        ("selects", chained("[{\"x\": 1}]", steps, |n| format!("select x as x, x as y, x as z from a{n}"))),
        ("branches", chained("[1, 2]", steps, |n| format!("nothing || [\"{{a{n}}}\", \"{{a{n}}}\"]"))),
        ("text", chained("\"lamp\"", steps, |n| format!("\"{{a{n}}}{{a{n}}}\""))),
    ]
}

/// Values that double with each line.
pub fn doubles(trial: &Trial<'_>) {
    let accepts = ["application/json", "application/xml", "application/yaml", "application/msgpack", "text/csv", "application/cbor"];
    let all: Vec<(&str, String, &str)> = [22, 40, 200]
        .iter()
        .flat_map(|steps| doubling(*steps))
        .flat_map(|(what, script)| accepts.iter().map(move |accept| (what, script.clone(), *accept)))
        .collect();
    trial.crowd(4, all.len(), |number| {
        let (what, script, accept) = &all[number];
        let answer = trial.script_with(script, &format!("Accept: {accept}\r\n"));
        // Text is not joined, and paths may find nothing: such answers are short.
        let short = answer.as_ref().is_some_and(|answer| answer.status == 200 && answer.body.len() < 1 << 20)
            || answer.as_ref().is_some_and(|answer| answer.status == 406);
        if !short {
            trial.refused(answer, TOO_MUCH, what);
        }
    });
}

/// The same by other ways than the body of `/q`.
pub fn ways(trial: &Trial<'_>) {
    let scripts = doubling(30);
    trial.crowd(4, scripts.len() * 4, |number| {
        let (what, script) = &scripts[number / 4];
        let (target, headers) = match number % 4 {
            0 => (format!("/q?s={}", encoded(script)), ""),
            1 => (format!("/q?callback=f&s={}", encoded(script)), ""),
            2 => (format!("/q?events=all&s={}", encoded(script)), ""),
            _ => (format!("/q?s={}", encoded(&format!("explain analyze {script}"))), "Accept: text/plain\r\n"),
        };
        let answer = trial.get_with(&target, headers);
        let short = answer.as_ref().is_some_and(|answer| answer.status == 200 && answer.body.len() < 4 << 20);
        if !short {
            trial.refused(answer, TOO_MUCH, what);
        }
    });
}

/// Answers that are within the limits and as long as they may be, with every content coding.
pub fn long(trial: &Trial<'_>) {
    let script = chained("[\"lamp lamp lamp lamp lamp lamp lamp\"]", 16, |n| format!("[\"{{a{n}}}\", \"{{a{n}}}\"]"));
    let codings = ["br", "gzip", "zstd", "deflate", "identity"];
    trial.crowd(4, 20, |number| {
        let answer = trial.script_with(&script, &format!("Accept-Encoding: {}\r\n", codings[number % codings.len()]));
        trial.refused(answer, &[200, 400, 403, 422, 503], "a long answer");
    });
}

/// Work below the limit of steps, by many callers at once: good callers have their turn.
pub fn work(trial: &Trial<'_>) {
    let list: Vec<String> = (0..700).map(|n| format!("{{\"k\":{n}}}")).collect();
    let list = format!("[{}]", list.join(","));
    let filters = [
        "select a.k, b.k from l as a, m as b where a.k = b.k",
        "select k from l where k in (select k from m)",
        "select k[?(\"@.x > 1\")] as k from l",
    ];
    trial.crowd(40, 120, |number| {
        let script = format!("l = {list}; m = {list}; x = {}; y = {0}; return \"{{x}}\"", filters[number % filters.len()]);
        let body = format!("s={}", encoded(&script));
        // An attacker may wait: long scripts have what others leave.
        if let Ok(answer) = trial.asked(&post("/q", trial.port, "application/x-www-form-urlencoded", "", body.as_bytes())) {
            trial.refused(Some(answer), &[200, 400, 403, 422, 503, 504], "work");
        }
    });
}

/// Values just below the limit of one script, in many scripts at the same time.
pub fn hoards(trial: &Trial<'_>) {
    let script = chained(&format!("[{}]", vec!["\"lamp\""; 100].join(",")), 13, |n| format!("[\"{{a{n}}}\", \"{{a{n}}}\"]"));
    trial.crowd(60, 120, |_| {
        let answer = trial.script(&script);
        // Others have the memory, or the answer is there.
        trial.refused(answer, &[200, 422, 503], "a hoard");
    });
}

/// Files of the machine as tables, which no caller may read.
pub fn files(trial: &Trial<'_>) {
    let names = [
        "/etc/passwd",
        "../../../../etc/passwd",
        "/proc/self/environ",
        "/dev/stdin",
        "/dev/zero",
        "-",
        "",
        "config.json",
        "./tables/../config.json",
        "**/*.json",
        "file:///etc/passwd",
        "\u{2f}etc\u{2f}passwd",
    ];
    let scripts: Vec<String> = names
        .iter()
        .flat_map(|name| {
            [
                format!("return select * from \"{name}\""),
                format!("return select * from '{name}' each '.' using decoder 'csv' || 'else'"),
                format!("l = [1]; return select k from l where k in (select k from '{name}')"),
                format!("explain analyze select * from '{name}' limit 1"),
            ]
        })
        .collect();
    trial.crowd(4, scripts.len(), |number| {
        trial.refused(trial.script(&scripts[number]), &[400], &format!("{:.60}", scripts[number]));
    });
}

/// Scripts that are hard to read.
pub fn hard(trial: &Trial<'_>) {
    let deep = |open: &str, close: &str, count: usize| format!("return {}{}", open.repeat(count), close.repeat(count));
    let many = |count: usize| -> String {
        (0..count).map(|n| format!("a{n} = {};\n", if n == 0 { "1".to_owned() } else { format!("\"{{a{}}}\"", n - 1) })).collect()
    };
    let scripts = [
        deep("[", "]", 100_000),
        deep("{\"a\":", "}", 100_000),
        format!("{}return 1", "if (a) { ".repeat(50_000)),
        format!("{}return 1", "try { ".repeat(50_000)),
        format!("return select a{} from x", "[('@.length-1')]".repeat(20_000)),
        format!("return select {} from x", "a,".repeat(200_000)),
        format!("x = [1]; return select a[?(\"{}1{}\")] from x", "(".repeat(50_000), ")".repeat(50_000)),
        format!("x = [1]; return select a[?(\"{}1\")] from x", "!".repeat(100_000)),
        format!("x = [1]; return select a[?(\"{}1\")] from x", "1+".repeat(100_000)),
        format!("return select a{} from x", "..a".repeat(100_000)),
        format!("return \"{}\"", "{a.".repeat(50_000)),
        format!("{}return 1", "/* ".repeat(100_000)),
        format!("return select * from a where {} b = 1", "c = 1 and ".repeat(50_000)),
        format!("return {}", "a || ".repeat(100_000)),
        format!("return '{}", "x".repeat(900_000)),
        "create table ".repeat(50_000),
        format!("create table t on select get from '{}'", "{x}".repeat(100_000)),
        format!("return {}", "9".repeat(900_000)),
        format!("return 1e{}", "9".repeat(1000)),
        format!("return select * from (select * from (select * from {}", "(".repeat(50_000)),
        many(30_000),
        "\u{feff}".repeat(100_000),
        "\0".repeat(100_000),
        "select".repeat(100_000),
    ];
    trial.crowd(4, scripts.len() * 2, |number| {
        let script = &scripts[number / 2];
        let script = if number % 2 == 0 { script.clone() } else { format!("explain {script}") };
        trial.refused(trial.script(&script), &[200, 400, 403, 413, 422, 503, 504], &format!("{script:.40}"));
    });
}
