//! Makes code of the protocol of the typed benchmarks; with the feature `native`, compiles the shims of the C and C++ libraries.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=proto");
    polywire_codegen::Config::new().compile("proto/published.extprot").expect("extprot's code");
    polywire_codegen::Config::new().compile("proto/sales.udic").unwrap_or_else(|failure| panic!("{failure}"));
    // Other libraries make files of that name too.
    let own = std::path::Path::new(&std::env::var_os("OUT_DIR").expect("cargo says where")).join("polywire");
    std::fs::create_dir_all(&own).expect("cargo's folder can be written");
    for proto in ["proto/messages.proto", "proto/finding.proto"] {
        polywire_codegen::Config::new().out_dir(&own).compile(proto).unwrap_or_else(|failure| panic!("{failure}"));
    }
    #[cfg(feature = "native")]
    native::build();
}

#[cfg(feature = "native")]
mod native {
    use std::collections::HashMap;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// Libraries that pkg-config knows, and whether they are linked: the others are headers.
    const PACKAGED: &[&str] = &[
        "simdjson",
        "RapidJSON",
        "pugixml",
        "libxml-2.0",
        "json-c",
        "json-glib-1.0",
        "protobuf",
        "expat",
        "zlib",
        "tinyxml2",
        "libbson-1.0",
    ];

    pub fn build() {
        println!("cargo::rerun-if-changed=native");
        println!("cargo::rerun-if-changed=Cargo.lock");
        let mut versions = Vec::new();
        let mut includes = Vec::new();
        let mut defines = HashMap::new();
        for name in PACKAGED {
            let found = pkg_config::Config::new().cargo_metadata(false).probe(name);
            let library = found.unwrap_or_else(|error| panic!("{name} is not here; `tools/setup.sh peers` installs it. {error}"));
            versions.push(format!("{name} {}", library.version));
            includes.extend(library.include_paths);
            if *name == "simdjson" {
                // Whether it has threads: the size of its parser depends on that.
                defines = library.defines;
            }
        }
        let (newest, version) = newest_simdjson();
        versions.push(format!("newest simdjson {version}"));
        versions.push(format!("asn1c {}", asn1c_version()));
        println!("cargo::rustc-env=NATIVE_VERSIONS={}", versions.join(", "));

        // For x86-64 as it is: libraries that have code for newer processors choose it as they run.
        let files = ["rapidjson", "json_c", "json_glib", "rapidxml", "pugixml", "libxml2", "expat", "zlib", "floor"];
        shim(&includes).files(files.map(|name| format!("native/{name}.cc"))).compile("peers");
        // simdjson's DOM chooses as it runs, its on-demand front end as it is compiled: it gets this machine's processor.
        let simdjson = || {
            let mut build = shim(&includes);
            build.flag_if_supported("-march=native");
            defines.iter().for_each(|(name, value)| {
                build.define(name, value.as_deref());
            });
            build
        };
        simdjson().file("native/simdjson_packaged.cc").compile("peers_simdjson_packaged");
        // Renamed, since the packaged one is in the same program.
        let mut build = simdjson();
        build.define("simdjson", "simdjson_newest").include(&newest);
        build.file("native/simdjson_newest.cc").file(newest.join("simdjson.cpp")).compile("peers_simdjson_newest");
        protobuf(&includes);
        psyc();
        // Behind the shims, which need them.
        for name in PACKAGED {
            pkg_config::Config::new().env_metadata(false).probe(name).expect("it was here before");
        }
    }

    const PROTOS: [&str; 2] = ["messages.proto", "finding.proto"];

    /// Protobuf's generated code: the C++ of the packaged library by the packaged compiler, the Rust of upb and of buffa by the newest one.
    fn protobuf(includes: &[PathBuf]) {
        let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo says where"));
        let run = |protoc: &Path, option: String| {
            let status = Command::new(protoc).arg("--proto_path=proto").arg(option).args(PROTOS).status();
            let status = status.unwrap_or_else(|error| panic!("{}: {error}; `tools/setup.sh peers` installs it", protoc.display()));
            assert!(status.success(), "{} refuses {PROTOS:?}", protoc.display());
        };
        run(Path::new("protoc"), format!("--cpp_out={}", out.display()));
        // Linked in front of the code that they need.
        sales(includes, &out);
        let mut build = shim(includes);
        build
            .include(&out)
            .warnings(false)
            .files(PROTOS.map(|name| out.join(name).with_extension("pb.cc")))
            .file("native/protobuf.cc")
            .file("native/protobuf_json.cc")
            .file("native/protobuf_sales.cc")
            .compile("peers_protobuf");

        let newest = protoc_bin_vendored::protoc_bin_path().expect("the crate has a protoc for this system");
        protobuf_codegen::CodeGen::new().protoc_path(&newest).include("proto").inputs(PROTOS).generate_and_compile().expect("upb's code");
        let descriptors = out.join("protos.descriptors");
        run(&newest, format!("--descriptor_set_out={}", descriptors.display()));
        let config = buffa_build::Config::new().descriptor_set(&descriptors).files(&PROTOS).include_file("buffa.rs");
        config.compile().expect("buffa's code");
    }

