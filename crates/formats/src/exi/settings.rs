//! Settings: the options of streams.

use std::sync::Arc;

use polywire_core::format::{Configure, Configured, Setting};
use polywire_core::{Error, Reader, Result, Writer};
use polywire_exi::{Alignment, Head, Options, Preserve};

use super::{ExiReader, ExiWriter};

/// The settings of EXI.
pub struct ExiSettings;

const ALIGNMENT: &str = "exi-alignment";
const PRESERVE: &str = "exi-preserve";
const FRAGMENT: &str = "exi-fragment";
const SELF_CONTAINED: &str = "exi-self-contained";
const BLOCK_SIZE: &str = "exi-block-size";
const MAX_LENGTH: &str = "exi-value-max-length";
const CAPACITY: &str = "exi-value-partition-capacity";
const HEADER: &str = "exi-header";
const CANONICAL: &str = "exi-canonical";

static LIST: &[Setting] = &[
    Setting::new(
        ALIGNMENT,
        "KIND",
        "how EXI lies in its bytes: bit (default), byte, precompression, compression; an options document in the stream wins",
    )
    .reads()
    .writes("to-exi-alignment"),
    Setting::new(
        PRESERVE,
        "PARTS",
        "the parts of a document that EXI keeps: comments, pis, dtd, prefixes, lexical, separated by commas, or none; default in \
         writing: those that the document has",
    )
    .reads()
    .writes("to-exi-preserve"),
    Setting::switch(FRAGMENT, "EXI holds a fragment, any number of elements, and no document").reads().writes("to-exi-fragment"),
    Setting::new(SELF_CONTAINED, "NAMES", "elements of EXI that can be read by themselves; in reading any name says that there are such")
        .reads()
        .writes("to-exi-self-contained"),
    Setting::new(BLOCK_SIZE, "N", "number of values in a block of EXI (default: 1000000)").reads().writes("to-exi-block-size"),
    Setting::new(MAX_LENGTH, "N", "characters of the longest value that EXI refers to (default: any)")
        .reads()
        .writes("to-exi-value-max-length"),
    Setting::new(CAPACITY, "N", "number of values that EXI can refer to (default: any)").reads().writes("to-exi-value-partition-capacity"),
    Setting::new(
        HEADER,
        "KIND",
        "the header of EXI: full (default), the cookie, and the options if they are not the usual ones; options, without the cookie; \
         bare, neither",
    )
    .writes(HEADER),
    Setting::switch(CANONICAL, "writes EXI as Canonical EXI has it").writes(CANONICAL),
];

/// The choices of a user.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The options, without those about what is kept.
    pub options: Options,
    /// The parts that are kept, if the user says so.
    pub preserve: Option<Preserve>,
    /// Names of elements that are self-contained.
    pub self_contained: Vec<String>,
    /// The header. Its options are left out if they are the usual ones.
    pub head: Head,
    /// True for the canonical form.
    pub canonical: bool,
}

impl Default for Choice {
    fn default() -> Choice {
        Choice {
            options: Options::default(),
            preserve: None,
            self_contained: Vec::new(),
            head: Head { cookie: true, options: true },
            canonical: false,
        }
    }
}

fn number(name: &str, value: &str, least: u32) -> Result<u32> {
    value.parse().ok().filter(|number| *number >= least).ok_or_else(|| {
        Error::usage(format!("the value `{value}` of the setting `{name}`")).expected(format!("a number from {least} to {}", u32::MAX))
    })
}

fn preserve(value: &str) -> Result<Preserve> {
    let mut keep = Preserve::default();
    for part in value.split(',').filter(|_| value != "none") {
        match part {
            "comments" => keep.comments = true,
            "pis" => keep.instructions = true,
            "dtd" => keep.doctypes = true,
            "prefixes" => keep.prefixes = true,
            "lexical" => keep.lexical = true,
            _ => {
                return Err(Error::usage(format!("the part `{part}` of the setting `{PRESERVE}`"))
                    .expected("one or more of comments, pis, dtd, prefixes, lexical, or none"));
            }
        }
    }
    Ok(keep)
}

impl Choice {
    fn of(given: &[(&str, &str)]) -> Result<Choice> {
        let mut choice = Choice::default();
        let wrong = |name: &str, value: &str, expected: &'static str| {
            Err(Error::usage(format!("the value `{value}` of the setting `{name}`")).expected(expected))
        };
        for &(name, value) in given {
            match (name, value) {
                (ALIGNMENT, "bit") => choice.options.alignment = Alignment::BitPacked,
                (ALIGNMENT, "byte") => choice.options.alignment = Alignment::BytePacked,
                (ALIGNMENT, "precompression") => choice.options.alignment = Alignment::PreCompression,
                (ALIGNMENT, "compression") => choice.options.alignment = Alignment::Compression,
                (ALIGNMENT, _) => return wrong(name, value, "one of bit, byte, precompression, compression"),
                (PRESERVE, _) => choice.preserve = Some(preserve(value)?),
                (FRAGMENT, _) => choice.options.fragment = true,
                (SELF_CONTAINED, _) => {
                    choice.options.self_contained = true;
                    choice.self_contained = value.split(',').map(str::to_string).collect();
                }
                (BLOCK_SIZE, _) => choice.options.block_size = number(name, value, 1)?,
                (MAX_LENGTH, _) => choice.options.value_max_length = Some(number(name, value, 0)?),
                (CAPACITY, _) => choice.options.value_partition_capacity = Some(number(name, value, 0)?),
                (HEADER, "full") => choice.head = Head { cookie: true, options: true },
                (HEADER, "options") => choice.head = Head { cookie: false, options: true },
                (HEADER, "bare") => choice.head = Head { cookie: false, options: false },
                (HEADER, _) => return wrong(name, value, "one of full, options, bare"),
                (CANONICAL, _) => choice.canonical = true,
                _ => return Err(Error::usage(format!("the setting `{name}`"))),
            }
        }
        if choice.options.self_contained && choice.options.alignment.has_blocks() {
            return Err(Error::usage("self-contained elements in blocks of EXI").expected("the alignment bit or byte"));
        }
        Ok(choice)
    }
}

impl Configure for ExiSettings {
    fn settings(&self) -> &'static [Setting] {
        LIST
    }

    fn configure(&self, given: &[(&str, &str)]) -> Result<Arc<dyn Configured>> {
        Ok(Arc::new(Choice::of(given)?))
    }
}

impl Configured for Choice {
    fn reader(&self) -> Box<dyn Reader> {
        let preserve = self.preserve.unwrap_or_default();
        Box::new(ExiReader::with(Options { preserve, ..self.options.clone() }))
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        Some(Box::new(ExiWriter::with(self.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked() {
        let choice =
            Choice::of(&[("exi-alignment", "byte"), ("exi-preserve", "comments,prefixes"), ("exi-value-max-length", "0")]).unwrap();
        assert_eq!(choice.options.alignment, Alignment::BytePacked);
        assert_eq!(choice.preserve, Some(Preserve { comments: true, prefixes: true, ..Preserve::default() }));
        assert_eq!(Choice::of(&[("exi-preserve", "none")]).unwrap().preserve, Some(Preserve::default()));
        for bad in [
            ("exi-alignment", "word"),
            ("exi-preserve", "everything"),
            ("exi-block-size", "0"),
            ("exi-value-partition-capacity", "-1"),
            ("exi-header", "long"),
        ] {
            assert!(Choice::of(&[bad]).is_err(), "{bad:?}");
        }
        assert!(Choice::of(&[("exi-self-contained", "a"), ("exi-alignment", "compression")]).is_err());
    }
}
