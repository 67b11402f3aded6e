//! Compatibility of two versions, with witnesses.

use polywire_core::schema::language::{Comparison, Direction, Effect, Reading, SchemaLanguage, SchemaText, Version};
use polywire_core::text::sources::NoFiles;
use polywire_thrift::idl::Idl;

fn compare_of(old: &str, new: &str, root: Option<&str>) -> Comparison {
    let text = |bytes| SchemaText { name: "m.thrift", bytes, identity: "" };
    let version = |bytes, files| Version { text: text(bytes), files };
    let rules = Idl.compatibility().expect("Thrift has rules");
    let found = rules.compare(version(old.as_bytes(), &mut NoFiles), version(new.as_bytes(), &mut NoFiles), root);
    found.unwrap_or_else(|found| panic!("{found}"))
}

fn compare(old: &str, new: &str) -> Comparison {
    compare_of(old, new, None)
}

/// A schema with a part for each kind of change that the audit of Apache's compiler knows.
const SHOP: &str = r#"
namespace cpp shop

const i32 MOST = 12;
const double RATE = 0.5;
const map<string, string> WORDS = {"yes": "ja", "no": "nein"};

exception Missing { 1: i32 code; 2: string why; }
exception Closed { 1: i32 code; 2: string why; }

enum State { OPEN = 0, SOLD = 1, HELD = 2, GONE = 6 }
enum Size { SMALL = 0, LARGE = 1, HUGE = 2 }
enum Side { LEFT = 0, RIGHT = 1 }

struct Item {
  1: i16 shelf,
  2: i64 price,
  3: double weight = 1.5,
  4: string name = "thing",
  5: bool fresh,
  6: byte row,
  7: binary seal,
  8: State state
}

struct Lists {
  1: list<i16> shelves,
  2: list<i64> prices = [3, 4],
  3: list<double> weights,
  4: list<State> states
}

struct Maps {
  1: map<i16, i32> counts = {1: 2},
  2: map<string, bool> flags,
  4: map<Size, Side> sides
}

struct Pair { 1: i32 one, 2: optional i32 other }
struct Label { 1: double height, 2: string text = "new" }
struct Order { 1: i32 number, 2: required i32 count }

service Base {
  oneway void ping(1: i32 times),
  void put(1: i16 shelf, 2: i64 price, 3: State state, 4: Item item),
  void fill(1: list<string> names, 2: list<State> states) throws (1: Closed closed),
  void stop(),
}

service Shop extends Base {
  State state(1: i64 number) throws (1: Closed closed),
  string name(1: string key, 2: bool short) throws (1: Closed closed),
  bool sides(1: map<i64, double> sides),
  Item item(1: double key) throws (1: Closed closed),
}

service Store extends Base {
  list<i32> numbers(1: i32 first),
  map<State, Size> sizes(1: bool all),
  map<Item, Lists> items(1: bool all),
}
"#;

/// Each change of the folder `test/audit` of <https://github.com/apache/thrift>, by the number of
/// its file, in a schema of our own: what is replaced, and the path of the finding.
const BREAKS: [(u32, &str, &str, &str); 34] = [
    (1, "  void stop(),\n", "", "Base.stop"),
    (2, "1: i16 shelf,\n  2: i64", "1: i32 shelf,\n  2: i64", "Item.shelf"),
    (3, "8: State state", "8: Size state", "Item.state"),
    (4, "5: bool fresh", "5: string fresh", "Item.fresh"),
    (5, "5: bool fresh", "5: list<bool> fresh", "Item.fresh"),
    (6, "3: list<double> weights", "3: list<i16> weights", "Lists.weights"),
    (7, "2: required i32 count", "2: i32 count", "Order.count"),
    (8, "2: string text = \"new\"", "2: required string text = \"new\"", "Label.text"),
    (9, "  6: byte row,\n", "", "Item.row"),
    (10, "  1: list<i16> shelves,\n", "", "Lists.shelves"),
    (11, "  4: map<Size, Side> sides\n", "", "Maps.sides"),
    (12, "  State state(", "  Size state(", "Shop.state.success"),
    (13, "  Item item(", "  Lists item(", "Shop.item.success"),
    (14, "  string name(", "  double name(", "Shop.name.success"),
    (15, "  list<i32> numbers", "  list<i16> numbers", "Store.numbers.success"),
    (16, "  map<State, Size> sizes", "  map<Side, Size> sizes", "Store.sizes.success"),
    (17, "  map<Item, Lists> items", "  map<Item, Maps> items", "Store.items.success"),
    (18, "oneway void ping", "void ping", "Base.ping"),
    (19, "  void put(", "  oneway void put(", "Base.put"),
    (20, "OPEN = 0, SOLD", "SOLD", "State.OPEN"),
    (21, ", HUGE = 2", "", "Size.HUGE"),
    (22, " HELD = 2,", "", "State.HELD"),
    (23, "2: optional i32 other }", "2: optional i32 other, 3: required i64 third }", "Pair.third"),
    (24, "service Shop extends Base", "service Shop", "Shop"),
    (25, "service Store extends Base", "service Store extends Shop", "Store"),
    (26, "2: i64 price, 3: State state, 4", "2: double price, 3: State state, 4", "Base.put.price"),
    (27, "2: list<State> states)", "2: list<Side> states)", "Base.fill.states"),
    (28, "1: map<i64, double> sides)", "1: list<i64> sides)", "Shop.sides.sides"),
    (29, "1: list<string> names", "1: string names", "Base.fill.names"),
    (30, "  Item item(", "  map<Item, Item> item(", "Shop.item.success"),
    (31, "states) throws (1: Closed closed)", "states)", "Base.fill.closed"),
    (32, "Missing { 1: i32 code", "Missing { 1: i64 code", "Missing.code"),
    (33, "(1: i64 number) throws (1: Closed closed)", "(1: i64 number) throws (1: Missing closed)", "Shop.state.closed"),
    (34, "  4: map<Size", "  3: map<State, Size> sizes,\n  4: map<Size", "Maps.sizes"),
];

