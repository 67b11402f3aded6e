//! Uniforms: the grammar of docs/spec/psyc.md 13, exhaustively over what its rules distinguish.

use fastrand::Rng;
use polywire_psyc::uniform::{Uniform, UniformError};

#[path = "fuzz/uniform.rs"]
mod fuzz;

#[test]
fn all_short_endings() {
    // Each kind of byte once.
    let bytes = b"psyc:/h-.5cdsg~@$#! _|\xe9";
    for start in
        [&b""[..], b"psyc", b"psyc:", b"PsYc:/", b"psyc://", b"psyc://h", b"psyc://h:", b"psyc://h:5", b"psyc://h/", b"psyc://h:-5c/~a#"]
    {
        fuzz::body(start);
        for first in bytes {
            fuzz::body(&[start, &[*first]].concat());
            for second in bytes {
                fuzz::body(&[start, &[*first, *second]].concat());
                for third in bytes {
                    fuzz::body(&[start, &[*first, *second, *third]].concat());
                }
            }
        }
    }
}

#[test]
fn mutated_uniforms() {
    let seeds = [&b"psyc://Example.org:4404d/@lobby#main"[..], b"psyc://a.b:-77s/~eve", b"PSYC://0123abcd:g/~k", b"psyc://h/a/b"];
    let mut rng = Rng::with_seed(13);
    for n in 0..100_000 {
        let mut bytes = seeds[n % seeds.len()].to_vec();
        for _ in 0..rng.usize(..4) {
            let at = rng.usize(..bytes.len());
            match rng.u8(..3) {
                0 => bytes[at] = rng.u8(..),
                1 => bytes.insert(at, b":/#-gcds0 ~"[rng.usize(..11)]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        fuzz::body(&bytes);
    }
}

#[test]
fn faults_are_where_they_are() {
    for (input, code, at) in [
        (&b""[..], -1, 0),
        (b"psyc", -1, 4),
        (b"ps yc:", -1, 2),
        (b"http://example.org", -1, 4),
        (b"psyc:", -2, 5),
        (b"psyc:x", -7, 5),
        (b"psyc:/x", -7, 6),
        (b"psyc:///", -2, 7),
        (b"psyc://h#c", -2, 8),
        (b"psyc://h:c", -3, 9),
        (b"psyc://h:gc", -4, 10),
        (b"psyc://h:5-", -4, 10),
        (b"psyc://h:5cc/", -4, 11),
        (b"psyc://h/a b", -5, 10),
        (b"psyc://h/a#b#c", -6, 12),
    ] {
        let Err(UniformError { code: came, at: place }) = Uniform::parse(input) else { panic!("{input:?} is no uniform") };
        assert_eq!((came.number(), place), (code, at), "{}", String::from_utf8_lossy(input));
    }
    // psyc-D30.
    for input in [&b"psyc://h:"[..], b"psyc://h:-", b"psyc://h:-/", b"psyc://h:-c"] {
        assert!(Uniform::parse(input).is_ok());
    }
}
