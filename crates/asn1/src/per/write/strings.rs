//! Strings of bits, octets and characters (X.691 16, 17 and 30).

use polywire_core::Result;

use super::super::layout::{Characters, Letters, Size};
use super::{Encode, beyond, beyond_size};
use crate::model::{StringKind, TypeId};
use crate::walk::lower::{self, Value};

impl<'w, 't> Encode<'w, 't> {
    pub(super) fn bit_string(&mut self, ty: TypeId, index: u32, size: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        let shape = &layout.plan.bits[index as usize];
        let known = &layout.sizes[size as usize];
        let mut count = match layout.plan.node(ty).contents {
            Some(contents) => {
                self.contained(contents, item)?;
                self.octets.len() as u64 * 8
            }
            None => lower::bits(shape, item, self.losses, &mut self.octets)?,
        };
        if !shape.names.is_empty() && layout.plan.node(ty).contents.is_none() {
            // Zeros at the end do not count: as few as the size allows (X.691 16.2 and 16.3).
            let last = self.octets.iter().rposition(|octet| *octet != 0);
            let set = last.map_or(0, |last| last as u64 * 8 + u64::from(8 - self.octets[last].trailing_zeros()));
            count = set.max(known.low);
            self.octets.resize(usize::try_from(count.div_ceil(8)).unwrap_or(0), 0);
        }
        let size = self.sized(known, count, item, "bits")?;
        let octets = std::mem::take(&mut self.octets);
        if layout.octets {
            if size.fixed().is_none() {
                self.length(octets.len() as u64 + 1);
                self.out.put(octets.len() as u64 * 8 - count, 8);
            }
            self.out.copy(&octets, octets.len() as u64 * 8);
            self.octets = octets;
            return Ok(());
        }
        match size.high {
            Some(high) => {
                if high != size.low {
                    self.field(size.field, u128::from(count - size.low));
                }
                if count > 0 && (high != size.low || high > 16) {
                    self.align();
                }
                self.out.copy(&octets, count);
            }
            None => self.fragments(count, |encode, from, count| {
                encode.out.copy(&octets[(from / 8) as usize..], count);
                Ok(())
            })?,
        }
        self.octets = octets;
        Ok(())
    }

    pub(super) fn octet_string(&mut self, ty: TypeId, size: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        match layout.plan.node(ty).contents {
            Some(contents) => self.contained(contents, item)?,
            None => {
                lower::bytes(item, self.losses, &mut self.octets)?;
                self.keyed();
            }
        }
        let size = self.sized(&layout.sizes[size as usize], self.octets.len() as u64, item, "octets")?;
        self.counted_octets(size);
        Ok(())
    }

    /// Makes the complete encoding of a value, in the octets at hand.
    pub(super) fn contained(&mut self, ty: TypeId, item: Value<'t>) -> Result<()> {
        self.enter(item)?;
        let mut inside = self.spare.pop().unwrap_or_default();
        inside.clear();
        let outside = std::mem::replace(&mut self.out, inside);
        let result = self.value(ty, item);
        let inside = std::mem::replace(&mut self.out, outside);
        self.depth += 1;
        result?;
        self.octets.clear();
        let octets = if inside.bytes().is_empty() && !self.layout.octets { &[0][..] } else { inside.bytes() };
        self.octets.extend_from_slice(octets);
        self.spare.push(inside);
        Ok(())
    }

    pub(super) fn characters(&mut self, index: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        let known: &'w Characters = &layout.characters[index as usize];
        lower::text(known.kind, item, self.losses, &mut self.octets)?;
        self.keyed();
        let mut codes = Vec::with_capacity(self.octets.len());
        match known.kind {
            StringKind::Bmp => codes.extend(self.octets.as_chunks::<2>().0.iter().map(|pair| u32::from(u16::from_be_bytes(*pair)))),
            StringKind::Universal => codes.extend(self.octets.as_chunks::<4>().0.iter().map(|quad| u32::from_be_bytes(*quad))),
            _ => codes.extend(self.octets.iter().map(|octet| u32::from(*octet))),
        }
        let count = codes.len() as u64;
        let odd = codes.iter().find(|code| !known.alphabet.contains(**code));
        let root = known.size.contains(count) && odd.is_none();
        if known.size.extensible {
            self.out.flag(!root);
        } else if !root {
            return Err(match odd {
                Some(code) => {
                    let seen =
                        char::from_u32(*code).map_or_else(|| format!("U+{code:04X}"), |character| format!("the character {character:?}"));
                    beyond(seen, "a character that the constraint permits".into(), item)
                }
                None => beyond_size(&known.size, count, "characters", item),
            });
        }
        let (size, letters, align) = if root { (&known.size, &known.root, known.align) } else { (&Size::ANY, &known.all, layout.aligned) };
        let unknown = |code: u32| {
            !letters.by_number.is_empty() && letters.by_number.binary_search(&code).is_err()
                || letters.bits < 32 && code >> letters.bits != 0 && letters.by_number.is_empty()
        };
        if let Some(code) = codes.iter().find(|code| unknown(**code)) {
            return Err(beyond(format!("U+{code:04X}"), format!("a character of {}", known.kind.keyword()), item));
        }
        match size.high {
            Some(high) => {
                if high != size.low {
                    self.field(size.field, u128::from(count - size.low));
                }
                if align && count > 0 {
                    self.align();
                }
                self.letters(letters, &codes);
                Ok(())
            }
            None => self.fragments(count, |encode, from, count| {
                encode.letters(letters, &codes[from as usize..(from + count) as usize]);
                Ok(())
            }),
        }
    }

    fn letters(&mut self, letters: &Letters, codes: &[u32]) {
        for code in codes {
            let number = match letters.by_number.is_empty() {
                true => *code,
                false => letters.by_number.binary_search(code).unwrap_or(0) as u32,
            };
            self.out.put(u64::from(number), letters.bits);
        }
    }
}
