//! A `create table`, drafted from a service's reply.

use std::fmt::Write;

use bytes::Bytes;
use http::{HeaderMap, Method, Uri};
use polywire_core::text::diagnostic::Source;
use polywire_core::walk::{Path, PathStep};
use polywire_doc::{Datum, Reads};
use polywire_formats::registry;
use polywire_ql::plan::Plan;
use polywire_ql::syntax::{operand, quoted};
use url::{Host, Url};

use crate::decode::{BodyType, Draft, Undecodable, infer};
use crate::exchange::bounds::Bounds;
use crate::exchange::client::{Client, Parts};
use crate::exchange::error::Error as ExchangeError;
use crate::exchange::headers;
use crate::exchange::message::Request;
use crate::exchange::options::Options;
use crate::exchange::policy::{Grant, Policy, is_public};
use crate::secrets::Secrets;
use crate::service::accepted;

/// A sample request to a service.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Address, with sample values in its query.
    pub url: Url,
    /// HTTP method.
    pub method: Method,
    /// Headers of the request.
    pub headers: Vec<(String, String)>,
    /// Name of the table; by default it comes from host and path.
    pub name: Option<String>,
}

impl Sample {
    /// Makes a request by GET without headers.
    pub fn get(url: Url) -> Sample {
        Sample { url, method: Method::GET, headers: Vec::new(), name: None }
    }
}

/// A reply.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The body, without content coding.
    pub body: Bytes,
    /// Its media type, as the header has it.
    pub content_type: Option<String>,
}

/// The reason why there is no draft.
#[derive(Debug)]
pub enum NoDraft {
    /// The service could not be asked.
    Exchange(ExchangeError),
    /// It answered with an error status.
    Status(u16),
    /// Its reply cannot be read.
    Reply(Undecodable),
    /// The sample cannot become a table.
    Sample(String),
}

impl std::fmt::Display for NoDraft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoDraft::Exchange(error) => error.fmt(f),
            NoDraft::Status(status) => {
                write!(f, "the service answered with status {status}, expected one from 200 to 299; record a reply and give it by --reply")
            }
            NoDraft::Reply(undecodable) => undecodable.fmt(f),
            NoDraft::Sample(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for NoDraft {}

/// Asks the service, within the limits of all exchanges. Its host may have a private address, since
/// the caller named it; redirects to other hosts are refused. Needs a tokio runtime
/// with I/O and time.
///
/// # Errors
/// The service cannot be asked, or answers with an error.
pub async fn ask(sample: &Sample) -> Result<Recorded, NoDraft> {
    let wrong = |what: String| NoDraft::Sample(what);
    let uri: Uri = sample.url.as_str().parse().map_err(|_| wrong(format!("{} is no URI", sample.url)))?;
    let grant = Grant::of_template(sample.url.as_str()).ok_or_else(|| wrong(format!("{} has no http or https host", sample.url)))?;
    let policy = Policy::new(vec![grant.private()], Vec::new());
    let client = Client::new(Options::default(), Parts { policy, ..Parts::default() }).map_err(wrong)?;
    let mut request = Request::new(sample.method.clone(), uri);
    let mut all: HeaderMap = headers::standing(accepted());
    headers::add(&mut all, sample.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))).map_err(wrong)?;
    request.headers = all;
    let response = client.send(&request, &Bounds::default()).await.map_err(NoDraft::Exchange)?;
    if !response.status.is_success() {
        return Err(NoDraft::Status(response.status.as_u16()));
    }
    let content_type = response.headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    Ok(Recorded { content_type: content_type.map(str::to_owned), body: response.body })
}

