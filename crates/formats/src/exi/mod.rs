//! EXI: documents of XML in few bytes. `docs/formats/exi.md` describes the convention, which is
//! that of [XML](crate::xml).
//!
//! `polywire-exi` has the bytes; here its events become walks, and XML that a walk makes becomes
//! events.
//!
//! | file | holds |
//! |---|---|
//! | `frame` | the ends of streams that follow each other |
//! | `names` | prefixes, also for streams that keep none |
//! | `tag` | start tags, once all of them is known |
//! | `read`, `direct` | the walk |
//! | `text` | documents that are read by way of their XML |
//! | `plain` | messages that are written without XML |
//! | `scan`, `write` | the writer |
//! | `settings` | settings |

mod direct;
mod frame;
mod names;
mod plain;
mod read;
mod scan;
mod settings;
mod tag;
mod text;
mod write;

use polywire_core::format::{Confidence, Format, Nature, Repeats};
use polywire_core::{Budget, Limits};
use polywire_exi::{Decoder, Ignore, has_header};

pub use read::ExiReader;
pub use write::ExiWriter;

/// EXI's line in the registry.
pub static FORMAT: Format = Format::new("exi", "EXI", Nature::Binary, recognise, || Box::<ExiReader>::default())
    // The media type of EXI 1.0, appendix F.
    .media_types(&["application/exi"])
    .extensions(&["exi"])
    .magic("`$EXI`, or a first byte that starts with the bits 10")
    .repeats(Repeats::List)
    .ends_with_input()
    .settings(&settings::ExiSettings)
    .writer(|| Box::<ExiWriter>::default());

/// Judges how well `start` looks like EXI (EXI 1.0, 5.1, 5.2).
fn recognise(start: &[u8], whole: bool) -> Confidence {
    match has_header(start) {
        Some(true) => Confidence::Certain,
        // Version 1, of a stream that can be read to its end.
        Some(false) if start[0] & 0x1f == 0 && whole && start.len() > 2 => {
            let mut budget = Budget::new(&Limits::DEFAULT.with_decoded(1 << 20));
            match Decoder::new().read(start, 0, None, &mut Ignore, &mut budget) {
                Ok(outcome) if outcome.len == start.len() => Confidence::Possible,
                _ => Confidence::No,
            }
        }
        None if !whole && b"$EXI".starts_with(start) && !start.is_empty() => Confidence::Possible,
        _ => Confidence::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_recognised_by_their_start() {
        assert_eq!(recognise(b"$EXI\xa0", false), Confidence::Certain);
        assert_eq!(recognise(b"$EX", false), Confidence::Possible);
        for other in [&b"$EX"[..], b"$EXIT", b"\x80", b"\x81abcdefgh", b"{}", b""] {
            assert_eq!(recognise(other, true), Confidence::No, "{other:?}");
        }
    }
}
