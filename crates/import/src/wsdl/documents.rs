//! The description, and the documents that it imports.

use std::collections::HashSet;

use polywire_core::{Error, ErrorKind, Fault, Result};
use roxmltree::{Document, Node, ParsingOptions};

use super::WSDL;

/// Namespace of XML Schema.
pub(super) const XSD: &str = "http://www.w3.org/2001/XMLSchema";

/// The most documents of one description.
const MOST_DOCUMENTS: usize = 200;

/// The most bytes of all documents together.
const MOST_BYTES: usize = 64 << 20;

/// The most elements of one document.
const MOST_NODES: u32 = 4_000_000;

/// Loads a document by its address: relative ones are resolved by the document that names them.
/// Returns the address as it is known from then on, and the bytes.
///
/// # Errors
/// The reason why it cannot be had.
pub type Load<'l> = &'l mut dyn FnMut(&str, &str) -> std::result::Result<(String, Vec<u8>), String>;

/// The texts of a description.
pub(super) struct Texts {
    /// Name and text of each, that of the description first.
    all: Vec<(String, String)>,
    /// Documents that could not be had.
    pub remarks: Vec<(String, String)>,
}

/// The documents of a description.
pub(super) struct Documents<'d> {
    all: Vec<Document<'d>>,
}

/// A name in a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub(super) struct QName<'d> {
    pub namespace: &'d str,
    pub name: &'d str,
}

/// Reads a description and everything that it imports.
///
/// # Errors
/// The description is no text. An import that cannot be had is a remark.
pub(super) fn read(bytes: &[u8], name: &str, load: Load<'_>) -> Result<Texts> {
    let mut texts = Texts { all: vec![(name.to_owned(), text_of(bytes, name)?)], remarks: Vec::new() };
    let mut known: HashSet<String> = HashSet::from([name.to_owned()]);
    let mut bytes = bytes.len();
    let mut at = 0;
    while let Some((base, text)) = texts.all.get(at) {
        let base = base.clone();
        for location in locations(text) {
            if texts.all.len() >= MOST_DOCUMENTS || bytes >= MOST_BYTES {
                texts.remarks.push((location, "is one document too many: it is left out".to_owned()));
                continue;
            }
            match load(&base, &location) {
                Ok((name, loaded)) => {
                    if !known.insert(name.clone()) {
                        continue;
                    }
                    bytes = bytes.saturating_add(loaded.len());
                    match text_of(&loaded, &name) {
                        Ok(text) => texts.all.push((name, text)),
                        Err(error) => texts.remarks.push((location, error.to_string())),
                    }
                }
                Err(what) => texts.remarks.push((location, what)),
            }
        }
        at += 1;
    }
    Ok(texts)
}

fn text_of(bytes: &[u8], name: &str) -> Result<String> {
    let refused = |seen: String| Error::new(ErrorKind::Encoding, Fault::Data).seen(format!("{name}: {seen}"));
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16(&units)
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes).map_err(|_| refused("no UTF-16".to_owned())),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes).map_err(|_| refused("no UTF-16".to_owned())),
        [0xef, 0xbb, 0xbf, rest @ ..] | rest => {
            let text = str::from_utf8(rest).map_err(|error| refused(format!("a byte that is no UTF-8 at {}", error.valid_up_to())))?;
            Ok(text.to_owned())
        }
    }
}

fn options<'i>() -> ParsingOptions<'i> {
    ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES, entity_resolver: None }
}

/// Returns the addresses of what a document imports or includes.
fn locations(text: &str) -> Vec<String> {
    let Ok(document) = Document::parse_with_options(text, options()) else { return Vec::new() };
    let is_import = |node: &Node<'_, '_>| {
        node.has_tag_name((WSDL, "import")) || ["import", "include", "redefine"].iter().any(|name| node.has_tag_name((XSD, *name)))
    };
    let found = document.descendants().filter(is_import);
    found.filter_map(|node| node.attribute("schemaLocation").or_else(|| node.attribute("location"))).map(str::to_owned).collect()
}

impl<'d> Documents<'d> {
    /// Parses texts.
    ///
    /// # Errors
    /// One is no XML, or has a document type.
    pub fn parse(texts: &'d Texts) -> Result<Documents<'d>> {
        let parsed = texts.all.iter().map(|(name, text)| {
            Document::parse_with_options(text, options()).map_err(|error| {
                let place = error.pos();
                let seen = format!("{name}, line {}, column {}: {error}", place.row, place.col);
                Error::new(ErrorKind::Syntax, Fault::Data).seen(seen).expected("an XML document without a document type")
            })
        });
        Ok(Documents { all: parsed.collect::<Result<_>>()? })
    }

    /// Returns the element around the description.
    pub fn root<'a>(&'a self) -> Node<'a, 'd> {
        self.all[0].root_element()
    }

    /// Returns the roots of all documents, and the schemas within.
    pub fn schemas<'a>(&'a self) -> impl Iterator<Item = Node<'a, 'd>> {
        let deep = |document: &'a Document<'d>| document.descendants().filter(|node| node.has_tag_name((XSD, "schema")));
        self.all.iter().flat_map(deep)
    }

    /// Returns the parts of that kind of all descriptions.
    pub fn all<'a>(&'a self, namespace: &'a str, kind: &'a str) -> impl Iterator<Item = Node<'a, 'd>> {
        self.all.iter().flat_map(move |document| children(document.root_element(), namespace, kind))
    }

    /// Returns the part of that kind and name.
    pub fn named<'a>(&'a self, namespace: &'a str, kind: &'a str, name: &QName<'_>) -> Option<Node<'a, 'd>> {
        let of = |node: &Node<'_, '_>| {
            node.parent().and_then(|parent| parent.attribute("targetNamespace")).unwrap_or_default() == name.namespace
        };
        self.all(namespace, kind).find(|node| node.attribute("name") == Some(name.name) && of(node))
    }
}

/// Returns the children of that name.
pub(super) fn children<'a, 'd>(node: Node<'a, 'd>, namespace: &'a str, name: &'a str) -> impl Iterator<Item = Node<'a, 'd>> {
    node.children().filter(move |child| child.has_tag_name((namespace, name)))
}

/// Returns the first child of that name.
pub(super) fn child<'a, 'd>(node: Node<'a, 'd>, namespace: &str, name: &str) -> Option<Node<'a, 'd>> {
    node.children().find(|child| child.has_tag_name((namespace, name)))
}

/// Returns the name that a text in an attribute of `node` stands for.
pub(super) fn resolve<'a, 'd>(node: Node<'a, 'd>, text: &'a str) -> QName<'a> {
    match text.split_once(':') {
        Some((prefix, name)) => QName { namespace: node.lookup_namespace_uri(Some(prefix)).unwrap_or_default(), name },
        None => QName { namespace: node.lookup_namespace_uri(None).unwrap_or_default(), name: text },
    }
}

/// Returns the text within an element.
pub(super) fn text(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|part| part.text()).take(100).collect()
}
