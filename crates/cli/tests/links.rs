//! Every link in a page of this repository leads to a file, and to a heading that is there.
//!
//! Links work where the pages are read as files, as a forge shows them. The book has all pages of
//! `docs`: SUMMARY.md lists each once. `tools/book.py` rewrites links that leave the book.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use common::root;

/// Folders whose pages are not ours, or no pages.
const LEFT_OUT: &[&str] = &["target", "node_modules", ".git", "corpus", "artifacts", "src"];

/// A page: the places that a link can lead to, and its links with the numbers of their lines.
struct Page {
    places: BTreeSet<String>,
    links: Vec<(usize, String)>,
}

/// Returns all pages below a folder, as paths from the root.
fn pages() -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder").flatten() {
            let (path, name) = (folder.join(entry.file_name()), entry.file_name());
            if entry.file_type().expect("a type").is_dir() {
                if !LEFT_OUT.iter().any(|left_out| name == *left_out) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the place of a heading, as forges and mdbook name it.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|char| match char {
        char if char.is_alphanumeric() || char == '-' || char == '_' => Some(char.to_lowercase().collect::<String>()),
        char if char.is_whitespace() => Some("-".to_string()),
        _ => None,
    });
    kept.collect()
}

fn read(text: &str) -> Page {
    let mut page = Page { places: BTreeSet::new(), links: Vec::new() };
    let mut heading: Option<String> = None;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (event, span) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let slug = slug(&heading.take().expect("a heading began"));
                let count = seen.entry(slug.clone()).or_default();
                page.places.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
                *count += 1;
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                let line = text[..span.start].matches('\n').count() + 1;
                page.links.push((line, dest_url.to_string()));
            }
            Event::Html(part) | Event::InlineHtml(part) => {
                let ids = part.split("id=\"").skip(1).filter_map(|rest| rest.split_once('"'));
                page.places.extend(ids.map(|(id, _)| id.to_string()));
            }
            _ => {}
        }
    }
    page
}

/// Returns a path without its `.` and `..`, or `None` if it leaves the repository.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => plain.push(part),
            Component::ParentDir => plain.pop().then_some(())?,
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(plain)
}

/// Returns what is wrong with a link of the page at `from`.
fn fault(link: &str, from: &Path, pages: &BTreeMap<PathBuf, Page>) -> Option<&'static str> {
    if link.starts_with("https://") || link.starts_with("http://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let path = if file.is_empty() { Some(from.to_path_buf()) } else { plain(&from.parent().expect("a folder").join(file)) };
    let Some(path) = path else { return Some("leaves the repository") };
    if !root().join(&path).exists() {
        return Some("no such file");
    }
    match (pages.get(&path), anchor) {
        (Some(page), Some(anchor)) if !page.places.contains(anchor) => Some("no such heading"),
        _ => None,
    }
}

fn all() -> BTreeMap<PathBuf, Page> {
    let read = |path: &Path| read(&std::fs::read_to_string(root().join(path)).expect("a page"));
    pages().into_iter().map(|path| (path.clone(), read(&path))).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let pages = all();
    let mut dead = Vec::new();
    for (path, page) in &pages {
        for (line, link) in &page.links {
            if let Some(fault) = fault(link, path, &pages) {
                dead.push(format!("{}:{line}: {link}: {fault}", path.display()));
            }
        }
    }
    let count: usize = pages.values().map(|page| page.links.len()).sum();
    assert!(count > 500, "{count} links");
    assert!(dead.is_empty(), "{} of {count} links:\n{}", dead.len(), dead.join("\n"));
}

#[test]
fn the_book_has_every_page_once() {
    let pages = all();
    let summary = Path::new("docs/SUMMARY.md");
    let mut listed: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for (_, link) in &pages[summary].links {
        *listed.entry(plain(&Path::new("docs").join(link)).expect("a page")).or_default() += 1;
    }
    let own = |path: &&PathBuf| path.starts_with("docs") && path.as_path() != summary;
    let absent: Vec<&PathBuf> = pages.keys().filter(own).filter(|path| !listed.contains_key(*path)).collect();
    assert!(absent.is_empty(), "not in docs/SUMMARY.md: {absent:?}");
    let twice: Vec<&PathBuf> = listed.iter().filter(|(_, count)| **count > 1).map(|(path, _)| path).collect();
    assert!(twice.is_empty(), "twice in docs/SUMMARY.md: {twice:?}");
}

#[test]
fn headings_and_links_are_read_as_a_forge_reads_them() {
    let page = read("# `a b` c: d, e\n\n## x\n\n## x\n\n[l](m.md#n) `[no](no.md)` ![p](q.svg)\n\n    [no](no.md)\n\n<a id=\"y\"></a>\n");
    assert_eq!(page.places.iter().map(String::as_str).collect::<Vec<_>>(), ["a-b-c-d-e", "x", "x-1", "y"]);
    assert_eq!(page.links, [(7, "m.md#n".to_string()), (7, "q.svg".to_string())]);
    let pages = BTreeMap::from([(PathBuf::from("README.md"), page)]);
    let fault = |link| fault(link, Path::new("README.md"), &pages);
    assert_eq!((fault("#x-1"), fault("docs"), fault("https://a.example/b")), (None, None, None));
    assert_eq!(
        (fault("#z"), fault("no.md"), fault("../a")),
        (Some("no such heading"), Some("no such file"), Some("leaves the repository"))
    );
}
