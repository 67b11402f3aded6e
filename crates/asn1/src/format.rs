//! ASN.1's encodings in the registry. Each needs a schema.

use polywire_core::format::{Confidence, Format, Nature, SchemaNeed};
use polywire_core::{Budget, Error, ErrorKind, Fault, Frame, Reader, Result, Sink};

use crate::ber::{Framer, Rules};
use crate::bind::{Encoding, Modules};
use crate::per::Variant;
use crate::settings::{OF_BER, OF_OER, OF_PER, OF_TEXT, Settings};

/// Reader without a schema, which refuses each message.
struct Unbound {
    name: &'static str,
    framer: Framer,
}

impl Reader for Unbound {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        self.framer.frame(buf, base, eof)
    }

    fn walk<'m>(&mut self, _: &'m [u8], base: u64, _: &mut dyn Sink<'m>, _: &mut Budget) -> Result<()> {
        let hint = "give them with --schema FILE --type Module.Type; `--from ber` reads the bytes without a schema";
        Err(unbound(base).hint(hint).format_is(self.name))
    }
}

fn unbound(base: u64) -> Error {
    let error = Error::new(ErrorKind::Usage, Fault::Caller).seen("no schema");
    error.expected("the modules of ASN.1 that the messages follow").at(base)
}

const fn ber(
    name: &'static str,
    title: &'static str,
    reader: fn() -> Box<dyn Reader>,
    binder: &'static Modules,
    settings: &'static Settings,
) -> Format {
    Format::new(name, title, Nature::Binary, |_, _| Confidence::No, reader)
        .magic("a tag and a length")
        .schema(SchemaNeed::Required)
        .binder(binder)
        .settings(settings)
}

/// BER by a schema.
pub static BER: Format = ber(
    "asn1-ber",
    "ASN.1 BER by a schema",
    || Box::new(Unbound { name: "asn1-ber", framer: Framer::default() }),
    &Modules(Encoding::Ber(Rules::Basic)),
    &Settings { framings: OF_BER, reader: || Box::new(Unbound { name: "asn1-ber", framer: Framer::default() }) },
)
.media_types(&["application/x-asn1-ber"])
.extensions(&["asn1ber"]);

/// DER by a schema.
pub static DER: Format = ber(
    "asn1-der",
    "ASN.1 DER by a schema",
    || Box::new(Unbound { name: "asn1-der", framer: Framer::default() }),
    &Modules(Encoding::Ber(Rules::Distinguished)),
    &Settings { framings: OF_BER, reader: || Box::new(Unbound { name: "asn1-der", framer: Framer::default() }) },
)
.media_types(&["application/x-asn1-der"])
.extensions(&["asn1der"]);

/// CER by a schema.
pub static CER: Format = ber(
    "asn1-cer",
    "ASN.1 CER by a schema",
    || Box::new(Unbound { name: "asn1-cer", framer: Framer::default() }),
    &Modules(Encoding::Ber(Rules::Canonical)),
    &Settings { framings: OF_BER, reader: || Box::new(Unbound { name: "asn1-cer", framer: Framer::default() }) },
)
.media_types(&["application/x-asn1-cer"])
.extensions(&["asn1cer"]);

/// Reader without a schema of messages that end with the input, which refuses each.
struct Endless(&'static str);

impl Reader for Endless {
    fn frame(&mut self, buf: &[u8], _: u64, eof: bool) -> Result<Frame> {
        Ok(crate::per::whole(buf, eof))
    }

    fn walk<'m>(&mut self, _: &'m [u8], base: u64, _: &mut dyn Sink<'m>, _: &mut Budget) -> Result<()> {
        Err(unbound(base).hint("give them with --schema FILE --type Module.Type").format_is(self.0))
    }
}

const fn packed(
    name: &'static str,
    title: &'static str,
    reader: fn() -> Box<dyn Reader>,
    binder: &'static Modules,
    settings: &'static Settings,
) -> Format {
    Format::new(name, title, Nature::Binary, |_, _| Confidence::No, reader)
        .magic("bits whose meaning the schema has")
        .schema(SchemaNeed::Required)
        .ends_with_input()
        .binder(binder)
        .settings(settings)
}

/// PER, the UNALIGNED variant.
pub static UPER: Format = packed(
    "asn1-uper",
    "ASN.1 PER, unaligned, by a schema",
    || Box::new(Endless("asn1-uper")),
    &Modules(Encoding::Per(Variant::Unaligned)),
    &Settings { framings: OF_PER, reader: || Box::new(Endless("asn1-uper")) },
)
.media_types(&["application/x-asn1-uper"])
.extensions(&["uper"]);

