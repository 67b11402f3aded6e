//! SOAP 1.1 and 1.2: envelopes of requests, payloads and faults of replies.

use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue};
use polywire_doc::{Datum, Object, Ref, Wanted};
use polywire_formats::registry;
use polywire_hooks::{Body, Content};
use polywire_ql::error::QueryError;
use polywire_ql::table;
use polywire_ql::template::scalar_text;

use super::send::Raw;
use crate::decode::{Decoder, data_type};

const ACTION: HeaderName = HeaderName::from_static("soapaction");

/// The longest body of a request, in bytes. A value may share its parts, and be longer as text than
/// in memory.
const MOST_BODY: usize = 64 << 20;

/// The envelope of a table's requests.
pub(super) struct Soap {
    version: Version,
    element: Option<Element>,
    /// Names of parameters, in the order of their elements.
    order: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    V11,
    V12,
}

/// The element of a request.
struct Element {
    namespace: String,
    /// Its name, with a prefix if its children are in no namespace.
    name: String,
}

impl Soap {
    /// Makes the envelope of a clause.
    ///
    /// # Errors
    /// The version or the element is wrong, or the method has no body.
    pub fn new(clause: &table::Soap, method: &str) -> Result<Soap, QueryError> {
        let wrong = |what: String| QueryError::new("bad_table", what).hint("mend the table").status(500);
        let version = match clause.version.as_str() {
            "1.1" => Version::V11,
            "1.2" => Version::V12,
            other => return Err(wrong(format!("`using soap` has the version `{other}`, expected 1.1 or 1.2"))),
        };
        if method != "post" {
            return Err(wrong(format!("`using soap` is for requests by POST, and not by {}", method.to_ascii_uppercase())));
        }
        let element = clause.element.as_deref().map(|text| {
            let (namespace, name) = text.strip_prefix('{').and_then(|rest| rest.split_once('}')).unwrap_or(("", text));
            let (prefix, local) = name.split_once(':').unzip();
            let is_usable = match (prefix, local) {
                (Some(prefix), Some(local)) => is_name(prefix) && is_name(local) && !namespace.is_empty() && prefix != "soap",
                _ => is_name(name),
            };
            is_usable.then(|| Element { namespace: namespace.to_owned(), name: name.to_owned() }).ok_or_else(|| {
                wrong(format!("`using soap` has the element `{text}`, expected a name such as {{urn:shop}}Find or {{urn:shop}}s:Find"))
            })
        });
        Ok(Soap { version, element: element.transpose()?, order: clause.order.clone() })
    }

    /// Sets the media type and the action, which the table gives in its header `SOAPAction`.
    ///
    /// # Errors
    /// The action cannot be sent.
    pub fn set_headers(&self, headers: &mut HeaderMap) -> Result<(), String> {
        let action = headers.remove(ACTION).map(|action| String::from_utf8_lossy(action.as_bytes()).into_owned()).unwrap_or_default();
        let action = action.trim_matches('"');
        if action.contains(['"', '\\']) {
            return Err("the header 'SOAPAction' has a quote or backslash within".to_owned());
        }
        let value = |text: String| HeaderValue::from_bytes(text.as_bytes()).map_err(|error| format!("the header 'SOAPAction': {error}"));
        let media = match self.version {
            Version::V11 => {
                headers.insert(ACTION, value(format!("\"{action}\""))?);
                format!("{}; charset=utf-8", document_type())
            }
            Version::V12 if action.is_empty() => "application/soap+xml; charset=utf-8".to_owned(),
            Version::V12 => format!("application/soap+xml; charset=utf-8; action=\"{action}\""),
        };
        headers.insert(CONTENT_TYPE, value(media)?);
        Ok(())
    }

