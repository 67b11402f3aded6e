//! Routes: what a return says, and which route answers a request (specification 12.1).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use polywire_core::text::diagnostic::{Diagnostic, Severity};
use polywire_doc::{Datum, Object};

use crate::plan::Plan;
use crate::syntax::ast;
use crate::table::{Codec, Default, DefaultValue, defaults, operand_text};
use crate::template::text::{Missing, TextTemplate};
use crate::template::walk;

/// Which requests a script answers.
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
    /// Parameters of the query: its name, the name of the route's parameter, and whether it must be there.
    pub query: Vec<QueryParameter>,
    /// Formats of the answer that need a schema, and their files beside that of the route.
    pub encoders: Vec<Codec>,
    /// Folder that files of its clauses are looked for in. None for a script that is no file.
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
    /// Whether the route answers only requests that have it.
    pub required: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Literal(String),
    /// Text before, name, text behind.
    Token(String, Arc<str>, String),
}

impl Route {
    /// The route that a clause says, and what of it is ignored.
    ///
    /// # Errors
    /// The path does not begin with a slash, or has a token that does not end.
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

    /// Whether parameters of the query may be missing unless a caret marks them.
    pub fn is_optional(&self) -> bool {
        self.optional
    }

    /// The default of a parameter, if it has one.
    pub fn default(&self, parameter: &str) -> Option<&Default> {
        self.defaults.iter().find(|(known, _)| **known == *parameter).map(|(_, default)| default)
    }

    /// The path part by part: text before a name, the name, text behind it; of a part without a name only the text. Percent-encoding is undone.
    pub fn parts(&self) -> impl Iterator<Item = (&str, Option<(&str, &str)>)> {
        self.segments.iter().map(|segment| match segment {
            Segment::Literal(text) => (text.as_str(), None),
            Segment::Token(before, name, behind) => (before.as_str(), Some((&**name, behind.as_str()))),
        })
    }

    /// Whether it has this path, given by its segments without percent-encoding.
    fn has_path(&self, path: &[Cow<'_, str>]) -> bool {
        path.len() == self.segments.len() && self.segments.iter().zip(path).all(|(segment, text)| segment.covers(text))
    }

    /// The parameters in the segments of a path that it has.
    fn parameters(&self, path: &[Cow<'_, str>]) -> Object {
        let mut found = Object::default();
        for (segment, text) in self.segments.iter().zip(path) {
            if let Some((name, value)) = segment.value(text) {
                found.insert(name.clone(), Datum::text(value));
            }
        }
        found
    }

    /// How many of its parameters the query has; `None` if one is missing that is required.
    fn matched(&self, query: &[(String, String)]) -> Option<usize> {
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

    fn fill(&self, parameters: &mut Object, query: &[(String, String)]) {
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

    /// Its parameter's name and value; `None` for a literal, or if the text around them is another.
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

/// A segment of a path, its percent-encoding undone. Few have any.
fn undone(text: &str) -> Cow<'_, str> {
    if text.contains('%') { percent_decode_str(text).decode_utf8_lossy() } else { Cow::Borrowed(text) }
}

/// The routes of a server.
#[derive(Debug, Clone, std::default::Default)]
pub struct Routes {
    /// In the order in which they were added; by number of segments, to look at few.
    by_length: BTreeMap<usize, Vec<Arc<Plan>>>,
}

/// What the routes say of a request.
#[derive(Debug, Clone)]
pub enum Found {
    /// This script answers it, with these parameters: an object.
    Script(Arc<Plan>, Datum),
    /// A route has the path, but not with these parameters in the query: 400.
    NoMatch,
    /// A route has the path, but not with this method; those that there are, in upper case.
    OtherMethods(Vec<String>),
    /// No route has the path: 404.
    Unknown,
}

impl Routes {
    /// Adds a script. False if it has no route.
    pub fn add(&mut self, plan: Arc<Plan>) -> bool {
        let Some(route) = &plan.route else { return false };
        self.by_length.entry(route.segments.len()).or_default().push(plan.clone());
        true
    }

    /// All scripts, in the order of their paths, letter case aside, then of their methods.
    pub fn all(&self) -> Vec<Arc<Plan>> {
        let mut plans: Vec<Arc<Plan>> = self.by_length.values().flatten().cloned().collect();
        plans.sort_by_cached_key(|plan| plan.route.as_ref().map(|route| (route.text.to_lowercase(), route.method.clone())));
        plans
    }

    /// The script that answers a request. `path` is still percent-encoded; `query` is not.
    pub fn find(&self, method: &str, path: &str, query: &[(String, String)]) -> Found {
        let segments: Vec<Cow<'_, str>> = path.strip_prefix('/').unwrap_or(path).split('/').map(undone).collect();
        let mut best: Option<(usize, &Arc<Plan>, &Route)> = None;
        let (mut known, mut methods) = (false, Vec::new());
        for plan in self.by_length.get(&segments.len()).into_iter().flatten() {
            let Some(route) = &plan.route else { continue };
            if !route.has_path(&segments) {
                continue;
            }
            if !route.method.eq_ignore_ascii_case(method) {
                methods.push(route.method.to_ascii_uppercase());
                continue;
            }
            known = true;
            let Some(matched) = route.matched(query) else { continue };
            // Of two that match as much, the one with fewer names in its path is the more particular one.
            let score = matched * 64 + 63_usize.saturating_sub(route.names);
            if best.is_none_or(|(most, ..)| score > most) {
                best = Some((score, plan, route));
            }
        }
        match best {
            Some((_, plan, route)) => {
                let mut parameters = route.parameters(&segments);
                route.fill(&mut parameters, query);
                Found::Script(plan.clone(), Datum::from(parameters))
            }
            None if known => Found::NoMatch,
            None if !methods.is_empty() => {
                methods.sort();
                methods.dedup();
                Found::OtherMethods(methods)
            }
            None => Found::Unknown,
        }
    }
}
