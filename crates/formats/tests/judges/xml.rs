//! XML beside `roxmltree`.

use polywire_core::{Budget, ErrorKind, Limits, Reader, Writer};
use polywire_formats::xml::{XmlReader, XmlWriter};
use roxmltree::{Document, Node, NodeType, ParsingOptions};

/// Parts of our errors for which the judge does not look: colons and second declarations of
/// namespaces, targets of instructions, and references to characters.
const EXCUSED: &[&str] = &[
    "misplaced colon",
    "a processing instruction, or an XML declaration",
    "expected white space or `?>`",
    "a second attribute `xmlns",
    "a character that XML 1.0 allows",
    "a processing instruction with a colon in its name",
];

/// Compares verdicts, and has the judge see the same document in what we write of it.
///
/// # Panics
/// They disagree.
pub fn body(bytes: &[u8]) {
    // The judge reads UTF-8 alone, and knows no marks. It looks into no declaration.
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if text.starts_with("<?xml") || text.starts_with('\u{feff}') || text.contains('\0') || text.contains("urn:polywire:values") {
        return;
    }
    let mut written = Vec::new();
    let mut writer = XmlWriter::default();
    let limits = Limits::DEFAULT.with_decoded(1 << 20);
    let ours = XmlReader::default().walk(bytes, 0, &mut writer, &mut Budget::new(&limits)).and_then(|()| writer.finish(&mut written));
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let judged = Document::parse_with_options(text, options);
    let typed = text.contains("<!DOCTYPE");
    match (ours, &judged) {
        (Ok(()), Ok(judged)) if !text.contains("<!ATTLIST") && !has_references(text) => {
            let again = std::str::from_utf8(&written).expect("XML is written in UTF-8");
            let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
            let read = Document::parse_with_options(again, options).unwrap_or_else(|error| panic!("{again}: {error}"));
            assert_eq!(seen(judged.root()), seen(read.root()), "{again}");
        }
        (Ok(()), Err(error)) => assert!(typed, "read by us, refused by the judge: {error}"),
        (Err(error), Ok(_)) => {
            let shown = error.to_string();
            let excused = typed || error.kind() == ErrorKind::Limit || EXCUSED.iter().any(|part| shown.contains(part));
            assert!(excused, "read by the judge, refused by us: {error}");
        }
        _ => {}
    }
}

/// Reports whether an entity may hold a reference to a character, which the judge does not expand
/// twice.
fn has_references(text: &str) -> bool {
    text.contains("<!ENTITY") && text.contains("&#")
}

/// Returns what the judge sees, without the quotes and references that a writer may choose.
fn seen(root: Node<'_, '_>) -> String {
    let mut out = String::new();
    // Explicit, since a document may be nested as deep as our limit.
    let mut stack = vec![(root, false)];
    while let Some((node, left)) = stack.pop() {
        match node.node_type() {
            NodeType::Element if left => out.push_str("</>"),
            NodeType::Element => {
                out.push_str(&format!("<{:?}", node.tag_name()));
                for attribute in node.attributes() {
                    out.push_str(&format!(" {:?}{:?}={:?}", attribute.namespace(), attribute.name(), attribute.value()));
                }
                out.push('>');
                stack.push((node, true));
            }
            NodeType::Text => out.push_str(node.text().unwrap_or_default()),
            // The judge leaves line ends in them as they are.
            NodeType::Comment => out.push_str(&format!("<!--{}-->", lines(node.text().unwrap_or_default()))),
            NodeType::PI => out.push_str(&format!("<?{}?>", lines(&format!("{:?}", node.pi())))),
            NodeType::Root => {}
        }
        if !left {
            stack.extend(node.children().rev().map(|child| (child, false)));
        }
    }
    out
}

fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").replace("\\r\\n", "\\n").replace("\\r", "\\n")
}
