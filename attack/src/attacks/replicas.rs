//! Two replicas behind nginx, as they are deployed: one attacker, and a hundred callers who did
//! nothing.

use std::time::Duration;

use crate::trial::Trial;
use crate::world::folder::Folder;
use crate::world::nginx::Nginx;
use crate::world::program::{Program, free_port};
use crate::world::victims::Victims;

/// Callers, each with connections of its own.
const VICTIMS: usize = 100;

/// The most seconds of one attack.
const SECONDS: u64 = 6;

/// The attacks that took replicas out, against nginx.
pub fn all(trial: &Trial<'_>) {
    let Some(nginx) = Nginx::program() else { return trial.skip("nginx is not here: tools/setup.sh gateway installs it") };
    let world = trial.world;
    let started = (|| {
        let fill = [("$SERVICE", world.service.port), ("$OTHER", world.other.port), ("$SELF", world.gateway.port)]
            .map(|(name, port)| (name, port.to_string()));
        let folder = Folder::bundled(&fill)?;
        let other = Folder::bundled(&fill)?;
        let replicas =
            (Program::start(&world.polywire, &folder, free_port()?, &[])?, Program::start(&world.polywire, &other, free_port()?, &[])?);
        let nginx = Nginx::start(&nginx, [replicas.0.port, replicas.1.port])?;
        Ok::<_, String>((nginx, replicas, folder, other))
    })();
    let (nginx, mut replicas, _folder, _other) = match started {
        Ok(started) => started,
        Err(error) => return trial.miss(error),
    };
    type Run = fn(&Trial<'_>);
    let attacks: [(&str, Run); 6] = [
        ("heads", super::heads::ids),
        ("scripts", super::scripts::doubles),
        ("work", super::scripts::work),
        ("hooks", super::hooks::search),
        ("fan-out", super::fanout::values),
        ("parsing", super::parsing::forms),
    ];
    for (name, attack) in attacks {
        let victims = Victims::start(nginx.port, VICTIMS, Duration::from_millis(250));
        let own = Trial::new(world, nginx.port, SECONDS);
        attack(&own);
        let asked = victims.asked();
        while victims.asked() < asked + VICTIMS {
            std::thread::sleep(Duration::from_millis(20));
        }
        let toll = victims.end();
        let findings = own.findings();
        trial.tried(findings.tries);
        trial.expect(toll.lost.is_empty(), || {
            format!("{name}: {} of {} requests of victims failed: {}", toll.lost.len(), toll.lost.len() + toll.answers(), toll.lost[0])
        });
        for replica in [&mut replicas.0, &mut replicas.1] {
            if let Some(status) = replica.ended() {
                trial.miss(format!("{name}: a replica ended: {status}"));
            }
        }
        let errors = nginx.errors();
        let out = errors.lines().find(|line| line.contains("no live upstreams") || line.contains("too big header"));
        trial.expect(out.is_none(), || format!("{name}: nginx: {:.200}", out.unwrap_or_default()));
    }
}
