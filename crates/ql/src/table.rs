//! Tables: the requests that `create table` describes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use polywire_doc::Datum;

use crate::error::QueryError;
use crate::pages::{Pages, names};
use crate::syntax::ast::{self, Operand, Pair, VerbKind};
use crate::template::text::{Missing, TextTemplate};
use crate::template::uri::{Merge, Several, UriTemplate};
use crate::template::value::number;
use crate::template::{Lookup, walk};

/// A table: what each verb means.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its name.
    pub name: Arc<str>,
    /// The connector, if one is named.
    pub connector: Option<String>,
    /// The comments before the statement: Markdown.
    pub about: String,
    /// Folder of the files that its clauses name. `None` for a table that a script makes.
    pub folder: Option<PathBuf>,
    actions: [Option<Action>; 4],
}

/// The meaning of one verb of a table.
#[derive(Debug, Clone)]
pub struct Action {
    /// The verb.
    pub verb: VerbKind,
    /// HTTP method in lower case, or the word for a connector.
    pub method: String,
    /// Parameters that a connector expects: name, and whether it is required.
    pub expect: Vec<(String, bool)>,
    /// Template of the URI, or its mistake.
    pub uri: Result<UriTemplate, String>,
    /// The URI as it is written.
    pub uri_text: String,
    /// Name of the parameter that limits rows.
    pub limit: Arc<str>,
    /// Name of the parameter that leaves out rows.
    pub offset: Arc<str>,
    /// Headers of the request, names as they are written.
    pub headers: Vec<(String, TextTemplate)>,
    /// Headers as they are written, tokens of the configuration unfilled: their values may be
    /// secrets.
    pub headers_text: Vec<(String, String)>,
    /// Defaults of parameters.
    pub defaults: Vec<(Arc<str>, Default)>,
    /// File of hooks.
    pub patch: Option<String>,
    /// Body of the request.
    pub body: Option<Body>,
    /// File of an authentication module.
    pub auth: Option<String>,
    /// Names on the way to the rows in a reply.
    pub resultset: Vec<String>,
    /// Seconds that a reply may be cached.
    pub expires: Option<u64>,
    /// Decoder of replies, if not by their media type.
    pub decoder: Option<Codec>,
    /// Encoder of requests, which makes their bodies of parameters.
    pub encoder: Option<Codec>,
    /// Envelope of requests and replies.
    pub soap: Option<Soap>,
    /// Name of the mapping that makes objects of documents.
    pub mapping: Option<String>,
    /// Known shape of replies.
    pub shape: Shape,
    /// Way from one page of rows to the next.
    pub pages: Option<Pages>,
    /// Parameters that a join fills with many values at once, and the names on the way to the value
    /// in a row.
    pub batches: Vec<(Arc<str>, Vec<String>)>,
    /// True if equal requests of one execution share a reply, false if they never do.
    pub shared: Option<bool>,
}

/// A default of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Default {
    /// Value of the parameter.
    pub value: DefaultValue,
    /// Value as descriptions show it: a number, or the text as it is written. Tokens of the
    /// configuration are unfilled: their values may be secrets.
    pub written: Datum,
}

/// The value of a default.
#[derive(Debug, Clone, PartialEq)]
pub enum DefaultValue {
    /// A value.
    Value(Datum),
    /// Text with tokens.
    Text(TextTemplate),
}

/// `using bodyTemplate`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// File of the template.
    pub template: String,
    /// Media type.
    pub media: String,
    /// Parameter whose values make one request each.
    pub foreach: Option<String>,
}

/// `using soap`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Soap {
    /// Version of the protocol.
    pub version: String,
    /// Element of the request, with its namespace in braces before it.
    pub element: Option<String>,
    /// Names of parameters, in the order of their elements. Others stand behind them.
    pub order: Vec<String>,
}

