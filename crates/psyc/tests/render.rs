//! Rendering: what is rendered is read back as it was, in all forms that rendered packets come in.

use fastrand::Rng;
use polywire_psyc::packet::{Content, Header, Modifier, Operator, Packet, Sizing};
use polywire_psyc::wire::Mode;
use polywire_psyc::wire::render::{self, Dict, Entry, Item, Key, List};

#[path = "fuzz/render.rs"]
mod fuzz;

fn random(rng: &mut Rng, max: usize) -> Vec<u8> {
    (0..rng.usize(..=max)).map(|_| rng.u8(..)).collect()
}

#[test]
fn random_packets_are_read_back() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..60_000 {
        let bytes = random(&mut rng, 90);
        fuzz::body(&bytes);
    }
}

#[test]
fn mutated_packets_are_rendered_as_they_were_read() {
    let seeds = [
        &b":_source\tpsyc://h/~a\n51\n:_topic\tweather\n=_text 12\tfine weather\n_message\nok\n|\n"[..],
        b":_context\tpsyc://h/@r\n\n=\n=_list_members\t| ann| bob\n|\n",
        b"27\n=_note 5\ta\n|\nb\n_data\nx\n|\ny\n|\n",
        b"\n?\n_m\n\n|\n",
        b"\n:_a 0\t\n+_b\t\n|\n",
        b"|\n",
    ];
    for seed in seeds {
        assert!(fuzz::parse(seed, Mode::All).is_some());
    }
    let mut rng = Rng::with_seed(11);
    for n in 0..60_000 {
        let mut bytes = seeds[n % seeds.len()].to_vec();
        for _ in 0..rng.usize(..3) {
            let at = rng.usize(..bytes.len());
            match rng.u8(..3) {
                0 => bytes[at] = b"|\n\t :=_0129a"[rng.usize(..12)],
                1 => bytes.insert(at, b"|\n\t :=_0129a"[rng.usize(..12)]),
                _ => drop(bytes.remove(at)),
            }
            if bytes.is_empty() {
                break;
            }
        }
        fuzz::from_wire(&bytes);
    }
}

#[test]
fn sizes_of_section_11_1() {
    let shown = |packet: &Packet<'_>| {
        let mut out = Vec::new();
        render::append(packet, &mut out).expect("a packet");
        String::from_utf8(out).expect("text")
    };
    let data = |data| shown(&Packet::new(&[], &[], b"_m", data));
    // psyc-D12, and what docs/spec/psyc.md 3.1 asks for beside it.
    assert_eq!(data(b"|\nx"), "7\n_m\n|\nx\n|\n");
    assert_eq!(data(b"x\n|"), "7\n_m\nx\n|\n|\n");
    assert_eq!(data(b"|x"), "\n_m\n|x\n|\n");
    // psyc-D13.
    assert_eq!(shown(&Packet::raw(&[], b"_m\n|\nx\n")), "7\n_m\n|\nx\n|\n");
    assert_eq!(shown(&Packet::raw(&[], b"|\n")), "2\n|\n|\n");
    assert_eq!(shown(&Packet::raw(&[], b"_m\nlonger than nine\n")), "\n_m\nlonger than nine\n|\n");
    // An empty value that was to be sized: not written, but it asks for a content size.
    let empty = [Modifier { sizing: Sizing::Need, ..Modifier::new(Operator::Set, b"_a", b"") }];
    assert_eq!(shown(&Packet::new(&[], &empty, b"", b"")), "5\n:_a\t\n|\n");
    // Sizes are not for the routing header.
    let long = [Modifier { sizing: Sizing::Need, ..Modifier::new(Operator::Set, b"_a", b"0123456789") }];
    assert_eq!(shown(&Packet::new(&long, &[], b"", b"")), ":_a\t0123456789\n|\n");
    assert_eq!(shown(&Packet::new(&[], &long, b"", b"")), "18\n:_a 10\t0123456789\n|\n");
    assert_eq!(shown(&Packet { sizing: Sizing::Need, ..Packet::new(&[], &[], b"", b"") }), "|\n");
}

