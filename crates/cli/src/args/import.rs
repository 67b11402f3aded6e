//! The arguments of `polywire import`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Make tables of the query language from a service's description
#[derive(Debug, Args)]
pub struct ImportArgs {
    #[command(subcommand)]
    pub from: ImportFrom,
}

#[derive(Debug, Subcommand)]
pub enum ImportFrom {
    Openapi(OpenapiArgs),
    Wsdl(WsdlArgs),
    Proto(ProtoArgs),
}

/// From OpenAPI 2.0, 3.0 or 3.1, as JSON or YAML
///
/// A path is a table: its GET is the select, POST the insert, PUT or PATCH the update, DELETE the
/// delete.
#[derive(Debug, Args)]
pub struct OpenapiArgs {
    #[command(flatten)]
    pub common: CommonArgs,
}

/// From WSDL 1.1: operations of SOAP 1.1 and 1.2 with document/literal messages
///
/// An operation is a table: a select if its name says that it reads (get, list, find …), else an
/// insert.
#[derive(Debug, Args)]
pub struct WsdlArgs {
    #[command(flatten)]
    pub common: CommonArgs,

    /// Make operations that may change something a select too
    #[arg(long)]
    pub select: bool,
}

/// From services in a .proto file or a descriptor set: unary methods by gRPC
///
/// A method is a table: a select if its name says that it reads (get, list, find …), else an
/// insert.
#[derive(Debug, Args)]
pub struct ProtoArgs {
    #[command(flatten)]
    pub common: CommonArgs,

    /// Make methods that may change something a select too
    #[arg(long)]
    pub select: bool,

    /// Call methods by Connect instead of gRPC
    #[arg(long)]
    pub connect: bool,

    /// Folder that imports are relative to; may be repeated
    #[arg(long, value_name = "DIR")]
    pub include: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub struct CommonArgs {
    /// The description: a file, or an http or https address
    #[arg(value_name = "FILE-OR-URL")]
    pub source: String,

    /// Folder for a file of each table, made if it is missing [default: all on stdout]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Overwrite files of the folder
    #[arg(long, requires = "out")]
    pub force: bool,

    /// First part of the names of all tables
    #[arg(long, value_name = "NAME")]
    pub prefix: Option<String>,

    /// Address of the service [default: the description's]
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
}
