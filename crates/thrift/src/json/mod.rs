//! The JSON protocol, as `lib/cpp/src/thrift/protocol/TJSONProtocol.h` of
//! <https://github.com/apache/thrift> describes it: fields by their numbers, values with the names
//! of their types.
//!
//! A text and a message of the binary protocol say the same, but for bytes, which are base64 here.
//! So `decode` makes such a message of a text, and keeps the places of its parts, and `encode`
//! makes a text of one. The reader and the writer of the binary protocol do the rest.

mod bind;
mod decode;
mod encode;
mod names;
mod places;
mod read;
mod simple;
mod unbound;
mod write;

use polywire_core::format::{Confidence, Format, Nature, SchemaNeed};

use read::JsonReader;
use write::JsonWriter;

/// Name of the format.
pub(crate) const NAME: &str = "thrift-json";

/// Name of the format of the simple protocol.
pub(crate) const SIMPLE_NAME: &str = "thrift-simple-json";

/// The JSON protocol.
pub static JSON: Format =
    Format::new(NAME, "Thrift, JSON protocol", Nature::Text, |_, _| Confidence::No, || Box::new(JsonReader::default()))
        .media_types(&["application/vnd.apache.thrift.json"])
        .extensions(&["tjson"])
        .magic("as JSON")
        .separator("\n")
        .writer(|| Box::new(JsonWriter::default()))
        .schema(SchemaNeed::Optional)
        .binder(&bind::Texts { simple: false })
        .tag_name(crate::format::tag_name);

/// The simple JSON protocol.
pub static SIMPLE_JSON: Format = Format::new(
    SIMPLE_NAME,
    "Thrift, simple JSON protocol by a schema",
    Nature::Text,
    |_, _| Confidence::No,
    || Box::new(unbound::Unbound::default()),
)
.media_types(&["application/x-thrift-simple-json"])
.extensions(&["tsjson"])
.magic("as JSON")
.separator("\n")
.schema(SchemaNeed::Required)
.binder(&bind::Texts { simple: true })
.tag_name(crate::format::tag_name);
