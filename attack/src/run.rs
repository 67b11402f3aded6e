//! Attacks one after the other, with good callers beside each.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use crate::attack::Attack;
use crate::options::Options;
use crate::registry::ATTACKS;
use crate::report::{self, Line};
use crate::trial::Trial;
use crate::world::World;
use crate::world::process::{Watcher, state};
use crate::world::victims::Victims;

/// The most memory of all processes of the gateway, in bytes.
const MEMORY: u64 = 300 << 20;

/// The most time within which 99 of 100 answers come.
const P99: Duration = Duration::from_millis(200);

/// Requests of good callers beside each attack, at least.
const LEAST: usize = 300;

/// The most time until all is as before: what ran too long ends, and idle threads go.
const SETTLE: Duration = Duration::from_secs(20);

/// Time that an attack may have beyond its own: for its last answers.
const BEYOND: Duration = Duration::from_secs(20);

/// Runs the attacks that the options name. Returns true if none succeeded.
///
/// # Errors
/// The gateway does not start.
pub fn run(options: &Options) -> Result<bool, String> {
    let polywire = options.polywire.clone().ok_or("--polywire names the program to attack; tools/attack builds it")?;
    let mut world = World::start(polywire, options.h2spec.clone())?;
    println!(
        "polywire serve at 127.0.0.1:{}: {} MB, {} processes, {} threads, {} files",
        world.gateway.port,
        world.calm.memory >> 20,
        world.calm.processes,
        world.calm.threads,
        world.calm.files
    );
    let mut lines = Vec::new();
    for attack in ATTACKS.iter().filter(|attack| options.wants(attack.name)) {
        let mut line = one(&world, attack, options);
        if let Some(status) = world.gateway.ended() {
            line.findings.misses.push(format!("the gateway ended: {status}"));
            world.again()?;
        }
        report::progress(&line);
        let stop = options.stop && line.is_miss();
        lines.push(line);
        if stop {
            break;
        }
    }
    report::table(&lines);
    Ok(lines.iter().all(|line| !line.is_miss()))
}

fn one(world: &World, attack: &'static Attack, options: &Options) -> Line {
    for service in [&world.service, &world.other, &world.forbidden] {
        service.forget();
    }
    let started = Instant::now();
    let watcher = Watcher::start(world.gateway.pid());
    let victims = Victims::start(world.gateway.port, 3, Duration::from_millis(4));
    let trial = Trial::new(world, world.gateway.port, attack.seconds);
    if std::panic::catch_unwind(AssertUnwindSafe(|| (attack.run)(&trial))).is_err() {
        trial.miss("the attack itself panicked");
    }
    let took = started.elapsed();
    let waiting = Instant::now();
    while victims.asked() < LEAST && waiting.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let toll = victims.end();
    let peak = watcher.end();
    trial.expect(took <= Duration::from_secs(attack.seconds) + BEYOND, || format!("it took {took:?}, and had {} s", attack.seconds));
    trial.expect(toll.lost.is_empty(), || {
        format!("good callers lost {} of {} requests: {}", toll.lost.len(), toll.lost.len() + toll.answers(), toll.lost[0])
    });
    trial.expect(options.slow || toll.p99() < P99, || format!("good callers waited {:?} (p99)", toll.p99()));
    trial.expect(peak < MEMORY, || format!("{} MB of memory", peak >> 20));
    let after = settled(world, &trial);
    Line {
        attack,
        findings: trial.findings(),
        p99: toll.p99(),
        lost: toll.lost.len(),
        asked: toll.answers() + toll.lost.len(),
        peak,
        after: after.memory,
        took,
    }
}

/// Waits until the gateway is as before.
fn settled(world: &World, trial: &Trial<'_>) -> crate::world::process::State {
    let (calm, since) = (world.calm, Instant::now());
    loop {
        let now = state(world.gateway.pid());
        // The system's clean-up, and connections that good callers have just closed.
        let same =
            now.zombies == 0 && now.processes <= calm.processes + 1 && now.threads <= calm.threads + 6 && now.files <= calm.files + 40;
        if same || since.elapsed() > SETTLE || now.processes == 0 {
            let well = world.gateway.get("/healthz").is_ok_and(|answer| answer.status == 200);
            trial.expect(same, || format!("afterwards {now:?}, before {calm:?}"));
            trial.expect(well, || "the health check fails afterwards".to_owned());
            return now;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}