#[test]
fn what_the_audit_of_apache_refuses_breaks() {
    for (file, old, new, path) in BREAKS {
        assert_eq!(SHOP.matches(old).count(), 1, "break{file}");
        let found = compare(SHOP, &SHOP.replace(old, new));
        let at: Vec<_> = found.findings.iter().filter(|finding| finding.effect().breaks()).map(|finding| &*finding.path).collect();
        assert_eq!(at, [path], "break{file}: {found:#?}");
    }
}

#[test]
fn what_the_audit_of_apache_warns_of_is_a_warning() {
    let warned = [
        ("MOST = 12", "MOST = 13", "constant_changed"),
        ("const double RATE = 0.5;", "", "constant_removed"),
        ("const i32 MOST", "const i64 MOST", "constant_type_changed"),
        ("\"no\": \"nein\"", "\"no\": \"nee\"", "constant_changed"),
        ("weight = 1.5", "weight = 1.4", "field_default_changed"),
        (" = \"thing\"", "", "field_default_changed"),
        ("8: State state", "8: State now", "field_renamed"),
        ("prices = [3, 4]", "prices", "field_default_changed"),
        ("3: list<double> weights", "3: list<double> weights = [1.0]", "field_default_changed"),
        ("{1: 2}", "{2: 1}", "field_default_changed"),
        ("GONE = 6", "LOST = 6", "enum_value_renamed"),
        ("namespace cpp shop", "namespace cpp store", "namespace_changed"),
    ];
    for (old, new, kind) in warned {
        assert_eq!(SHOP.matches(old).count(), 1, "{old}");
        let found = compare(SHOP, &SHOP.replace(old, new));
        let kinds: Vec<_> = found.findings.iter().map(|finding| (finding.kind, finding.effect())).collect();
        assert_eq!(kinds, [(kind, Effect::Warns)], "{old}: {found:#?}");
    }
    assert!(compare(SHOP, SHOP).findings.is_empty());
}

