//! Routes: the requests that a script answers (docs/spec/ql.md 12.1).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use polywire_core::text::diagnostic::{Diagnostic, Severity};
use polywire_doc::{Datum, Object};

use crate::syntax::ast;
use crate::table::{Codec, Default, DefaultValue, defaults, operand_text};
use crate::template::text::{Missing, TextTemplate};
use crate::template::walk;

/// The requests that a script answers.
#[derive(Debug, Clone)]
pub struct Route {
    /// Path and query as they are written.
    pub text: String,
    /// The path alone, as it is written.
    pub path: String,
    /// HTTP method, lower case.
    pub method: String,
    /// The comments before the return: Markdown.
    pub about: String,
    /// Headers of the answer: names and values.
    pub headers: Vec<(TextTemplate, TextTemplate)>,
    /// Parameters of the query.
    pub query: Vec<QueryParameter>,
    /// Formats of the answer that need a schema, and their files beside that of the route.
    pub encoders: Vec<Codec>,
    /// Folder of the files that its clauses name. `None` for a script that is no file.
    pub folder: Option<PathBuf>,
    segments: Vec<Segment>,
    /// Parameters in the path, each name once.
    names: usize,
    optional: bool,
    defaults: Vec<(Arc<str>, Default)>,
}

/// A parameter that a route takes from the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryParameter {
    /// Name in the query.
    pub name: String,
    /// Name of the parameter.
    pub parameter: Arc<str>,
    /// True if the route answers only requests that have it.
    pub required: bool,
}

/// Returns true for a header by which a server frames its answers or keeps its connections (RFC
/// 9112 6, RFC 9110 7.6.1).
pub fn is_framing(name: &str) -> bool {
    const NAMES: [&str; 10] = [
        "connection",
        "content-length",
        "keep-alive",
        "proxy-authenticate",
        "proxy-connection",
        "te",
        "trailer",
        "trailers",
        "transfer-encoding",
        "upgrade",
    ];
    NAMES.iter().any(|known| name.trim().eq_ignore_ascii_case(known))
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Literal(String),
    /// Text before, name, text behind.
    Token(String, Arc<str>, String),
}

