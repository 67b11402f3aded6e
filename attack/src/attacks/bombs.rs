//! Small bodies that become large: from callers and from services, in every content coding.

use crate::trial::Trial;
use crate::wire::bomb::{self, CODINGS};

/// Bodies of callers.
pub fn requests(trial: &Trial<'_>) {
    let bombs: Vec<(&str, Vec<u8>)> = CODINGS.iter().map(|coding| (*coding, bomb::bomb(coding, b' ', 128 << 20))).collect();
    trial.crowd(6, bombs.len() * 6, |number| {
        let (coding, body) = &bombs[number % bombs.len()];
        let answer = trial.post("/parsed", "application/json", &format!("Content-Encoding: {}\r\n", bomb::header(coding)), body);
        trial.refused(answer, &[400, 413, 415, 503], coding);
    });
    // One bomb within another, as names of several codings, and names that are none.
    let gzip = bomb::bomb("gzip", b' ', 64 << 20);
    for codings in [
        "gzip, gzip",
        "gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip",
        "br, gzip",
        "identity, gzip",
        "x-gzip",
        "compress",
        "gzip;q=1",
        ",,,,gzip",
        "GZIP",
        "aes128gcm",
    ] {
        let answer = trial.post("/parsed", "application/json", &format!("Content-Encoding: {codings}\r\n"), &gzip);
        trial.refused(answer, &[400, 413, 415, 503], codings);
    }
    let many = vec!["gzip"; 5000].join(",");
    trial.refused(
        trial.post("/parsed", "application/json", &format!("Content-Encoding: {many}\r\n"), &gzip),
        &[400, 413, 415, 431],
        "5,000 codings",
    );
}

/// Streams without bytes, or cut, or with claims.
pub fn streams(trial: &Trial<'_>) {
    let empty_member = bomb::bomb("gzip", b' ', 0);
    let bodies: Vec<(&str, Vec<u8>)> = vec![
        ("gzip", empty_member.repeat(9_000_000 / empty_member.len())),
        ("gzip", [bomb::bomb("gzip", b'1', 1).as_slice(), &vec![0; 5_000_000]].concat()),
        ("gzip", bomb::bomb("gzip", b' ', 1 << 20)[..500].to_vec()),
        // Stored blocks of no length, without an end (RFC 1951 3.2.4).
        ("deflate", [0x78, 0x01].into_iter().chain([0, 0, 0, 0xff, 0xff].repeat(1_800_000)).collect()),
        ("zstd", bomb::bomb("zstd", b' ', 0).repeat(500_000)),
        // A window of two gigabytes (RFC 8878 3.1.1.1.2), and skippable frames.
        ("zstd", vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00]),
        ("zstd", [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0].repeat(1_000_000)),
        ("zstd", [[0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff].as_slice(), &[0; 100]].concat()),
        // A large window (the extension of brotli), and empty meta-blocks.
        ("br", vec![0x11, 0x3f, 0xff, 0xff, 0xff]),
        ("br", vec![0x06; 5_000_000]),
        ("br", vec![0xff; 1_000_000]),
    ];
    trial.crowd(6, bodies.len() * 4, |number| {
        let (coding, body) = &bodies[number % bodies.len()];
        let answer = trial.post("/parsed", "application/json", &format!("Content-Encoding: {coding}\r\n"), body);
        trial.refused(answer, &[200, 400, 413, 415, 503], coding);
    });
}

/// Replies of services.
pub fn replies(trial: &Trial<'_>) {
    trial.crowd(6, CODINGS.len() * 4, |number| {
        let coding = CODINGS[number % CODINGS.len()];
        trial.refused(trial.get(&format!("/bomb/{coding}")), &[400, 502], coding);
    });
    for kind in ["nested", "entities", "aliases", "heads", "split"] {
        trial.refused(trial.get(&format!("/hostile/{kind}")), &[400, 502, 422], kind);
    }
    // One that is too long, and one that is as long as it may be, many at once.
    trial.refused(trial.get("/long/20000000"), &[502], "a reply of 20 MB");
    trial.crowd(12, 36, |_| trial.refused(trial.get("/long/9000000"), &[200, 400, 422, 503], "a reply of 9 MB"));
}
