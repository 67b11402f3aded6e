//! Finished columns, as a writer needs them that makes messages of their rows.

/// A column, with the columns below it.
#[derive(Debug)]
pub struct View<'a> {
    /// A bit for each value: is it there? Nothing if all are.
    pub valid: Option<Mask<'a>>,
    /// The values.
    pub values: Values<'a>,
}

/// Bits of memory that others hold, the first one lowest.
#[derive(Debug, Clone, Copy)]
pub struct Mask<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Mask<'a> {
    /// Makes the bits from bit `offset` of the bytes on.
    pub fn new(bytes: &'a [u8], offset: usize) -> Mask<'a> {
        Mask { bytes, offset }
    }

    /// Returns a bit. Those behind the bytes are false.
    #[inline(always)]
    pub fn get(&self, at: usize) -> bool {
        let at = self.offset + at;
        self.bytes.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1)
    }
}

/// The values of a column.
#[derive(Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "most names are their types")]
pub enum Values<'a> {
    /// Values that only a walk brings.
    Other,
    Bool(Mask<'a>),
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
    F32(&'a [f32]),
    F64(&'a [f64]),
    /// Text in UTF-8.
    Text(Pieces<'a>),
    Bytes(Pieces<'a>),
    /// The place of each name, and the names.
    Names(&'a [usize], Vec<&'a str>),
    /// Start and end of each list in its items.
    List(&'a [(usize, usize)], Box<View<'a>>),
    Record(Vec<FieldView<'a>>),
}

/// A field of a record.
#[derive(Debug)]
pub struct FieldView<'a> {
    /// Its name.
    pub name: &'a str,
    /// True if null is a value of it. Else it is absence.
    pub required: bool,
    /// Its values, one for each of the record.
    pub view: View<'a>,
}

/// Texts or bytes, in one piece of memory.
#[derive(Debug, Clone, Copy)]
pub enum Pieces<'a> {
    /// Ends of the pieces, after the start of the first.
    Small(&'a [i32], &'a [u8]),
    /// The same, with wide offsets.
    Large(&'a [i64], &'a [u8]),
}

impl<'a> Pieces<'a> {
    /// Returns a piece with the bytes behind it, and its length, if there is one.
    #[inline(always)]
    pub fn get(&self, at: usize) -> Option<(&'a [u8], usize)> {
        let (bytes, from, to) = match self {
            Pieces::Small(ends, bytes) => {
                let [from, to] = *ends.get(at..at + 2)?.first_chunk()?;
                (bytes, from as usize, to as usize)
            }
            Pieces::Large(ends, bytes) => {
                let [from, to] = *ends.get(at..at + 2)?.first_chunk()?;
                (bytes, usize::try_from(from).ok()?, usize::try_from(to).ok()?)
            }
        };
        let rest = bytes.get(from..)?;
        let len = to.checked_sub(from)?;
        (len <= rest.len()).then_some((rest, len))
    }
}

impl View<'_> {
    /// Returns whether the value is there.
    #[inline(always)]
    pub fn is_valid(&self, at: usize) -> bool {
        match &self.valid {
            None => true,
            Some(valid) => valid.get(at),
        }
    }
}