/// Returns the statement, ready to load, with a comment on the configuration that it needs.
///
/// # Errors
/// A reply cannot be read, or the sample cannot become a table.
pub fn table(sample: &Sample, replies: &[Recorded]) -> Result<String, NoDraft> {
    if !matches!(sample.url.scheme(), "http" | "https") || !sample.url.has_host() {
        return Err(NoDraft::Sample(format!("{} is not an http or https address", sample.url)));
    }
    let draft = infer(replies.iter().map(|reply| (&reply.body, reply.content_type.as_deref()))).map_err(NoDraft::Reply)?;
    // Other formats mark lists and numbers themselves.
    let declares = replies.iter().any(|reply| {
        let format = BodyType::parse(reply.content_type.as_deref()).format();
        format.and_then(registry::conventions).is_some()
    });
    // A value that no template can produce stays in the URI unchanged.
    let texts = [true, false].map(|parameters| statement(sample, &draft, declares, parameters));
    let loads = |text: &&String| {
        let tables = Plan::tables(&Source::new("table", text.as_str()), &Datum::default(), None);
        tables.is_ok_and(|tables| tables.iter().flat_map(|table| table.actions()).all(|action| action.uri.is_ok()))
    };
    let found = texts.iter().find(loads).cloned();
    found
        .ok_or_else(|| NoDraft::Sample(format!("{} cannot be a table's URI, or a name or header cannot be written in a table", sample.url)))
}

/// The setting that new tables should have, as the comment on a draft names it.
const STRICT: &str = "\"strict\": true: then a misspelt parameter is an error";

fn statement(sample: &Sample, draft: &Draft, declares: bool, parameters: bool) -> String {
    let asked = Asked::of(sample, parameters);
    let mut text = String::new();
    let shown = asked.uri.split('?').next().unwrap_or_default();
    let _ = writeln!(text, "-- Drafted from what {shown} replies.");
    for note in &asked.notes {
        let _ = writeln!(text, "-- config.json needs {note}.");
    }
    let _ = writeln!(text, "-- config.json should say {STRICT}.");
    let name = sample.name.clone().unwrap_or_else(|| name_of(&sample.url));
    let preposition = match sample.method.as_str() {
        "GET" => " from",
        "POST" | "PUT" => " to",
        _ => "",
    };
    let _ = write!(text, "create table {name}\n  on select {}{preposition} '{}'", sample.method.as_str().to_ascii_lowercase(), asked.uri);
    clause(&mut text, "using headers", &asked.headers);
    clause(&mut text, "using defaults", &asked.defaults);
    clause(&mut text, "using mapping", &draft.convention.and_then(quoted).into_iter().collect::<Vec<_>>());
    let rows = draft.result_set.as_ref().map(names).unwrap_or_default();
    clause(&mut text, "resultset", &rows.into_iter().map(|path| quoted(&path)).collect::<Option<Vec<_>>>().unwrap_or_default());
    if declares {
        let paths = |paths: Vec<Path>| paths.iter().filter_map(|path| quoted(&path.to_string())).collect::<Vec<_>>();
        let shape = &draft.shape;
        let mut head = "with ";
        for (word, paths) in [
            ("arrays", paths(shape.lists())),
            ("numbers", paths(shape.read_as(Reads::Number))),
            ("text", paths(shape.read_as(Reads::Text))),
        ] {
            if !paths.is_empty() {
                clause(&mut text, &format!("{head}{word}"), &paths);
                head = "     ";
            }
        }
    }
    text.push_str(";\n");
    text
}

/// Writes a clause on lines of its own, one entry each.
fn clause(text: &mut String, words: &str, entries: &[String]) {
    if entries.is_empty() {
        return;
    }
    let gap = format!(",\n{}", " ".repeat(4 + words.len() + 1));
    let _ = write!(text, "\n    {words} {}", entries.join(&gap));
}

/// Returns the names of a path, joined by dots as in a result set, up to the first name that has a
/// dot itself.
fn names(path: &Path) -> Option<String> {
    let names: Vec<&str> = path
        .0
        .iter()
        .map_while(|step| match step {
            PathStep::Name(name) if !name.contains('.') && name.trim() == name => Some(name.as_str()),
            _ => None,
        })
        .collect();
    (!names.is_empty()).then(|| names.join("."))
}

