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
    assert!(text.contains("git: no revision `no-such-tag` (is it fetched?"), "{text}");
}

/// Each file is held against its own past, and one exit code is for all. A new file breaks nobody.
#[test]
fn several_files_are_held_against_their_own_past() {
    let repository = Repository::new("several");
    let other = "schemas/other.extprot";
    repository.write(other, "message o = { a : int }");
    repository.commit(NAME, "message m = { a : int }");
    repository.git(&["tag", "v1"]);
    let (code, text) = repository.check(&[NAME, other, "--against", "git:v1"]);
    assert_eq!((code, text.matches(" → ").count()), (0, 2), "{text}");
    repository.write(NAME, "message m = { a : string }");
    let (code, text) = repository.check(&[NAME, other, "--against", "git:v1", "--report", "github"]);
    assert_eq!((code, text.matches("::error").count()), (1, 1), "{text}");
    assert!(text.contains("of the old version are refused") && text.contains("of the new version are refused"), "{text}");
    repository.write("schemas/new.extprot", "message n = { a : int }");
    let (code, text) = repository.check(&["schemas/new.extprot", "--against", "git:v1"]);
    assert_eq!(code, 0, "{text}");
    assert_eq!(text, "polywire: schemas/new.extprot is new, git:v1 does not have it: nothing to compare\n");
    let (code, text) = repository.check(&["schemas/new.extprot", "--against", "git:v1..HEAD", "--against", "git:v1"]);
    assert_eq!((code, text.lines().count()), (0, 2), "{text}");
}

#[test]
fn files_that_are_not_there_and_folders_are_told_apart() {
    let repository = Repository::new("errors");
    repository.commit(NAME, "message m = { a : int }");
    std::fs::remove_file(repository.folder.join(NAME)).expect("a file");
    let (code, text) = repository.check(&[NAME, "--against", "git:HEAD"]);
    assert!(code == 4 && text.contains("if it was deleted, leave it out"), "{code} {text}");
    let (code, text) = repository.check(&["schemas/never.extprot", "--against", "git:HEAD"]);
    assert!(code == 4 && text.contains("schemas/never.extprot: No such file"), "{code} {text}");
    repository.write(NAME, "message m = { a : int }");
    let (code, text) = repository.check(&["schemas/", "--against", "git:HEAD"]);
    assert!(code == 2 && text.contains("name the files in it: schemas/*.extprot"), "{code} {text}");
}

/// A clone with the newest commit alone, as actions/checkout makes it.
#[test]
fn a_shallow_clone_is_named_as_the_reason() {
    let repository = Repository::new("shallow");
    repository.commit(NAME, "message m = { a : int }");
    repository.git(&["tag", "v1"]);
    repository.commit(NAME, "message m = { a : int; b : int }");
    let source = format!("file://{}", repository.folder.display());
    repository.git(&["clone", "--quiet", "--depth", "1", "--no-tags", &source, "clone"]);
    for source in ["git:v1", "git:v1..HEAD"] {
        let (code, text) = repository.check(&[&format!("clone/{NAME}"), "--against", source]);
        assert!(code == 2 && text.contains("this clone is shallow"), "{code} {text}");
    }
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
