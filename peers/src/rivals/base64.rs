//! What a format without binary values has to do behind the parsing: the payload is decoded from base64.

use std::hint::black_box;

use base64_simd::{Out, STANDARD};
use polywire_compare::harness::Subject;
use polywire_core::{Error, Result};

use crate::input::Input;
use crate::peer::Peer;

/// A parser, and a decoder of the text that it found. The text is read where it lies in the message, which the parser just brought into the caches.
struct WithBase64<'a> {
    parser: Box<dyn Peer<'a> + 'a>,
    text: &'a [u8],
    payload: Vec<u8>,
    input: &'a Input,
}

/// A peer that also decodes the input's payload.
pub fn with_base64<'a>(parser: Box<dyn Peer<'a> + 'a>, input: &'a Input) -> Result<Box<dyn Peer<'a> + 'a>> {
    let text = input.base64().ok_or_else(|| Error::internal("an input without a payload in base64"))?;
    let payload = vec![0; STANDARD.estimated_decoded_length(text.len())];
    Ok(Box::new(WithBase64 { parser, text, payload, input }))
}

impl WithBase64<'_> {
    fn decode(&mut self) -> Result<&[u8]> {
        let decoded = STANDARD.decode(black_box(self.text), Out::from_slice(&mut self.payload));
        decoded.map(|payload| &*payload).map_err(|error| Error::internal(format!("base64: {error}")))
    }
}

impl Subject for WithBase64<'_> {
    fn pass(&mut self) -> Result<()> {
        self.parser.pass()?;
        black_box(self.decode()?);
        Ok(())
    }
}

impl<'a> Peer<'a> for WithBase64<'a> {
    fn check(&mut self) -> Result<u64> {
        let values = self.parser.check()?;
        let again = STANDARD.encode_to_string(self.decode()?);
        if again.as_bytes() != self.text {
            return Err(Error::internal("the payload is not what its base64 says"));
        }
        if self.input.payload_length() != Some(self.decode()?.len()) {
            return Err(Error::internal("the payload has another length"));
        }
        Ok(values)
    }
}
