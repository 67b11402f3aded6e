//! What the figures were measured on.

use serde::Serialize;

/// The machine, its system, and how the program was built.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Machine {
    /// Model of the processor, as the system tells it.
    pub cpu: String,
    /// Processors that the program may use.
    pub cores: usize,
    /// Memory in bytes, where the system tells it.
    pub memory: Option<u64>,
    /// Operating system and its kernel's release.
    pub os: String,
    /// Processes that wanted to run in the minute before, on average, where the system tells it.
    pub load: Option<f64>,
    /// Compiler.
    pub rustc: String,
    /// Target that was compiled for.
    pub target: String,
    /// Cargo's profile: `dist` for figures that are kept, `release`, `dev`.
    pub profile: String,
    /// Optimisation level.
    pub opt_level: String,
    /// Whether the program checks itself as it runs: its times say little.
    pub debug: bool,
}

impl Machine {
    /// This machine, as of now.
    pub fn here() -> Machine {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let after = |text: &str, key: &str| {
            let line = text.lines().find(|line| line.starts_with(key))?;
            Some(line.split_once(':')?.1.trim().to_string())
        };
        let memory = after(&read("/proc/meminfo"), "MemTotal").and_then(|text| text.trim_end_matches(" kB").parse::<u64>().ok());
        let release = read("/proc/sys/kernel/osrelease");
        Machine {
            cpu: after(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| format!("unknown {} processor", std::env::consts::ARCH)),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory: memory.map(|kib| kib * 1024),
            os: format!("{} {}", std::env::consts::OS, release.trim()).trim().to_string(),
            load: read("/proc/loadavg").split(' ').next().and_then(|text| text.parse().ok()),
            rustc: env!("BUILT_BY").to_string(),
            target: env!("BUILT_FOR").to_string(),
            profile: env!("BUILT_WITH_PROFILE").to_string(),
            opt_level: env!("BUILT_WITH_OPT_LEVEL").to_string(),
            debug: cfg!(debug_assertions),
        }
    }

    /// On one line, for people.
    pub fn line(&self) -> String {
        let Machine { cpu, cores, os, rustc, target, profile, opt_level, debug, .. } = self;
        let cores = if *cores == 1 { "1 core".to_string() } else { format!("{cores} cores") };
        let build = if *debug { "debug" } else { profile.as_str() };
        format!("{cpu}, {cores}, {os}; {rustc}, {target}, {build} build, opt-level {opt_level}")
    }
}
