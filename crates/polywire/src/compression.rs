//! Compressed streams: gzip, Zstandard, bzip2, xz and LZ4.

use std::io::{Read, Write};

use polywire_core::format::payload::LOOK;
use polywire_core::tools::Stream;
use polywire_formats::payload::{CODECS, PAYLOADS};

pub use polywire_core::format::payload::{Codec, Encoding};

use crate::{Error, Result};

/// Makes a reader of the bytes inside a compressed input. An input that is not compressed passes as
/// it is; the first bytes decide.
///
/// ```
/// use std::io::{Read, Write};
///
/// let mut packed = Vec::new();
/// let mut encoder = polywire::compression::encoder("zstd", &mut packed)?;
/// encoder.write_all(b"{\"id\":1}\n").unwrap();
/// encoder.finish().unwrap();
///
/// let mut text = String::new();
/// polywire::compression::decoder(std::io::Cursor::new(packed))?.read_to_string(&mut text).unwrap();
/// assert_eq!(text, "{\"id\":1}\n");
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// The input cannot be read.
pub fn decoder<'r>(input: impl Read + 'r) -> Result<Box<dyn Read + 'r>> {
    let mut stream = Stream::new(input);
    let (start, whole) = stream.peek(LOOK)?;
    let codecs = PAYLOADS.proved(start, whole);
    let mut inside: Box<dyn Read + 'r> = Box::new(stream.into_input());
    for codec in codecs {
        inside = codec.reader(inside).map_err(|error| Error::io("decoding", &error))?;
    }
    Ok(inside)
}

/// Makes a writer that compresses to `output`, with the codec's usual level. It needs
/// [`Encoding::finish`] at the end.
///
/// # Errors
/// No codec that can be written has this name.
pub fn encoder<'w>(codec: &str, output: impl Write + 'w) -> Result<Box<dyn Encoding + 'w>> {
    let writable = || CODECS.iter().filter_map(|codec| codec.encoder.as_ref().map(|encoder| (codec.name, encoder)));
    let (_, encoder) = writable().find(|(name, _)| *name == codec).ok_or_else(|| {
        let names: Vec<&str> = writable().map(|(name, _)| name).collect();
        Error::usage(format!("the codec `{codec}`")).expected(format!("one of {}", names.join(", ")))
    })?;
    (encoder.encode)(Box::new(output), encoder.level).map_err(|error| Error::io("encoding", &error))
}
