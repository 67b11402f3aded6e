//! The gateway's log: text on stderr, and spans for a collector.

use std::io::stderr;

use anstream::AutoStream;
use polywire_core::Error;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use crate::failure::Failure;

/// Prefix of our own targets.
const OURS: &str = "polywire";

/// Environment variable that sets what is logged, without a flag.
const VARIABLE: &str = "RUST_LOG";

/// Holder of the exporter, which sends pending spans when it is dropped.
#[derive(Default)]
pub struct Logging {
    _export: Option<polywire_gateway::observe::export::Export>,
}

/// Starts the log that `wanted` asks for, else `RUST_LOG`. Without either, nothing is logged.
pub fn begin(wanted: Option<&str>) -> Result<Logging, Failure> {
    // A word alone names a target in `RUST_LOG`, by custom. As a flag it is a mistake.
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
        // It fails only if another log was started.
        let _ = tracing_subscriber::registry().with(layers).try_init();
    }
    Ok(logging)
}

/// Parses a level, which is for our own targets, or levels by target, such as
/// `polywire_gateway=debug,hyper=info`.
fn targets(wanted: &str) -> Result<Targets, Failure> {
    if let Ok(level) = wanted.parse::<LevelFilter>() {
        return Ok(Targets::new().with_target(OURS, level).with_default(level.min(LevelFilter::WARN)));
    }
    wanted.parse().map_err(|_| unknown(wanted))
}

fn unknown(wanted: &str) -> Failure {
    let error = Error::usage(format!("the log level `{wanted}`"));
    Failure::from(error.expected("off, error, warn, info, debug, trace, or TARGET=LEVEL[,…]"))
}

/// Returns a layer of text lines. If `fine`, it also logs the end and duration of each span.
fn text(fine: bool) -> impl Layer<Registry> + Send + Sync {
    let plain = AutoStream::choice(&stderr()) == anstream::ColorChoice::Never;
    let spans = if fine { FmtSpan::CLOSE } else { FmtSpan::NONE };
    // Its own complaints would be a panic where stderr cannot be written.
    fmt::layer().log_internal_errors(false).with_writer(stderr).with_ansi(!plain).with_span_events(spans)
}

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