/// `using decoder` and `using encoder` of a table, `using encoder` of a route: a format, perhaps
/// with a schema.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Codec {
    /// Name of a format.
    pub format: String,
    /// File of a schema.
    pub schema: Option<String>,
    /// Type of the message in the schema.
    pub message: Option<String>,
}

/// Known shape of replies in a format that has no lists or numbers, such as XML: paths of
/// names joined by dots, from the root of the message.
#[derive(Debug, Clone, PartialEq, Eq, std::default::Default)]
pub struct Shape {
    /// Lists, also of one element or none.
    pub arrays: Vec<String>,
    /// Numbers.
    pub numbers: Vec<String>,
    /// Text.
    pub text: Vec<String>,
}

impl From<&ast::CodecClause> for Codec {
    fn from(clause: &ast::CodecClause) -> Codec {
        let text = |word: &Option<ast::Quoted>| word.as_ref().map(|word| word.text.clone());
        Codec { format: clause.format.text.clone(), schema: text(&clause.schema), message: text(&clause.message) }
    }
}

impl Table {
    /// Makes the table of a statement that has passed the [rules](crate::rules). Tokens that the
    /// configuration has a value for are filled.
    pub fn new(create: &ast::Create, about: String, folder: Option<&Path>, config: &Datum) -> Table {
        let mut actions = [const { None }; 4];
        for verb in &create.verbs {
            actions[verb.kind as usize] = Some(Action::new(verb, config));
        }
        Table {
            name: create.name.text.as_str().into(),
            connector: create.connector.as_ref().map(|word| word.text.clone()),
            about,
            folder: folder.map(Path::to_path_buf),
            actions,
        }
    }

    /// Returns the meaning of a verb, if the table has it.
    pub fn action(&self, verb: VerbKind) -> Option<&Action> {
        self.actions[verb as usize].as_ref()
    }

    /// Returns all verbs that the table has.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        self.actions.iter().flatten()
    }
}

impl Action {
    fn new(verb: &ast::Verb, config: &Datum) -> Action {
        let known = |name: &str| walk(config.view(), name.strip_prefix("config.")?);
        let fill = |text: &str| TextTemplate::read(text).format(&known, Missing::Keep);
        let alias = |name: &str| -> Arc<str> {
            let found = verb.aliases.iter().find(|pair| pair.name.text == name);
            found.map_or(name, |pair| operand_text(&pair.value)).into()
        };
        let words = |words: &[ast::Quoted]| words.iter().map(|word| word.text.clone()).collect();
        let text = |word: &Option<ast::Quoted>| word.as_ref().map(|word| word.text.clone());
        Action {
            verb: verb.kind,
            method: verb.method.text.clone(),
            expect: verb.expect.iter().map(|(word, required)| (word.text.clone(), *required)).collect(),
            uri: match UriTemplate::read(verb.uri.text.trim()) {
                Ok(template) => Ok(template.prefilled(&known)),
                Err((at, what)) => Err(format!("the URI template cannot be read at byte {at}: {what}")),
            },
            uri_text: verb.uri.text.clone(),
            limit: alias("limit"),
            offset: alias("offset"),
            headers: verb
                .headers
                .iter()
                .map(|pair| (pair.name.text.clone(), TextTemplate::read(&fill(operand_text(&pair.value)))))
                .collect(),
            headers_text: verb.headers.iter().map(|pair| (pair.name.text.clone(), operand_text(&pair.value).to_string())).collect(),
            defaults: defaults(&verb.defaults, &known),
            patch: text(&verb.patch),
            body: verb.body.as_ref().map(|body| Body {
                template: body.template.text.clone(),
                media: body.media.text.clone(),
                foreach: text(&body.foreach),
            }),
            auth: text(&verb.auth),
            resultset: names(verb.resultset.as_ref().map_or("", |word| &word.text)),
            expires: verb.expires,
            decoder: verb.decoder.as_ref().map(Codec::from),
            encoder: verb.encoder.as_ref().map(Codec::from),
            soap: verb.soap.as_ref().map(|soap| Soap {
                version: soap.version.text.clone(),
                element: text(&soap.element),
                order: words(&soap.order),
            }),
            mapping: text(&verb.mapping),
            shape: Shape { arrays: words(&verb.shape.arrays), numbers: words(&verb.shape.numbers), text: words(&verb.shape.text) },
            pages: verb.pages.as_ref().map(Pages::from),
            batches: verb.batches.iter().map(|pair| (pair.name.text.as_str().into(), names(operand_text(&pair.value)))).collect(),
            shared: verb.shared,
        }
    }

