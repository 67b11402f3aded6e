//! The arguments of `polywire diff`.

use std::path::PathBuf;

use clap::Args;
use polywire_core::Error;
use polywire_core::format::Format;

use super::charset::CharsetArg;
use super::input::{DuplicatesArg, EachArg, LimitArgs, format_names};
use super::paths::{Keys, OpenPaths, Selection, StrictArg};
use super::report::DiffReport;
use super::schema_file::SchemaArg;
use super::settings::ReadSettings;

use crate::complete;

/// Compare messages by value, across formats, and show the differences
///
/// Messages and the elements of lists are aligned: one that was added or removed is one difference.
/// Fields are matched by name, in any order. Numbers are exact: 1 is not 1.0. The exit code is 0 if
/// all are equal, and nothing is printed; it is 1 if any differ.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// First file, or folder; - is stdin
    pub left: PathBuf,

    /// Second file, in the same format or another, or folder: files of the same name are compared;
    /// - is stdin
    pub right: PathBuf,

    /// Format of both files [default: recognised by the first bytes, else by the file extension]
    #[arg(long, value_name = "FORMAT", value_parser = format_names(), hide_possible_values = true)]
    pub from: Option<&'static Format>,

    /// Format of the first file
    #[arg(long, value_name = "FORMAT", value_parser = format_names(), hide_possible_values = true)]
    pub from_a: Option<&'static Format>,

    /// Format of the second file
    #[arg(long, value_name = "FORMAT", value_parser = format_names(), hide_possible_values = true)]
    pub from_b: Option<&'static Format>,

    #[command(flatten)]
    pub charset: CharsetArg,

    #[command(flatten)]
    pub settings: ReadSettings,

    #[command(flatten)]
    pub each: EachArg,

    #[command(flatten)]
    pub schema: SchemaArg,

    /// Schema for the first file alone [default: that of --schema]
    #[arg(long, value_name = "FILE")]
    pub schema_a: Option<PathBuf>,

    /// Schema for the second file alone [default: that of --schema]
    #[arg(long, value_name = "FILE")]
    pub schema_b: Option<PathBuf>,

    /// Type of the messages in the schema of the first file
    #[arg(long, value_name = "NAME")]
    pub type_a: Option<String>,

    /// Type of the messages in the schema of the second file
    #[arg(long, value_name = "NAME")]
    pub type_b: Option<String>,

    // Given apart from the documentation, where brackets would be a link.
    /// Paths to leave out
    #[arg(long, value_name = "PATH[,PATH…]", add = complete::paths(), help = "Leave these paths out, such as header.date or items[0].price; * is every name")]
    pub ignore: Option<Selection>,

    /// Compare only these paths
    #[arg(long, value_name = "PATH[,PATH…]", add = complete::paths())]
    pub select: Option<Selection>,

    /// Replace text or bytes at these paths by the message they hold; . is the input itself, such
    /// as a compressed file
    #[arg(long, value_name = "PATH[,PATH…]", add = complete::paths())]
    pub open: Option<OpenPaths>,

    #[command(flatten)]
    pub strict: StrictArg,

    /// Match the elements of lists, and the messages, by a field: id, or items=sku for the lists at
    /// a path, .=id for the messages; sku+size are two fields
    #[arg(long, value_name = "KEY[,KEY…]")]
    pub key: Option<Keys>,

    /// Compare messages and elements of lists as they stand: first with first, second with second
    #[arg(long)]
    pub no_align: bool,

    /// Take numbers for equal that differ by at most N, or by N times the larger one, if that is
    /// above 1; and moments that differ by N seconds. Integers stay exact
    #[arg(long, value_name = "N", value_parser = epsilon)]
    pub epsilon: Option<f64>,

    /// Take numbers of the same value for equal, whatever their kinds are: 1 is 1.0
    #[arg(long)]
    pub same_numbers: bool,

    /// Show at most N differences; the rest are counted
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub max: u64,

    /// Show long values in full
    #[arg(long)]
    pub full: bool,

    /// Form of the report
    #[arg(long, value_enum, default_value_t = DiffReport::Text)]
    pub report: DiffReport,

    #[command(flatten)]
    pub duplicates: DuplicatesArg,

    #[command(flatten)]
    pub limits: LimitArgs,
}

impl DiffArgs {
    /// Returns the schemas of the two files, if they are not those of `--schema` alone.
    ///
    /// # Errors
    /// A type without a schema.
    pub fn schemas(&self) -> Result<Option<[SchemaArg; 2]>, Error> {
        let sides = [(&self.schema_a, &self.type_a, "a"), (&self.schema_b, &self.type_b, "b")];
        if sides.iter().all(|(schema, ty, _)| schema.is_none() && ty.is_none()) {
            return Ok(None);
        }
        let mut schemas = Vec::with_capacity(sides.len());
        for (own, ty, side) in sides {
            let schema = own.as_ref().or(self.schema.schema.as_ref()).cloned();
            if let (None, Some(ty)) = (&schema, ty) {
                return Err(Error::usage(format!("--type-{side} {ty}")).expected(format!("a schema by --schema or --schema-{side}")));
            }
            // The type that is meant for both is one of their common schema.
            let common = self.schema.ty.as_ref().filter(|_| own.is_none());
            schemas.push(SchemaArg::new(schema, ty.as_ref().or(common).cloned(), self.schema.include.clone()));
        }
        Ok(<[SchemaArg; 2]>::try_from(schemas).ok())
    }
}

/// Reads the largest difference of two numbers.
fn epsilon(text: &str) -> Result<f64, Error> {
    let parsed = text.parse().ok().filter(|epsilon: &f64| epsilon.is_finite() && *epsilon > 0.0);
    parsed.ok_or_else(|| Error::usage(format!("the epsilon `{text}`")).expected("a number above 0, such as 1e-9"))
}
