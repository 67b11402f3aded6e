//! The protocols in the registry.

use std::marker::PhantomData;

use polywire_core::format::{Format, Nature, SchemaNeed};

use crate::bind::Texts;
use crate::kind::Kind;
use crate::read::ThriftReader;
use crate::recognise::recognise;
use crate::settings::Settings;
use crate::wire::{Binary, Compact, NAME};
use crate::write::ThriftWriter;

static BY_BINARY: Texts<Binary> = Texts(PhantomData);
static BY_COMPACT: Texts<Compact> = Texts(PhantomData);
static OF_BINARY: Settings<Binary> = Settings(PhantomData);
static OF_COMPACT: Settings<Compact> = Settings(PhantomData);

/// The binary protocol.
pub static BINARY: Format = Format::new("thrift-binary", "Thrift, binary protocol", Nature::Binary, recognise::<Binary>, || {
    Box::new(ThriftReader::<Binary>::default())
})
.media_types(&["application/vnd.apache.thrift.binary", "application/x-thrift"])
.extensions(&["tbin"])
.magic("80 01 starts an envelope; a struct starts with the type and the number of a field")
.writer(|| Box::new(ThriftWriter::<Binary>::default()))
.schema(SchemaNeed::Optional)
.binder(&BY_BINARY)
.settings(&OF_BINARY)
.tag_name(tag_name);

/// The compact protocol.
pub static COMPACT: Format = Format::new("thrift-compact", "Thrift, compact protocol", Nature::Binary, recognise::<Compact>, || {
    Box::new(ThriftReader::<Compact>::default())
})
.media_types(&["application/vnd.apache.thrift.compact"])
.extensions(&["tcompact"])
.magic("82 starts an envelope; a struct starts with a byte that is the type and the number of a field")
.writer(|| Box::new(ThriftWriter::<Compact>::default()))
.schema(SchemaNeed::Optional)
.binder(&BY_COMPACT)
.settings(&OF_COMPACT)
.tag_name(tag_name);

pub(crate) fn tag_name(space: &str, code: u64) -> Option<&'static str> {
    let kind = u8::try_from(code).ok().and_then(Kind::of)?;
    (space == NAME && matches!(kind, Kind::Set | Kind::Uuid)).then(|| kind.name())
}
