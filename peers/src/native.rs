//! C and C++ libraries as peers: the safe side of `native/peer.h`.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_void};
use std::hint::black_box;
use std::ptr::NonNull;

// The functions that `native/psyc.c` calls.
use polywire_capi as _;
use polywire_compare::harness::Subject;
use polywire_core::{Error, Result};

use crate::input::Input;
use crate::peer::{Peer, Prepared, Work};
use crate::schema::Schema;
use crate::visit::{Answer, Digest, Sink};

/// Names and versions of the libraries, as they were found when this was built.
pub const VERSIONS: &str = env!("NATIVE_VERSIONS");

#[repr(C)]
struct Message {
    data: *const c_char,
    length: usize,
}

#[repr(C)]
struct RawAnswer {
    values: u64,
    digest: u64,
}

type Write = unsafe extern "C" fn(*mut c_void, *mut *const c_char, *mut usize) -> c_int;

/// The functions of one library.
#[repr(C)]
pub struct Library {
    prepare: unsafe extern "C" fn(*const Message, usize) -> *mut c_void,
    decode: unsafe extern "C" fn(*mut c_void, *mut u64) -> c_int,
    check: unsafe extern "C" fn(*mut c_void, *mut RawAnswer) -> c_int,
    render: Option<Write>,
    encode: Option<Write>,
    release: unsafe extern "C" fn(*mut c_void),
    size: Option<unsafe extern "C" fn(*mut c_void) -> usize>,
}

macro_rules! libraries {
    ($($name:ident = $symbol:ident $(as $judge:ident)?),* $(,)?) => {
        unsafe extern "C" {
            $(static $symbol: Library;)*
        }
        $(
            /// The library of that name in `native`.
            pub fn $name(work: Work, input: &Input) -> Prepared<'_> {
                // SAFETY: a constant that `native` defines with this layout, and that nothing writes to.
                let library = unsafe { &$symbol };
                let check = [$($judge as Check,)? values as Check][0];
                prepare(library, check, work, input)
            }
        )*
    };
}

libraries! {
    simdjson_packaged_dom = peer_simdjson_packaged_dom,
    simdjson_packaged_on_demand = peer_simdjson_packaged_on_demand,
    simdjson_packaged_many = peer_simdjson_packaged_many,
    simdjson_packaged_many_alone = peer_simdjson_packaged_many_alone,
    simdjson_newest_dom = peer_simdjson_newest_dom,
    simdjson_newest_on_demand = peer_simdjson_newest_on_demand,
    simdjson_newest_many = peer_simdjson_newest_many,
    simdjson_newest_many_alone = peer_simdjson_newest_many_alone,
    rapidjson_dom = peer_rapidjson_dom,
    rapidjson_in_situ = peer_rapidjson_in_situ,
    rapidjson_sax = peer_rapidjson_sax,
    json_c = peer_json_c,
    json_glib = peer_json_glib,
    rapidxml = peer_rapidxml,
    pugixml = peer_pugixml,
    libxml2_dom = peer_libxml2_dom,
    libxml2_sax = peer_libxml2_sax,
    expat = peer_expat,
    gzip_6 = peer_gzip_6 as whole,
    gzip_9 = peer_gzip_9 as whole,
    gunzip_6 = peer_gunzip_6 as whole,
    gunzip_9 = peer_gunzip_9 as whole,
    psyc_c = peer_psyc_c,
    strlen = peer_strlen as length,
    memchr = peer_memchr as length,
    memcpy = peer_memcpy as messages,
    protobuf_arena_complex = peer_protobuf_arena_complex as messages,
    protobuf_arena_flat = peer_protobuf_arena_flat as messages,
    protobuf_arena_sales = peer_protobuf_arena_sales as messages,
    protobuf_first_block_complex = peer_protobuf_first_block_complex as messages,
    protobuf_first_block_flat = peer_protobuf_first_block_flat as messages,
    protobuf_first_block_sales = peer_protobuf_first_block_sales as messages,
    protobuf_reused_complex = peer_protobuf_reused_complex as messages,
    protobuf_reused_flat = peer_protobuf_reused_flat as messages,
    protobuf_reused_sales = peer_protobuf_reused_sales as messages,
    protobuf_sales_arena = peer_protobuf_sales_arena as messages,
    protobuf_sales_first_block = peer_protobuf_sales_first_block as messages,
    protobuf_sales_reused = peer_protobuf_sales_reused as messages,
    protobuf_arena_reply = peer_protobuf_arena_reply as messages,
    protobuf_first_block_reply = peer_protobuf_first_block_reply as messages,
    protobuf_reused_reply = peer_protobuf_reused_reply as messages,
    protobuf_to_json_complex = peer_protobuf_to_json_complex as json,
    protobuf_to_json_sales = peer_protobuf_to_json_sales as json,
    protobuf_to_json_reply = peer_protobuf_to_json_reply as json,
    protobuf_bytes_to_json_complex = peer_protobuf_bytes_to_json_complex as json,
    protobuf_bytes_to_json_sales = peer_protobuf_bytes_to_json_sales as json,
    protobuf_bytes_to_json_reply = peer_protobuf_bytes_to_json_reply as json,
    protobuf_of_json_complex = peer_protobuf_of_json_complex as of_json,
    protobuf_of_json_sales = peer_protobuf_of_json_sales as of_json,
    protobuf_of_json_reply = peer_protobuf_of_json_reply as of_json,
    protobuf_bytes_of_json_complex = peer_protobuf_bytes_of_json_complex as of_json,
    protobuf_bytes_of_json_sales = peer_protobuf_bytes_of_json_sales as of_json,
    protobuf_bytes_of_json_reply = peer_protobuf_bytes_of_json_reply as of_json,
    rapidjson_sax_sales = peer_rapidjson_sax_sales as messages,
    rapidjson_sax_sales_dates = peer_rapidjson_sax_sales_dates as messages,
    rapidjson_dom_sales = peer_rapidjson_dom_sales as messages,
    rapidjson_dom_sales_dates = peer_rapidjson_dom_sales_dates as messages,
    tinyxml2_sales = peer_tinyxml2_sales as messages,
    tinyxml2_sales_dates = peer_tinyxml2_sales_dates as messages,
    tinyxml2_printer_sales = peer_tinyxml2_printer_sales as messages,
    tinyxml2_printer_sales_dates = peer_tinyxml2_printer_sales_dates as messages,
    libbson_sales = peer_libbson_sales as messages,
    asn1c_ber_sales = peer_asn1c_ber_sales as messages,
    asn1c_uper_sales = peer_asn1c_uper_sales as messages,
    asn1c_xer_sales = peer_asn1c_xer_sales as messages,
}