    /// Returns the envelope around the text of a template, else around an element that has the
    /// members of `value` as children.
    ///
    /// # Errors
    /// A member's name is no name of an element, a value has characters that no document can have,
    /// or the body is too long.
    pub fn wrap(&self, made: Option<Body>, value: impl FnOnce() -> Datum) -> Result<Body, QueryError> {
        let namespace = match self.version {
            Version::V11 => "http://schemas.xmlsoap.org/soap/envelope/",
            Version::V12 => "http://www.w3.org/2003/05/soap-envelope",
        };
        let mut text = format!("<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope xmlns:soap=\"{namespace}\"><soap:Body>");
        match (made.map(|body| body.content), &self.element) {
            (Some(Content::Text(inner)), _) => text.push_str(&inner),
            (Some(Content::Bytes(inner)), _) => text.push_str(&String::from_utf8_lossy(&inner)),
            (None, Some(element)) => {
                let value = if self.order.is_empty() { value() } else { ordered(value().view(), "", &self.order) };
                text.push('<');
                text.push_str(&element.name);
                if !element.namespace.is_empty() {
                    let prefix = element.name.split_once(':').map(|(prefix, _)| format!(":{prefix}")).unwrap_or_default();
                    text.push_str(&format!(" xmlns{prefix}=\""));
                    escape(&element.namespace, &mut text)?;
                    text.push('"');
                }
                text.push('>');
                members(value.view(), &mut text)?;
                text.push_str(&format!("</{}>", element.name));
            }
            (Some(Content::Data(_)), _) | (None, None) => {
                let what = "`using soap` has neither an element nor a body template, so the request has no content";
                return Err(QueryError::new("bad_table", what).hint("mend the table").status(500));
            }
        }
        text.push_str("</soap:Body></soap:Envelope>");
        Ok(Body { content: Content::Text(text), media_type: None })
    }
}

/// Returns the object at `path` with its members, and theirs, in an order of names.
fn ordered(value: Ref<'_>, path: &str, order: &[String]) -> Datum {
    if value.is_list() {
        return Datum::list(value.items().map(|item| ordered(item, path, order)));
    }
    if !value.is_object() {
        return value.to_datum();
    }
    let place =
        |path: &str| order.iter().position(|known| known == path || known.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')));
    let mut members: Vec<(usize, &str, Datum)> = Vec::with_capacity(value.len());
    for (name, member) in value.members() {
        let inner = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        members.push((place(&inner).unwrap_or(usize::MAX), name, ordered(member, &inner, order)));
    }
    members.sort_by_key(|(place, ..)| *place);
    Datum::object(members.into_iter().map(|(_, name, member)| (name, member)))
}

/// Writes the members of an object as elements: a list as one element for each item, null not at
/// all.
fn members(object: Ref<'_>, text: &mut String) -> Result<(), QueryError> {
    for (name, value) in object.members() {
        if !is_name(name) {
            let what = format!("the parameter `{}` is no name of an element", name.escape_debug());
            return Err(QueryError::new("bad_parameter", what).hint("begin with a letter; use letters, digits, `_`, `-` and `.`"));
        }
        if value.is_list() {
            value.items().try_for_each(|item| element(name, item, text))?;
        } else {
            element(name, value, text)?;
        }
    }
    Ok(())
}

fn element(name: &str, value: Ref<'_>, text: &mut String) -> Result<(), QueryError> {
    if value.is_null() {
        return Ok(());
    }
    if value.is_list() {
        return Err(QueryError::new("bad_parameter", format!("the parameter `{name}` has a list within a list")).hint("send one list"));
    }
    text.push_str(&format!("<{name}>"));
    match scalar_text(value) {
        Some(scalar) => escape(&scalar, text)?,
        None => members(value, text)?,
    }
    text.push_str(&format!("</{name}>"));
    if text.len() > MOST_BODY {
        let what = format!("the body of a request to a service has more than {MOST_BODY} bytes");
        return Err(QueryError::new("too_much_memory", what).status(422).hint("send less"));
    }
    Ok(())
}

/// Returns true for a name of an element, without a prefix.
fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

/// Writes text as the content of an element, or as the value of an attribute.
fn escape(value: &str, text: &mut String) -> Result<(), QueryError> {
    for letter in value.chars() {
        match letter {
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '&' => text.push_str("&amp;"),
            '"' => text.push_str("&quot;"),
            '\r' => text.push_str("&#13;"),
            '\n' | '\t' => text.push(letter),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                let what = format!("a parameter has the character U+{:04X}, which no XML document can have", u32::from(letter));
                return Err(QueryError::new("bad_parameter", what).hint("leave it out"));
            }
            letter => text.push(letter),
        }
    }
    Ok(())
}

