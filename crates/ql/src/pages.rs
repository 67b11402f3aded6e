//! Rows that come in pages: the way from one page to the next.

use std::fmt;

use crate::syntax::ast;

/// Most pages of one request where the table does not say.
pub const MOST: usize = 20;

/// The pages of a verb's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pages {
    /// Way to the next page.
    pub by: By,
    /// Most pages of one request.
    pub most: usize,
}

/// The way from one page to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// A parameter of the query has the number of the page.
    Page(Counted),
    /// A parameter of the query has the number of rows before the page.
    Offset(Counted),
    /// A parameter of the query has a text that the reply before gave.
    Cursor {
        /// Name of the parameter.
        name: String,
        /// Names on the way to the text in a reply.
        path: Vec<String>,
    },
    /// The reply before gave the URI.
    Link {
        /// Names on the way to it in a reply; `None` for the header `Link` (RFC 8288).
        path: Option<Vec<String>>,
    },
}

/// A parameter that counts pages or rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Name of the parameter.
    pub name: String,
    /// Its value for the first page, where the request has none.
    pub first: u64,
    /// Rows of a full page: one with fewer is the last.
    pub size: Option<u64>,
}

impl Pages {
    /// Returns the names on the way to what a reply says about the next page.
    pub fn path(&self) -> Option<&[String]> {
        match &self.by {
            By::Cursor { path, .. } | By::Link { path: Some(path) } => Some(path),
            _ => None,
        }
    }
}

impl From<&ast::PagesClause> for Pages {
    fn from(clause: &ast::PagesClause) -> Pages {
        let counted = |counted: &ast::Counted, first| Counted {
            name: counted.name.text.clone(),
            first: counted.first.unwrap_or(first),
            size: counted.size.filter(|size| *size > 0),
        };
        let by = match &clause.by {
            ast::PagesBy::Page(page) => By::Page(counted(page, 1)),
            ast::PagesBy::Offset(offset) => By::Offset(counted(offset, 0)),
            ast::PagesBy::Cursor { name, path } => By::Cursor { name: name.text.clone(), path: names(&path.text) },
            ast::PagesBy::Link { path } => By::Link { path: path.as_ref().map(|path| names(&path.text)) },
        };
        let most = clause.most.map_or(MOST, |most| usize::try_from(most).unwrap_or(usize::MAX).max(1));
        Pages { by, most }
    }
}

/// As descriptions show it: `by cursor after at meta.next, 20 at most`.
impl fmt::Display for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut counted = |word: &str, counted: &Counted| {
            write!(f, "by {word} {} from {}", counted.name, counted.first)?;
            counted.size.map_or(Ok(()), |size| write!(f, ", {size} rows each"))
        };
        match &self.by {
            By::Page(page) => counted("page", page)?,
            By::Offset(offset) => counted("offset", offset)?,
            By::Cursor { name, path } => write!(f, "by cursor {name} at {}", path.join("."))?,
            By::Link { path: None } => f.write_str("by the header Link")?,
            By::Link { path: Some(path) } => write!(f, "by the link at {}", path.join("."))?,
        }
        write!(f, ", {} at most", self.most)
    }
}

/// Splits names joined by dots.
pub(crate) fn names(text: &str) -> Vec<String> {
    text.split('.').map(str::trim).filter(|name| !name.is_empty()).map(str::to_string).collect()
}
