//! Memory for the lists of borrowed messages: taken piece by piece, given back all at once.
//!
//! Pieces come from one block, and from a larger one when that is full. [`Arena::reset`] keeps a
//! single block that is as large as all before, so that messages of about one size are soon read
//! without any allocation.

use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;
use std::mem::{MaybeUninit, align_of, size_of};
use std::ptr::NonNull;

/// The unit of blocks, with an alignment that is enough for most types.
type Unit = MaybeUninit<u64>;

/// Bytes of the first block.
const FIRST: usize = 4096;

/// Memory that decoded lists live in. It is not freed piece by piece: [`reset`](Arena::reset) gives
/// it back for the next message.
pub struct Arena {
    /// The first free byte of the newest block.
    free: Cell<*mut u8>,
    /// The end of the newest block.
    end: Cell<*mut u8>,
    /// All blocks, the newest last.
    blocks: UnsafeCell<Vec<NonNull<[Unit]>>>,
}

// SAFETY: the arena owns its blocks, and its pointers point into them; nothing is shared with
// another arena.
unsafe impl Send for Arena {}

impl Arena {
    /// Returns an arena without memory. The first list takes some.
    pub const fn new() -> Arena {
        let nowhere = NonNull::<Unit>::dangling().as_ptr().cast();
        Arena { free: Cell::new(nowhere), end: Cell::new(nowhere), blocks: UnsafeCell::new(Vec::new()) }
    }

    /// Forgets all lists and keeps the memory for the next ones.
    #[inline]
    pub fn reset(&mut self) {
        let blocks = self.blocks.get_mut();
        if blocks.len() > 1 {
            join(blocks);
        }
        if let Some(block) = blocks.last() {
            self.free.set(block.as_ptr().cast());
            // SAFETY: one past the block's last unit.
            self.end.set(unsafe { block.as_ptr().cast::<Unit>().add(block.len()) }.cast());
        }
    }

    /// Returns the size of all blocks in bytes.
    pub fn capacity(&mut self) -> usize {
        self.blocks.get_mut().iter().map(|block| size_of::<Unit>() * block.len()).sum()
    }

    /// Returns a slice of `count` values from `next`. Memory for all of them is taken before the
    /// first is made, so the caller bounds `count` by the bytes that hold the values.
    ///
    /// # Errors
    /// The first error of `next`. The memory is used up all the same.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)] // Each piece is handed out once.
    pub fn fill<T: Copy, E>(&self, count: usize, mut next: impl FnMut() -> Result<T, E>) -> Result<&mut [T], E> {
        if count == 0 {
            return Ok(&mut []);
        }
        let piece = self.piece::<T>(count);
        for index in 0..count {
            let value = next()?;
            // SAFETY: the piece has room for `count` values and is aligned for them; `index` is
            // below `count`. Nobody else has the piece.
            unsafe { piece.add(index).write(value) };
        }
        // SAFETY: all `count` values are written. The piece is handed out this once, and lives
        // until `reset` or the end of the arena, which both need the arena without borrows. Values
        // are `Copy`: nothing has to be dropped.
        Ok(unsafe { std::slice::from_raw_parts_mut(piece.as_ptr(), count) })
    }

