//! Libraries of XML.

use std::fmt::Write;

use polywire_core::Result;
use roxmltree::{Document, Node, NodeType, ParsingOptions};
use serde::Deserialize;
use serde::de::{Deserializer, EnumAccess, Error, MapAccess, VariantAccess, Visitor};

use crate::library::{Library, failed, text};

/// quick-xml's deserializer, which needs a type: [`Root`] takes any document.
#[derive(Default)]
pub(crate) struct QuickXml;

impl Library for QuickXml {
    const NAME: &'static str = "quick-xml";
    const FORMAT: &'static str = "xml";
    const ABOUT: &'static str = "serde's from_str to a tree of names and texts";
    const WRITES: bool = false;
    type Tree<'m> = Root;

    fn read(&mut self, message: &[u8]) -> Result<Root> {
        quick_xml::de::from_str(text(message)?).map_err(failed)
    }

    fn write(&mut self, tree: &Root, out: &mut Vec<u8>) -> Result<()> {
        let mut xml = String::new();
        element(&tree.name, &tree.content, &mut xml);
        out.extend_from_slice(xml.as_bytes());
        Ok(())
    }
}

/// A document's root, which serde sees as the case of an enumeration.
pub(crate) struct Root {
    name: String,
    content: Content,
}

/// Content of an element.
enum Content {
    Text(String),
    /// Attributes (`@name`), texts (`$text`) and elements.
    Parts(Vec<(String, Content)>),
}

impl<'de> Deserialize<'de> for Root {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Root, D::Error> {
        struct Cases;

        impl<'de> Visitor<'de> for Cases {
            type Value = Root;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an element")
            }

            fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Root, A::Error> {
                let (name, content) = access.variant::<String>()?;
                Ok(Root { name, content: content.newtype_variant()? })
            }
        }

        deserializer.deserialize_enum("Root", &[], Cases)
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Content, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Content;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("text or an element")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Content, E> {
                Ok(Content::Text(text.to_string()))
            }

            fn visit_string<E: Error>(self, text: String) -> Result<Content, E> {
                Ok(Content::Text(text))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Content, A::Error> {
                let mut parts = Vec::new();
                while let Some(part) = access.next_entry()? {
                    parts.push(part);
                }
                Ok(Content::Parts(parts))
            }
        }

        deserializer.deserialize_any(Any)
    }
}

fn element(name: &str, content: &Content, out: &mut String) {
    let parts = match content {
        Content::Text(text) => return wrapped(name, "", |out| escape(text, out), out),
        Content::Parts(parts) => parts,
    };
    let mut attributes = String::new();
    for (key, content) in parts {
        if let (Some(key), Content::Text(text)) = (key.strip_prefix('@'), content) {
            attribute(key, text, &mut attributes);
        }
    }
    let inner = |out: &mut String| {
        for (key, content) in parts.iter().filter(|(key, _)| !key.starts_with('@')) {
            match content {
                Content::Text(text) if key == "$text" => escape(text, out),
                content => element(key, content, out),
            }
        }
    };
    wrapped(name, &attributes, inner, out);
}

/// roxmltree's `Document`.
#[derive(Default)]
pub(crate) struct Roxmltree;

impl Library for Roxmltree {
    const NAME: &'static str = "roxmltree";
    const FORMAT: &'static str = "xml";
    const ABOUT: &'static str = "Document::parse_with_options, document types allowed";
    const WRITES: bool = false;
    type Tree<'m> = Document<'m>;

    fn read<'m>(&mut self, message: &'m [u8]) -> Result<Document<'m>> {
        let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
        Document::parse_with_options(text(message)?, options).map_err(failed)
    }

    fn write(&mut self, tree: &Document<'_>, out: &mut Vec<u8>) -> Result<()> {
        let mut xml = String::new();
        tree.root().children().for_each(|child| node(child, &mut xml));
        out.extend_from_slice(xml.as_bytes());
        Ok(())
    }
}

fn node(node: Node<'_, '_>, out: &mut String) {
    match node.node_type() {
        NodeType::Text => escape(node.text().unwrap_or_default(), out),
        NodeType::Comment => {
            let _ = write!(out, "<!--{}-->", node.text().unwrap_or_default());
        }
        NodeType::PI => {
            if let Some(instruction) = node.pi() {
                let value = instruction.value.map_or_else(String::new, |value| format!(" {value}"));
                let _ = write!(out, "<?{}{value}?>", instruction.target);
            }
        }
        NodeType::Root | NodeType::Element => {
            let name = named(node, node.tag_name().namespace(), node.tag_name().name());
            let mut attributes = String::new();
            let above = node.parent_element();
            for space in node.namespaces() {
                let inherited = above.is_some_and(|above| above.namespaces().any(|other| other == space));
                if !inherited && space.name() != Some("xml") {
                    let key = space.name().map_or_else(|| "xmlns".to_string(), |prefix| format!("xmlns:{prefix}"));
                    attribute(&key, space.uri(), &mut attributes);
                }
            }
            for given in node.attributes() {
                let key = given.namespace().map_or_else(|| given.name().to_string(), |uri| named(node, Some(uri), given.name()));
                attribute(&key, given.value(), &mut attributes);
            }
            wrapped(&name, &attributes, |out| node.children().for_each(|child| self::node(child, out)), out);
        }
    }
}

/// Returns a name with a prefix that is bound to its namespace at `node`.
fn named(node: Node<'_, '_>, uri: Option<&str>, name: &str) -> String {
    match uri.and_then(|uri| node.lookup_prefix(uri)) {
        Some(prefix) if !prefix.is_empty() => format!("{prefix}:{name}"),
        _ => name.to_string(),
    }
}

fn wrapped(name: &str, attributes: &str, inner: impl FnOnce(&mut String), out: &mut String) {
    let _ = write!(out, "<{name}{attributes}>");
    inner(out);
    let _ = write!(out, "</{name}>");
}

fn attribute(name: &str, value: &str, out: &mut String) {
    let mut escaped = String::new();
    escape(value, &mut escaped);
    // As they are, a reader would take them for spaces.
    let _ = write!(out, " {name}=\"{}\"", escaped.replace('\n', "&#10;").replace('\t', "&#9;"));
}

/// Writes text such that a reader returns every character.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' | '<' | '>' | '"' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
}
