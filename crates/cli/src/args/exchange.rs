//! Arguments of the verbs that run scripts: replies, cache, log.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub struct ExchangeArgs {
    /// Record the services' replies in this folder, without secrets
    #[arg(long, value_name = "FOLDER", conflicts_with = "replay")]
    pub record: Option<PathBuf>,

    /// Answer from recorded replies, without network
    #[arg(long, value_name = "FOLDER")]
    pub replay: Option<PathBuf>,

    /// Cache for verbs with `expires`: memory, off, redis://HOST, or rediss://HOST with TLS
    /// [default: the configuration's]
    #[arg(long, value_name = "WHERE")]
    pub cache: Option<String>,

    /// Log on stderr: error, warn, info, debug or trace, or TARGET=LEVEL[,…] [default: RUST_LOG]
    #[arg(long, value_name = "LEVEL")]
    pub log: Option<String>,

    /// JSON file with the modules that read tables' replies: {"table": "module.js"} [default:
    /// config/xformers.json in the folder]
    #[arg(short = 'x', long, value_name = "FILE")]
    pub xformers: Option<PathBuf>,
}
