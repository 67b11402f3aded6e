//! The command's exit code: a miss, a stale exception, and a suite that is as known.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder that holds a suite of JSON, and goes away at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = Folder(std::env::temp_dir().join(format!("suites-{name}-{}", std::process::id())));
        std::fs::create_dir_all(folder.cases()).unwrap();
        // The exceptions of this suite are for these two.
        folder.case("n_structure_100000_opening_arrays.json", &"[".repeat(100_000));
        folder.case("n_structure_open_array_object.json", &"[{\"\":".repeat(50_000));
        folder.case("y_one.json", "[1]");
        folder.case("n_none.json", "");
        folder
    }

    fn cases(&self) -> PathBuf {
        self.0.join("nst+JSONTestSuite/test_parsing")
    }

    fn case(&self, name: &str, text: &str) {
        std::fs::write(self.cases().join(name), text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs the suite in a folder; returns the exit code and what was printed.
fn run(folder: &Path, more: &[&str]) -> (Option<i32>, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_polywire-suites"))
        .args(["--only", "json-parsing", "--suites"])
        .arg(folder)
        .args(more)
        .env_remove("SUITES")
        .output()
        .unwrap();
    (out.status.code(), format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr)))
}

#[test]
fn a_suite_that_is_as_known_is_a_success() {
    let folder = Folder::new("known");
    let (code, printed) = run(&folder.0, &[]);
    assert!(code == Some(0) && printed.contains("2 of 4 right, 2 excepted"), "{printed}");
    let page = folder.0.join("page.md");
    let (code, printed) = run(&folder.0, &["--partial", "--write", page.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{printed}");
    let text = std::fs::read_to_string(page).unwrap();
    assert!(text.contains("| JSON | JSONTestSuite | unknown | MIT | 4 | 2 | 2 |"), "{text}");
}

#[test]
fn a_new_miss_fails() {
    let folder = Folder::new("miss");
    folder.case("n_wrong.json", "[1]");
    let (code, printed) = run(&folder.0, &[]);
    assert!(code == Some(1) && printed.contains("new miss: n_wrong.json: accepted"), "{printed}");
}

#[test]
fn an_exception_that_is_right_fails_and_so_does_one_without_a_case() {
    let folder = Folder::new("stale");
    folder.case("n_structure_open_array_object.json", "[{\"\":");
    let (code, printed) = run(&folder.0, &[]);
    assert!(code == Some(1) && printed.contains("n_structure_open_array_object.json: excepted, and right"), "{printed}");
    std::fs::remove_file(folder.cases().join("n_structure_open_array_object.json")).unwrap();
    let (code, printed) = run(&folder.0, &[]);
    assert!(code == Some(1) && printed.contains("excepted, and no case of the suite"), "{printed}");
}

#[test]
fn a_page_without_all_suites_is_not_written() {
    let folder = Folder::new("page");
    let page = folder.0.join("page.md");
    let (code, printed) = run(&folder.0, &["--only", "mustache", "--write", page.to_str().unwrap()]);
    assert!(code == Some(2) && !page.exists() && printed.contains("mustache did not run"), "{printed}");
}
