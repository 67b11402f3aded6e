//! Arrays of text, whose UTF-8 is checked by vectors.
#![allow(unsafe_code)]

use arrow_array::StringArray;
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::ArrowError;

/// Makes the array of the texts that end at `ends` in `bytes`, as [`StringArray::try_new`] does.
///
/// # Errors
/// The bytes are no UTF-8, an end is within a character, or `nulls` has another length.
pub(crate) fn text_array(ends: OffsetBuffer<i32>, bytes: Vec<u8>, nulls: Option<NullBuffer>) -> Result<StringArray, ArrowError> {
    let is_whole = nulls.as_ref().is_none_or(|nulls| nulls.len() + 1 == ends.len());
    let is_text = simdutf8::basic::from_utf8(&bytes)
        .is_ok_and(|text| ends.iter().all(|end| usize::try_from(*end).is_ok_and(|end| text.is_char_boundary(end))));
    let bytes = Buffer::from_vec(bytes);
    if !(is_whole && is_text) {
        return StringArray::try_new(ends, bytes, nulls);
    }
    // SAFETY: the offsets ascend, which is what the type of `ends` holds; each is the boundary of a
    // character in the bytes, which are UTF-8; and there is a bit of `nulls` for each text.
    Ok(unsafe { StringArray::new_unchecked(ends, bytes, nulls) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_those_of_the_checked_way() {
        let mut rng = fastrand::Rng::with_seed(11);
        let mut refused = 0;
        for _ in 0..2000 {
            let letters = rng.usize(..60);
            let mut bytes: Vec<u8> = (0..letters).flat_map(|_| rng.choice(["a", "ö", "€", "🦀"]).unwrap().bytes()).collect();
            if !bytes.is_empty() && rng.u32(..8) == 0 {
                let at = rng.usize(..bytes.len());
                bytes[at] = rng.u8(..);
            }
            let (count, longest) = (rng.usize(1..6), bytes.len() as i32 + i32::from(rng.u32(..8) == 0));
            let mut ends: Vec<i32> = (0..count).map(|_| rng.i32(0..=longest)).collect();
            if rng.u32(..4) > 0 {
                let text = String::from_utf8_lossy(&bytes);
                ends = text.char_indices().map(|(at, _)| at as i32).filter(|_| rng.bool()).collect();
            }
            ends.insert(0, 0);
            ends.sort_unstable();
            let count = ends.len() - 1 + usize::from(rng.u32(..16) == 0);
            let nulls = rng.bool().then(|| NullBuffer::from((0..count).map(|_| rng.bool()).collect::<Vec<bool>>()));
            let ends = OffsetBuffer::new(ends.into());
            let plain = StringArray::try_new(ends.clone(), Buffer::from_vec(bytes.clone()), nulls.clone());
            let quick = text_array(ends, bytes, nulls);
            refused += u32::from(plain.is_err());
            assert_eq!(quick.map_err(|error| error.to_string()), plain.map_err(|error| error.to_string()));
        }
        assert!((100..1900).contains(&refused), "{refused}");
    }
}
