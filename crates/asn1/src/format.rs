//! ASN.1's encodings in the registry. Each needs a schema.

use polywire_core::format::{Confidence, Format, Nature, SchemaNeed};
use polywire_core::{Budget, Error, ErrorKind, Fault, Frame, Reader, Result, Sink};

use crate::ber::{Framer, Rules};
use crate::bind::{Encoding, Modules};

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
        Err(Error::new(ErrorKind::Usage, Fault::Caller)
            .seen("no schema")
            .expected("the modules of ASN.1 that the messages follow")
            .hint("give them with --schema FILE --type Module.Type; `--from ber` reads the bytes without a schema")
            .at(base)
            .format_is(self.name))
    }
}

const fn ber(name: &'static str, title: &'static str, reader: fn() -> Box<dyn Reader>, binder: &'static Modules) -> Format {
    Format::new(name, title, Nature::Binary, |_, _| Confidence::No, reader)
        .magic("a tag and a length")
        .schema(SchemaNeed::Required)
        .binder(binder)
}

/// BER by a schema.
pub static BER: Format = ber(
    "asn1-ber",
    "ASN.1 BER by a schema",
    || Box::new(Unbound { name: "asn1-ber", framer: Framer::default() }),
    &Modules(Encoding::Ber(Rules::Basic)),
)
.media_types(&["application/x-asn1-ber"])
.extensions(&["asn1ber"]);

/// DER by a schema.
pub static DER: Format = ber(
    "asn1-der",
    "ASN.1 DER by a schema",
    || Box::new(Unbound { name: "asn1-der", framer: Framer::default() }),
    &Modules(Encoding::Ber(Rules::Distinguished)),
)
.media_types(&["application/x-asn1-der"])
.extensions(&["asn1der"]);

/// CER by a schema.
pub static CER: Format = ber(
    "asn1-cer",
    "ASN.1 CER by a schema",
    || Box::new(Unbound { name: "asn1-cer", framer: Framer::default() }),
    &Modules(Encoding::Ber(Rules::Canonical)),
)
.media_types(&["application/x-asn1-cer"])
.extensions(&["asn1cer"]);
