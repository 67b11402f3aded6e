//! Arguments about where results go, and in which form of bytes.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use polywire_core::Error;
use polywire_core::format::payload::Codec;
use polywire_formats::payload;

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// File to write, or with / at its end a folder: each input becomes a file there [default:
    /// stdout, also as -]
    #[arg(short, long, value_name = "FILE|FOLDER/")]
    pub output: Option<PathBuf>,

    /// Write the result of each file in its place, all at once when it is whole
    #[arg(long, conflicts_with_all = ["output", "skip_bad"])]
    pub in_place: bool,

    /// Compress by gzip, zstd, bzip2, xz or lz4, with a level as in zstd:9, or by none [default: by
    /// the output's file extension]
    #[arg(long, value_name = "METHOD[:LEVEL]")]
    pub compress: Option<Compress>,

    /// Write and flush each message as soon as it has come, as is done on a terminal
    #[arg(long)]
    pub unbuffered: bool,
}

/// Treatment of the bytes of an output.
#[derive(Debug, Clone, Copy)]
pub enum Compress {
    /// They stay as they are.
    None,
    /// They are compressed, at this level.
    By(&'static Codec, u32),
}

impl Compress {
    /// Returns the compression that `codec` usually makes, if it is written.
    pub fn usual(codec: &'static Codec) -> Option<Compress> {
        Some(Compress::By(codec, codec.encoder.as_ref()?.level))
    }
}

impl FromStr for Compress {
    type Err = Error;

    fn from_str(text: &str) -> Result<Compress, Error> {
        let (name, level) = text.split_once(':').map_or((text, None), |(name, level)| (name, Some(level)));
        if name == "none" && level.is_none() {
            return Ok(Compress::None);
        }
        let codec = payload::CODECS.iter().copied().find(|codec| codec.name == name || codec.extensions.contains(&name));
        let Some((codec, encoder)) = codec.and_then(|codec| Some((codec, codec.encoder.as_ref()?))) else {
            let written = payload::CODECS.iter().filter(|codec| codec.encoder.is_some());
            let names: Vec<&str> = written.map(|codec| codec.name).chain(["none"]).collect();
            return Err(Error::usage(format!("`{name}`")).expected(format!("one of {}", names.join(", "))));
        };
        let Some(level) = level else { return Ok(Compress::By(codec, encoder.level)) };
        let (least, most) = (encoder.levels.start(), encoder.levels.end());
        match level.parse() {
            Ok(level) if encoder.levels.contains(&level) => Ok(Compress::By(codec, level)),
            _ if least == most => {
                Err(Error::usage(format!("the level `{level}`")).expected(format!("none: {} has one way only", codec.name)))
            }
            _ => Err(Error::usage(format!("the level `{level}`")).expected(format!("{least} to {most} for {}", codec.name))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_have_levels_within_their_range() {
        let parsed = |text: &str| match text.parse::<Compress>() {
            Ok(Compress::None) => "none".to_string(),
            Ok(Compress::By(codec, level)) => format!("{} {level}", codec.name),
            Err(error) => error.to_string(),
        };
        assert_eq!(
            ["none", "gzip", "gz:9", "zstd:19", "zst", "bz2", "xz:0", "lz4"].map(parsed),
            ["none", "gzip 6", "gzip 9", "zstd 19", "zstd 3", "bzip2 9", "xz 0", "lz4 1"]
        );
        for (text, expected) in [
            ("zstd:20", "1 to 19 for zstd"),
            ("gzip:10", "0 to 9 for gzip"),
            ("bzip2:0", "1 to 9 for bzip2"),
            ("xz:-1", "0 to 9 for xz"),
            ("lz4:2", "lz4 has one way only"),
            ("gzip:", "0 to 9 for gzip"),
            ("none:1", "one of gzip, zstd, bzip2, xz, lz4, none"),
            ("base64", "one of gzip, zstd, bzip2, xz, lz4, none"),
            ("", "one of gzip"),
        ] {
            assert!(parsed(text).contains(expected), "{text}: {}", parsed(text));
        }
    }
}
