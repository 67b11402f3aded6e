//! The sink that only counts: what it costs to read a message without making anything of it.

use crate::error::Result;
use crate::walk::event::{Field, Next, Open, Part, Scalar, Span};
use crate::walk::sink::Sink;

/// How much of what a message holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Containers.
    pub containers: u64,
    /// Names of fields, and text keys of maps.
    pub fields: u64,
    /// Scalars, those in parts included.
    pub scalars: u64,
    /// Bytes of text and binary data, unescaped.
    pub text: u64,
}

impl<'m> Sink<'m> for Count {
    #[inline]
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        self.containers += 1;
        Ok(Next::Enter)
    }

    #[inline]
    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
        self.fields += 1;
        Ok(Next::Enter)
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.scalars += 1;
        self.text += match value {
            Scalar::Text(text) => text.get().len() as u64,
            Scalar::Bytes(bytes) | Scalar::Octets(bytes) => bytes.get().len() as u64,
            _ => 0,
        };
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, _: Span) -> Result<()> {
        self.scalars += u64::from(part.last);
        self.text += part.bytes.len() as u64;
        Ok(())
    }

    #[inline]
    fn close(&mut self, _: Span) -> Result<()> {
        Ok(())
    }
}
