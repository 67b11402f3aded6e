//! Compressed inputs: a thread takes the compression off, so that its decoder never moves to
//! another thread as a Python object may.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use polywire_core::Error;
use polywire_core::format::payload::Codec;

use crate::fault::Failure;
use crate::source::Reader;

/// Bytes of a piece.
const PIECE: usize = 256 << 10;
/// Pieces that wait at most.
const WAITING: usize = 2;

/// The decoded bytes of an input.
pub struct Unpacked {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    at: usize,
}

/// Starts to decode `input` by `codecs`, the outermost first. The thread ends when the result is
/// dropped.
pub fn unpacked(input: Reader, codecs: Vec<&'static Codec>) -> Result<Unpacked, Failure> {
    let (sender, pieces) = sync_channel(WAITING);
    let thread = thread::Builder::new().name("polywire-unpack".into());
    let spawned = thread.spawn(move || {
        if let Err(error) = unpack(input, &codecs, &sender) {
            // Nobody may be left to hear it.
            let _ = sender.send(Err(error));
        }
    });
    spawned.map_err(|error| Error::io("starting a thread", &error))?;
    Ok(Unpacked { pieces, piece: Vec::new(), at: 0 })
}

fn unpack(input: Reader, codecs: &[&'static Codec], pieces: &SyncSender<io::Result<Vec<u8>>>) -> io::Result<()> {
    let mut inside: Box<dyn Read> = input;
    for codec in codecs {
        inside = codec.reader(inside)?;
    }
    loop {
        let mut piece = Vec::with_capacity(PIECE);
        let read = (&mut inside).take(PIECE as u64).read_to_end(&mut piece);
        // Bytes that were decoded before an error count.
        let is_over = piece.is_empty() || pieces.send(Ok(piece)).is_err();
        read?;
        if is_over {
            return Ok(());
        }
    }
}

impl Read for Unpacked {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() {
            match self.pieces.recv() {
                Ok(piece) => (self.piece, self.at) = (piece?, 0),
                Err(_) => return Ok(0),
            }
            if self.piece.is_empty() {
                return Ok(0);
            }
        }
        let read = (&self.piece[self.at..]).read(buf)?;
        self.at += read;
        Ok(read)
    }
}
