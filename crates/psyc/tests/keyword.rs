//! Inheritance, matching and tables against plain twins.

use fastrand::Rng;
use polywire_psyc::keyword::{Relation, Table, inherits, lineage, lookup, matches, words};
use polywire_psyc::method::Method;
use polywire_psyc::variable::Type;

fn keyword(rng: &mut Rng) -> Vec<u8> {
    let letters = b"____aabb";
    let mut name: Vec<u8> = (0..rng.usize(..9)).map(|_| letters[rng.usize(..letters.len())]).collect();
    if rng.u8(..5) > 0 && !name.is_empty() {
        name[0] = b'_';
    }
    name
}

/// The words as owned strings.
fn split(name: &[u8]) -> Vec<String> {
    let text = String::from_utf8(name.to_vec()).expect("ASCII");
    text.split('_').skip(1).map(str::to_string).collect()
}

/// The first tests of both functions.
fn refused(short: &[u8], long: &[u8]) -> Option<i32> {
    let begins = |name: &[u8]| name.starts_with(b"_");
    match () {
        () if !begins(short) || !begins(long) => Some(-2),
        () if short.len() > long.len() => Some(-3),
        () => None,
    }
}

fn inherits_twin(short: &[u8], long: &[u8]) -> i32 {
    refused(short, long).unwrap_or_else(|| {
        if short != &long[..short.len()] {
            1
        } else if long.len() == short.len() || long[short.len()] == b'_' {
            0
        } else {
            -4
        }
    })
}

/// Tries every way to choose words of the long keyword.
fn matches_twin(short: &[u8], long: &[u8]) -> i32 {
    refused(short, long).unwrap_or_else(|| {
        if short.len() == long.len() {
            return if short == long { 0 } else { -4 };
        }
        let (short, long) = (split(short), split(long));
        let chosen = |set: u32| long.iter().enumerate().filter(move |(n, _)| set >> n & 1 == 1).map(|(_, word)| word);
        i32::from(!(0..1u32 << long.len()).any(|set| chosen(set).eq(&short)))
    })
}

#[test]
fn relations_are_those_of_the_twins() {
    let mut rng = Rng::with_seed(12);
    let mut seen = [0; 10];
    for _ in 0..60_000 {
        let (short, mut long) = (keyword(&mut rng), keyword(&mut rng));
        if rng.bool() {
            let end = keyword(&mut rng);
            long = [&short[..], &end].concat();
        }
        let shown = format!("{} {}", String::from_utf8_lossy(&short), String::from_utf8_lossy(&long));
        let (inherited, matched) = (inherits(&short, &long).number(), matches(&short, &long).number());
        assert_eq!((inherited, matched), (inherits_twin(&short, &long), matches_twin(&short, &long)), "{shown}");
        seen[(inherited + 4) as usize] += 1;
        seen[(matched + 4) as usize] += 1;
        assert!(words(&long).map(|word| String::from_utf8_lossy(word).into_owned()).eq(split(&long)), "{shown}");
    }
    assert!([0, 1, 2, 4, 5].iter().all(|code| seen[*code] > 100), "{seen:?}");
}

#[test]
fn lineage_is_what_a_keyword_inherits_from() {
    let mut rng = Rng::with_seed(121);
    for _ in 0..20_000 {
        let name = keyword(&mut rng);
        if !name.starts_with(b"_") {
            assert!(lineage(&name).eq([&name[..]]));
            continue;
        }
        let expected = (1..=name.len()).rev().map(|end| &name[..end]).filter(|short| inherits(short, &name) == Relation::Yes);
        assert!(lineage(&name).eq(expected), "{}", String::from_utf8_lossy(&name));
    }
}

#[test]
fn tables_find_the_longest() {
    let mut rng = Rng::with_seed(124);
    for _ in 0..3_000 {
        let mut names: Vec<Vec<u8>> = (0..rng.usize(1..12)).map(|_| keyword(&mut rng)).filter(|name| name.len() > 1).collect();
        names.sort();
        names.dedup();
        let ascending: Vec<(&[u8], usize)> = names.iter().enumerate().map(|(n, name)| (&name[..], n)).collect();
        let table = Table::new(&ascending).expect("in order");
        // Longer keys before their prefixes, as docs/spec/psyc.md 12.4 has them.
        let descending: Vec<(&[u8], usize)> = ascending.iter().rev().copied().collect();
        for _ in 0..20 {
            let name = keyword(&mut rng);
            let plain = |inherit: bool| {
                let hit = |key: &[u8]| key == name || inherit && inherits(key, &name) == Relation::Yes;
                let usable = name.len() >= 2 && name.starts_with(b"_");
                ascending.iter().filter(|(key, _)| usable && hit(key)).max_by_key(|(key, _)| key.len()).map(|(_, value)| *value)
            };
            assert_eq!((table.get(&name).copied(), table.inherited(&name).copied()), (plain(false), plain(true)));
            let found = |inherit| lookup(descending.iter().copied(), &name, inherit);
            assert_eq!((found(false), found(true)), (plain(false), plain(true)), "{}", String::from_utf8_lossy(&name));
        }
    }
}

#[test]
fn methods_and_types_are_found_as_in_tables() {
    let mut rng = Rng::with_seed(125);
    let methods: Vec<(&[u8], Method)> = Method::all().map(|method| (method.name().as_bytes(), method)).collect();
    let table = Table::new(&methods).expect("in order");
    let types: Vec<(&[u8], Type)> = Type::ALL.iter().filter_map(|kind| Some((kind.keyword()?.as_bytes(), *kind))).collect();
    for _ in 0..20_000 {
        let mut name = if rng.bool() { methods[rng.usize(..methods.len())].0.to_vec() } else { types[rng.usize(..types.len())].0.to_vec() };
        name.extend(keyword(&mut rng));
        name.truncate(rng.usize(..=name.len() * 2));
        assert_eq!(Method::of(&name), table.inherited(&name).copied(), "{}", String::from_utf8_lossy(&name));
        assert_eq!(Type::of(&name), lookup(types.iter().copied(), &name, true), "{}", String::from_utf8_lossy(&name));
    }
}