    /// Returns the names on the way to the value of `name` in a row, and the most values in one
    /// request, if joins ask for many values of that parameter at once.
    pub fn batch(&self, name: &str) -> Option<(&[String], Several)> {
        let (_, path) = self.batches.iter().find(|(known, _)| **known == *name)?;
        Some((path, self.several(name)?))
    }

    /// Returns how the URI takes several values of a parameter, if it does.
    pub fn several(&self, name: &str) -> Option<Several> {
        self.uri.as_ref().ok()?.several(name)
    }

    /// Returns the clauses that say how the service is asked, as descriptions show them: `pages`,
    /// `batches`, `shared`.
    pub fn asking(&self) -> Vec<(&'static str, Datum)> {
        let mut members = Vec::new();
        members.extend(self.pages.as_ref().map(|pages| ("pages", Datum::from(pages.to_string()))));
        if !self.batches.is_empty() {
            let batches = self.batches.iter().map(|(name, path)| (name.clone(), Datum::from(path.join("."))));
            members.push(("batches", Datum::object(batches)));
        }
        members.extend(self.shared.map(|shared| ("shared", Datum::Bool(shared))));
        members
    }

    /// Returns the URIs of the requests for these parameters, at most `allowed`, by the template,
    /// before any hook.
    ///
    /// # Errors
    /// A required parameter is missing, there are too many requests, or the template cannot be
    /// read.
    pub fn uris(&self, params: &dyn Lookup, allowed: usize) -> Result<Vec<String>, QueryError> {
        match &self.uri {
            Ok(template) => Ok(template.format(params, allowed)?),
            Err(what) => Err(QueryError::new("bad_uri_template", what.clone()).hint("mend the table")),
        }
    }

    /// Returns how results of several requests are merged.
    pub fn merge(&self) -> Merge {
        match &self.uri {
            _ if self.body.as_ref().is_some_and(|body| body.foreach.is_some()) => Merge::Block,
            Ok(template) => template.merge(),
            Err(_) => Merge::Field,
        }
    }

    /// Returns whether the URI carries the parameter `name`, so that the backend obeys it.
    pub fn carries(&self, name: &str) -> bool {
        self.uri.as_ref().is_ok_and(|template| template.has(name))
    }
}

/// Makes the defaults of a table or route. Tokens that `known` has a value for are filled.
pub(crate) fn defaults(pairs: &[Pair], known: &dyn Lookup) -> Vec<(Arc<str>, Default)> {
    let value = |operand: &Operand| match operand {
        Operand::Digits(word) => Default { value: DefaultValue::Value(number(&word.text)), written: number(&word.text) },
        operand => {
            let written = TextTemplate::read(operand_text(operand));
            let template = TextTemplate::read(&written.format(known, Missing::Keep));
            let value = match template.is_plain() {
                true => DefaultValue::Value(Datum::from(template.format(&|_: &str| None, Missing::Drop))),
                false => DefaultValue::Text(template),
            };
            Default { value, written: Datum::from(written.format(&|_: &str| None, Missing::Keep)) }
        }
    };
    pairs.iter().map(|pair| (pair.name.text.as_str().into(), value(&pair.value))).collect()
}

/// Returns the text of an operand where only text has a meaning.
pub(crate) fn operand_text(operand: &Operand) -> &str {
    match operand {
        Operand::Text(word) | Operand::Digits(word) => &word.text,
        Operand::Path(path) => &path.text,
    }
}
