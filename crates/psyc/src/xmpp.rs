//! XMPP stanzas as packets, and back.
//!
//! Both sides are values: a stanza as XML's document profile reads one
//! (`{"message": {"@from": …, "body": …}}`), a packet as [`walk`](crate::walk) reads one.
//! [`Mapped::lost`] names the parts that the other side has no place for; `docs/formats/psyc.md`
//! has the tables.

use polywire_core::value::Value;
use polywire_core::{Error, ErrorKind, Fault, Result};

use crate::NAME;
use crate::packet::Operator;
use crate::record::words::DATA;
use crate::walk::{ROUTING, operator_code};

/// The gateway between the two networks.
#[derive(Debug, Clone, Default)]
pub struct Gateway {
    /// Domains that are reached over XMPP: their addresses get the prefix `xmpp:`. Addresses of all
    /// other domains become uniforms.
    pub xmpp_domains: Vec<String>,
}

/// The result of mapping a stanza or a packet.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapped {
    /// The packet, or the stanza.
    pub value: Value,
    /// The names of the lost parts: attributes with `@`, elements and variables by name, and
    /// `resource of @from` for addresses.
    pub lost: Vec<String>,
}

/// The channel of a person's context that followers are in.
const FOLLOW: &str = "#_follow";

const PUBSUB: &str = "http://jabber.org/protocol/pubsub";
const MICROBLOG: &str = "urn:xmpp:microblog:0";
const ATOM: &str = "http://www.w3.org/2005/Atom";

/// The values of `show`, and degrees of availability. No `show` is 7; a presence of type
/// `unavailable` is 1.
const DEGREES: [(&str, u64); 4] = [("away", 4), ("xa", 2), ("dnd", 3), ("chat", 8)];
const AVAILABLE: u64 = 7;
const UNAVAILABLE: u64 = 1;

#[cold]
fn unsupported(seen: impl Into<String>, expected: &'static str) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data).seen(seen.into()).expected(expected).format_is(NAME)
}

fn tagged(code: u64, value: Value) -> Value {
    Value::Tagged { space: NAME.into(), code, value: Box::new(value) }
}

fn routing(name: &str, address: String) -> (String, Value) {
    (name.to_string(), tagged(ROUTING + operator_code(Operator::Set), Value::Text(address)))
}

/// Returns the text of an element: itself, or its `#text`.
fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        Value::Record { fields, .. } => fields.iter().find(|(name, _)| name == DATA).and_then(|(_, value)| text_of(value)),
        _ => None,
    }
}

fn fields_of(value: &Value) -> &[(String, Value)] {
    match value {
        Value::Record { fields, .. } => fields,
        _ => &[],
    }
}

/// Returns a child, whatever its prefix.
fn child<'v>(value: &'v Value, local: &str) -> Option<&'v Value> {
    fields_of(value).iter().find(|(name, _)| name.rsplit(':').next() == Some(local)).map(|(_, value)| value)
}

impl Gateway {
    /// Returns the packet of a stanza: `message`, `presence`, or an `iq` that publishes an entry.
    pub fn packet_of(&self, stanza: &Value) -> Result<Mapped> {
        let [(name, body)] = fields_of(stanza) else { return Err(unsupported("no single element", "a stanza")) };
        let mut lost = Vec::new();
        let value = match name.as_str() {
            "message" => self.message(body, &mut lost)?,
            "presence" => self.presence(body, &mut lost)?,
            "iq" => self.activity(body, &mut lost)?,
            other => return Err(unsupported(format!("`{other}`"), "message, presence or iq")),
        };
        Ok(Mapped { value, lost })
    }

    fn message(&self, body: &Value, lost: &mut Vec<String>) -> Result<Value> {
        let (mut header, mut entity, mut data) = (Vec::new(), Vec::new(), None);
        for (name, value) in fields_of(body) {
            match (name.as_str(), text_of(value)) {
                ("@from", Some(address)) => header.push(routing("source", self.uniform(name, address, lost))),
                ("@to", Some(address)) => header.push(routing("target", self.uniform(name, address, lost))),
                ("subject", Some(text)) if entity.is_empty() => entity.push(("subject".to_string(), Value::text(text))),
                ("body", Some(text)) if data.is_none() && !text.is_empty() => data = Some(text.to_string()),
                _ => lost.push(name.clone()),
            }
        }
        header.append(&mut entity);
        header.extend(data.map(|text| (DATA.to_string(), Value::Text(text))));
        Ok(Value::Record { name: "message".into(), fields: header })
    }