#[test]
fn effects_have_a_direction_and_a_witness() {
    // Old, new, then backward and forward: fine, warns, misread, refused; in lower case without a
    // witness.
    for (old, new, effects) in [
        ("struct A { 1: i32 n }", "struct A { 1: i32 n, 2: i32 m }", "FF"),
        ("struct A { 1: i32 n }", "struct A { 1: i32 n, 2: required i32 m }", "RF"),
        ("struct A { 1: i32 n, 2: required i32 m }", "struct A { 1: i32 n }", "MR"),
        ("struct A { 1: required i32 n }", "struct A { 1: optional i32 n }", "FR"),
        ("struct A { 1: i32 n }", "struct A { 1: optional i32 n }", "FF"),
        ("struct A { 1: i32 n }", "struct A { 1: i64 n }", "MM"),
        ("struct A { 1: required i32 n }", "struct A { 1: required i64 n }", "RR"),
        ("struct A { 1: list<i32> n }", "struct A { 1: list<i64> n }", "RR"),
        ("struct A { 1: list<i32> n }", "struct A { 1: set<i32> n }", "MM"),
        ("struct A { 1: string n }", "struct A { 1: binary n }", "WM"),
        ("struct A { 1: i32 n, 2: i32 m }", "struct A { 1: i32 m, 2: i32 n }", "MM"),
        ("struct A { 1: byte n }", "struct A { 1: i8 n }", "FF"),
        ("typedef i32 N\nstruct A { 1: N n }", "struct A { 1: i32 n }", "FF"),
        ("struct A { 2: i32 n }", "struct A { 1: i32 m, 2: i32 n }", "mF"),
        ("enum E { X = 1 } struct A { 1: E e }", "enum E { X = 1, Y = 2 } struct A { 1: E e }", "FM"),
        ("enum E { X = 1, Y = 2 } struct A { 1: E e }", "enum E { X = 2, Y = 1 } struct A { 1: E e }", "MM"),
        ("enum E { X = 1 } struct A { 1: E e }", "enum E { X = 1 } struct A { 1: i32 e }", "Wm"),
        ("enum E { X = 1 }", "enum E { X = 1, Y = 2 }", "Fm"),
        ("union U { 1: i32 n }", "union U { 1: i32 n, 2: i32 m }", "FM"),
        ("union U { 1: i32 n, 2: i32 m }", "union U { 1: i32 n }", "MF"),
        ("union U { 1: i32 n }", "struct U { 1: i32 n }", "WR"),
        ("struct A { 1: B b } struct B { 1: i32 n }", "struct A { 1: C b } struct B { 1: i32 n } struct C { 1: i32 n }", "WW"),
        ("struct A { 1: B b } struct B { 1: i32 n }", "struct A { 1: C b } struct B { 1: i32 n } struct C { 1: string n }", "MM"),
        ("struct A { 1: required A2 a } struct A2 { 1: i32 n }", "struct A { 1: required A2 a } struct A2 { 1: i32 n, 2: A a }", "FF"),
        ("struct A { 1: i32 n }", "", "rF"),
        ("service S { void f() }", "service S { i32 f() }", "rF"),
        ("service S { i32 f() }", "service S { void f() }", "Mr"),
        ("exception X { } service S { i32 f() }", "exception X { } service S { i32 f() throws (1: X x) }", "FM"),
        ("service S { void f() }", "service S { void f(), void g() }", "FF"),
        ("service S { void f() }", "service B { void f() } service S extends B { }", "FF"),
        ("service S { void f(1: i32 n) }", "service S { void f() }", "MF"),
    ] {
        let found = compare(old, new);
        for (direction, expected) in Direction::ALL.into_iter().zip(effects.chars()) {
            let worst = found.findings.iter().map(|finding| finding.outcome(direction)).max_by_key(|outcome| outcome.effect);
            let seen = worst.map_or('F', |outcome| match (outcome.effect, &outcome.witness) {
                (Effect::Fine, _) => 'F',
                (Effect::Warns, _) => 'W',
                (Effect::Misread, Some(_)) => 'M',
                (Effect::Refused, Some(_)) => 'R',
                (Effect::Misread, None) => 'm',
                (Effect::Refused, None) => 'r',
            });
            assert_eq!(seen, expected, "{old} to {new}: {}, {found:#?}", direction.name());
        }
    }
}

#[test]
fn a_witness_is_a_message_of_its_version() {
    let found = compare("struct A { 1: i32 n, 2: required string t }", "struct A { 1: i32 n }");
    let [finding] = &found.findings[..] else { panic!("{found:#?}") };
    let witness = finding.backward.witness.as_ref().expect("a lost value shows itself");
    assert_eq!(witness.bytes, [11, 0, 2, 0, 0, 0, 1, b'a', 0]);
    assert_eq!((&*witness.meant, &witness.read), ("{ t = \"a\" }", &Reading::As("{ }".into())));
    let witness = finding.forward.witness.as_ref().expect("a required field is missing");
    assert_eq!(witness.bytes, [0]);
    let Reading::Refused(error) = &witness.read else { panic!("{witness:?}") };
    assert!(error.contains("required field `t`"), "{error}");
}

#[test]
fn one_type_alone_is_compared() {
    let old = "struct A { 1: B b } struct B { 1: i32 n } struct C { 1: i32 n } service S { void f(1: C c) }";
    let new = old.replace("i32", "i64");
    let roots = |root| compare_of(old, &new, Some(root)).findings.into_iter().map(|finding| finding.path).collect::<Vec<_>>();
    assert_eq!(roots("A"), ["B.n"]);
    assert_eq!(roots("S"), ["C.n"]);
    let text = SchemaText { name: "m.thrift", bytes: old.as_bytes(), identity: "" };
    let rules = Idl.compatibility().unwrap();
    let unknown = rules.compare(Version { text, files: &mut NoFiles }, Version { text, files: &mut NoFiles }, Some("D")).unwrap_err();
    assert!(unknown.to_string().contains("`D`"), "{unknown}");
}
