//! `polywire schema check` against the past of a file in git.

use std::path::PathBuf;
use std::process::{Command, Output};

struct Repository {
    folder: PathBuf,
}

impl Repository {
    fn new(name: &str) -> Repository {
        let folder = std::env::temp_dir().join(format!("polywire-check-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("schemas")).expect("a folder");
        let repository = Repository { folder };
        repository.git(&["init", "--quiet"]);
        repository
    }

    fn git(&self, args: &[&str]) {
        let settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
        let status = Command::new("git").arg("-C").arg(&self.folder).args(settings).args(args).status().expect("git runs");
        assert!(status.success(), "{args:?}");
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.join(name), text).expect("a file");
    }

    /// Commits the text as the next version of the protocol.
    fn commit(&self, name: &str, text: &str) {
        self.write(name, text);
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "--message", "next"]);
    }

    fn check(&self, args: &[&str]) -> (i32, String) {
        let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_polywire"))
            .args(["schema", "check"])
            .args(args)
            .current_dir(&self.folder)
            .output()
            .expect("polywire runs");
        (status.code().expect("an exit code"), String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr))
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        // Files left in a temporary folder harm nobody.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

const NAME: &str = "schemas/m.extprot";

#[test]
fn a_file_is_held_against_its_past() {
    let repository = Repository::new("past");
    repository.commit(NAME, "message m = { a : int }");
    repository.commit(NAME, "message m = { a : int; b : bool }");
    repository.git(&["tag", "v1"]);
    repository.write(NAME, "message m = { a : int; b : bool; c : [ int ] }");
    let (code, text) = repository.check(&[NAME, "--against", "git:HEAD"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("field `c` was added"), "{text}");
    repository.write(NAME, "message m = { a : string; b : bool }");
    assert_eq!(repository.check(&[NAME, "--against", "git:v1"]).0, 1);
    let (code, text) = repository.check(&[NAME, "--against", "git:no-such-tag"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("git reported"), "{text}");
}

/// Each step goes together with the one before; the last does not with the first.
#[test]
fn a_range_is_transitive() {
    let repository = Repository::new("range");
    repository.commit(NAME, "message m = { a : int; b : int }");
    repository.commit(NAME, "message m = { a : int }");
    repository.commit("other", "not the schema");
    repository.write(NAME, "message m = { a : int; b : string [@default \"\"] }");
    let backward = ["--direction", "backward"];
    assert_eq!(repository.check(&[&[NAME, "--against", "git:HEAD"][..], &backward].concat()).0, 0);
    let (code, text) = repository.check(&[&[NAME, "--against", "git:HEAD~2..HEAD"][..], &backward].concat());
    assert_eq!(code, 1, "{text}");
    assert_eq!(text.matches(" → ").count(), 2, "the versions that changed the file: {text}");
}

#[test]
fn files_that_a_version_includes_are_those_of_that_version() {
    let repository = Repository::new("include");
    repository.write("schemas/types.extprot", "type t = int");
    repository.commit(NAME, "include \"schemas/types.extprot\"\nmessage m = { a : t }");
    repository.write("schemas/types.extprot", "type t = string");
    let (code, text) = repository.check(&[NAME, "--against", "git:HEAD"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("`t`, which was int, became string"), "{text}");
}
