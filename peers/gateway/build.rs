//! Compiles what the gateway's cost is held against: C++ that reads the same reply and prints its JSON.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=native");
    println!("cargo::rerun-if-changed=../../examples/search.proto");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo says where"));
    let status =
        Command::new("protoc").args(["--proto_path=../../examples", "search.proto"]).arg(format!("--cpp_out={}", out.display())).status();
    assert!(status.is_ok_and(|status| status.success()), "protoc; `tools/setup.sh peers` installs it");
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(3).debug(false).define("NDEBUG", None).include(&out).warnings(false);
    let library = |name| {
        let probed = pkg_config::Config::new().cargo_metadata(false).probe(name);
        probed.unwrap_or_else(|error| panic!("{name} is not here; `tools/setup.sh peers` installs it. {error}"))
    };
    for name in ["protobuf", "pugixml", "RapidJSON"] {
        build.includes(library(name).include_paths);
    }
    build.file("native/reply.cc").file(out.join("search.pb.cc")).compile("gateway_reply");
    for name in ["protobuf", "pugixml"] {
        pkg_config::Config::new().env_metadata(false).probe(name).expect("it was here before");
    }
}
