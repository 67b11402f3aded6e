//! Documents as objects: how elements, attributes and text become data, by conventions in common
//! use. `docs/xml-objects.md` describes them.
//!
//! | file | holds |
//! |---|---|
//! | `element` | conventions in which an element is an object |
//! | `ordered` | the convention in which it is a list, so that nothing is lost |

mod element;
mod ordered;

use bytes::Bytes;
use polywire_core::{Budget, Error, Result, Sink};
use polywire_doc::{Convention, Conventions, DocSink, Read, Reading, Repeated};

use super::read::{Fields, XmlReader};
use element::{Elements, Style};
use ordered::Ordered;

/// The conventions of XML.
#[derive(Debug, Clone, Copy)]
pub struct XmlObjects;

static LIST: &[Convention] = &[
    Convention {
        name: "ql",
        about: "attributes and child elements are members, text is `$t` or the value itself; numbers, true, yes, false, no are read as such",
    },
    Convention { name: "text", about: "as ql, but all text stays text" },
    Convention {
        name: "badgerfish",
        about: "attributes are members named `@name`, text is `$`, namespaces are in `@xmlns`; all text stays text",
    },
    Convention {
        name: "jsonml",
        about: "an element is a list of its name, its attributes if any, and its content in order; nothing but comments is lost",
    },
    Convention {
        name: "walk",
        about: "as conversions read the format: attributes are members named `@name`, text is `#text` or the value itself",
    },
];

impl Conventions for XmlObjects {
    fn list(&self) -> &'static [Convention] {
        LIST
    }

    fn read(&self, convention: &str, body: &Bytes, reading: &Reading<'_>, budget: &mut Budget) -> Result<Read> {
        let style = match convention {
            "ql" => Style::QL,
            "text" => Style::TEXT,
            "badgerfish" => Style::BADGERFISH,
            "jsonml" => {
                let mut sink = Ordered::new(body.clone());
                XmlReader::default().document(body, reading.utf8, &mut Fields::of(&mut sink as &mut dyn Sink<'_>), budget)?;
                return Ok(Read { doc: sink.finish()?, skipped: 0 });
            }
            "walk" => {
                let mut sink = DocSink::new(body.clone(), reading.wanted, Repeated::Group).shaped(reading.shape);
                XmlReader::default().document(body, reading.utf8, &mut Fields::of(&mut sink as &mut dyn Sink<'_>), budget)?;
                let (doc, skipped) = sink.finish(body.len() as u64)?;
                return Ok(Read { doc, skipped });
            }
            other => {
                let names: Vec<&str> = LIST.iter().map(|convention| convention.name).collect();
                return Err(Error::usage(format!("the convention `{other}`")).expected(format!("one of {}", names.join(", "))));
            }
        };
        let mut sink = Elements::new(body.clone(), style, reading, budget.limits().digits);
        XmlReader::default().document(body, reading.utf8, &mut sink, budget)?;
        sink.finish(body.len() as u64)
    }
}