    /// Rivals on the ticket sales, which they get from Protobuf's C++ in `out`; and what asn1c makes of `proto/sales.asn1`.
    fn sales(includes: &[PathBuf], out: &Path) {
        let code = asn1c(out.join("asn1c"));
        let files = ["sales", "sales_rapidjson", "sales_tinyxml2", "sales_libbson", "sales_asn1c"];
        let mut build = shim(includes);
        build.include(out).include(&code).warnings(false).files(files.map(|name| format!("native/{name}.cc"))).compile("peers_sales");

        let mut build = cc::Build::new();
        build.opt_level(3).debug(false).warnings(false).include(&code);
        for entry in std::fs::read_dir(code).expect("asn1c wrote there") {
            let path = entry.expect("a file").path();
            // Among them is the source of a program.
            if path.extension().is_some_and(|ending| ending == "c") && !path.ends_with("converter-sample.c") {
                build.file(path);
            }
        }
        build.compile("peers_asn1c");
    }

    /// Has asn1c write its C code to the folder, which it gives back.
    fn asn1c(folder: PathBuf) -> PathBuf {
        let module = Path::new("proto/sales.asn1").canonicalize().expect("the module is there");
        // asn1c keeps files that are there.
        if folder.exists() {
            std::fs::remove_dir_all(&folder).expect("cargo's folder can be written");
        }
        std::fs::create_dir_all(&folder).expect("cargo's folder can be written");
        let mut command = Command::new("asn1c");
        let output = command.current_dir(&folder).arg("-gen-PER").arg(&module).output().unwrap_or_else(no_asn1c);
        assert!(output.status.success(), "asn1c refuses proto/sales.asn1: {}", String::from_utf8_lossy(&output.stderr));
        folder
    }

    fn no_asn1c(error: std::io::Error) -> std::process::Output {
        panic!("asn1c: {error}; `tools/setup.sh peers` installs it")
    }

    fn asn1c_version() -> String {
        let output = Command::new("asn1c").arg("-h").output().unwrap_or_else(no_asn1c);
        let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let version = text.split_once("Compiler, v").and_then(|(_, rest)| rest.split_whitespace().next());
        version.expect("asn1c tells its version").to_string()
    }

    /// A program of our own C library, whose functions come with the Rust crate.
    fn psyc() {
        println!("cargo::rerun-if-changed=../crates/capi/include");
        let mut build = cc::Build::new();
        build.std("c11").opt_level(3).debug(false).include("../crates/capi/include").file("native/psyc.c").compile("peers_psyc");
    }

    fn shim(includes: &[PathBuf]) -> cc::Build {
        let mut build = cc::Build::new();
        // Optimised whatever the profile is: so the check needs no second build, and nobody can time a slow one.
        build.cpp(true).std("c++17").opt_level(3).debug(false).define("NDEBUG", None).includes(includes);
        build
    }

    /// Where cargo keeps the sources of the newest simdjson, and their version.
    fn newest_simdjson() -> (PathBuf, String) {
        let cargo = std::env::var_os("CARGO").expect("cargo runs build scripts");
        let manifest = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where")).join("Cargo.toml");
        let output = Command::new(cargo).args(["metadata", "--format-version", "1", "--locked", "--manifest-path"]).arg(manifest).output();
        let output = output.expect("cargo runs");
        assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
        let packages = metadata["packages"].as_array().expect("packages");
        let package = packages.iter().find(|package| package["name"] == "simdjson-sys").expect("simdjson-sys is in the lock file");
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
        let folder = manifest.with_file_name("vendor").join("simdjson");
        let header = std::fs::read_to_string(folder.join("simdjson.h")).expect("the crate carries simdjson");
        let version = header.split_once("SIMDJSON_VERSION \"").and_then(|(_, rest)| rest.split('"').next()).expect("a version");
        (folder, version.to_string())
    }
}
