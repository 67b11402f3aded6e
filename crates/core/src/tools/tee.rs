//! An input that is read twice at once: by one reader ahead, and by one that follows.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::rc::Rc;

/// The bytes between a [`Leader`] and its [`Follower`], which memory holds.
#[derive(Debug, Clone, Default)]
pub struct Held(Rc<RefCell<VecDeque<u8>>>);

impl Held {
    /// Returns their number.
    pub fn bytes(&self) -> usize {
        self.0.borrow().len()
    }
}

/// The reader ahead.
pub struct Leader<R> {
    input: R,
    held: Held,
}

/// The reader that follows. It must not read on where the leader did not: there it finds the end.
pub struct Follower {
    held: Held,
}

/// Makes two readers of one input.
pub fn tee<R: Read>(input: R) -> (Leader<R>, Follower) {
    let held = Held::default();
    (Leader { input, held: held.clone() }, Follower { held })
}

impl<R> Leader<R> {
    /// Returns the bytes that are held for the follower.
    pub fn held(&self) -> Held {
        self.held.clone()
    }
}

impl<R: Read> Read for Leader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buf)?;
        self.held.0.borrow_mut().extend(&buf[..read]);
        Ok(read)
    }
}

impl Read for Follower {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.held.0.borrow_mut().read(buf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_follower_gets_what_the_leader_got() {
        let (mut leader, mut follower) = tee(&b"some bytes"[..]);
        let held = leader.held();
        let mut buf = [0; 4];
        assert_eq!(follower.read(&mut buf).unwrap(), 0);
        leader.read_exact(&mut buf).unwrap();
        assert_eq!(held.bytes(), 4);
        let mut rest = Vec::new();
        leader.read_to_end(&mut rest).unwrap();
        let mut all = Vec::new();
        follower.read_to_end(&mut all).unwrap();
        assert_eq!((all.as_slice(), held.bytes()), (&b"some bytes"[..], 0));
    }
}