macro_rules! by_type {
    ($($name:ident: $complex:ident, $sales:ident, $reply:ident;)*) => {
        $(
            /// The library for the type of the messages.
            pub fn $name(work: Work, input: &Input) -> Prepared<'_> {
                match input.message_type()? {
                    Schema::Complex => $complex(work, input),
                    Schema::Sales => $sales(work, input),
                    Schema::Reply => $reply(work, input),
                    Schema::Flat => Ok(None),
                }
            }
        )*
    };
}

by_type! {
    protobuf_arena: protobuf_arena_complex, protobuf_arena_sales, protobuf_arena_reply;
    protobuf_first_block: protobuf_first_block_complex, protobuf_first_block_sales, protobuf_first_block_reply;
    protobuf_reused: protobuf_reused_complex, protobuf_reused_sales, protobuf_reused_reply;
    protobuf_to_json: protobuf_to_json_complex, protobuf_to_json_sales, protobuf_to_json_reply;
    protobuf_bytes_to_json: protobuf_bytes_to_json_complex, protobuf_bytes_to_json_sales, protobuf_bytes_to_json_reply;
    protobuf_of_json: protobuf_of_json_complex, protobuf_of_json_sales, protobuf_of_json_reply;
    protobuf_bytes_of_json: protobuf_bytes_of_json_complex, protobuf_bytes_of_json_sales, protobuf_bytes_of_json_reply;
}

/// Holds an answer against the input, and tells how many values that has.
type Check = fn(&Input, Answer) -> Result<u64>;

fn values(input: &Input, found: Answer) -> Result<u64> {
    input.answer()?.agrees(found)
}

/// The scans of the C library see the bytes as one text.
fn length(input: &Input, found: Answer) -> Result<u64> {
    let mut whole = Digest::default();
    input.each().for_each(|message| whole.text(message));
    whole.answer().agrees(found)?;
    Ok(input.answer()?.values)
}

/// All messages are one text.
fn whole(input: &Input, found: Answer) -> Result<u64> {
    let mut whole = Digest::default();
    whole.text(input.bytes());
    whole.answer().agrees(found)?;
    Ok(input.answer()?.values)
}

/// Each message, written again, is one text.
fn messages(input: &Input, found: Answer) -> Result<u64> {
    let mut whole = Digest::default();
    input.each().for_each(|message| whole.text(message));
    whole.answer().agrees(found)
}

/// The JSON of messages that Protobuf wrote, as values.
fn json(input: &Input, found: Answer) -> Result<u64> {
    input.answer()?.agrees(found)?;
    Ok(input.messages.len() as u64)
}

/// The messages that the input is the JSON of, each as one text.
fn of_json(input: &Input, found: Answer) -> Result<u64> {
    messages(input.protobuf()?, found)
}

/// A library that is ready for messages which outlive it.
struct Ready<'a> {
    library: &'static Library,
    /// What `prepare` gave, until `release`.
    handle: NonNull<c_void>,
    /// Where the messages lie: C keeps pointers to these.
    _messages: Vec<Message>,
    input: &'a Input,
    check: Check,
    work: Work,
    /// What is timed, if it isn't decoding.
    write: Option<Write>,
}

