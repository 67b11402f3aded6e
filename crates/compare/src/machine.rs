//! The machine and build that figures were measured with.

use serde::{Deserialize, Serialize};

/// The machine, its system, and how the program was built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Machine {
    /// Model of the processor, as the system reports it.
    pub cpu: String,
    /// Number of processors that the program may use.
    pub cores: usize,
    /// Memory in bytes, if the system reports it.
    pub memory: Option<u64>,
    /// Operating system and kernel release.
    pub os: String,
    /// Load average of the last minute, if the system reports it.
    pub load: Option<f64>,
    /// Compiler version.
    pub rustc: String,
    /// Compilation target.
    pub target: String,
    /// Cargo's profile: `dist` for figures that are kept, `release`, `dev`.
    pub profile: String,
    /// Optimisation level of the codecs.
    pub opt_level: String,
    /// True for a build with debug assertions, whose times say little.
    pub debug: bool,
}

impl Machine {
    /// Returns this machine, with its present load.
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
            opt_level: polywire_formats::OPT_LEVEL.to_string(),
            debug: cfg!(debug_assertions),
        }
    }

    /// Returns the description on one line, for people.
    pub fn line(&self) -> String {
        let Machine { cpu, cores, os, rustc, target, profile, opt_level, debug, .. } = self;
        let cores = if *cores == 1 { "1 core".to_string() } else { format!("{cores} cores") };
        let build = if *debug { "debug" } else { profile.as_str() };
        format!("{cpu}, {cores}, {os}; {rustc}, {target}, {build} build, opt-level {opt_level}")
    }
}
