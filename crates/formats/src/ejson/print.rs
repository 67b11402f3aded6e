//! BSON's values as Extended JSON.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::{Error, Field, Hint, Len, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Str, Timestamp};

use super::decimal;
use crate::bson::wire::{self, CODE, CODE_WITH_SCOPE, DB_POINTER, GENERIC, MAX_KEY, MIN_KEY, OBJECT_ID, REGEX, SYMBOL, TIMESTAMP};
use crate::decimal as parts;
use crate::json::JsonWriter;
use crate::tag_text::hex;

/// Receives the events of BSON's reader, and no others.
pub(super) struct Printer<'a> {
    json: &'a mut JsonWriter,
    /// Each number has its type.
    canonical: bool,
    /// The code of a tag whose contents come next.
    tag: Option<u64>,
    levels: Vec<Level>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Plain,
    /// A tag, whose contents become an object.
    Tag,
    /// The tuple of a type, and its values so far.
    Pair(u8, usize),
}

const MAP: Open<'static> = Open::Map(Len::Unknown);
const AT: Span = Span::NONE;

/// Milliseconds of the year 10000.
const YEAR_10000: i64 = 253_402_300_800_000;

impl<'a> Printer<'a> {
    pub(super) fn new(json: &'a mut JsonWriter, canonical: bool) -> Printer<'a> {
        Printer { json, canonical, tag: None, levels: Vec::new() }
    }

    fn open_object(&mut self, name: &str) -> Result<()> {
        self.json.open(MAP, AT)?;
        self.name(name)
    }

    fn name(&mut self, name: &str) -> Result<()> {
        self.json.field(Field::named(Str::Scratch(name)), AT).map(|_| ())
    }

    fn put(&mut self, value: Scalar<'_, '_>) -> Result<()> {
        self.json.scalar(value.scratch(), AT)
    }

    fn text(&mut self, text: &str) -> Result<()> {
        self.put(Scalar::Text(Str::Scratch(text)))
    }

    fn end(&mut self) -> Result<()> {
        self.json.close(AT)
    }

    /// Writes an object of one name and a value.
    fn object(&mut self, name: &str, value: Scalar<'_, '_>) -> Result<()> {
        self.open_object(name)?;
        self.put(value)?;
        self.end()
    }

    fn typed_text(&mut self, name: &str, text: &str) -> Result<()> {
        self.object(name, Scalar::Text(Str::Scratch(text)))
    }

    fn binary(&mut self, subtype: u8, bytes: &[u8]) -> Result<()> {
        self.open_object("$binary")?;
        self.open_object("base64")?;
        self.text(&STANDARD.encode(bytes))?;
        self.name("subType")?;
        self.text(&format!("{subtype:02x}"))?;
        self.end()?;
        self.end()
    }

    fn time(&mut self, moment: Timestamp) -> Result<()> {
        let milliseconds = moment.seconds().saturating_mul(1000).saturating_add(i64::from(moment.nanos() / 1_000_000));
        self.open_object("$date")?;
        match moment.to_rfc3339() {
            Some(text) if !self.canonical && (0..YEAR_10000).contains(&milliseconds) => {
                // Three decimals, or none.
                let text = match text.strip_suffix('Z').and_then(|text| text.split_once('.')) {
                    Some((seconds, fraction)) => format!("{seconds}.{fraction:0<3}Z"),
                    None => text,
                };
                self.text(&text)?;
            }
            _ => self.typed_text("$numberLong", itoa::Buffer::new().format(milliseconds))?,
        }
        self.end()
    }

    fn integer(&mut self, value: i64, hint: Hint<'_>) -> Result<()> {
        if !self.canonical {
            return self.put(Scalar::int(value));
        }
        let is_int = i32::try_from(value).is_ok() && hint.width() != Some(64);
        self.typed_text(if is_int { "$numberInt" } else { "$numberLong" }, itoa::Buffer::new().format(value))
    }

    fn double(&mut self, value: f64) -> Result<()> {
        let text = match value {
            value if value.is_nan() => "NaN".to_string(),
            f64::INFINITY => "Infinity".to_string(),
            f64::NEG_INFINITY => "-Infinity".to_string(),
            value if !self.canonical => return self.put(Scalar::f64(value)),
            value => match ryu::Buffer::new().format_finite(value).split_once('e') {
                None => ryu::Buffer::new().format_finite(value).to_string(),
                Some((mantissa, exponent)) if exponent.starts_with('-') => format!("{mantissa}E{exponent}"),
                Some((mantissa, exponent)) => format!("{mantissa}E+{exponent}"),
            },
        };
        self.typed_text("$numberDouble", &text)
    }

    /// Writes a number that came as a decimal128; returns false if it came otherwise.
    fn decimal(&mut self, value: &Scalar<'_, '_>) -> Result<bool> {
        let (Scalar::UInt(_, hint) | Scalar::Int(_, hint) | Scalar::F64(_, hint) | Scalar::Big(_, hint) | Scalar::Decimal(_, hint)) =
            *value
        else {
            return Ok(false);
        };
        let Some(parts) = parts::typed(hint) else { return Ok(false) };
        self.typed_text("$numberDecimal", &decimal::text(parts.negative, &parts.digits, parts.exponent))?;
        Ok(true)
    }

    /// Writes the scalar in a tagged value.
    fn tagged(&mut self, code: u64, value: Scalar<'_, '_>) -> Result<()> {
        if code & !0xff == wire::binary_code(0)
            && let Scalar::Bytes(bytes) = value
        {
            return self.binary(code as u8, bytes.get());
        }
        match (code as u8, value) {
            (OBJECT_ID, Scalar::Bytes(id)) => self.typed_text("$oid", &hex(id.get())),
            (TIMESTAMP, Scalar::UInt(value, _)) => {
                self.open_object("$timestamp")?;
                self.open_object("t")?;
                self.put(Scalar::uint(value >> 32))?;
                self.name("i")?;
                self.put(Scalar::uint(value & 0xffff_ffff))?;
                self.end()?;
                self.end()
            }
            (CODE, Scalar::Text(text)) => self.typed_text("$code", text.get()),
            (SYMBOL, Scalar::Text(text)) => self.typed_text("$symbol", text.get()),
            (MIN_KEY, _) => self.object("$minKey", Scalar::uint(1)),
            (MAX_KEY, _) => self.object("$maxKey", Scalar::uint(1)),
            (wire::UNDEFINED, _) => self.object("$undefined", Scalar::Bool(true)),
            (wire::DECIMAL128, Scalar::F64(value, _)) => {
                let text = if value.is_nan() { "NaN" } else { ["Infinity", "-Infinity"][usize::from(value < 0.0)] };
                self.typed_text("$numberDecimal", text)
            }
            _ => Err(broken("contents that are not of their type")),
        }
    }

    /// Writes a value of a tuple.
    fn of_pair(&mut self, kind: u8, index: usize, value: Scalar<'_, '_>) -> Result<()> {
        match (kind, index, value) {
            (REGEX, 0, Scalar::Text(pattern)) => {
                self.open_object("$regularExpression")?;
                self.open_object("pattern")?;
                self.text(pattern.get())
            }
            (REGEX, 1, Scalar::Text(options)) => {
                self.name("options")?;
                self.text(options.get())?;
                self.end()?;
                self.end()
            }
            (DB_POINTER, 0, Scalar::Text(name)) => {
                self.open_object("$dbPointer")?;
                self.open_object("$ref")?;
                self.text(name.get())
            }
            (DB_POINTER, 1, Scalar::Bytes(id)) => {
                self.name("$id")?;
                self.typed_text("$oid", &hex(id.get()))?;
                self.end()?;
                self.end()
            }
            (CODE_WITH_SCOPE, 0, Scalar::Text(code)) => {
                self.open_object("$code")?;
                self.text(code.get())
            }
            _ => Err(broken("a tuple that is none of its type")),
        }
    }
}

#[cold]
fn broken(seen: &'static str) -> Error {
    Error::internal(seen).format_is(super::NAME)
}

impl<'m> Sink<'m> for Printer<'_> {
    fn needs(&self) -> Needs {
        Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        let level = match (open, self.tag.take()) {
            (Open::Tagged { code, .. }, _) => {
                self.tag = Some(code);
                Level::Tag
            }
            (Open::Tuple(_), Some(code)) => Level::Pair(code as u8, 0),
            (Open::Tuple(_), None) => return Err(broken("a tuple without a type")),
            (other, _) => {
                if let Some(Level::Pair(CODE_WITH_SCOPE, values)) = self.levels.last_mut() {
                    *values += 1;
                    self.name("$scope")?;
                }
                self.json.open(other, AT)?;
                Level::Plain
            }
        };
        self.levels.push(level);
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        self.json.field(field, AT)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        if let Some(code) = self.tag.take() {
            return self.tagged(code, value);
        }
        if let Some(Level::Pair(kind, values)) = self.levels.last_mut() {
            let (kind, index) = (*kind, *values);
            *values += 1;
            return self.of_pair(kind, index, value);
        }
        if self.decimal(&value)? {
            return Ok(());
        }
        match value {
            Scalar::UInt(number, hint) => self.integer(number as i64, hint),
            Scalar::Int(number, hint) => self.integer(number, hint),
            Scalar::F64(number, _) => self.double(number),
            Scalar::Bytes(bytes) => self.binary(GENERIC, bytes.get()),
            Scalar::Time(moment) => self.time(moment),
            other => self.json.scalar(other, AT),
        }
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(broken("a value in parts"))
    }

    fn close(&mut self, _: Span) -> Result<()> {
        match self.levels.pop() {
            Some(Level::Plain) => self.end(),
            // Code with its scope is an object that is still open.
            Some(Level::Pair(CODE_WITH_SCOPE, _)) => self.end(),
            Some(Level::Tag | Level::Pair(..)) => Ok(()),
            None => Err(broken("a close without its open")),
        }
    }

    fn note(&mut self, _: Note<'_>, _: Span) -> Result<()> {
        Ok(())
    }
}