    /// Returns room for a list of `count` values. The caller bounds `count` by the bytes that hold
    /// the values.
    #[inline(always)]
    pub fn room<T: Copy>(&self, count: usize) -> Room<'_, T> {
        Room { start: if count == 0 { NonNull::dangling() } else { self.piece(count) }, length: 0, count, arena: PhantomData }
    }

    /// Returns a slice of the first `count` values. All are copied, which needs no loop, and the
    /// memory of the others is given back.
    ///
    /// # Panics
    /// If `count` is above `N`.
    #[inline(always)]
    pub fn first<T: Copy, const N: usize>(&self, values: [T; N], count: usize) -> &[T] {
        assert!(count <= N, "{count} of {N} values");
        let piece = self.piece::<T>(N);
        // SAFETY: the piece has room for `N` values and is aligned for them. Its end, behind the
        // `count` kept values, is given back: it is in the block that `free` points into, and no
        // piece was taken since. For the slice see `fill`.
        unsafe {
            piece.cast::<[T; N]>().write(values);
            self.free.set(piece.cast::<u8>().add(whole_units(count * size_of::<T>())).as_ptr());
            std::slice::from_raw_parts(piece.as_ptr(), count)
        }
    }

    /// Takes memory for `count` values.
    #[inline(always)]
    fn piece<T>(&self, count: usize) -> NonNull<T> {
        let (free, end) = (self.free.get(), self.end.get());
        // Free memory starts at a unit: only types with a larger alignment need padding.
        let padding = if align_of::<T>() <= align_of::<Unit>() { 0 } else { (free as usize).wrapping_neg() % align_of::<T>() };
        if let Some(bytes) = count.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(padding))
            && bytes <= end as usize - free as usize
        {
            // SAFETY: `bytes` are free in the block that `free` points into, which is whole units,
            // so all steps stay in it, and no pointer into a block is null. Without a block,
            // `bytes` are zero, and no pointer moves.
            unsafe {
                self.free.set(free.add(whole_units(bytes)));
                return NonNull::new_unchecked(free.add(padding)).cast();
            }
        }
        self.piece_of_new_block(count)
    }

    /// Takes memory for `count` values from a new block.
    #[cold]
    #[inline(never)]
    fn piece_of_new_block<T>(&self, count: usize) -> NonNull<T> {
        let bytes =
            count.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(align_of::<T>())).expect("a list that memory holds");
        // SAFETY: the list of blocks is only ever borrowed inside of the arena's own methods, none
        // of which calls out while it is.
        let blocks = unsafe { &mut *self.blocks.get() };
        let last = blocks.last().map_or(0, |block| size_of::<Unit>() * block.len());
        blocks.push(block(bytes.max(2 * last).max(FIRST).div_ceil(size_of::<Unit>())));
        let newest = *blocks.last().expect("a block was pushed");
        let start = newest.as_ptr().cast::<u8>();
        let padding = (start as usize).wrapping_neg() % align_of::<T>();
        // SAFETY: the block has `bytes` bytes at least: the values and what the alignment may take.
        unsafe {
            self.free.set(start.add(whole_units(padding + count * size_of::<T>())));
            self.end.set(start.add(size_of::<Unit>() * newest.len()));
            NonNull::new_unchecked(start.add(padding)).cast()
        }
    }
}

/// A list in the making: room in an arena, and the values in it so far.
#[derive(Debug)]
pub struct Room<'a, T> {
    start: NonNull<T>,
    length: usize,
    count: usize,
    arena: PhantomData<&'a Arena>,
}

impl<'a, T: Copy> Room<'a, T> {
    /// Appends a value.
    ///
    /// # Panics
    /// If there is no room left.
    #[inline(always)]
    pub fn push(&mut self, value: T) {
        self.add(value);
    }

    /// Appends a value and returns its place, where the caller completes it.
    ///
    /// # Panics
    /// If there is no room left.
    #[inline(always)]
    pub fn add(&mut self, value: T) -> &mut T {
        assert!(self.length < self.count, "room for {} values", self.count);
        // SAFETY: the room is for `count` values, aligned, and nobody else's; `length` is below
        // `count`.
        let place = unsafe {
            let place = self.start.add(self.length);
            place.write(value);
            &mut *place.as_ptr()
        };
        self.length += 1;
        place
    }

    /// Returns the list.
    #[inline(always)]
    pub fn finish(self) -> &'a [T] {
        self.finish_mut()
    }

    /// Returns the list, which nobody else has.
    #[inline(always)]
    pub fn finish_mut(self) -> &'a mut [T] {
        // SAFETY: the first `length` values are written. The room was handed out once, and lives
        // until `reset` or the end of the arena, which both need the arena without borrows. Values
        // are `Copy`: nothing has to be dropped.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

impl Default for Arena {
    fn default() -> Arena {
        Arena::new()
    }
}

impl std::fmt::Debug for Arena {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Arena").field("free", &(self.end.get() as usize - self.free.get() as usize)).finish_non_exhaustive()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        give_back(self.blocks.get_mut());
    }
}

/// Rounds a number of bytes up to whole units.
const fn whole_units(bytes: usize) -> usize {
    bytes.next_multiple_of(size_of::<Unit>())
}

/// Makes a block of units without values.
fn block(units: usize) -> NonNull<[Unit]> {
    let mut block = Vec::with_capacity(units);
    // SAFETY: the room is there, and a unit may be without a value.
    unsafe { block.set_len(units) };
    NonNull::from(Box::leak(block.into_boxed_slice()))
}

/// Replaces all blocks by one of their total size.
#[cold]
#[inline(never)]
fn join(blocks: &mut Vec<NonNull<[Unit]>>) {
    let units = blocks.iter().map(|block| block.len()).sum();
    give_back(blocks);
    blocks.push(block(units));
}

/// Frees all blocks.
fn give_back(blocks: &mut Vec<NonNull<[Unit]>>) {
    for block in blocks.drain(..) {
        // SAFETY: it came from a box in `block`, and is taken off the list as it is freed.
        drop(unsafe { Box::from_raw(block.as_ptr()) });
    }
}
