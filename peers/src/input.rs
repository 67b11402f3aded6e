//! The messages of a workload: from a file, or made, always the same.

use std::cell::OnceCell;
use std::path::Path;

use base64_simd::STANDARD;
use polywire_core::format::Format;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use polywire_core::value::Tree;
use polywire_core::{Error, Limits, Result};
use polywire_formats::registry;
use serde::Deserialize;

use crate::schema::Schema;
use crate::typed::xml::{self, Style};
use crate::typed::{finding, model};
use crate::visit::{self, Answer};

/// Bytes behind the last message that may be read: simdjson's padding. They are zero, which ends the text for the C library.
const PADDING: usize = 64;

/// Where messages come from.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// A file, from the project's root: one message.
    File(String),
    /// These files over and over, `times` each.
    Files { files: Vec<String>, times: usize },
    /// Random bytes as the payload of a message, with a size.
    Payload { form: Form, bytes: usize },
    /// Random lines of text as the data of a PSYC packet without a size.
    Unsized { bytes: usize },
    /// Random messages of a type, as Protobuf writes them.
    Messages { of: Type, count: usize },
    /// The same messages of the published extprot benchmark as XML.
    Xml { count: usize },
    /// One message of ticket sales, as Protobuf writes it.
    Sales { vouchers: u32 },
    /// One search reply of that many items, as Protobuf writes it.
    Reply { items: usize },
    /// Messages that Protobuf writes, as canonical JSON.
    Json { of: Box<Source> },
    /// A message of that many variables.
    Header { form: Form, lines: usize },
}

/// Types of `typed::model` that have random messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Type {
    Complex,
    Flat,
}

/// How a made message is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    Psyc,
    Json,
    Xml,
}

/// Messages, one behind the other.
pub struct Input {
    /// With [`PADDING`] zeros at the end.
    padded: Vec<u8>,
    /// Where each message lies.
    pub messages: Vec<(usize, usize)>,
    /// Where the base64 of a payload lies.
    base64: Option<(usize, usize)>,
    /// Bytes of the payload.
    payload: Option<usize>,
    /// Type of the messages, if Protobuf wrote them.
    schema: Option<Schema>,
    /// The messages that these are the JSON of.
    protobuf: Option<Box<Input>>,
    answer: OnceCell<Answer>,
}

impl Input {
    fn new(mut bytes: Vec<u8>, messages: Vec<(usize, usize)>) -> Input {
        bytes.resize(bytes.len() + PADDING, 0);
        Input { padded: bytes, messages, base64: None, payload: None, schema: None, protobuf: None, answer: OnceCell::new() }
    }

    fn one(bytes: Vec<u8>) -> Input {
        let messages = vec![(0, bytes.len())];
        Input::new(bytes, messages)
    }

    fn typed(schema: Schema, (bytes, messages): (Vec<u8>, Vec<(usize, usize)>)) -> Input {
        Input { schema: Some(schema), ..Input::new(bytes, messages) }
    }

    /// The messages that a source describes; `root` is the project's.
    pub fn load(root: &Path, source: &Source) -> Result<Input> {
        let read = |file: &String| std::fs::read(root.join(file)).map_err(|error| Error::io(file, &error));
        Ok(match source {
            Source::File(file) => Input::one(read(file)?),
            Source::Files { files, times } => {
                let files = files.iter().map(read).collect::<Result<Vec<_>>>()?;
                let (mut bytes, mut messages) = (Vec::new(), Vec::new());
                for file in std::iter::repeat_n(&files, *times).flatten() {
                    messages.push((bytes.len(), bytes.len() + file.len()));
                    bytes.extend_from_slice(file);
                }
                Input::new(bytes, messages)
            }
            Source::Payload { form, bytes } => payload(*form, *bytes),
            Source::Unsized { bytes } => unsized_text(*bytes),
            Source::Messages { of: Type::Complex, count } => Input::typed(Schema::Complex, model::messages::<model::Complex>(*count)),
            Source::Messages { of: Type::Flat, count } => Input::typed(Schema::Flat, model::messages::<model::Flat>(*count)),
            Source::Xml { count } => {
                let (protobuf, places) = model::messages::<model::Complex>(*count);
                let (text, messages) = xml_of(&protobuf, &places, Style::Full)?;
                Input::new(text.into_bytes(), messages)
            }
            Source::Sales { vouchers } => Input { schema: Some(Schema::Sales), ..Input::one(model::sales(*vouchers)) },
            Source::Reply { items } => Input { schema: Some(Schema::Reply), ..Input::one(finding::reply(*items)) },
            Source::Json { of } => Input::json_of(Input::load(root, of)?)?,
            Source::Header { form, lines } => Input::one(header(*form, *lines)),
        })
    }