/// The clauses that a sample becomes.
#[derive(Default)]
struct Asked {
    uri: String,
    headers: Vec<String>,
    defaults: Vec<String>,
    /// Members that the configuration needs.
    notes: Vec<String>,
}

impl Asked {
    fn of(sample: &Sample, parameters: bool) -> Asked {
        let mut this = Asked::default();
        let mut base = sample.url.clone();
        base.set_query(None);
        base.set_fragment(None);
        // Credentials are no part of a table. These calls fail only for URLs without a host, which
        // a table cannot have.
        let _ = base.set_username("");
        let _ = base.set_password(None);
        this.uri = literal(base.as_str());
        let pairs: Vec<(String, String)> = sample.url.query_pairs().into_owned().collect();
        for (at, (name, value)) in pairs.iter().enumerate() {
            this.uri.push(if at == 0 { '?' } else { '&' });
            let is_token = parameters && is_word(name) && pairs.iter().filter(|(known, _)| known == name).count() == 1;
            let default = if is_secret(name) { Some(format!("'{{config.{name}}}'")) } else { operand(value) };
            let encode = |text: &str| literal(&polywire_ql::template::uri::encode_component(text));
            match default.filter(|_| is_token) {
                Some(default) => {
                    let _ = write!(this.uri, "{}={{{name}}}", encode(name));
                    this.defaults.push(format!("{name} = {default}"));
                    if is_secret(name) {
                        this.notes.push(format!("\"{name}\""));
                    }
                }
                None => {
                    let _ = write!(this.uri, "{}={}", encode(name), encode(value));
                }
            }
        }
        let secrets = Secrets::default();
        for (name, value) in &sample.headers {
            let hidden = name.parse().is_ok_and(|parsed| secrets.hides(&parsed)) || is_secret(name);
            let member: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
            let value = if hidden { Some(format!("'{{config.{member}}}'")) } else { quoted(value) };
            if let (Some(name), Some(value)) = (quoted(name), value) {
                this.headers.push(format!("{name} = {value}"));
                if hidden {
                    this.notes.push(format!("\"{member}\""));
                }
            }
        }
        if is_private(&sample.url) {
            let port = sample.url.port_or_known_default().unwrap_or_default();
            this.notes.push(format!("\"allowPrivate\": [\"{}:{port}\"]", sample.url.host_str().unwrap_or_default()));
        }
        this
    }
}

/// Returns true if a name can be a token of a URI, and a word of a clause.
fn is_word(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.split('.').all(|part| part.starts_with(|first: char| first.is_ascii_alphabetic()))
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
}

/// Returns true if a parameter or header of that name is likely to hold a secret.
fn is_secret(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let endings = ["apikey", "appid", "token", "secret", "password", "signature"];
    plain == "key" || endings.iter().any(|ending| plain.ends_with(ending))
}

/// Returns text of a URI, with the characters encoded that a template's literal text cannot have
/// (docs/spec/ql.md 5.3).
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, ' ' | '^' | '"' | '\'' | '<' | '>' | '{' | '}' | '|' | '`') {
            let _ = write!(out, "%{:02X}", u32::from(letter));
        } else {
            out.push(letter);
        }
    }
    out
}

/// Returns the words of the host without its top-level domain, and the last part of the path:
/// `shop.items`.
fn name_of(url: &Url) -> String {
    let word = |text: &str| -> String {
        let kept: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        kept.trim_start_matches(|first: char| first.is_ascii_digit()).to_owned()
    };
    let mut words: Vec<String> = Vec::new();
    if let Some(Host::Domain(domain)) = url.host() {
        let labels: Vec<&str> = domain.split('.').filter(|label| *label != "www").collect();
        words.extend(labels[..labels.len().saturating_sub(1).max(1)].iter().map(|label| word(label)));
    }
    let last = url.path_segments().and_then(|mut parts| parts.rfind(|part| !part.is_empty())).unwrap_or_default();
    words.push(word(last.split('.').next().unwrap_or_default()));
    words.retain(|word| !word.is_empty());
    if words.is_empty() { "service".to_owned() } else { words.join(".") }
}