    fn presence(&self, body: &Value, lost: &mut Vec<String>) -> Result<Value> {
        let (mut header, mut degree, mut status) = (Vec::new(), AVAILABLE, None);
        for (name, value) in fields_of(body) {
            match (name.as_str(), text_of(value)) {
                ("@from", Some(address)) => header.push(routing("context", self.uniform(name, address, lost))),
                ("@type", Some("unavailable")) => degree = UNAVAILABLE,
                ("@type", Some(other)) => {
                    return Err(unsupported(format!("a presence of type `{other}`"), "a type of presence that means availability"));
                }
                ("show", Some(show)) => match DEGREES.iter().find(|(word, _)| *word == show.trim()) {
                    Some((_, number)) => degree = *number,
                    None => lost.push(name.clone()),
                },
                ("status", Some(text)) if status.is_none() => status = Some(text.to_string()),
                _ => lost.push(name.clone()),
            }
        }
        let assign = operator_code(Operator::Assign);
        header.push(("degree_availability".into(), tagged(assign, Value::UInt(degree))));
        header.extend(status.map(|text| ("description_presence".into(), tagged(assign, Value::Text(text)))));
        Ok(Value::Record { name: "notice_presence".into(), fields: header })
    }

    /// Maps an entry that is published to followers.
    fn activity(&self, body: &Value, lost: &mut Vec<String>) -> Result<Value> {
        let entry = ["pubsub", "publish", "item", "entry"].iter().try_fold(body, |value, step| child(value, step));
        let Some(entry) = entry else { return Err(unsupported("an iq of another kind", "one that publishes an entry")) };
        let mut header = Vec::new();
        for (name, value) in fields_of(body) {
            match (name.as_str(), text_of(value)) {
                ("@from", Some(address)) => header.push(routing("context", self.uniform(name, address, lost) + FOLLOW)),
                ("@type", Some("set")) | ("pubsub", _) => {}
                _ => lost.push(name.clone()),
            }
        }
        let mut content = child(entry, "content");
        for (name, value) in fields_of(entry) {
            match (name.as_str(), text_of(value)) {
                ("title", Some(text)) => header.push(("subject".into(), Value::text(text))),
                ("content", Some(_)) => {}
                (name, _) if name.starts_with("@xmlns") => {}
                _ => {
                    content = content.or_else(|| child(value, "content"));
                    lost.push(name.clone());
                }
            }
        }
        if let Some(content) = content {
            if let Some(kind) = child(content, "@type").and_then(text_of) {
                header.push(("type_content".into(), Value::text(kind)));
            }
            header.extend(text_of(content).filter(|text| !text.is_empty()).map(|text| (DATA.to_string(), Value::text(text))));
        }
        Ok(Value::Record { name: "message".into(), fields: header })
    }

    /// Returns the uniform of an address `local@domain/resource` (RFC 7622). A part that is no name
    /// in a uniform (docs/spec/psyc.md 13) keeps its address.
    fn uniform(&self, name: &str, address: &str, lost: &mut Vec<String>) -> String {
        let (bare, resource) = address.split_once('/').map_or((address, None), |(bare, resource)| (bare, Some(resource)));
        let (local, domain) = bare.split_once('@').map_or((None, bare), |(local, domain)| (Some(local), domain));
        let host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
        let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'$'..=b';' | b'_' | b'!' | b'?' | b'=' | b'~');
        let fits = !domain.is_empty() && domain.bytes().all(host) && local.is_none_or(|local| !local.is_empty() && local.bytes().all(word));
        if !fits || self.xmpp_domains.iter().any(|known| known == domain) {
            return format!("xmpp:{address}");
        }
        if resource.is_some() {
            lost.push(format!("resource of {name}"));
        }
        match local {
            Some(local) => format!("psyc://{domain}/~{local}"),
            None => format!("psyc://{domain}/"),
        }
    }

    /// Returns the stanza of a packet whose method is `_message` or `_notice_presence`, or inherits
    /// from one of them (docs/spec/psyc.md 12.1).
    pub fn stanza_of(&self, packet: &Value) -> Result<Mapped> {
        let Value::Record { name: method, fields } = packet else { return Err(unsupported("no packet with a method", "a packet")) };
        let inherits = |from: &str| method.strip_prefix(from).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
        let mut lost = Vec::new();
        if !inherits("message") && !inherits("notice_presence") {
            return Err(unsupported(format!("the method `_{method}`"), "_message or _notice_presence"));
        }
        if !matches!(method.as_str(), "message" | "notice_presence") {
            lost.push(format!("method _{method}"));
        }
        let value = if inherits("notice_presence") {
            presence_stanza(fields, &mut lost)?
        } else if fields.iter().any(|(name, value)| name == "context" && inner(value).is_some_and(|text| text.ends_with(FOLLOW))) {
            activity_stanza(fields, &mut lost)?
        } else {
            message_stanza(fields, &mut lost)?
        };
        Ok(Mapped { value, lost })
    }
}

