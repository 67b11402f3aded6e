//! The header and the library in C: programs by both compilers, and what the header declares.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const STRICT: &[&str] = &["-Wall", "-Wextra", "-Werror", "-pedantic"];

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder with the library that cargo built for this test.
fn built() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    assert!(folder.join("libpolywire_capi_general.so").is_file(), "cargo builds the library beside its tests");
    folder
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; tools/setup.sh capi installs what is needed"))
}

fn passed(command: &mut Command) -> String {
    let output = run(command);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{out}{err}");
    out.into_owned()
}

/// Compiles a program, and returns its path.
fn compiled(source: &str, compiler: &str, options: &[&str]) -> PathBuf {
    let name = source.replace(['/', '.'], "-");
    let program = built().join(format!("c-{name}-{compiler}{}", options.concat().replace(['/', ' ', ','], "-")));
    let mut command = Command::new(compiler);
    command.args(["-std=c11", "-g", "-gdwarf-4"]).args(STRICT).args(options).arg("-I").arg(here().join("include"));
    command.arg(here().join(source)).arg("-o").arg(&program).arg(built().join("libpolywire_capi_general.so"));
    passed(command.arg(format!("-Wl,-rpath,{}", built().display())));
    program
}

#[test]
fn the_interface_does_what_its_header_says() {
    for (compiler, options) in [("gcc", &["-O2"][..]), ("clang", &["-O0"])] {
        let program = compiled("tests/c/general.c", compiler, options);
        assert!(passed(&mut Command::new(program)).ends_with(" checks passed\n"));
    }
}

#[test]
fn nothing_is_leaked_or_read_outside() {
    let program = compiled("tests/c/general.c", "gcc", &["-O1"]);
    // A hash map points into its memory, which valgrind takes for possibly lost.
    passed(
        Command::new("valgrind")
            .args(["--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"])
            .arg(program),
    );
    let sanitizer = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    passed(&mut Command::new(compiled("tests/c/general.c", "clang", &sanitizer)));
}

#[test]
fn the_header_compiles_first_and_alone() {
    let include = here().join("include");
    for (compilers, language, standards) in
        [(["gcc", "clang"], "c", &["c11", "gnu11", "c17"][..]), (["g++", "clang++"], "c++", &["c++11", "c++17", "c++20"])]
    {
        for compiler in compilers {
            for standard in standards {
                let mut command = Command::new(compiler);
                command.arg(format!("-std={standard}")).args(STRICT).args(["-fsyntax-only", "-x", language]).arg("-I").arg(&include);
                passed(command.arg(here().join("tests/c/alone.c")));
            }
        }
    }
}

/// Names of functions in a text, such as `polywire_convert`.
fn functions(text: &str) -> BTreeSet<String> {
    let name = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_';
    let code = text.lines().filter(|line| !line.trim_start().starts_with(['*', '/', ' ']));
    let found = code.filter_map(|line| {
        let before = line.split_once('(')?.0;
        Some(before.rsplit(|char| !name(char)).next()?.to_string()).filter(|found| found.starts_with("polywire_"))
    });
    found.collect()
}

#[test]
fn the_library_exports_what_the_header_declares() {
    let header = std::fs::read_to_string(here().join("include/polywire.h")).unwrap();
    let listed = passed(Command::new("nm").args(["-D", "--defined-only"]).arg(built().join("libpolywire_capi_general.so")));
    let exported: BTreeSet<String> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .filter(|name| name.starts_with("polywire_"))
        .map(str::to_string)
        .collect();
    let declared = functions(&header);
    assert!(declared.len() > 30, "{declared:?}");
    assert_eq!(declared, exported);
}

/// The header is what cbindgen makes of the crate. `HEADER=overwrite` writes it anew.
#[test]
fn the_header_is_of_this_crate() {
    let root = here().join("../../..");
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let tools = [folder.join("tools/bin/cbindgen"), root.join("target/tools/bin/cbindgen")];
    let tool = tools.iter().find(|tool| tool.is_file()).map_or_else(|| PathBuf::from("cbindgen"), Clone::clone);
    let mut command = Command::new(tool);
    command.arg("--quiet").arg("--config").arg(here().join("cbindgen.toml")).args(["--crate", "polywire-capi-general"]).arg(here());
    let made = passed(&mut command);
    let path = here().join("include/polywire.h");
    if std::env::var("HEADER").is_ok_and(|value| value == "overwrite") {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == made,
        "include/polywire.h is not of this crate: HEADER=overwrite cargo test -p polywire-capi-general --test c writes it"
    );
}

/// The pages' blocks of C are the example files, and their transcripts are what these print.
#[test]
fn the_page_shows_the_examples() {
    let root = here().join("../../..");
    let page = std::fs::read_to_string(root.join("docs/c-api.md")).unwrap();
    let folder = built().join("c-examples");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["examples", "testdata"] {
        std::os::unix::fs::symlink(std::fs::canonicalize(root.join(name)).unwrap(), folder.join(name)).unwrap();
    }
    let mut shown = 0;
    for entry in std::fs::read_dir(here().join("examples")).unwrap().flatten() {
        let file = entry.file_name().into_string().unwrap();
        let text = std::fs::read_to_string(entry.path()).unwrap();
        assert!(page.contains(&format!("```c\n{text}```\n")), "docs/c-api.md does not show {file}");
        let source = format!("examples/{file}");
        std::fs::copy(compiled(&source, "gcc", &["-O2"]), folder.join(file.trim_end_matches(".c"))).unwrap();
        compiled(&source, "clang", &["-O0"]);
        shown += 1;
    }
    assert_eq!(shown, page.matches("```c\n").count());
    let mut lines = page.lines().peekable();
    let mut ran = 0;
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("    $ ") else { continue };
        let mut expected = String::new();
        while let Some(line) = lines.next_if(|line| line.starts_with("    ") && !line.starts_with("    $ ")) {
            expected = expected + &line[4..] + "\n";
        }
        let output = run(Command::new("bash").current_dir(&folder).args(["-c", &format!("exec 2>&1; {command}")]));
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{command}");
        ran += 1;
    }
    assert!(ran >= shown, "{ran} commands of {shown} examples");
}
