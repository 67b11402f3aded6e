//! XML beside `roxmltree`.

use polywire_core::{Budget, Limits, Reader, Writer};
use polywire_formats::xml::{XmlReader, XmlWriter};
use roxmltree::{Document, Node, NodeType, ParsingOptions};

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
        (Ok(()), Ok(judged)) if !text.contains("<!ATTLIST") => {
            let again = std::str::from_utf8(&written).expect("XML is written in UTF-8");
            let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
            let read = Document::parse_with_options(again, options).unwrap_or_else(|error| panic!("{again}: {error}"));
            assert_eq!(seen(judged.root()), seen(read.root()), "{again}");
        }
        (Ok(()), Err(error)) => assert!(typed, "read by us, refused by the judge: {error}"),
        (Err(error), Ok(_)) => {
            let excused = typed || error.kind() == polywire_core::ErrorKind::Limit;
            assert!(excused, "read by the judge, refused by us: {error}");
        }
        _ => {}
    }
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
            NodeType::Comment => out.push_str(&format!("<!--{}-->", node.text().unwrap_or_default())),
            NodeType::PI => out.push_str(&format!("<?{:?}?>", node.pi())),
            NodeType::Root => {}
        }
        if !left {
            stack.extend(node.children().rev().map(|child| (child, false)));
        }
    }
    out
}
