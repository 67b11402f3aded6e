//! One column under construction.

/// Bytes that one column may hold: offsets have 31 bits.
pub const MOST: usize = i32::MAX as usize;

/// Bytes of a short text, which is copied in one piece.
const SHORT: usize = 16;

/// Bits, the first one lowest.
#[derive(Debug, Clone, Default)]
pub struct Bits {
    bytes: Vec<u8>,
    len: usize,
}

impl Bits {
    /// Makes no bits, with memory for `bits`.
    pub fn with_capacity(bits: usize) -> Bits {
        Bits { bytes: Vec::with_capacity(bits.div_ceil(8)), len: 0 }
    }

    /// Returns the number of bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there is no bit.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a bit.
    #[inline(always)]
    pub fn push(&mut self, bit: bool) {
        let place = self.len & 7;
        self.len += 1;
        match self.bytes.last_mut() {
            Some(last) if place > 0 => *last |= u8::from(bit) << place,
            _ => self.bytes.push(u8::from(bit)),
        }
    }

    /// Appends the same bit `count` times.
    pub fn extend(&mut self, count: usize, bit: bool) {
        let within = count.min((8 - (self.len & 7)) & 7);
        (0..within).for_each(|_| self.push(bit));
        let left = count - within;
        self.bytes.resize(self.bytes.len() + left / 8, if bit { 0xff } else { 0 });
        self.len += left / 8 * 8;
        (0..left % 8).for_each(|_| self.push(bit));
    }

    /// Takes back the bits from `len` on.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len {
            self.len = len;
            self.bytes.truncate(len.div_ceil(8));
            if let (Some(last), 1..) = (self.bytes.last_mut(), len & 7) {
                *last &= (1 << (len & 7)) - 1;
            }
        }
    }

    /// Returns the bytes of the bits, those behind the last one zero.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Appends a number to values of a smaller type, or returns false if it does not fit.
macro_rules! put {
    ($values:expr, $number:expr) => {
        match $number.try_into() {
            Ok(number) => $values.push(number),
            Err(_) => return false,
        }
    };
}

/// Values of one column, those of its children apart.
#[derive(Debug, Clone)]
pub struct Column {
    /// Number of values, nulls too.
    pub len: usize,
    /// A bit for each value: is it there? Nothing if all are.
    valid: Option<Bits>,
    /// Memory of the values.
    pub data: Data,
}

/// Memory of values.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[expect(missing_docs, reason = "their names are their types")]
pub enum Data {
    /// Null values, structs.
    None,
    Bits(Bits),
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    I128(Vec<i128>),
    /// Integers of 256 bits, little-endian.
    I256(Vec<[u8; 32]>),
    /// Ends of the values, after a first zero, and their bytes.
    Bytes(Vec<i32>, Vec<u8>),
    /// Keys of a dictionary, and the names that the plan does not have.
    Keys(Vec<i32>, Vec<String>),
    /// Ends of lists, after a first zero.
    Ends(Vec<i32>),
    /// Cases, and places in their children.
    Union(Vec<i8>, Vec<i32>),
}

impl Column {
    /// Makes an empty column of that memory.
    pub fn new(data: Data) -> Column {
        Column { len: 0, valid: None, data }
    }

    /// Takes memory for `values` values in all, and for `bytes` bytes of their texts, and for no
    /// more.
    pub fn reserve(&mut self, values: usize, bytes: usize) {
        fn to<T>(memory: &mut Vec<T>, len: usize) {
            memory.reserve_exact(len.saturating_sub(memory.len()));
        }
        if let Some(valid) = &mut self.valid {
            to(&mut valid.bytes, values.div_ceil(8));
        }
        match &mut self.data {
            Data::None => {}
            Data::Bits(bits) => to(&mut bits.bytes, values.div_ceil(8)),
            Data::I8(memory) => to(memory, values),
            Data::I16(memory) => to(memory, values),
            Data::I32(memory) => to(memory, values),
            Data::I64(memory) => to(memory, values),
            Data::U8(memory) => to(memory, values),
            Data::U16(memory) => to(memory, values),
            Data::U32(memory) => to(memory, values),
            Data::U64(memory) => to(memory, values),
            Data::F32(memory) => to(memory, values),
            Data::F64(memory) => to(memory, values),
            Data::I128(memory) => to(memory, values),
            Data::I256(memory) => to(memory, values),
            Data::Bytes(ends, memory) => {
                to(ends, values + 1);
                to(memory, bytes);
            }
            Data::Keys(keys, _) => to(keys, values),
            Data::Ends(ends) => to(ends, values + 1),
            Data::Union(ids, places) => {
                to(ids, values);
                to(places, values);
            }
        }
    }

