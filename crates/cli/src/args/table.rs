//! The arguments of `polywire table`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Draft tables of the query language
#[derive(Debug, Args)]
pub struct TableArgs {
    #[command(subcommand)]
    pub verb: TableVerb,
}

#[derive(Debug, Subcommand)]
pub enum TableVerb {
    New(TableNewArgs),
}

/// Draft a `create table` from a service's replies: the place of the rows, lists, numbers, texts
///
/// Replies come from files, or else from the URL. Several replies show which names are lists even
/// where they hold one element.
#[derive(Debug, Args)]
pub struct TableNewArgs {
    // The help shows the address as it is, without the angle brackets of a link.
    #[allow(rustdoc::bare_urls)]
    /// Address of the service, with sample values: 'http://shop.example/items?q=lamp'
    pub url: String,

    /// Recorded reply to read instead of asking the service; may be repeated
    #[arg(long, value_name = "FILE")]
    pub reply: Vec<PathBuf>,

    /// Media type of the recorded replies [default: by file extension, else by the bytes]
    #[arg(long = "type", value_name = "TYPE", requires = "reply")]
    pub media_type: Option<String>,

    /// Name of the table [default: from host and path]
    #[arg(long)]
    pub name: Option<String>,

    /// HTTP method: get, post, put, delete or patch
    #[arg(long, default_value = "get", value_parser = ["get", "post", "put", "delete", "patch"])]
    pub method: String,

    /// Header of the request; may be repeated
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<String>,
}
