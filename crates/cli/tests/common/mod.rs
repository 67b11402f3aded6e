//! Running the program as a person would, from the root of the repository.
// Each test target uses a part of it.
#![allow(dead_code)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Arguments of `compare` for the formats that a program without features compares, which the
/// documents show.
pub const ROWS: [&str; 2] = ["--formats", "json,msgpack,cbor,xml,bson,bencode,psyc,csv,yaml,extprot,usds,protobuf"];

/// Returns the root of the repository. Commands run there, so that transcripts name files as a
/// person would.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Makes a command of the program, with nothing in the environment that changes its colours.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polywire"));
    command.args(args).current_dir(root());
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
        command.env_remove(variable);
    }
    command
}

/// Runs a command with `stdin`, and returns its output.
pub fn fed(mut command: Command, stdin: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let stdin = stdin.to_vec();
    let feeder = std::thread::spawn(move || {
        // A run that fails before it reads closes the pipe.
        let _ = pipe.write_all(&stdin);
    });
    let output = child.wait_with_output().expect("the program ends");
    feeder.join().expect("the feeder ends");
    output
}
