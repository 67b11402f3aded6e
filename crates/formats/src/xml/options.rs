//! Settings: which XML is written.

use std::sync::Arc;

use polywire_core::format::{Configure, Configured, Setting};
use polywire_core::{Error, Reader, Result, Writer};

use super::chars::is_qname;
use super::plain::PlainWriter;
use super::{XmlReader, XmlWriter};

/// The settings of XML.
pub struct XmlSettings;

const STYLE: &str = "xml";
const ROOT: &str = "xml-root";

static LIST: &[Setting] = &[
    Setting::new(
        STYLE,
        "STYLE",
        "values: every value comes back, by marks where they are needed (default); plain: only elements, attributes (fields named \
         @name) and text (#text), lists as repeated elements, types are lost",
    )
    .writes("xml"),
    Setting::new(ROOT, "NAME", "With --xml plain, the element around every message; default: root, around those that need one")
        .writes("xml-root"),
];

impl Configure for XmlSettings {
    fn settings(&self) -> &'static [Setting] {
        LIST
    }

    fn configure(&self, given: &[(&str, &str)]) -> Result<Arc<dyn Configured>> {
        let (mut plain, mut root) = (false, None);
        for &(name, value) in given {
            match (name, value) {
                (STYLE, "plain") => plain = true,
                (STYLE, "values") => plain = false,
                (STYLE, _) => return Err(Error::usage(format!("the style `{value}` of XML")).expected("one of values, plain")),
                (ROOT, _) if is_qname(value) && !value.contains(':') => root = Some(value.into()),
                (ROOT, _) => {
                    let error = Error::usage(format!("`{value}` as the name of an element"));
                    return Err(error.expected("a name of XML without a colon, such as orders"));
                }
                _ => return Err(Error::usage(format!("the setting `{name}`"))),
            }
        }
        if root.is_some() && !plain {
            return Err(Error::usage("a root element for XML that holds values").expected("it for plain XML").hint("add --xml plain"));
        }
        Ok(Arc::new(Styled { plain, root }))
    }
}

/// XML with settings.
struct Styled {
    plain: bool,
    root: Option<Box<str>>,
}

impl Configured for Styled {
    fn reader(&self) -> Box<dyn Reader> {
        Box::<XmlReader>::default()
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        Some(if self.plain { Box::new(PlainWriter::new(self.root.as_deref())) } else { Box::<XmlWriter>::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked() {
        let settings = |given: &[(&str, &str)]| XmlSettings.configure(given).map(|_| ()).map_err(|error| error.to_string());
        assert!(settings(&[("xml", "plain"), ("xml-root", "orders")]).is_ok());
        assert!(settings(&[("xml-root", "orders"), ("xml", "plain")]).is_ok());
        assert!(settings(&[("xml", "values")]).is_ok());
        for bad in [&[("xml", "fancy")][..], &[("xml", "plain"), ("xml-root", "1st")], &[("xml", "plain"), ("xml-root", "a:b")]] {
            assert!(settings(bad).is_err(), "{bad:?}");
        }
        assert!(settings(&[("xml-root", "orders")]).unwrap_err().contains("--xml plain"));
    }
}
