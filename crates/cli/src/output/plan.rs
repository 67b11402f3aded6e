//! The plan of a run: the output of each input, refused before anything is written if two are the
//! same.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use polywire_core::Error;
use polywire_core::format::Format;
use polywire_core::format::payload::Codec;
use polywire_formats::{payload, registry};

use crate::absent;
use crate::args::output::{Compress, OutputArgs};
use crate::failure::Failure;
use crate::input::Place;
use crate::output::Target;

/// The outputs of a run.
#[derive(Debug)]
pub enum Plan {
    /// All results go to one output, in this format.
    Stream(Target, Compress, &'static Format),
    /// The result of each input has an output of its own. Without a format, it stays the input's.
    Each(Vec<Target>, Option<Compress>, Option<&'static Format>),
}

/// Returns the plan for the inputs `places`, of which none means stdin; `to` is the format that was
/// asked for.
///
/// # Errors
/// Nothing says which format to write, two results have one place, or a result the place of an
/// input.
pub fn plan(args: &OutputArgs, places: &[Place], to: Option<&'static Format>) -> Result<Plan, Failure> {
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    if args.in_place {
        let targets = in_place(places, to)?;
        return Ok(Plan::Each(targets, args.compress, to));
    }
    if let Some(folder) = output.filter(|path| is_folder(path)) {
        let Some(to) = to else { return Err(no_format("no format to write")) };
        let compress = args.compress.unwrap_or(Compress::None);
        return Ok(Plan::Each(in_folder(folder, places, to, compress)?, Some(compress), Some(to)));
    }
    let to = match to {
        Some(to) => to,
        None => by_extension(output)?,
    };
    let (target, compress) = one(output, args.compress, places)?;
    Ok(Plan::Stream(target, compress, to))
}

/// Returns the one output of the inputs `places`, and its compression.
///
/// # Errors
/// The output is one of the inputs.
fn one(output: Option<&Path>, compress: Option<Compress>, places: &[Place]) -> Result<(Target, Compress), Failure> {
    let usual = || output.and_then(extension).and_then(codec_of).and_then(Compress::usual);
    let compress = compress.or_else(usual).unwrap_or(Compress::None);
    let Some(path) = output else { return Ok((Target::Stdout, compress)) };
    if places.iter().any(|place| same(&place.path, path)) {
        return Err(over_an_input(path));
    }
    Ok((Target::File(path.to_path_buf()), compress))
}

/// Returns the compression of a file that is written in its place: as it was.
pub fn in_place_compression(codecs: &[&'static Codec], name: &str) -> Result<Compress, Failure> {
    let usual = match codecs {
        [] => Some(Compress::None),
        [codec] => Compress::usual(codec),
        _ => None,
    };
    usual.ok_or_else(|| {
        let error = Error::usage("a file in an encoding that is not written").hint("name another one with --compress, or none");
        Failure::about(error, Some(name))
    })
}

fn is_folder(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(std::path::MAIN_SEPARATOR_STR.as_bytes())
        || path.as_os_str().as_encoded_bytes().ends_with(b"/")
        || path.is_dir()
}

fn extension(path: &Path) -> Option<&str> {
    path.extension()?.to_str()
}

/// Returns the compression with this file extension.
fn codec_of(extension: &str) -> Option<&'static Codec> {
    let codecs = payload::CODECS.iter().copied();
    codecs.filter(|codec| codec.encoder.is_some()).find(|codec| codec.extensions.contains(&&*extension.to_ascii_lowercase()))
}

/// Returns the format of an output's file extension, or of the one before that of a compression.
///
/// # Errors
/// No format has it.
pub fn by_extension(output: Option<&Path>) -> Result<&'static Format, Failure> {
    let extension = output.and_then(plain_extension);
    extension.and_then(registry::by_extension).ok_or_else(|| {
        if let Some((extension, feature)) = extension.and_then(|extension| Some((extension, registry::absent(extension)?))) {
            return absent::name(extension, feature).into();
        }
        let seen = extension
            .map_or_else(|| "no format to write".to_string(), |extension| format!("the file extension .{extension}, which no format has"));
        no_format(seen)
    })
}

fn no_format(seen: impl Into<std::borrow::Cow<'static, str>>) -> Failure {
    Error::usage(seen).hint("name the format to write with --to; `polywire formats` lists them").into()
}

fn over_an_input(path: &Path) -> Failure {
    let error = Error::usage("the input as the output").hint("write to another file, or --in-place");
    Failure::Error(error, Some(path.display().to_string()))
}

fn same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Returns the files themselves; a link's is the file that it leads to.
fn in_place(places: &[Place], to: Option<&'static Format>) -> Result<Vec<Target>, Failure> {
    if places.is_empty() {
        return Err(Error::usage("stdin with --in-place").expected("files").into());
    }
    let mut seen = HashMap::new();
    let target = |place: &Place| {
        let name = place.path.display().to_string();
        let about = |error: Error| Failure::about(error, Some(&name));
        if place.path == Path::new("-") {
            return Err(Error::usage("stdin with --in-place").expected("files").into());
        }
        let real = place.path.canonicalize().map_err(|error| about(Error::io("opening", &error)))?;
        let there = real.metadata().map_err(|error| about(Error::io("opening", &error)))?;
        if !there.is_file() {
            return Err(about(Error::usage("something else than a file with --in-place").expected("a file")));
        }
        if there.permissions().readonly() {
            return Err(about(Error::io("writing in its place", &std::io::ErrorKind::PermissionDenied.into())));
        }
        if let (Some(to), Some(named)) = (to, plain_extension(&real).and_then(registry::by_extension))
            && to.name != named.name
        {
            let error = Error::usage(format!("{} in a file whose extension is that of {}", to.name, named.name));
            return Err(about(error.hint("-o FOLDER/ writes files with the right extension")));
        }
        if let Some(other) = seen.insert(real.clone(), name.clone()) {
            return Err(about(Error::usage(format!("the same file as {other}")).expected("each file once")));
        }
        Ok(Target::Whole(real, Some(there.permissions())))
    };
    places.iter().map(target).collect()
}

/// Returns a file extension, without that of a compression.
fn plain_extension(path: &Path) -> Option<&str> {
    let last = extension(path)?;
    if codec_of(last).is_some() { extension(Path::new(path.file_stem()?)) } else { Some(last) }
}

/// Returns a file in `folder` for each input, with the extension of what is written.
fn in_folder(folder: &Path, places: &[Place], to: &Format, compress: Compress) -> Result<Vec<Target>, Failure> {
    if places.iter().any(|place| place.path == Path::new("-")) || places.is_empty() {
        return Err(Error::usage("stdin with a folder as the output").expected("files, whose names the outputs get").into());
    }
    let mut seen: HashMap<PathBuf, PathBuf> = HashMap::new();
    let inputs: HashSet<PathBuf> = places.iter().filter_map(|place| place.path.canonicalize().ok()).collect();
    let target = |place: &Place| {
        let Place { path, below, .. } = place;
        let output = folder.join(renamed(below, to, compress));
        if let Some(other) = seen.insert(output.clone(), path.clone()) {
            let error = Error::usage(format!("{} and {}, which both become this file", other.display(), path.display()));
            return Err(Failure::about(error.hint("rename one, or use two folders"), Some(&output.display().to_string())));
        }
        if output.canonicalize().is_ok_and(|output| inputs.contains(&output)) {
            return Err(over_an_input(&output));
        }
        if output.is_dir() {
            let error = Error::usage("a folder in the place of an output").expected("no folder of that name");
            return Err(Failure::about(error, Some(&output.display().to_string())));
        }
        Ok(Target::Whole(output, None))
    };
    places.iter().map(target).collect()
}

/// Returns the name of an output: the input's, with the extensions of its format and compression
/// replaced. An extension that belongs to neither is part of the name.
fn renamed(below: &Path, to: &Format, compress: Compress) -> PathBuf {
    let mut name: PathBuf = below.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    if extension(&name).and_then(codec_of).is_some() {
        name.set_extension("");
    }
    if extension(&name).and_then(registry::by_extension).is_some() {
        name.set_extension("");
    }
    let mut full = name.into_os_string();
    full.push(".");
    full.push(to.extensions.first().copied().unwrap_or(to.name));
    if let Compress::By(codec, _) = compress
        && let Some(extension) = codec.extensions.first()
    {
        full.push(".");
        full.push(extension);
    }
    full.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str) -> &'static Format {
        registry::find(name).unwrap()
    }

    #[test]
    fn the_target_comes_from_the_file_extension() {
        let found = |path: &str| by_extension(Some(Path::new(path))).ok().map(|format| format.name);
        assert_eq!(["a.json", "a.json.gz", "a.cbor.zst", "a.CSV.XZ"].map(found), [Some("json"), Some("json"), Some("cbor"), Some("csv")]);
        assert_eq!(["a.nothing", "a.gz", "a", "a.json.b64"].map(found), [None; 4]);
        assert!(by_extension(None).is_err());
    }

    #[test]
    fn names_get_the_extension_of_what_is_written() {
        let new = |below: &str, compress| renamed(Path::new(below), format("jsonl"), compress).display().to_string();
        for (old, expected) in [
            ("a.json", "a.jsonl"),
            ("in/a.csv.gz", "in/a.jsonl"),
            ("a", "a.jsonl"),
            ("a.v2", "a.v2.jsonl"),
            ("2026.11.json", "2026.11.jsonl"),
            ("../a.xml", "a.jsonl"),
        ] {
            assert_eq!(new(old, Compress::None), expected);
        }
        assert_eq!(new("a.json.gz", "zstd:9".parse().unwrap()), "a.jsonl.zst");
    }
}
