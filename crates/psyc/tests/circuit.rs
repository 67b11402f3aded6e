//! Circuits, cut everywhere.

use bytes::BytesMut;
use futures_util::{SinkExt, StreamExt};
use polywire_psyc::circuit::{Circuit, Error};
use polywire_psyc::packet::{Modifier, Operator, Packet};
use polywire_psyc::wire::{Code, Limits};
use tokio::io::AsyncWriteExt;
use tokio_util::codec::{Decoder, Encoder, Framed, FramedRead};

fn corpus() -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/packets");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().map(|file| file.path()).collect();
    files.sort();
    let packets = files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "psyc"));
    let mut packets: Vec<_> = packets.map(|path| std::fs::read(path).unwrap()).collect();
    packets.insert(0, b"|\n".to_vec());
    packets
}

/// Returns the packets when the bytes come in these pieces.
fn decode<'p>(circuit: &mut Circuit, pieces: impl Iterator<Item = &'p [u8]>) -> (Vec<Vec<u8>>, Option<Error>) {
    let (mut buffer, mut packets) = (BytesMut::new(), Vec::new());
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            match circuit.decode(&mut buffer) {
                Ok(Some(packet)) => packets.push(packet.bytes().to_vec()),
                Ok(None) => break,
                Err(error) => return (packets, Some(error)),
            }
        }
    }
    let last = circuit.decode_eof(&mut buffer);
    (packets, last.err())
}

#[test]
fn cut_everywhere_the_same_packets() {
    let packets = corpus();
    let whole = packets.concat();
    for cut in 0..=whole.len() {
        let (came, error) = decode(&mut Circuit::default(), [&whole[..cut], &whole[cut..]].into_iter());
        assert!(error.is_none(), "cut at {cut}: {error:?}");
        assert_eq!(came, packets, "cut at {cut}");
    }
    for size in 1..40 {
        let (came, error) = decode(&mut Circuit::default(), whole.chunks(size));
        assert!(error.is_none(), "pieces of {size}: {error:?}");
        assert_eq!(came, packets, "pieces of {size}");
    }
}

#[test]
fn a_mistake_has_its_offset_and_stays() {
    let bytes = b"|\n:_a\tb\n\n_m x\n|\n|\n";
    for size in 1..bytes.len() {
        let mut circuit = Circuit::default();
        let (came, error) = decode(&mut circuit, bytes.chunks(size));
        assert_eq!(came, [b"|\n"]);
        assert!(matches!(error, Some(Error::ParseError { code: Code::Method, at: 11 })), "{error:?}");
        let again = circuit.decode(&mut BytesMut::from(&b"|\n"[..]));
        assert!(matches!(again, Err(Error::ParseError { code: Code::Method, at: 11 })), "{again:?}");
    }
}

#[test]
fn the_end_of_a_stream_inside_of_a_packet_is_told() {
    let (came, error) = decode(&mut Circuit::default(), [&b"|\n:_a\tb\n"[..]].into_iter());
    assert_eq!(came.len(), 1);
    assert!(matches!(error, Some(Error::Unfinished { start: 2 })), "{error:?}");
}

#[test]
fn large_packets_are_refused_before_they_come() {
    let mut circuit = Circuit::new(100, Limits::NONE);
    let mut buffer = BytesMut::from(&b"|\n|\n9000000000\n_m\n"[..]);
    assert!(circuit.decode(&mut buffer).unwrap().is_some());
    assert!(circuit.decode(&mut buffer).unwrap().is_some());
    assert!(matches!(circuit.decode(&mut buffer), Err(Error::TooLarge { start: 4, limit: 100 })));
    assert!(buffer.capacity() < 1000);
    let long = [b":_a\t", &[b'x'; 200][..]].concat();
    let (_, error) = decode(&mut Circuit::new(100, Limits::NONE), long.chunks(7));
    assert!(matches!(error, Some(Error::TooLarge { start: 0, limit: 100 })), "{error:?}");
    let whole = [&long[..], b"\n|\n"].concat();
    let (_, error) = decode(&mut Circuit::new(100, Limits::NONE), whole.chunks(1000));
    assert!(matches!(error, Some(Error::TooLarge { start: 0, limit: 100 })), "{error:?}");
    let (_, error) = decode(&mut Circuit::new(1000, Limits::NOMINAL), [&b":_a\t"[..], &[b'x'; 300], b"\n"].into_iter());
    assert!(matches!(error, Some(Error::ParseError { code: Code::ModNoLen, .. })), "{error:?}");
}

#[test]
fn what_is_no_packet_is_not_sent() {
    let mut out = BytesMut::from(&b"before"[..]);
    let nameless = [Modifier::new(Operator::Set, b"", b"x")];
    assert!(matches!(Circuit::default().encode(Packet::new(&nameless, &[], b"", b""), &mut out), Err(Error::Render(_))));
    assert!(matches!(Circuit::new(3, Limits::NONE).encode(Packet::new(&[], &[], b"_message", b""), &mut out), Err(Error::TooLarge { .. })));
    assert_eq!(&out[..], b"before");
}

#[test]
fn packets_go_over_a_pipe_of_any_width() {
    let packets = corpus();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for width in [1, 2, 7, 64, 4096] {
        runtime.block_on(async {
            let (one, other) = tokio::io::duplex(width);
            let sent = packets.concat();
            let sender = tokio::spawn(async move {
                let mut one = one;
                one.write_all(&sent).await.unwrap();
                let mut framed = Framed::new(one, Circuit::default());
                let routing = [Modifier::new(Operator::Set, b"_source", b"psyc://h/~ann")];
                framed.send(Packet::new(&routing, &[], b"_message", b"Hi all")).await.unwrap();
            });
            let mut received = FramedRead::new(other, Circuit::default());
            for packet in &packets {
                let came = received.next().await.unwrap().unwrap();
                assert_eq!(came.bytes(), packet);
            }
            let last = received.next().await.unwrap().unwrap();
            let view = last.view();
            assert_eq!(view.routing().next().unwrap().value, b"psyc://h/~ann");
            assert_eq!((view.method(), view.data()), (&b"_message"[..], &b"Hi all"[..]));
            assert_eq!(last.share(view.data()), "Hi all");
            assert!(received.next().await.is_none());
            sender.await.unwrap();
        });
    }
}