/// PER, the ALIGNED variant.
pub static APER: Format = packed(
    "asn1-aper",
    "ASN.1 PER, aligned, by a schema",
    || Box::new(Endless("asn1-aper")),
    &Modules(Encoding::Per(Variant::Aligned)),
    &Settings { framings: OF_PER, reader: || Box::new(Endless("asn1-aper")) },
)
.media_types(&["application/x-asn1-aper"])
.extensions(&["aper"]);

/// OER.
pub static OER: Format = packed(
    "asn1-oer",
    "ASN.1 OER by a schema",
    || Box::new(Endless("asn1-oer")),
    &Modules(Encoding::Per(Variant::Octets)),
    &Settings { framings: OF_OER, reader: || Box::new(Endless("asn1-oer")) },
)
.media_types(&["application/x-asn1-oer"])
.extensions(&["oer"])
.magic("octets whose meaning the schema has");

/// Canonical OER.
pub static COER: Format = packed(
    "asn1-coer",
    "ASN.1 COER by a schema",
    || Box::new(Endless("asn1-coer")),
    &Modules(Encoding::Per(Variant::CanonicalOctets)),
    &Settings { framings: OF_OER, reader: || Box::new(Endless("asn1-coer")) },
)
.media_types(&["application/x-asn1-coer"])
.extensions(&["coer"])
.magic("octets whose meaning the schema has");

/// Reader without a schema of texts, which refuses each.
struct UnboundText<F> {
    name: &'static str,
    hint: &'static str,
    framer: F,
    frame: fn(&mut F, &[u8], bool, bool) -> Frame,
}

impl<F: Send + 'static> Reader for UnboundText<F> {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        Ok((self.frame)(&mut self.framer, buf, base == 0, eof))
    }

    fn walk<'m>(&mut self, _: &'m [u8], base: u64, _: &mut dyn Sink<'m>, _: &mut Budget) -> Result<()> {
        Err(unbound(base).hint(self.hint).format_is(self.name))
    }
}

fn jer_reader() -> Box<dyn Reader> {
    use polywire_json::frame::Framer;
    let hint = "give them with --schema FILE --type Module.Type; `--from json` reads the text without a schema";
    Box::new(UnboundText { name: crate::jer::NAME, hint, framer: Framer::default(), frame: Framer::frame })
}

/// JER.
pub static JER: Format = Format::new(crate::jer::NAME, "ASN.1 JER by a schema", Nature::Text, |_, _| Confidence::No, jer_reader)
    .media_types(&["application/x-asn1-jer"])
    .extensions(&["jer"])
    .magic("as JSON")
    .schema(SchemaNeed::Required)
    .separator("\n")
    .binder(&Modules(Encoding::Jer))
    .settings(&Settings { framings: OF_TEXT, reader: jer_reader });

/// Makes a reader of XER without a schema.
fn elements(name: &'static str) -> Box<dyn Reader> {
    use crate::xer::Framer;
    let hint = "give them with --schema FILE --type Module.Type; `--from xml` reads the text without a schema";
    Box::new(UnboundText { name, hint, framer: Framer::default(), frame: Framer::frame })
}

const fn xer(
    name: &'static str,
    title: &'static str,
    reader: fn() -> Box<dyn Reader>,
    binder: &'static Modules,
    settings: &'static Settings,
) -> Format {
    Format::new(name, title, Nature::Text, |_, _| Confidence::No, reader)
        .magic("as XML")
        .schema(SchemaNeed::Required)
        .separator("\n")
        .binder(binder)
        .settings(settings)
}

/// XER.
pub static XER: Format = xer(
    crate::xer::NAME,
    "ASN.1 XER by a schema",
    || elements(crate::xer::NAME),
    &Modules(Encoding::Xer),
    &Settings { framings: OF_TEXT, reader: || elements(crate::xer::NAME) },
)
.media_types(&["application/x-asn1-xer"])
.extensions(&["xer"]);

/// Canonical XER.
pub static CXER: Format = xer(
    crate::xer::CANONICAL,
    "ASN.1 CXER by a schema",
    || elements(crate::xer::CANONICAL),
    &Modules(Encoding::CanonicalXer),
    &Settings { framings: OF_TEXT, reader: || elements(crate::xer::CANONICAL) },
)
.media_types(&["application/x-asn1-cxer"])
.extensions(&["cxer"]);
