//! The examples run, and print what the files in `tests/examples` hold. `EXAMPLES=overwrite` in the
//! environment writes the files.

use std::path::Path;
use std::process::Command;

/// Runs an example that cargo has built beside the tests, and compares what it prints.
fn prints(name: &str) {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().with_file_name("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let output = Command::new(&program).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}; `cargo test -p polywire --all-features` builds it", program.display()));
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/examples").join(format!("{name}.stdout"));
    if std::env::var_os("EXAMPLES").is_some_and(|what| what == "overwrite") {
        std::fs::write(&golden, &printed).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).unwrap_or_default();
    assert_eq!(printed, expected, "{} differs", golden.display());
}

macro_rules! examples {
    ($($name:ident,)*) => {
        $(#[test] fn $name() { prints(stringify!($name)); })*

        #[test]
        fn every_example_is_run() {
            let mut names: Vec<String> = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"))
                .unwrap()
                .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".rs").map(str::to_string))
                .collect();
            names.sort();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

examples! {
    check,
    convert,
    infer,
    protobuf,
    serde,
    sink,
    stream,
    tokio,
    typed_stream,
    typed_tokio,
}
