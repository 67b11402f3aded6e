//! Reads headers and options documents (EXI 1.0, 5 and appendix C).

use polywire_core::{Budget, Error, ErrorKind, Result};

use super::body::{Body, Outside, wrong_code};
use super::live::{self, Live};
use crate::bits::{Bits, width};
use crate::events::Ignore;
use crate::header::{COMMON, COOKIE, HEADER, LESS_COMMON, PRESERVE, UNCOMMON, tables};
use crate::options::{Alignment, Expanded, Options, SchemaId};
use crate::tables::Tables;

/// Returns whether `start`, the first bytes of a stream, has the cookie and the two bits that no
/// text starts with, or at least those: `None` if it has neither.
pub fn has_header(start: &[u8]) -> Option<bool> {
    let rest = start.strip_prefix(COOKIE);
    let first = rest.unwrap_or(start).first()?;
    (first >> 6 == 0b10).then_some(rest.is_some())
}

/// Reads a header. Returns the options that it has.
pub(super) fn read(bits: &mut Bits<'_>, budget: &mut Budget) -> Result<Option<Options>> {
    if bits.rest().starts_with(COOKIE) {
        bits.skip(COOKIE.len());
    }
    let at = bits.offset();
    if bits.bits(2)? != 0b10 {
        return Err(Error::data(ErrorKind::Syntax, at)
            .seen(format!("byte 0x{:02x}", bits.rest_from_current().first().copied().unwrap_or(0)))
            .expected("an EXI header: `$EXI`, or a byte that starts with the bits 10"));
    }
    let has_options = bits.bits(1)? == 1;
    let preview = bits.bits(1)? == 1;
    let mut version = 1;
    loop {
        let part = bits.bits(4)?;
        version += u64::from(part);
        if part < 15 {
            break;
        }
    }
    if version != 1 && !preview {
        let seen = if preview { format!("a preview of version {version} of EXI") } else { format!("version {version} of EXI") };
        return Err(Error::data(ErrorKind::Unsupported, at).seen(seen).expected("version 1"));
    }
    if has_options { options(bits, budget).map(Some) } else { Ok(None) }
}

/// Returns the next of `count` optional elements in a sequence, from `from` on; `None` at the end
/// of the sequence.
fn next(bits: &mut Bits<'_>, count: usize, from: usize) -> Result<Option<usize>> {
    let at = bits.offset();
    let codes = count - from + 1;
    match bits.bits(width(codes))? as usize {
        code if code + 1 < codes => Ok(Some(from + code)),
        code if code + 1 == codes => Ok(None),
        _ => Err(wrong_code(at)),
    }
}

fn number(bits: &mut Bits<'_>) -> Result<u32> {
    let at = bits.offset();
    let number = bits.unsigned()?;
    u32::try_from(number).map_err(|_| Error::data(ErrorKind::Range, at).seen(format!("the number {number}")).expected("one below 2³²"))
}

fn options(bits: &mut Bits<'_>, budget: &mut Budget) -> Result<Options> {
    let at = bits.offset();
    let mut options = Options::default();
    let mut names = None;
    if bits.bits(1)? != 0 {
        return Err(wrong_code(at));
    }
    let mut from = 0;
    while let Some(child) = next(bits, HEADER.len(), from)? {
        match HEADER[child] {
            "lesscommon" => less_common(bits, &mut options, &mut names, budget)?,
            "common" => common(bits, &mut options, &mut names, budget)?,
            _ => options.strict = true,
        }
        from = child + 1;
    }
    Ok(options)
}