    /// Gives memory back that values do not need, where it is more than an eighth.
    fn shrink(&mut self) {
        fn fit<T>(memory: &mut Vec<T>) {
            if memory.capacity() - memory.len() > memory.len() / 8 {
                memory.shrink_to_fit();
            }
        }
        if let Some(valid) = &mut self.valid {
            fit(&mut valid.bytes);
        }
        match &mut self.data {
            Data::None => {}
            Data::Bits(bits) => fit(&mut bits.bytes),
            Data::I8(memory) => fit(memory),
            Data::I16(memory) => fit(memory),
            Data::I32(memory) => fit(memory),
            Data::I64(memory) => fit(memory),
            Data::U8(memory) => fit(memory),
            Data::U16(memory) => fit(memory),
            Data::U32(memory) => fit(memory),
            Data::U64(memory) => fit(memory),
            Data::F32(memory) => fit(memory),
            Data::F64(memory) => fit(memory),
            Data::I128(memory) => fit(memory),
            Data::I256(memory) => fit(memory),
            Data::Bytes(ends, memory) => {
                fit(ends);
                fit(memory);
            }
            Data::Keys(keys, _) => fit(keys),
            Data::Ends(ends) => fit(ends),
            Data::Union(ids, places) => {
                fit(ids);
                fit(places);
            }
        }
    }

    /// Returns the number of bytes of texts.
    pub fn text_bytes(&self) -> usize {
        match &self.data {
            Data::Bytes(_, bytes) => bytes.len(),
            _ => 0,
        }
    }

    /// Counts one more value that is there.
    #[inline(always)]
    pub fn push(&mut self) {
        if let Some(valid) = &mut self.valid {
            valid.push(true);
        }
        self.len += 1;
    }

    /// Returns its parts: the number of values, the bits of those that are there, unless all are,
    /// and the memory of the values.
    ///
    /// Memory that they do not need is given back, where it is much.
    pub fn into_parts(mut self) -> (usize, Option<Bits>, Data) {
        self.shrink();
        (self.len, self.valid, self.data)
    }

    /// Appends a whole number, if it fits.
    #[inline(always)]
    pub fn put_uint(&mut self, number: u64) -> bool {
        match &mut self.data {
            Data::I64(values) => put!(values, number),
            Data::I32(values) => put!(values, number),
            Data::U64(values) => values.push(number),
            Data::U32(values) => put!(values, number),
            Data::I16(values) => put!(values, number),
            Data::U16(values) => put!(values, number),
            Data::I8(values) => put!(values, number),
            Data::U8(values) => put!(values, number),
            _ => return false,
        }
        self.push();
        true
    }

    /// Appends a whole number, if it fits.
    #[inline(always)]
    pub fn put_int(&mut self, number: i64) -> bool {
        match &mut self.data {
            Data::I64(values) => values.push(number),
            Data::I32(values) => put!(values, number),
            Data::I16(values) => put!(values, number),
            Data::I8(values) => put!(values, number),
            _ => return u64::try_from(number).is_ok_and(|number| self.put_uint(number)),
        }
        self.push();
        true
    }

    /// Appends a number of 64 bits, if it is a column of them.
    #[inline(always)]
    pub fn put_f64(&mut self, number: f64) -> bool {
        let Data::F64(values) = &mut self.data else { return false };
        values.push(number);
        self.push();
        true
    }

    /// Appends a number of 32 bits, if it is a column of them.
    #[inline(always)]
    pub fn put_f32(&mut self, number: f32) -> bool {
        let Data::F32(values) = &mut self.data else { return false };
        values.push(number);
        self.push();
        true
    }

    /// Appends a truth value, if it is a column of them.
    #[inline(always)]
    pub fn put_bool(&mut self, value: bool) -> bool {
        let Data::Bits(bits) = &mut self.data else { return false };
        bits.push(value);
        self.push();
        true
    }

    /// Appends text or bytes, if it is a column of them and has room.
    #[inline(always)]
    pub fn put_bytes(&mut self, value: &[u8]) -> bool {
        let Data::Bytes(ends, bytes) = &mut self.data else { return false };
        if value.len() > MOST - bytes.len() {
            return false;
        }
        bytes.extend_from_slice(value);
        ends.push(bytes.len() as i32);
        self.push();
        true
    }

