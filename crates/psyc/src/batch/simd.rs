//! The index with the vector instructions of x86-64, chosen at run time.
//! [`super::blocks::portable`] is the plain twin.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::blocks::{BLOCK, Blocks, Carry, Masks, Sink, find, portable, write, write_marks};
use crate::wire::{LF, is_keyword_byte};

/// Returns the best function for this processor.
pub(super) fn blocks() -> Option<Blocks> {
    if has_avx512() {
        Some(avx512)
    } else if has_avx2() {
        Some(avx2)
    } else {
        None
    }
}

fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("avx512vbmi2") && has_avx2()
}

fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

/// With 64 bytes in a register. Falls back where the processor has none.
pub(super) fn avx512(blocks: &[[u8; BLOCK]], base: u32, carry: &mut Carry, sink: &mut Sink<'_>) {
    if !has_avx512() {
        return portable(blocks, base, carry, sink);
    }
    // SAFETY: the processor has what the function needs.
    unsafe { avx512_blocks(blocks, base, carry, sink) }
}

/// With 32 bytes in a register. Falls back where the processor has none.
pub(super) fn avx2(blocks: &[[u8; BLOCK]], base: u32, carry: &mut Carry, sink: &mut Sink<'_>) {
    if !has_avx2() {
        return portable(blocks, base, carry, sink);
    }
    // SAFETY: the processor has what the function needs.
    unsafe { avx2_blocks(blocks, base, carry, sink) }
}

/// For each byte of seven bits: 1 if it may stand in a keyword.
const KEYWORD: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = is_keyword_byte(byte as u8) as u8;
        byte += 1;
    }
    table
};

/// 0 to 63.
const NUMBERS: [u8; BLOCK] = {
    let mut numbers = [0; BLOCK];
    let mut n = 0;
    while n < BLOCK {
        numbers[n] = n as u8;
        n += 1;
    }
    numbers
};

/// `a | (b & c)`, as a truth table of the bits of `a`, `b` and `c`.
const OR_MASKED: i32 = 0b1111_1000;

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn avx512_blocks(blocks: &[[u8; BLOCK]], base: u32, carry: &mut Carry, sink: &mut Sink<'_>) {
    let lf = _mm512_set1_epi8(LF as i8);
    let one = _mm512_set1_epi8(1);
    let high = _mm512_set1_epi8(i8::MIN);
    // SAFETY: twice 64 bytes are read from an array of 128.
    let classes = unsafe { [_mm512_loadu_si512(KEYWORD.as_ptr().cast()), _mm512_loadu_si512(KEYWORD[64..].as_ptr().cast())] };
    // SAFETY: 64 bytes are read from an array of as many.
    let numbers = unsafe { _mm512_loadu_si512(NUMBERS.as_ptr().cast()) };
    let mut base = _mm512_set1_epi32(base as i32);
    let step = _mm512_set1_epi32(BLOCK as i32);
    let mut now = *carry;
    let Sink { stops, count, marks, mark_count } = sink;
    let (mut stop_count, mut number) = (*count, *mark_count);
    // A block has 64 stops at most, and as many are written for each, wanted or not.
    assert!(stops.len() - stop_count >= (blocks.len() + 1) * BLOCK, "room for all stops");
    for block in blocks {
        // SAFETY: 64 bytes are read from an array of as many.
        let bytes = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
        let class = _mm512_permutex2var_epi8(classes[0], bytes, classes[1]);
        // The table is of seven bits: a byte with the eighth is none of a keyword.
        let class = _mm512_ternarylogic_epi64::<OR_MASKED>(class, bytes, high);
        let masks = Masks { lf: _mm512_cmpeq_epi8_mask(bytes, lf), keyword: _mm512_cmpeq_epi8_mask(class, one) };
        let found = find(masks, &mut now);
        write_marks(&found, stop_count, marks, &mut number);
        let more = found.stops.count_ones() as usize;
        let packed = _mm512_maskz_compress_epi8(found.stops, numbers);
        let first = _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed)), base);
        // SAFETY: by the assertion, there is room for 64 offsets from `stop_count` on.
        let out = unsafe { stops.as_mut_ptr().add(stop_count) };
        // SAFETY: 16 offsets are written, of the 64.
        unsafe { _mm512_storeu_si512(out.cast(), first) };
        if more > 16 {
            let parts =
                [_mm512_extracti32x4_epi32::<1>(packed), _mm512_extracti32x4_epi32::<2>(packed), _mm512_extracti32x4_epi32::<3>(packed)];
            for (n, part) in parts.into_iter().enumerate() {
                let part = _mm512_add_epi32(_mm512_cvtepu8_epi32(part), base);
                // SAFETY: the other three sixteens of the 64.
                unsafe { _mm512_storeu_si512(out.add(16 * (n + 1)).cast(), part) };
            }
        }
        stop_count += more;
        base = _mm512_add_epi32(base, step);
    }
    *carry = now;
    (*count, *mark_count) = (stop_count, number);
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn avx2_blocks(blocks: &[[u8; BLOCK]], base: u32, carry: &mut Carry, sink: &mut Sink<'_>) {
    let lf = _mm256_set1_epi8(LF as i8);
    // A byte is one of a keyword if the entries of its two halves share a bit: 1 digits, 2 the
    // first 15 letters, 4 the rest, 8 underscore.
    let low = _mm256_broadcastsi128_si256(_mm_setr_epi8(5, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 2, 2, 2, 2, 10));
    let high = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, 0, 1, 2, 12, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0));
    let half = _mm256_set1_epi8(15);
    let zero = _mm256_setzero_si256();
    let mut at = base;
    let mut now = *carry;
    let Sink { stops, count, marks, mark_count } = sink;
    let (mut stop_count, mut number) = (*count, *mark_count);
    for block in blocks {
        // SAFETY: twice 32 bytes are read from an array of 64.
        let parts = unsafe {
            let bytes = block.as_ptr().cast::<__m256i>();
            [_mm256_loadu_si256(bytes), _mm256_loadu_si256(bytes.add(1))]
        };
        let mut masks = Masks { lf: 0, keyword: 0 };
        for (n, bytes) in parts.into_iter().enumerate() {
            let bits = |found| u64::from(_mm256_movemask_epi8(found) as u32) << (n * 32);
            let class = _mm256_and_si256(
                _mm256_shuffle_epi8(low, bytes),
                _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half)),
            );
            masks.lf |= bits(_mm256_cmpeq_epi8(bytes, lf));
            masks.keyword |= bits(_mm256_cmpeq_epi8(class, zero));
        }
        masks.keyword = !masks.keyword;
        let found = find(masks, &mut now);
        write_marks(&found, stop_count, marks, &mut number);
        if let Some(out) = stops[stop_count..].first_chunk_mut() {
            write(at, found.stops, out);
        }
        stop_count += found.stops.count_ones() as usize;
        at = at.wrapping_add(BLOCK as u32);
    }
    *carry = now;
    (*count, *mark_count) = (stop_count, number);
}