fn is_private(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => !is_public(address.into()),
        Some(Host::Ipv6(address)) => !is_public(address.into()),
        Some(Host::Domain(domain)) => domain == "localhost" || domain.ends_with(".localhost"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(url: &str) -> Sample {
        Sample { url: url.parse().unwrap(), method: Method::GET, headers: Vec::new(), name: None }
    }

    fn drafted(sample: &Sample, body: &str, content_type: &str) -> String {
        table(sample, &[Recorded { body: Bytes::copy_from_slice(body.as_bytes()), content_type: Some(content_type.to_owned()) }]).unwrap()
    }

    #[test]
    fn parameters_have_the_sample_as_default() {
        let text = drafted(&sample("http://www.shop.example/v1/items.json?q=desk+lamp&page=2&code=007&x-y=1&id=1&id=2&o={a}#x"), "{}", "");
        let expected = "create table shop.items\n  on select get from \
                        'http://www.shop.example/v1/items.json?q={q}&page={page}&code={code}&x-y=1&id=1&id=2&o=%7Ba%7D'\n    \
                        using defaults q = 'desk lamp',\n                   page = 2,\n                   code = '007';\n";
        assert_eq!(text.splitn(3, '\n').nth(2).unwrap(), expected);
    }

    #[test]
    fn keys_are_left_to_the_configuration() {
        let mut asked = sample("http://user:pw@10.0.0.1:81/a?api_key=S3CRET&it's=1");
        asked.headers = vec![("Authorization".into(), "Bearer S3CRET".into()), ("X-Shop".into(), "it's".into())];
        asked.name = Some("one.two".into());
        let text = drafted(&asked, "[]", "application/json");
        assert!(!text.contains("S3CRET") && !text.contains("pw@"), "{text}");
        for line in [
            "-- config.json needs \"api_key\".",
            "-- config.json needs \"authorization\".",
            "-- config.json needs \"allowPrivate\": [\"10.0.0.1:81\"].",
            "create table one.two",
            "  on select get from 'http://10.0.0.1:81/a?api_key={api_key}&it%27s=1'",
            "    using headers 'Authorization' = '{config.authorization}',",
            "                  'X-Shop' = \"it's\"",
            "    using defaults api_key = '{config.api_key}';",
        ] {
            assert!(text.lines().any(|known| known == line), "{line}\n{text}");
        }
    }

    #[test]
    fn only_what_a_format_does_not_say_is_declared() {
        let xml = "<shop:r xmlns:shop='u'><row><id>1</id><n>01</n></row><row><id>2</id></row></shop:r>";
        let text = drafted(&sample("https://h.example/"), xml, "text/xml");
        let expected = "create table h\n  on select get from 'https://h.example/'\n    resultset 'shop:r.row'\n    \
                        with arrays 'shop:r.row'\n         numbers 'shop:r.row.id'\n         text 'shop:r.row.n';\n";
        assert_eq!(text.splitn(3, '\n').nth(2).unwrap(), expected);
        let text = drafted(&sample("https://h.example/"), r#"{"rows":[{"id":"1"}]}"#, "application/json");
        assert!(text.ends_with("\n    resultset 'rows';\n"), "{text}");
    }

    #[test]
    fn what_cannot_be_a_table() {
        assert!(matches!(table(&sample("file:///etc/items"), &[]), Err(NoDraft::Sample(_))));
        let mut asked = sample("http://h.example/");
        asked.name = Some("no name".into());
        assert!(matches!(table(&asked, &[]), Err(NoDraft::Sample(_))));
        let recorded = Recorded { body: Bytes::from_static(b"<a>"), content_type: Some("text/xml".into()) };
        assert!(matches!(table(&sample("http://h.example/"), &[recorded]), Err(NoDraft::Reply(_))));
    }
}