fn prepare<'a>(library: &'static Library, check: Check, work: Work, input: &'a Input) -> Prepared<'a> {
    let write = match work {
        Work::Decode => None,
        Work::Encode => library.encode,
        Work::Render => library.render,
        Work::DecodeBase64 => return Ok(None),
    };
    if write.is_none() && work != Work::Decode {
        return Ok(None);
    }
    Ok(Some(Box::new(Ready::new(library, check, work, write, input)?)))
}

fn good(code: c_int) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error::internal(format!("a rival failed with {code}"))) }
}

impl<'a> Ready<'a> {
    fn new(library: &'static Library, check: Check, work: Work, write: Option<Write>, input: &'a Input) -> Result<Ready<'a>> {
        let messages: Vec<Message> = input.each().map(|message| Message { data: message.as_ptr().cast(), length: message.len() }).collect();
        // SAFETY: the messages are as long as they say, have the bytes behind them that `Input` keeps, and outlive the library, as their list does.
        let handle = unsafe { (library.prepare)(messages.as_ptr(), messages.len()) };
        let handle = NonNull::new(handle).ok_or_else(|| Error::internal("a rival could not be made ready"))?;
        Ok(Ready { library, handle, _messages: messages, input, check, work, write })
    }

    /// The text that the library writes.
    fn written(&mut self, write: Write) -> Result<&[u8]> {
        let (mut text, mut length) = (std::ptr::null(), 0);
        // SAFETY: the handle is live, and the places are ours.
        good(unsafe { write(self.handle.as_ptr(), &mut text, &mut length) })?;
        // SAFETY: the text is `length` bytes long, not null, and lives until the next call, which needs this borrow to end.
        Ok(unsafe { std::slice::from_raw_parts(text.cast(), length) })
    }

    fn answer(&mut self) -> Result<Answer> {
        let mut answer = RawAnswer { values: 0, digest: 0 };
        // SAFETY: the handle is live, and the place is ours.
        good(unsafe { (self.library.check)(self.handle.as_ptr(), &mut answer) })?;
        Ok(Answer { values: answer.values, digest: answer.digest })
    }
}

impl Subject for Ready<'_> {
    fn pass(&mut self) -> Result<()> {
        if let Some(write) = self.write {
            black_box(self.written(write)?);
            return Ok(());
        }
        let mut seen = 0;
        // SAFETY: the handle is live, and the place is ours.
        good(unsafe { (self.library.decode)(self.handle.as_ptr(), &mut seen) })?;
        black_box(seen);
        Ok(())
    }
}

impl<'a> Peer<'a> for Ready<'a> {
    fn check(&mut self) -> Result<u64> {
        let input = self.input;
        let found = match (self.work, self.write) {
            (Work::Render, Some(render)) => input.answer_of(self.written(render)?)?,
            (Work::Encode, Some(encode)) => {
                // A library with a format of its own reads again what it writes, as part of its answer.
                let own = self.library.size.is_some();
                if !own && input.each().last() != Some(self.written(encode)?) {
                    return Err(Error::internal("a rival encoded another message"));
                }
                self.answer()?
            }
            _ => self.answer()?,
        };
        (self.check)(input, found)
    }

    fn size(&self) -> Option<usize> {
        // SAFETY: the handle is live.
        self.library.size.map(|size| unsafe { size(self.handle.as_ptr()) })
    }
}

impl Drop for Ready<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and nothing uses it after this.
        unsafe { (self.library.release)(self.handle.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use polywire_formats::serde::TypedReader;
    use prost::Message as _;

    use super::*;
    use crate::input::Source;
    use crate::ours::asn1::Encoding;
    use crate::typed::model::Sales;

    /// asn1c writes some reals with an octet more than they need, so that the bytes differ from ours.
    #[test]
    fn our_walk_of_asn1_reads_what_asn1c_writes() {
        let input = Input::load(Path::new(".."), &Source::Sales { vouchers: 300 }).unwrap();
        // SAFETY: constants that `native` defines with this layout, and that nothing writes to.
        let libraries = unsafe { [(&peer_asn1c_ber_sales, Encoding::Ber), (&peer_asn1c_uper_sales, Encoding::Uper)] };
        for (library, encoding) in libraries {
            let encode = library.encode.unwrap();
            let mut ready = Ready::new(library, messages, Work::Encode, Some(encode), &input).unwrap();
            let mut reader = TypedReader::new(encoding.dialect().unwrap()).unwrap();
            let sales: Sales = reader.message(ready.written(encode).unwrap(), 0).unwrap();
            assert_eq!(sales.encode_to_vec(), input.bytes(), "{encoding:?}");
        }
    }
}