impl Route {
    /// Makes the route of a clause. Also returns warnings of what is ignored.
    ///
    /// # Errors
    /// The path does not begin with a slash, has a token that does not end, or the route sets a
    /// header of the connection.
    pub fn new(
        clause: &ast::Route,
        about: String,
        folder: Option<&Path>,
        config: &Datum,
    ) -> Result<(Route, Vec<Diagnostic>), Box<Diagnostic>> {
        let at = clause.path.at.0;
        let text = &clause.path.text;
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let Some(inner) = path.strip_prefix('/') else {
            return Err(Box::new(
                Diagnostic::error("bad_route", at, format!("the path of the route `{text}` does not begin with a slash"))
                    .hint("write '/…'"),
            ));
        };
        let mut segments = Vec::new();
        for segment in inner.split('/') {
            segments.push(Segment::read(segment).ok_or_else(|| {
                Box::new(
                    Diagnostic::error("bad_route", at, format!("the part `{segment}` of a route's path cannot be read"))
                        .hint("a part is text, or has one name in braces: /find/{keywords}"),
                )
            })?);
        }
        let known = |name: &str| walk(config.view(), name.strip_prefix("config.")?);
        let defaults = defaults(&clause.defaults, &known);
        let (mut parameters, mut warnings) = (Vec::new(), Vec::new());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match value.strip_prefix('{').and_then(|value| value.strip_suffix('}')) {
                Some(token) => {
                    let parameter: Arc<str> = token.trim_start_matches('^').into();
                    let has_default = defaults.iter().any(|(known, _)| *known == parameter);
                    let required = if clause.optional { token.starts_with('^') } else { !has_default };
                    parameters.push(QueryParameter { name: decode(name), parameter, required });
                }
                None => {
                    let message = format!("`{pair}` in the query of a route has no name in braces, and is ignored");
                    let mut warning = Diagnostic::error("literal_in_query", at, message).hint(format!("write {name}={{{name}}}"));
                    warning.severity = Severity::Warning;
                    warnings.push(warning);
                }
            }
        }
        for pair in &clause.headers {
            if is_framing(&pair.name.text) {
                let message = format!("a route cannot set the header `{}`: the server frames its answers", pair.name.text);
                return Err(Box::new(Diagnostic::error("bad_route", pair.name.at.0, message).hint("leave it out")));
            }
        }
        let headers =
            clause.headers.iter().map(|pair| (TextTemplate::read(&pair.name.text), TextTemplate::read(operand_text(&pair.value))));
        let route = Route {
            text: text.clone(),
            path: path.to_string(),
            method: clause.method.text.clone(),
            about,
            headers: headers.collect(),
            query: parameters,
            encoders: clause.encoders.iter().map(Codec::from).collect(),
            folder: folder.map(Path::to_path_buf),
            names: segments.iter().filter_map(Segment::name).collect::<BTreeSet<_>>().len(),
            segments,
            optional: clause.optional,
            defaults,
        };
        Ok((route, warnings))
    }

    /// Returns whether parameters of the query may be missing unless a caret marks them.
    pub fn is_optional(&self) -> bool {
        self.optional
    }

    /// Returns the default of a parameter, if it has one.
    pub fn default(&self, parameter: &str) -> Option<&Default> {
        self.defaults.iter().find(|(known, _)| **known == *parameter).map(|(_, default)| default)
    }

    /// Returns the path part by part: the text before a name, the name, the text behind it. A part
    /// without a name is only text. Percent-encoding is undone.
    pub fn parts(&self) -> impl Iterator<Item = (&str, Option<(&str, &str)>)> {
        self.segments.iter().map(|segment| match segment {
            Segment::Literal(text) => (text.as_str(), None),
            Segment::Token(before, name, behind) => (before.as_str(), Some((&**name, behind.as_str()))),
        })
    }

    /// Returns the number of its segments.
    pub(crate) fn length(&self) -> usize {
        self.segments.len()
    }

    /// Returns the number of names in its path.
    pub(crate) fn names(&self) -> usize {
        self.names
    }

    /// Returns whether it has this path, given by segments without percent-encoding.
    pub(crate) fn has_path(&self, path: &[Cow<'_, str>]) -> bool {
        path.len() == self.segments.len() && self.segments.iter().zip(path).all(|(segment, text)| segment.covers(text))
    }

    /// Returns the parameters in the segments of a path that it has.
    pub(crate) fn parameters(&self, path: &[Cow<'_, str>]) -> Object {
        let mut found = Object::default();
        for (segment, text) in self.segments.iter().zip(path) {
            if let Some((name, value)) = segment.value(text) {
                found.insert(name.clone(), Datum::text(value));
            }
        }
        found
    }

    /// Returns how many of its parameters the query has; `None` if a required one is missing.
    pub(crate) fn matched(&self, query: &[(String, String)]) -> Option<usize> {
        let mut matched = 0;
        for parameter in &self.query {
            let has = query.iter().any(|(name, _)| *name == parameter.name);
            if parameter.required && !has {
                return None;
            }
            matched += usize::from(has);
        }
        Some(matched)
    }

    pub(crate) fn fill(&self, parameters: &mut Object, query: &[(String, String)]) {
        for parameter in &self.query {
            let mut values = query.iter().filter(|(name, _)| *name == parameter.name).map(|(_, value)| Datum::text(value.as_str()));
            if let Some(first) = values.next() {
                let rest: Vec<Datum> = values.collect();
                let value = if rest.is_empty() { first } else { Datum::list(std::iter::once(first).chain(rest)) };
                parameters.insert(parameter.parameter.clone(), value);
            }
        }
        for (name, default) in &self.defaults {
            if parameters.get(name).is_none() {
                let value = match &default.value {
                    DefaultValue::Value(value) => value.clone(),
                    DefaultValue::Text(template) => {
                        let given = parameters.clone();
                        Datum::from(template.format(&|name: &str| given.get(name).cloned(), Missing::Drop))
                    }
                };
                parameters.insert(name.clone(), value);
            }
        }
    }
}

impl Segment {
    fn read(text: &str) -> Option<Segment> {
        let Some((before, rest)) = text.split_once('{') else {
            return (!text.contains('}')).then(|| Segment::Literal(decode_path(text)));
        };
        let (name, behind) = rest.split_once('}')?;
        let name = name.trim_start_matches('^');
        (!name.is_empty() && !name.contains('{') && !behind.contains(['{', '}']))
            .then(|| Segment::Token(decode_path(before), name.into(), decode_path(behind)))
    }

    fn name(&self) -> Option<&str> {
        match self {
            Segment::Literal(_) => None,
            Segment::Token(_, name, _) => Some(name),
        }
    }

    fn covers(&self, text: &str) -> bool {
        match self {
            Segment::Literal(literal) => literal == text,
            Segment::Token(..) => self.value(text).is_some(),
        }
    }

    /// Returns name and value of its parameter; `None` for a literal, or if the text around them
    /// differs.
    fn value<'t>(&self, text: &'t str) -> Option<(&Arc<str>, &'t str)> {
        let Segment::Token(before, name, behind) = self else { return None };
        let value = text.strip_prefix(before.as_str())?.strip_suffix(behind.as_str())?;
        (!value.is_empty()).then_some((name, value))
    }
}

fn decode(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

fn decode_path(text: &str) -> String {
    undone(text).into_owned()
}

/// Undoes the percent-encoding of a segment. Few have any.
pub(crate) fn undone(text: &str) -> Cow<'_, str> {
    if text.contains('%') { percent_decode_str(text).decode_utf8_lossy() } else { Cow::Borrowed(text) }
}
