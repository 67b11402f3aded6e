//! Bytes that are written from the last to the first, so that a length is known when it is written.

/// Buffer that grows to the front.
#[derive(Debug, Default)]
pub(crate) struct Back {
    bytes: Vec<u8>,
    /// Place of the first byte.
    start: usize,
}

impl Back {
    /// Returns the number of bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// Writes bytes in front of the others.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        if bytes.len() > self.start {
            self.grow(bytes.len());
        }
        let start = self.start - bytes.len();
        self.bytes[start..self.start].copy_from_slice(bytes);
        self.start = start;
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let size = (self.bytes.len() * 2).max(self.len() + more).max(256);
        let mut bytes = vec![0; size];
        let start = size - self.len();
        bytes[start..].copy_from_slice(&self.bytes[self.start..]);
        (self.bytes, self.start) = (bytes, start);
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Returns the bytes in front of the last `behind`.
    pub fn front(&self, behind: usize) -> &[u8] {
        &self.bytes[self.start..self.bytes.len() - behind]
    }

    /// Returns the bytes in front of the last `behind`, to be put into another order.
    pub fn front_mut(&mut self, behind: usize) -> &mut [u8] {
        let end = self.bytes.len() - behind;
        &mut self.bytes[self.start..end]
    }

    /// Takes away the bytes in front of the last `behind`.
    pub fn cut(&mut self, behind: usize) {
        self.start = self.bytes.len() - behind;
    }

    /// Takes all bytes away, and keeps the memory.
    pub fn clear(&mut self) {
        self.start = self.bytes.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_in_front() {
        let mut back = Back::default();
        back.put(b"end");
        back.put(&[b'x'; 500]);
        back.put(b"start");
        assert_eq!(back.len(), 508);
        assert!(back.bytes().starts_with(b"startxx") && back.bytes().ends_with(b"xend"));
        back.cut(3);
        assert_eq!((back.bytes(), back.front(1)), (&b"end"[..], &b"en"[..]));
        back.clear();
        assert_eq!(back.bytes(), b"");
    }
}