fn less_common(bits: &mut Bits<'_>, options: &mut Options, names: &mut Option<Box<Tables>>, budget: &mut Budget) -> Result<()> {
    let mut from = 0;
    while let Some(child) = next(bits, LESS_COMMON.len(), from)? {
        match LESS_COMMON[child] {
            "uncommon" => uncommon(bits, options, names, budget)?,
            "preserve" => {
                let mut from = 0;
                while let Some(child) = next(bits, PRESERVE.len(), from)? {
                    let keep = &mut options.preserve;
                    *[&mut keep.doctypes, &mut keep.prefixes, &mut keep.lexical, &mut keep.comments, &mut keep.instructions][child] = true;
                    from = child + 1;
                }
            }
            _ => {
                let at = bits.offset();
                options.block_size = number(bits)?;
                if options.block_size == 0 {
                    return Err(Error::data(ErrorKind::Range, at).seen("blocks of no values").expected("a blockSize of 1 or more"));
                }
            }
        }
        from = child + 1;
    }
    Ok(())
}

fn uncommon(bits: &mut Bits<'_>, options: &mut Options, names: &mut Option<Box<Tables>>, budget: &mut Budget) -> Result<()> {
    let mut from = 0;
    let mut first = true;
    loop {
        let at = bits.offset();
        // Only before all others may elements stand that users have added.
        let codes = UNCOMMON.len() - from + 1 + usize::from(first);
        let code = bits.bits(width(codes))? as usize;
        if code + 1 == codes {
            return Ok(());
        }
        if first && code + 2 == codes {
            let name = any(bits, names, budget)?;
            options.metadata.push(name);
            continue;
        }
        if code >= codes {
            return Err(wrong_code(at));
        }
        first = false;
        let child = from + code;
        match UNCOMMON[child] {
            "alignment" => {
                options.alignment = if bits.bits(1)? == 0 { Alignment::BytePacked } else { Alignment::PreCompression };
            }
            "selfContained" => options.self_contained = true,
            "valueMaxLength" => options.value_max_length = Some(number(bits)?),
            "valuePartitionCapacity" => options.value_partition_capacity = Some(number(bits)?),
            _ => {
                let pair = (any(bits, names, budget)?, any(bits, names, budget)?);
                options.datatypes.push(pair);
                from = child;
                continue;
            }
        }
        from = child + 1;
    }
}

fn common(bits: &mut Bits<'_>, options: &mut Options, names: &mut Option<Box<Tables>>, budget: &mut Budget) -> Result<()> {
    let mut from = 0;
    while let Some(child) = next(bits, COMMON.len(), from)? {
        match COMMON[child] {
            "compression" => options.alignment = Alignment::Compression,
            "fragment" => options.fragment = true,
            _ => options.schema = schema(bits, names, budget)?,
        }
        from = child + 1;
    }
    Ok(())
}

/// Reads the name of a schema, or that there is none.
fn schema(bits: &mut Bits<'_>, names: &mut Option<Box<Tables>>, budget: &mut Budget) -> Result<SchemaId> {
    if bits.bits(1)? == 1 && bits.bits(1)? == 1 {
        return Ok(SchemaId::Nil);
    }
    let (tables, schema_id) = names_of(names)?;
    let value = tables.read_value(bits, schema_id, budget)?;
    Ok(SchemaId::Named(tables.arena.get(value).to_string()))
}

/// Returns the tables of the document, and the number of the name `schemaId`.
fn names_of(names: &mut Option<Box<Tables>>) -> Result<(&mut Tables, u32)> {
    if names.is_none() {
        *names = Some(Box::new(tables()?));
    }
    let Some(tables) = names else { return Err(Error::internal("tables that were just made")) };
    let at = tables.names.iter().position(|name| tables.arena.get(name.local) == "schemaId").unwrap_or(0);
    Ok((tables, at as u32))
}

/// Reads an element that the schema does not know, and returns its name.
fn any(bits: &mut Bits<'_>, names: &mut Option<Box<Tables>>, budget: &mut Budget) -> Result<Expanded> {
    let (tables, _) = names_of(names)?;
    let number = tables.read_name(bits)?;
    let mut body = Body::new(&Options::default(), Outside::Nowhere);
    let mut ignore = Live { events: &mut Ignore };
    body.open(tables, bits, &mut ignore, number, budget)?;
    body.run(tables, bits, &mut ignore, budget)?;
    let name = live::name(tables, number, None);
    Ok(Expanded { uri: name.uri.to_string(), local: name.local.to_string() })
}
