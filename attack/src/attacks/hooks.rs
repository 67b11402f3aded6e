//! Calls of hooks that data, or the hook itself, keeps busy.

use std::time::{Duration, Instant};

use crate::trial::Trial;
use crate::wire::http1;
use crate::world::folder::Folder;
use crate::world::program::{Program, free_port};

/// Returns a body whose text has `length` bytes.
fn body(length: usize) -> Vec<u8> {
    format!(r#"{{"text":"{}"}}"#, "a".repeat(length)).into_bytes()
}

/// The names of all cases in the bundled module.
fn cases() -> Vec<&'static str> {
    let module = include_str!("../../folder/lib/hostile.js");
    module
        .lines()
        .filter_map(|line| line.strip_prefix("    ")?.split_once(": function"))
        .map(|(name, _)| name)
        .filter(|name| *name != "warm" && !name.contains(' '))
        .collect()
}

/// Six bodies at once for a built-in that searches for minutes; hooks of others are called meanwhile.
pub fn search(trial: &Trial<'_>) {
    for what in ["indexOf", "lastIndexOf", "split", "replace"] {
        let stuck = http1::post(&format!("/hook/{what}"), trial.port, "application/json", "", &body(7_000_000));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let started = Instant::now();
                    let answer = trial.ask(&stuck);
                    trial
                        .expect(started.elapsed() < Duration::from_secs(11), || format!("{what}: an answer after {:?}", started.elapsed()));
                    // Calls of a function that throw give nothing.
                    trial.refused(answer, &[200, 400, 500, 503], what);
                });
            }
            std::thread::sleep(Duration::from_millis(300));
            for _ in 0..10 {
                let started = Instant::now();
                let answer = trial.get("/hook/warm");
                trial.expect(answer.is_some_and(|answer| answer.text() == "\"ok\""), || format!("beside {what}: no answer of a good hook"));
                trial.expect(started.elapsed() < Duration::from_secs(8), || {
                    format!("beside {what}: a good hook after {:?}", started.elapsed())
                });
            }
        });
        if !trial.goes_on() {
            return;
        }
    }
}

/// Every built-in that walks to a length, each ended within its limits.
pub fn built_ins(trial: &Trial<'_>) {
    let cases = cases();
    trial.crowd(3, cases.len(), |number| {
        let what = cases[number];
        let started = Instant::now();
        let answer = trial.post(&format!("/hook/{what}"), "application/json", "", &body(2_000_000));
        trial.refused(answer, &[200, 400, 422, 500, 503], what);
        trial.expect(started.elapsed() < Duration::from_secs(10), || format!("{what}: an answer after {:?}", started.elapsed()));
    });
    std::thread::sleep(Duration::from_millis(1500));
    let answer = trial.get("/hook/warm");
    trial.expect(answer.as_ref().is_some_and(|answer| answer.text() == "\"ok\""), || format!("a good hook afterwards: {answer:?}"));
}

/// Bodies that become slow in a hook: names that collide, deep values, long numbers.
pub fn bodies(trial: &Trial<'_>) {
    let deep = format!(r#"{{"value":{}1{}}}"#, "[".repeat(900), "]".repeat(900));
    let members: Vec<String> = (0..200_000).map(|n| format!(r#""{n}":{n}"#)).collect();
    let numbers: Vec<String> = (0..100_000).map(|n| format!("{n}e-{}", n % 300)).collect();
    let bodies = [
        deep,
        format!(r#"{{"value":{{{}}}}}"#, members.join(",")),
        format!(r#"{{"value":[{}]}}"#, numbers.join(",")),
        format!(r#"{{"value":{}}}"#, "9".repeat(100_000)),
        format!(r#"{{"value":"{}"}}"#, "\\ud83d\\ude00".repeat(300_000)),
    ];
    trial.crowd(3, bodies.len() * 3, |number| {
        let answer = trial.post("/polluted", "application/json", "", bodies[number % bodies.len()].as_bytes());
        trial.refused(answer, &[200, 400, 413, 422, 500, 503], &format!("{:.30}", bodies[number % bodies.len()]));
    });
}

/// SIGTERM while all hooks hang: a second of grace, then the process has ended.
pub fn end(trial: &Trial<'_>) {
    let world = trial.world;
    let fill = [("$SERVICE", world.service.port), ("$OTHER", world.other.port), ("$SELF", world.gateway.port)]
        .map(|(name, port)| (name, port.to_string()));
    let started = Folder::bundled(&fill).and_then(|folder| Ok((Program::start(&world.polywire, &folder, free_port()?, &[])?, folder)));
    let (mut own, _folder) = match started {
        Ok(started) => started,
        Err(error) => return trial.miss(error),
    };
    let mut wires = Vec::new();
    for what in ["indexOf", "loop", "sort", "pattern", "arrayLike", "promises", "never", "lookBehind"] {
        trial.tried(1);
        if let Ok(mut wire) = http1::Wire::open(own.port) {
            wire.send(&http1::post(&format!("/hook/{what}"), own.port, "application/json", "", &body(7_000_000)), Duration::from_secs(5));
            wires.push(wire);
        }
    }
    std::thread::sleep(Duration::from_millis(500));
    let children = crate::world::process::tree(own.pid());
    match own.terminate(Duration::from_secs(8)) {
        Some(time) => trial.expect(time < Duration::from_secs(4), || format!("it ended {time:?} after SIGTERM with --grace 1")),
        None => trial.miss("it had not ended 8 s after SIGTERM with --grace 1"),
    }
    std::thread::sleep(Duration::from_millis(300));
    let left = children.iter().filter(|child| std::path::Path::new(&format!("/proc/{child}/exe")).exists()).count();
    trial.expect(left == 0, || format!("{left} of its processes are left"));
}

#[cfg(test)]
mod tests {
    #[test]
    fn cases_are_read_from_the_module() {
        let cases = super::cases();
        assert!(cases.len() > 40 && cases.contains(&"indexOf") && cases.contains(&"counted") && !cases.contains(&"warm"), "{cases:?}");
    }
}
