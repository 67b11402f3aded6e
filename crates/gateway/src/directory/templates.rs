//! Body templates, checked when their tables are loaded.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use polywire_core::text::diagnostic::{Diagnostic, Place};
use polywire_hooks::Language;
use polywire_ql::table::Table;

use super::files::below;

/// The longest template that is checked, in bytes.
const LONGEST: u64 = 1 << 20;

/// Returns warnings about the body templates of a table, whose statement is at `at`. Templates of
/// forms have a syntax of their own, and are checked when they are used.
pub(super) fn doubts(root: &Path, table: &Table, at: Place) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for action in table.actions() {
        let Some(body) = &action.body else { continue };
        if body.media.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            continue;
        }
        let folder = table.folder.as_deref().unwrap_or(root);
        let (Some(language), Some(path)) = (Language::of(&body.template), below(root, folder, &body.template)) else { continue };
        let file = path.to_string_lossy();
        let about = format!("table {}, on {}: the body template `{file}`", table.name, action.verb.name());
        let Some(text) = text(&root.join(&path)) else { continue };
        match language.check(&file, &text) {
            Ok(None) => {}
            Ok(Some(doubt)) => found.push(
                Diagnostic::warning("odd_braces", at, format!("{about}: {doubt}"))
                    .hint("close each tag with as many braces as open it, and leave a space before a brace that is text"),
            ),
            Err(error) => {
                let warning = Diagnostic::warning("bad_template", at, format!("{about}: {error}"));
                found.push(warning.hint("calls of this verb will fail"));
            }
        }
    }
    found
}

/// Returns a text that is short enough to be checked. A file may be missing where a hook stands in
/// for it.
fn text(path: &Path) -> Option<String> {
    let mut text = String::new();
    let read = File::open(path).ok()?.take(LONGEST + 1).read_to_string(&mut text).ok()?;
    (read as u64 <= LONGEST).then_some(text)
}
