//! Replies of bytes that nobody meant: the bodies of the fuzz targets, with seeds.

mod bodies;

use std::io::Read;

/// Replies that are well: what is changed in them is close to what services may send.
fn samples() -> Vec<Vec<u8>> {
    let text = b"some text, some more text. ".repeat(20);
    let (mut gzip, mut zlib, mut raw) = (Vec::new(), Vec::new(), Vec::new());
    let level = flate2::Compression::default();
    flate2::read::GzEncoder::new(&text[..], level).read_to_end(&mut gzip).unwrap();
    flate2::read::ZlibEncoder::new(&text[..], level).read_to_end(&mut zlib).unwrap();
    flate2::read::DeflateEncoder::new(&text[..], level).read_to_end(&mut raw).unwrap();
    let zstd = zstd::encode_all(&text[..], 3).unwrap();
    let coded = |coding: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-encoding: {coding}\r\ncontent-length: {}\r\n\r\n", body.len());
        [head.as_bytes(), body].concat()
    };
    vec![
        coded("gzip", &gzip),
        coded("deflate", &zlib),
        coded("deflate", &raw),
        coded("zstd", &zstd),
        coded("br", &[0x1b, 0x1f, 0x03, 0xf8, 0x8d, 0x94, 0x6e, 0xde, 0xb4, 0x06, 0x09, 0x2b, 0x3b, 0x93, 0x74, 0x77, 0x79]),
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nx: y\r\n\r\n".to_vec(),
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 302 Found\r\nLocation: /x/../y?z#f\r\ncontent-length: 3\r\n\r\nabc".to_vec(),
        b"HTTP/1.0 503 Busy\nretry-after: 1\n\nlater".to_vec(),
    ]
}

fn changed(sample: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    for _ in 0..random.usize(1..6) {
        let at = random.usize(..bytes.len().max(1));
        match random.u8(..5) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => bytes.insert(at.min(bytes.len()), random.u8(..)),
            3 => {
                let again = bytes[at.min(bytes.len())..].to_vec();
                bytes.extend(again);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.u8(..8);
                }
            }
        }
    }
    bytes
}

#[test]
fn replies() {
    let mut random = fastrand::Rng::with_seed(8);
    for sample in samples() {
        for _ in 0..60 {
            bodies::reply(&changed(&sample, &mut random));
        }
    }
}

#[test]
fn codings() {
    let mut random = fastrand::Rng::with_seed(9);
    for sample in samples() {
        let body = sample.windows(4).position(|four| four == b"\r\n\r\n").map_or(&sample[..], |end| &sample[end + 4..]);
        for _ in 0..300 {
            bodies::codings(&changed(body, &mut random));
        }
    }
}

#[test]
fn heads() {
    let mut random = fastrand::Rng::with_seed(10);
    for sample in samples() {
        for _ in 0..300 {
            bodies::head(&changed(&sample, &mut random));
        }
    }
}

#[test]
fn parts() {
    let mut random = fastrand::Rng::with_seed(11);
    let samples = [
        "before\r\n--b\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n--b\r\nContent-ID: <r>\r\n\r\nx\r\n--b--\r\nbehind",
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b \r\nContent-Disposition: form-data; name=\"f\"; filename=f\r\n\r\n\r\n--b--",
        "--b\r\n\r\n--b\r\n\r\n\r\n--b--",
    ];
    for sample in samples {
        bodies::parts(sample.as_bytes());
        for _ in 0..1000 {
            bodies::parts(&changed(sample.as_bytes(), &mut random));
        }
    }
}
