//! The arguments of `polywire serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

use super::exchange::ExchangeArgs;

/// Serve a folder of tables and routes over HTTP: queries to services of any format, one answer
/// each
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Folder with tables/, routes/ and config.json, or config/dev.json
    #[arg(default_value = ".")]
    pub folder: PathBuf,

    /// Configuration, if it is elsewhere
    #[arg(short, long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Folder of tables, if it is elsewhere
    #[arg(short, long, value_name = "FOLDER")]
    pub tables: Option<PathBuf>,

    /// Folder of routes, if it is elsewhere
    #[arg(short, long, value_name = "FOLDER")]
    pub routes: Option<PathBuf>,

    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    pub host: IpAddr,

    /// Port to listen on; 0 picks a free one
    #[arg(short, long, default_value_t = 3000)]
    pub port: u16,

    /// Serve metrics only on this port, at the same address
    #[arg(short, long, value_name = "PORT", alias = "monPort")]
    pub monitor_port: Option<u16>,

    /// Threads that serve requests, and threads that run hooks [default: the number of processors]
    #[arg(short = 'n', long, alias = "noWorkers")]
    pub threads: Option<usize>,

    /// Accepted from start scripts of ql.io: one process uses all processors
    #[arg(short = 'C', long, hide = true)]
    pub cluster: bool,

    /// Do not reload changed files
    #[arg(long)]
    pub no_watch: bool,

    /// Write a line of JSON per request to this file, which SIGHUP reopens; - is stderr
    #[arg(long, value_name = "FILE")]
    pub access_log: Option<PathBuf>,

    /// Write a line of JSON per slow script to this file, which SIGHUP reopens; - is stderr
    #[arg(long, value_name = "FILE")]
    pub slow_log: Option<PathBuf>,

    /// Write a line of JSON to this file for scripts of callers, changes at services, refusals and
    /// reloads; - is stderr
    #[arg(long, value_name = "FILE")]
    pub audit_log: Option<PathBuf>,

    /// Only load the folder, and report what is wrong with it: exit code 1 if there is an error
    #[arg(long)]
    pub check: bool,

    /// Grace period for requests in flight at shutdown
    #[arg(long, value_name = "SECONDS", default_value_t = 65)]
    pub grace: u64,

    /// Run only routes, no scripts of callers
    #[arg(short = 'q', long, visible_alias = "disable-q", alias = "disableQ")]
    pub no_ad_hoc: bool,

    /// Run scripts of callers from other machines without a token
    #[arg(long, conflicts_with = "no_ad_hoc")]
    pub ad_hoc_open: bool,

    /// Disable the console: no page at /, no scripts over WebSocket
    #[arg(short = 'e', long, visible_alias = "disable-console", alias = "disableConsole")]
    pub no_console: bool,

    /// Path of a health check beside /healthz
    #[arg(short = 'a', long, value_name = "PATH", alias = "ecvPath")]
    pub ecv_path: Option<String>,

    /// Serve TLS with this certificate chain, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// Key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    #[command(flatten)]
    pub exchange: ExchangeArgs,
}