/// Returns the text of a variable, whatever its operator and header.
fn inner(value: &Value) -> Option<&str> {
    match value {
        Value::Tagged { space, value, .. } if space == NAME => inner(value),
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// Returns the address that a uniform names.
fn address(name: &str, uniform: &str, lost: &mut Vec<String>) -> Result<Value> {
    if let Some(address) = uniform.strip_prefix("xmpp:") {
        return Ok(Value::text(address));
    }
    let (body, channel) = uniform.split_once('#').map_or((uniform, None), |(body, channel)| (body, Some(channel)));
    let rest = body.strip_prefix("psyc://").ok_or_else(|| unsupported(format!("the address `{uniform}`"), "psyc: or xmpp:"))?;
    let (host, resource) = rest.split_once('/').unwrap_or((rest, ""));
    if host.contains(':') || !(resource.is_empty() || resource.starts_with('~')) {
        return Err(unsupported(format!("the address `{uniform}`"), "a person's, or a server's at its usual port"));
    }
    if channel.is_some() {
        lost.push(format!("channel of {name}"));
    }
    Ok(Value::Text(match resource.strip_prefix('~') {
        Some(local) => format!("{local}@{host}"),
        None => host.to_string(),
    }))
}

fn stanza(name: &str, fields: Vec<(String, Value)>) -> Value {
    Value::record([(name, Value::record(fields))])
}

fn message_stanza(fields: &[(String, Value)], lost: &mut Vec<String>) -> Result<Value> {
    let mut found = Vec::new();
    for (name, value) in fields {
        match (name.as_str(), inner(value)) {
            ("source", Some(uniform)) => found.push(("@from".to_string(), address(name, uniform, lost)?)),
            ("target", Some(uniform)) => found.push(("@to".to_string(), address(name, uniform, lost)?)),
            ("subject", Some(text)) => found.push(("subject".to_string(), Value::text(text))),
            (DATA, Some(text)) => found.push(("body".to_string(), Value::text(text))),
            _ => lost.push(name.clone()),
        }
    }
    Ok(stanza("message", found))
}

fn presence_stanza(fields: &[(String, Value)], lost: &mut Vec<String>) -> Result<Value> {
    let mut found = Vec::new();
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("context" | "source", value) if inner(value).is_some() => {
                found.push(("@from".to_string(), address(name, inner(value).unwrap_or_default(), lost)?));
            }
            ("degree_availability", Value::Tagged { value, .. }) => match (&**value, DEGREES) {
                (Value::UInt(UNAVAILABLE), _) => found.push(("@type".to_string(), Value::text("unavailable"))),
                (Value::UInt(AVAILABLE), _) => {}
                (Value::UInt(degree), known) => match known.iter().find(|(_, number)| number == degree) {
                    Some((show, _)) => found.push(("show".to_string(), Value::text(*show))),
                    None => lost.push(name.clone()),
                },
                _ => lost.push(name.clone()),
            },
            ("description_presence", value) if inner(value).is_some() => {
                found.push(("status".to_string(), Value::text(inner(value).unwrap_or_default())));
            }
            _ => lost.push(name.clone()),
        }
    }
    Ok(stanza("presence", found))
}

fn activity_stanza(fields: &[(String, Value)], lost: &mut Vec<String>) -> Result<Value> {
    let mut head = vec![("@type".to_string(), Value::text("set"))];
    let mut entry = vec![("@xmlns".to_string(), Value::text(ATOM))];
    let mut content = Vec::new();
    for (name, value) in fields {
        match (name.as_str(), inner(value)) {
            ("context", Some(uniform)) => head.push(("@from".to_string(), address(name, uniform.trim_end_matches(FOLLOW), lost)?)),
            ("subject", Some(text)) => entry.push(("title".to_string(), Value::text(text))),
            ("type_content", Some(text)) => content.push(("@type".to_string(), Value::text(text))),
            (DATA, Some(text)) => content.push((DATA.to_string(), Value::text(text))),
            _ => lost.push(name.clone()),
        }
    }
    if !content.is_empty() {
        entry.push(("content".to_string(), Value::record(content)));
    }
    let item = Value::record([("entry", Value::record(entry))]);
    let publish = Value::record([("@node", Value::text(MICROBLOG)), ("item", item)]);
    head.push(("pubsub".to_string(), Value::record([("@xmlns", Value::text(PUBSUB)), ("publish", publish)])));
    Ok(stanza("iq", head))
}