#[test]
fn headers_of_another_layout_and_large_values() {
    #[derive(Clone, Copy)]
    struct Again<'a>(Modifier<'a>, usize);
    impl<'a> Header<'a> for Again<'a> {
        type Lines = std::iter::RepeatN<Modifier<'a>>;
        fn lines(self) -> Self::Lines {
            std::iter::repeat_n(self.0, self.1)
        }
    }
    let long = vec![b'x'; 1 << 16];
    let modifier = Modifier::new(Operator::Set, b"_a", &long);
    let content = Content::Parts { state: None, entity: Again(modifier, 3), method: b"_m", data: b"" };
    let packet = Packet { routing: Again(modifier, 0), content, sizing: Sizing::Check };
    let lengths = render::lengths(&packet);
    assert_eq!(lengths.content, 3 * (65536 + 5 + 6) + 3);
    let mut out = Vec::new();
    assert_eq!(render::append(&packet, &mut out), Ok(lengths));
    assert_eq!(out.len(), lengths.total);
    let (parts, _) = fuzz::parse(&out, Mode::All).expect("a packet");
    assert!(parts.entity.len() == 3 && parts.entity.iter().all(|line| line.2 == long));
}

/// Elements and keys, any bytes.
#[test]
fn lists_and_dicts_are_read_back() {
    let mut rng = Rng::with_seed(5);
    let spiced = |rng: &mut Rng| -> Vec<u8> {
        (0..rng.usize(..13)).map(|_| if rng.bool() { b"|{}=: 09_a\n"[rng.usize(..11)] } else { rng.u8(..) }).collect()
    };
    let sizing = |rng: &mut Rng| if rng.bool() { Sizing::Check } else { Sizing::Need };
    for _ in 0..20_000 {
        let rows: Vec<_> = (0..rng.usize(..4))
            .map(|_| (if rng.bool() { &b""[..] } else { b"_x9" }, spiced(&mut rng), sizing(&mut rng), spiced(&mut rng), sizing(&mut rng)))
            .collect();
        let default: &[u8] = if rng.bool() { b"" } else { b"_default" };
        let items = rows.iter().map(|(kind, value, sizing, ..)| Item { kind, value, sizing: *sizing });
        let list = List { default, items: items.clone() };
        let mut out = Vec::new();
        list.append(&mut out);
        let mut buffer = vec![0; list.length()];
        assert_eq!((list.render(&mut buffer), &buffer), (Ok(out.len()), &out));
        let Ok(polywire_psyc::value::Value::List(read)) = polywire_psyc::value::Value::read(b"_list", &out) else { panic!("a list") };
        let came: Vec<_> = read.items().map(|item| item.map(|item| (item.kind, item.bytes))).collect::<Result<_, _>>().expect("items");
        let typed = |kind: &'static [u8]| if kind.is_empty() { default } else { kind };
        let expected: Vec<_> = rows.iter().map(|row| (typed(row.0), &row.1[..])).collect();
        assert_eq!((came, read.default_type()), (expected, default), "{:?}", String::from_utf8_lossy(&out));

        let entries = rows.iter().map(|(kind, value, sizing, key, key_sizing)| Entry {
            key: Key { value: key, sizing: *key_sizing },
            item: Item { kind, value, sizing: *sizing },
        });
        let dict = Dict { default, entries };
        let mut out = Vec::new();
        dict.append(&mut out);
        let mut buffer = vec![0; dict.length()];
        assert_eq!((dict.render(&mut buffer), &buffer), (Ok(out.len()), &out));
        let Ok(polywire_psyc::value::Value::Dict(read)) = polywire_psyc::value::Value::read(b"_dict", &out) else { panic!("a dict") };
        let came: Vec<_> = read
            .entries()
            .map(|entry| entry.map(|entry| (entry.key, entry.item.kind, entry.item.bytes)))
            .collect::<Result<_, _>>()
            .expect("entries");
        let expected: Vec<_> = rows.iter().map(|row| (&row.3[..], typed(row.0), &row.1[..])).collect();
        assert_eq!(came, expected, "{:?}", String::from_utf8_lossy(&out));
    }
}

#[test]
fn keys_that_need_a_size_have_it() {
    let shown = |value, sizing| {
        let mut out = [0; 32];
        let length = Key { value, sizing }.render(&mut out).expect("a key");
        String::from_utf8(out[..length].to_vec()).expect("text")
    };
    assert_eq!(shown(b"a", Sizing::Check), "a");
    assert_eq!(shown(b"", Sizing::Check), "");
    assert_eq!(shown(b"", Sizing::Need), "0 ");
    for sizing in [Sizing::Check, Sizing::Need, Sizing::No] {
        assert_eq!(shown(b"7", sizing), "1 7");
        assert_eq!(shown(b"}", sizing), "1 }");
    }
}
