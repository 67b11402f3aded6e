//! The records that a batch is kept as.

use alloc::vec::Vec;

/// A line of a header. It starts where the line, the packet or the content before it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Line {
    /// Offset after the name.
    pub name_end: u32,
    /// Offset of the LF that ends the line.
    pub end: u32,
}

/// A packet. It starts where the one before it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Entry {
    /// Number of its first line.
    pub lines: u32,
    /// Number of the first line of its entity header.
    pub entity: u32,
    /// Offset of the first byte of its content; that of the end mark, if there is none.
    pub content: u32,
    /// Offset of its method; that of the end mark, if there is none.
    pub method: u32,
    /// Offset after its method; that of the end mark, if there is none.
    pub method_end: u32,
    /// Offset of its end mark.
    pub end: u32,
}

/// Lines and packets in order. The vectors only grow, so that they are written to without a thought
/// about their length.
#[derive(Debug, Default)]
pub(super) struct Records {
    lines: Vec<Line>,
    pub line_count: usize,
    packets: Vec<Entry>,
    pub packet_count: usize,
}

impl Records {
    pub fn clear(&mut self) {
        self.line_count = 0;
        self.packet_count = 0;
    }

    /// Keeps a line.
    #[inline(always)]
    pub fn line(&mut self, number: usize, line: Line) {
        if number >= self.lines.len() {
            grow(&mut self.lines);
        }
        self.lines[number] = line;
    }

    /// Keeps a packet.
    #[inline(always)]
    pub fn packet(&mut self, packet: Entry) {
        if self.packet_count >= self.packets.len() {
            grow(&mut self.packets);
        }
        self.packets[self.packet_count] = packet;
        self.packet_count += 1;
    }

    /// Returns all lines and packets, with room for some more.
    pub fn room(&mut self, lines: usize, packets: usize) -> (&mut [Line], &mut [Entry]) {
        while self.lines.len() < self.line_count + lines {
            grow(&mut self.lines);
        }
        while self.packets.len() < self.packet_count + packets {
            grow(&mut self.packets);
        }
        (&mut self.lines, &mut self.packets)
    }

    pub fn lines(&self) -> &[Line] {
        &self.lines[..self.line_count]
    }

    pub fn packets(&self) -> &[Entry] {
        &self.packets[..self.packet_count]
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Line>() + self.packets.capacity() * size_of::<Entry>()
    }
}

#[cold]
#[inline(never)]
fn grow<T: Copy + Default>(records: &mut Vec<T>) {
    records.resize((records.len() * 2).max(64), T::default());
}