    /// Messages that Protobuf wrote, as canonical JSON.
    fn json_of(protobuf: Input) -> Result<Input> {
        let (mut bytes, mut messages) = (Vec::new(), Vec::new());
        for text in protobuf.message_type()?.json(protobuf.each())? {
            messages.push((bytes.len(), bytes.len() + text.len()));
            bytes.extend_from_slice(&text);
        }
        Ok(Input { protobuf: Some(Box::new(protobuf)), ..Input::new(bytes, messages) })
    }

    /// The messages of a file, framed by the format that its bytes look like.
    pub fn framed(path: &Path) -> Result<Input> {
        let bytes = std::fs::read(path).map_err(|error| Error::io(&path.display().to_string(), &error))?;
        let mut walker = Walker::new(format_of(&bytes)?, &Limits::DEFAULT);
        let mut stream = Stream::new(&bytes[..]);
        let mut messages = Vec::new();
        while let Some(message) = stream.next(&mut walker)? {
            let start = message.base as usize;
            messages.push((start, start + message.bytes.len()));
        }
        Ok(Input::new(bytes, messages))
    }

    /// All messages.
    pub fn bytes(&self) -> &[u8] {
        &self.padded[..self.padded.len() - PADDING]
    }

    /// Each message.
    pub fn each(&self) -> impl Iterator<Item = &[u8]> {
        self.messages.iter().map(|(start, end)| &self.padded[*start..*end])
    }

    /// Type of the messages, which Protobuf wrote, or of those that they are the JSON of.
    pub fn message_type(&self) -> Result<Schema> {
        let known = self.schema.or_else(|| self.protobuf.as_ref()?.schema);
        known.ok_or_else(|| Error::usage("messages of no known type").expected("those that Protobuf wrote, or their JSON"))
    }

    /// The messages that these are the JSON of.
    pub fn protobuf(&self) -> Result<&Input> {
        self.protobuf.as_deref().ok_or_else(|| Error::usage("other messages").expected("the JSON of those that Protobuf wrote"))
    }

    /// The base64 of the payload.
    pub fn base64(&self) -> Option<&[u8]> {
        self.base64.map(|(start, end)| &self.padded[start..end])
    }

    /// Bytes that the payload has.
    pub fn payload_length(&self) -> Option<usize> {
        self.payload
    }

    /// What the messages hold, by a judge that is not timed. Of messages that Protobuf wrote, it is what their JSON holds.
    pub fn answer(&self) -> Result<Answer> {
        if let Some(answer) = self.answer.get() {
            return Ok(*answer);
        }
        let answer = match self.schema {
            Some(schema) => visit::json(&schema.json(self.each())?.concat())?,
            None => self.answer_of(self.bytes())?,
        };
        Ok(*self.answer.get_or_init(|| answer))
    }

    /// What messages of the same form hold; of messages that Protobuf wrote, their JSON.
    pub fn answer_of(&self, bytes: &[u8]) -> Result<Answer> {
        if self.schema.is_some() {
            return visit::json(bytes);
        }
        match self.bytes().first() {
            Some(b'[' | b'{') => visit::json(bytes),
            Some(b'<') => visit::xml(bytes),
            _ => visit::psyc(bytes),
        }
    }

    /// The format of the messages, by their bytes.
    pub fn format(&self) -> Result<&'static Format> {
        format_of(self.bytes())
    }

    /// Each message, converted to the format of that name.
    pub fn converted(&self, to: &str) -> Result<Vec<Vec<u8>>> {
        let to = registry::find(to)?;
        let from = format_of(self.bytes())?;
        if from.name == to.name {
            return Ok(self.each().map(<[u8]>::to_vec).collect());
        }
        let mut writer = to.writer.ok_or_else(|| Error::usage(format!("{} cannot be written", to.name)))?();
        let mut walker = Walker::new(from, &Limits::DEFAULT);
        self.each()
            .map(|message| {
                let mut tree = Tree::new();
                walker.walk(message, 0, &mut tree)?;
                tree.emit(&mut *writer)?;
                let mut out = Vec::new();
                writer.finish(&mut out)?;
                Ok(out)
            })
            .collect()
    }
}