    /// Appends a part of `source`, by [`Column::put_bytes`]'s rules.
    // A short part is copied with the bytes behind it, in one piece, and these are cut off.
    #[inline(always)]
    pub fn put_part(&mut self, source: &[u8], from: usize, to: usize) -> bool {
        let (Data::Bytes(ends, bytes), Some(value)) = (&mut self.data, source.get(from..to)) else { return false };
        let end = bytes.len() + value.len();
        if end > MOST - SHORT {
            return self.put_bytes(value);
        }
        match source.get(from..).and_then(|rest| rest.first_chunk::<SHORT>()) {
            Some(chunk) if value.len() <= SHORT => {
                bytes.extend_from_slice(chunk);
                bytes.truncate(end);
            }
            _ => bytes.extend_from_slice(value),
        }
        ends.push(end as i32);
        self.push();
        true
    }

    /// Appends the key of a name, if it is a column of them.
    #[inline(always)]
    pub fn put_key(&mut self, key: u32) -> bool {
        let Data::Keys(keys, _) = &mut self.data else { return false };
        keys.push(key as i32);
        self.push();
        true
    }

    /// Appends `count` nulls, without those of children. A union is not for this.
    #[inline(never)]
    pub fn nulls(&mut self, count: usize) {
        let have = self.len;
        let valid = self.valid.get_or_insert_with(|| {
            let mut bits = Bits::default();
            bits.extend(have, true);
            bits
        });
        valid.extend(count, false);
        self.len += count;
        let len = self.len;
        match &mut self.data {
            Data::None => {}
            Data::Bits(bits) => bits.extend(count, false),
            Data::I8(values) => values.resize(len, 0),
            Data::I16(values) => values.resize(len, 0),
            Data::I32(values) => values.resize(len, 0),
            Data::I64(values) => values.resize(len, 0),
            Data::U8(values) => values.resize(len, 0),
            Data::U16(values) => values.resize(len, 0),
            Data::U32(values) => values.resize(len, 0),
            Data::U64(values) => values.resize(len, 0),
            Data::F32(values) => values.resize(len, 0.0),
            Data::F64(values) => values.resize(len, 0.0),
            Data::I128(values) => values.resize(len, 0),
            Data::I256(values) => values.resize(len, [0; 32]),
            Data::Keys(keys, _) => keys.resize(len, 0),
            Data::Bytes(ends, _) | Data::Ends(ends) => {
                let last = ends.last().copied().unwrap_or(0);
                ends.resize(len + 1, last);
            }
            Data::Union(..) => {}
        }
    }

    /// Takes back the values from `len` on, without those of children. Returns the length that the
    /// children of a list keep.
    pub fn truncate(&mut self, len: usize) -> usize {
        if len >= self.len {
            return match &self.data {
                Data::Ends(ends) => ends.last().copied().unwrap_or(0) as usize,
                _ => self.len,
            };
        }
        self.len = len;
        if let Some(valid) = &mut self.valid {
            valid.truncate(len);
        }
        match &mut self.data {
            Data::None => {}
            Data::Bits(bits) => bits.truncate(len),
            Data::I8(values) => values.truncate(len),
            Data::I16(values) => values.truncate(len),
            Data::I32(values) => values.truncate(len),
            Data::I64(values) => values.truncate(len),
            Data::U8(values) => values.truncate(len),
            Data::U16(values) => values.truncate(len),
            Data::U32(values) => values.truncate(len),
            Data::U64(values) => values.truncate(len),
            Data::F32(values) => values.truncate(len),
            Data::F64(values) => values.truncate(len),
            Data::I128(values) => values.truncate(len),
            Data::I256(values) => values.truncate(len),
            Data::Keys(keys, _) => keys.truncate(len),
            Data::Bytes(ends, bytes) => {
                ends.truncate(len + 1);
                bytes.truncate(ends[len] as usize);
            }
            Data::Ends(ends) => {
                ends.truncate(len + 1);
                return ends[len] as usize;
            }
            Data::Union(ids, places) => {
                ids.truncate(len);
                places.truncate(len);
            }
        }
        len
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn bits_are_those_of_the_plain_way() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..300 {
            let (mut bits, mut plain) = (Bits::default(), Vec::new());
            for _ in 0..rng.usize(..20) {
                match rng.u8(..3) {
                    0 => {
                        let bit = rng.bool();
                        bits.push(bit);
                        plain.push(bit);
                    }
                    1 => {
                        let (count, bit) = (rng.usize(..40), rng.bool());
                        bits.extend(count, bit);
                        plain.resize(plain.len() + count, bit);
                    }
                    _ => {
                        let len = rng.usize(..=plain.len());
                        bits.truncate(len);
                        plain.truncate(len);
                    }
                }
            }
            assert_eq!(bits.len(), plain.len());
            let mut expected = vec![0; plain.len().div_ceil(8)];
            plain.iter().enumerate().filter(|(_, bit)| **bit).for_each(|(at, _)| expected[at / 8] |= 1 << (at % 8));
            assert_eq!(bits.into_bytes(), expected);
        }
    }
}
