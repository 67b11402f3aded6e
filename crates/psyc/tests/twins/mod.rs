//! Fuzz bodies: plain functions that the tests call with seeds, and the fuzz targets with whatever
//! they find.

pub mod cuts;
pub mod packet;

/// The parser of packets says what its plain twin says, however the input is cut, in all modes,
/// with and without limits.
pub fn fuzz_twin(data: &[u8]) {
    let Some((&choice, input)) = data.split_first() else { return };
    for mode in [polywire_psyc::wire::Mode::All, polywire_psyc::wire::Mode::RoutingOnly, polywire_psyc::wire::Mode::Content] {
        packet::agree(input, mode, choice);
    }
}

/// The parsers of structured values deliver the same however the input is cut.
pub fn fuzz_cuts(data: &[u8]) {
    let Some((&choice, input)) = data.split_first() else { return };
    cuts::agree(input, choice);
}
