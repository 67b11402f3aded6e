//! The fuzz bodies of batches and of state, with seeds, over mutated packets.

use fastrand::Rng;

#[path = "fuzz/batch.rs"]
mod batch;
#[path = "fuzz/state.rs"]
mod state;

/// Packets of all kinds, and some that work on state.
fn corpus() -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/packets");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().map(|file| file.path()).collect();
    files.sort();
    let packets = files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "psyc"));
    let mut packets: Vec<_> = packets.map(|path| std::fs::read(path).unwrap()).collect();
    assert_eq!(packets.len(), 10);
    packets.extend(
        [
            &b"|\n"[..],
            b":_context\tc\n\n=_amount\t5\n=_list_members\t| ann| bob\n=_dict_x\t{a} 1{b}=_amount 2\n|\n",
            b":_context\tc\n\n+_amount\t37\n+_list_members\t_nick| eve\n+_dict_x\t_time{c} 3\n_notice\n|\n",
            b":_context\tc\n\n-_amount\t1\n-_list_members\t| bob\n-_dict_x\t{a}\n|\n",
            b":_source\ts\n\n=\n=_struct_p\t|=_nick|=_amount\n=_struct_p_x\t| bob| 4\n@_struct_p_x\t._amount + 3\n|\n",
            b":_context\tc\n\n@_list_members\t#0 = zoe\n@_dict_x\t{b} + 4\n@_dict_x\t{2 zz} =_list:4 | xy\n@_dict_x\t{b} -\n|\n",
            b"\n=\n|\n",
            b"\n?\n:_nick 3\ta\nb\n=_topic\tx\n-_topic\t\n?_nick\t\n!_x\t\n|\n",
            b"53\n=_note 5\ta\n|\nb\n=_list 7\t|3 a\nb|\n=_x\t1\n_data\nx\n|\ny\n|\n",
        ]
        .map(<[u8]>::to_vec),
    );
    packets
}

fn stream(rng: &mut Rng, corpus: &[Vec<u8>], packets: usize, mutations: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..rng.usize(1..=packets)).flat_map(|_| rng.choice(corpus).unwrap().clone()).collect();
    for _ in 0..rng.usize(0..=mutations) {
        let at = rng.usize(..bytes.len());
        match rng.u8(..4) {
            0 => drop(bytes.remove(at)),
            1 => bytes.insert(at, *rng.choice(b"\n\t |:=+-@_a90{}#.\x80").unwrap()),
            2 => bytes[at] = *rng.choice(b"\n\t |:=+-@_a90{}#.\x80").unwrap(),
            _ => bytes[at] = rng.u8(..),
        }
        if bytes.is_empty() {
            bytes.push(b'|');
        }
    }
    bytes
}

#[test]
fn batches_hold_what_the_pull_parser_tells() {
    let corpus = corpus();
    let mut rng = Rng::with_seed(1);
    for _ in 0..20_000 {
        batch::body(&stream(&mut rng, &corpus, 8, 3));
    }
    for _ in 0..60 {
        batch::body(&stream(&mut rng, &corpus, 3000, 1));
    }
}

#[test]
fn logs_replay() {
    let corpus = corpus();
    let mut rng = Rng::with_seed(2);
    let (mut changed, mut failed) = (0, 0);
    for _ in 0..20_000 {
        let (more_changed, more_failed) = state::body(&stream(&mut rng, &corpus, 12, 3));
        changed += more_changed;
        failed += more_failed;
    }
    assert!(changed > 20_000 && failed > 2000, "{changed} {failed}");
}