/// Messages that Protobuf wrote, as XML: the bytes, and where each message lies in them.
pub fn xml_of(protobuf: &[u8], places: &[(usize, usize)], style: Style) -> Result<(String, Vec<(usize, usize)>)> {
    let (mut text, mut messages) = (String::new(), Vec::with_capacity(places.len()));
    for (start, end) in places {
        let before = text.len();
        xml::append(&protobuf[*start..*end], style, &mut text)?;
        messages.push((before, text.len()));
    }
    Ok((text, messages))
}

fn format_of(bytes: &[u8]) -> Result<&'static Format> {
    let known = registry::recognise(bytes, true).map(registry::unframed);
    known.ok_or_else(|| Error::usage("messages of no known format"))
}

/// A picture, say, from one person to another.
fn payload(form: Form, length: usize) -> Input {
    let mut random = fastrand::Rng::with_seed(length as u64);
    let block: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(length.min(1 << 16)).collect();
    let raw: Vec<u8> = block.iter().copied().cycle().take(length).collect();
    let around = |before: &str, after: &str| {
        let mut bytes = before.as_bytes().to_vec();
        STANDARD.encode_append(&raw, &mut bytes);
        let base64 = Some((before.len(), bytes.len()));
        bytes.extend_from_slice(after.as_bytes());
        Input { base64, payload: Some(length), ..Input::one(bytes) }
    };
    match form {
        Form::Psyc => {
            let entity = b":_type_content\timage/png\n_data\n";
            let head =
                format!(":_source\tpsyc://example.com/~juliet\n:_target\tpsyc://example.net/~romeo\n{}\n", entity.len() + length + 1);
            Input { payload: Some(length), ..Input::one([head.as_bytes(), entity, &raw, b"\n|\n"].concat()) }
        }
        Form::Json => around(
            r#"["_data",{"_source":"psyc://example.com/~juliet","_target":"psyc://example.net/~romeo","_type_content":"image/png"},""#,
            "\"]\n",
        ),
        Form::Xml => around(
            r#"<message from="psyc://example.com/~juliet" to="psyc://example.net/~romeo"><data type="image/png">"#,
            "</data></message>\n",
        ),
    }
}

/// Lines of text, none of them a bar alone.
fn unsized_text(length: usize) -> Input {
    let mut random = fastrand::Rng::with_seed(length as u64);
    let mut bytes = b":_source\tpsyc://example.com/~juliet\n:_target\tpsyc://example.net/~romeo\n\n_message\n".to_vec();
    let end = bytes.len() + length;
    while bytes.len() < end {
        let line = random.usize(20..100);
        bytes.extend(std::iter::repeat_with(|| random.alphanumeric() as u8).take(line));
        bytes.push(b'\n');
    }
    bytes.truncate(end - 1);
    bytes.extend_from_slice(b".\n|\n");
    Input::one(bytes)
}

/// Variables of two to four words in the name, and five to forty letters in the value.
fn header(form: Form, lines: usize) -> Vec<u8> {
    const WORDS: [&str; 8] = ["_address", "_street", "_name", "_code", "_title", "_page", "_description", "_nick"];
    let mut random = fastrand::Rng::with_seed(lines as u64);
    let variables: Vec<(String, String)> = (0..lines)
        .map(|line| {
            let words: String = (0..random.usize(1..4)).map(|_| WORDS[random.usize(..WORDS.len())]).collect();
            let value: String = (0..random.usize(5..41)).map(|_| random.alphanumeric()).collect();
            (format!("{words}_{line}"), value)
        })
        .collect();
    let mut text = String::new();
    match form {
        Form::Psyc => {
            text.push('\n');
            variables.iter().for_each(|(name, value)| text += &format!(":{name}\t{value}\n"));
            text += "_request_store\n|\n";
        }
        Form::Json => {
            let fields: Vec<String> = variables.iter().map(|(name, value)| format!("\"{name}\":\"{value}\"")).collect();
            text = format!("[\"_request_store\",{{{}}}]\n", fields.join(","));
        }
        Form::Xml => {
            let elements: String = variables.iter().map(|(name, value)| format!("<{name}>{value}</{name}>")).collect();
            text = format!("<_request_store>{elements}</_request_store>\n");
        }
    }
    text.into_bytes()
}
