//! What the gateway tells of its work: readable on stderr, and, with the feature `opentelemetry`, to a collector.

use std::io::stderr;

use anstream::AutoStream;
use polywire_core::Error;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use crate::failure::Failure;

/// Targets of ours begin so.
const OURS: &str = "polywire";

/// The variable that says what is logged, where no flag does.
const VARIABLE: &str = "RUST_LOG";

/// Holds the exporter, which sends what waits when it is dropped.
#[derive(Default)]
pub struct Logging {
    #[cfg(feature = "opentelemetry")]
    _export: Option<polywire_gateway::observe::export::Export>,
}

/// Begins to log what `wanted` says, else `RUST_LOG`. Nothing is logged where neither says anything.
pub fn begin(wanted: Option<&str>) -> Result<Logging, Failure> {
    // A word alone names a target there, by custom; as a flag it is a slip.
    if let Some(word) = wanted.filter(|word| !word.contains(['=', ',']) && word.parse::<LevelFilter>().is_err()) {
        return Err(unknown(word));
    }
    let of_environment = std::env::var(VARIABLE).ok();
    let wanted = wanted.or(of_environment.as_deref()).filter(|wanted| !wanted.trim().is_empty());
    let mut layers: Vec<Box<dyn Layer<Registry> + Send + Sync>> = Vec::new();
    if let Some(wanted) = wanted {
        let targets = targets(wanted)?;
        let is_fine = LevelFilter::DEBUG.into_level().is_some_and(|level| targets.would_enable(OURS, &level));
        layers.push(text(is_fine).with_filter(targets).boxed());
    }
    let logging = export(&mut layers)?;
    if !layers.is_empty() {
        // It fails only where another one was begun.
        let _ = tracing_subscriber::registry().with(layers).try_init();
    }
    Ok(logging)
}

/// What is logged: a level, which is then that of ours alone, or levels by target, as `polywire_gateway=debug,hyper=info`.
fn targets(wanted: &str) -> Result<Targets, Failure> {
    if let Ok(level) = wanted.parse::<LevelFilter>() {
        return Ok(Targets::new().with_target(OURS, level).with_default(level.min(LevelFilter::WARN)));
    }
    wanted.parse().map_err(|_| unknown(wanted))
}

fn unknown(wanted: &str) -> Failure {
    let error = Error::usage(format!("the level of logging `{wanted}`"));
    Failure::from(error.expected("off, error, warn, info, debug, trace, or TARGET=LEVEL[,…]"))
}

/// Lines of text; those that are `fine` tell also when each span closes, and how long it took.
fn text(fine: bool) -> impl Layer<Registry> + Send + Sync {
    let plain = AutoStream::choice(&stderr()) == anstream::ColorChoice::Never;
    let spans = if fine { FmtSpan::CLOSE } else { FmtSpan::NONE };
    fmt::layer().with_writer(stderr).with_ansi(!plain).with_span_events(spans)
}

#[cfg(feature = "opentelemetry")]
fn export(layers: &mut Vec<Box<dyn Layer<Registry> + Send + Sync>>) -> Result<Logging, Failure> {
    use polywire_gateway::observe::export::Export;
    let export = Export::new().map_err(|what| Failure::from(Error::usage(format!("the exporter of traces: {what}"))))?;
    if let Some(export) = &export {
        let targets =
            Targets::new().with_target(OURS, LevelFilter::INFO).with_target(polywire_gateway::observe::HOOK_LOG, LevelFilter::OFF);
        layers.push(export.layer().with_filter(targets).boxed());
    }
    Ok(Logging { _export: export })
}

#[cfg(not(feature = "opentelemetry"))]
fn export(_: &mut Vec<Box<dyn Layer<Registry> + Send + Sync>>) -> Result<Logging, Failure> {
    Ok(Logging::default())
}