/// Replaces the body of a reply by the payload of its envelope. A reply with an error status and no
/// envelope stays as it is.
///
/// # Errors
/// The envelope holds a fault, or a reply of success is no envelope.
pub(super) fn open(raw: &mut Raw, decoder: &Decoder) -> Result<(), QueryError> {
    let http = raw.status.as_u16();
    let media = raw.headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let decoded = decoder.decode(&raw.body, media.as_deref(), &Wanted::everything());
    let decoded = match decoded {
        Ok(decoded) => decoded.value,
        Err(_) if !raw.status.is_success() => return Ok(()),
        Err(error) => return Err(super::problem::of_decoder(&error, "", http)),
    };
    let envelope = child(decoded.view(), "Envelope");
    let Some(body) = envelope.and_then(|envelope| child(envelope, "Body")) else {
        if !raw.status.is_success() {
            return Ok(());
        }
        let what = "the reply is no SOAP envelope with a body";
        return Err(QueryError::new("bad_reply", what).upstream(http).body(decoded));
    };
    if let Some(fault) = child(body, "Fault") {
        return Err(of_fault(fault, http));
    }
    // Attributes of the body come before its only element.
    let payload = body.members().filter(|(name, _)| !is_marked(name)).last().map_or_else(Datum::default, |(_, value)| local(value));
    raw.headers.insert(CONTENT_TYPE, HeaderValue::from_static(data_type()));
    raw.parsed = Some(payload);
    Ok(())
}

/// Returns a value by local names: prefixes are a choice of the service, which may change. The
/// second of two members with the same local name keeps its prefix.
fn local(value: Ref<'_>) -> Datum {
    if value.is_list() {
        return Datum::list(value.items().map(local));
    }
    if !value.is_object() {
        return value.to_datum();
    }
    let mut members = Object::default();
    for (name, member) in value.members().filter(|(name, _)| !is_namespace(name)) {
        let short = if is_marked(name) { name } else { name.rsplit(':').next().unwrap_or(name) };
        let name = if members.get(short).is_none() { short } else { name };
        members.insert(name, local(member));
    }
    // Text beside nothing but declarations.
    match (members.len(), members.get("$t").or_else(|| members.get("$"))) {
        (1, Some(text)) => text.clone(),
        _ => Datum::Object(members),
    }
}

/// Returns true for the declaration of a namespace.
fn is_namespace(name: &str) -> bool {
    let name = name.trim_start_matches('@');
    name == "xmlns" || name.starts_with("xmlns:")
}

/// Returns true for a member that is no element: a namespace, an attribute or text.
fn is_marked(name: &str) -> bool {
    name.starts_with(['@', '$', '#']) || is_namespace(name)
}

/// Returns the media type of documents that SOAP 1.1 names: the one for text.
fn document_type() -> &'static str {
    let documents = registry::GUESSES.iter().filter(|format| registry::conventions(format).is_some());
    let types = documents.flat_map(|format| format.media_types).copied();
    types.into_iter().find(|media| media.starts_with("text/")).unwrap_or_default()
}

/// Returns the member of that name, whatever its prefix.
fn child<'d>(of: Ref<'d>, name: &str) -> Option<Ref<'d>> {
    of.members().find(|(known, _)| known.rsplit(':').next() == Some(name)).map(|(_, value)| value)
}

/// Returns the failure of a fault.
fn of_fault(fault: Ref<'_>, http: u16) -> QueryError {
    let text = |value: Ref<'_>| -> String {
        let value = if value.is_list() { value.index(0) } else { Some(value) };
        let content = value.and_then(|value| if value.is_object() { value.get("$t").or_else(|| value.get("$")) } else { Some(value) });
        content.and_then(scalar_text).unwrap_or_default()
    };
    let code = child(fault, "faultcode").or_else(|| child(child(fault, "Code")?, "Value")).map(text).unwrap_or_default();
    let reason = child(fault, "faultstring").or_else(|| child(child(fault, "Reason")?, "Text")).map(text).unwrap_or_default();
    let inner = child(fault, "Code").and_then(|code| child(child(code, "Subcode")?, "Value")).map(text);
    let colon = if reason.is_empty() { "" } else { ": " };
    let failure = QueryError::new("soap_fault", format!("The service answered with the fault {code}{colon}{reason}"))
        .upstream(http)
        .detail("faultCode", Datum::from(code))
        .detail("faultReason", Datum::from(reason))
        .body(fault.to_datum());
    match inner {
        Some(inner) => failure.detail("faultSubcode", Datum::from(inner)),
        None => failure,
    }
}
