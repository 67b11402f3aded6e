//! Writes bits.

/// A part of a stream that is being written.
#[derive(Debug, Default)]
pub(super) struct BitsOut {
    bytes: Vec<u8>,
    /// Bits that make no whole byte yet, in the lower bits.
    held: u64,
    count: u32,
    /// True if every value starts at a byte.
    pub aligned: bool,
}

impl BitsOut {
    /// Starts again with no bits.
    pub fn clear(&mut self, aligned: bool) {
        self.bytes.clear();
        (self.held, self.count, self.aligned) = (0, 0, aligned);
    }

    /// Writes the lower `count` bits of `value`, at most 32.
    #[inline(always)]
    pub fn bits(&mut self, value: u32, count: u32) {
        self.held = self.held << count | u64::from(value);
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            self.bytes.push((self.held >> self.count) as u8);
        }
    }

    /// Writes an n-bit unsigned integer (EXI 1.0, 7.1.9).
    #[inline(always)]
    pub fn number(&mut self, value: u32, width: u32) {
        if !self.aligned {
            return self.bits(value, width);
        }
        for n in 0..width.div_ceil(8) {
            self.bytes.push((value >> (8 * n)) as u8);
        }
    }

    /// Writes an unsigned integer (7.1.6).
    #[inline(always)]
    pub fn unsigned(&mut self, mut value: u64) {
        while value > 0x7f {
            self.bits((value & 0x7f) as u32 | 0x80, 8);
            value >>= 7;
        }
        self.bits(value as u32, 8);
    }

    /// Writes the characters of a text (7.1.10).
    pub fn characters(&mut self, text: &str) {
        if text.is_ascii() {
            if self.count == 0 {
                self.bytes.extend_from_slice(text.as_bytes());
            } else {
                // Eight characters at once, behind the bits that are held.
                let (chunks, rest) = text.as_bytes().as_chunks::<8>();
                for eight in chunks {
                    let word = u64::from_be_bytes(*eight);
                    self.bytes.extend_from_slice(&(self.held << (64 - self.count) | word >> self.count).to_be_bytes());
                    self.held = word;
                }
                rest.iter().for_each(|byte| self.bits(u32::from(*byte), 8));
            }
            return;
        }
        for c in text.chars() {
            self.unsigned(u64::from(u32::from(c)));
        }
    }

    /// Writes text that is in no table.
    pub fn string(&mut self, text: &str) {
        self.unsigned(text.chars().count() as u64);
        self.characters(text);
    }

    /// Fills the last byte with bits that are 0.
    pub fn align(&mut self) {
        if self.count > 0 {
            self.bits(0, 8 - self.count);
        }
    }

    /// Writes whole bytes; the last byte is full.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the whole bytes.
    pub fn get(&self) -> &[u8] {
        &self.bytes
    }
}
