//! NSDL as a schema language: its layout, and the common schema.

use std::collections::HashMap;
use std::io;

use polywire_core::Value;
use polywire_core::schema::language::{SchemaLanguage, SchemaText};
use polywire_core::schema::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, TimeUnit, Type, Width};
use polywire_core::text::sources::{Loaded, Loader, NoFiles};
use polywire_etch::MESSAGE;
use polywire_etch::nsdl::Nsdl;
use polywire_testing::{self as testing, Rng};

const SHOP: &str = include_str!("../../../testdata/schemas/shop.etch");

/// Texts in memory.
struct Texts(HashMap<&'static str, &'static str>);

impl Loader for Texts {
    fn load(&mut self, path: &str) -> io::Result<Loaded> {
        let text = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Loaded { bytes: text.as_bytes().to_vec(), identity: path.to_string() })
    }
}

fn text(text: &str) -> SchemaText<'_> {
    SchemaText { name: "shop.etch", bytes: text.as_bytes(), identity: "shop.etch" }
}

fn format(given: &str) -> String {
    Nsdl.reader().unwrap().format(&text(given)).unwrap_or_else(|found| panic!("{given}: {found}"))
}

#[test]
fn a_text_is_laid_out() {
    let once = format(SHOP);
    assert_eq!(format(&once), once);
    for line in [
        "# A shop, as the tests of Etch's messages use it.\nmodule examples.shop\n\n/** What a shop does. */\n@Direction(Server)\n@Timeout(4000)\nservice Shop {\n",
        "  const int MOST = 100\n",
        "  enum State(\n      /** not yet paid */\n      OPEN,\n      PAID,\n      GONE\n  )\n\n",
        "  struct Book(string author) extends Item\n",
        "  /**\n   * Puts an item in.\n   * @param item what is put in.\n",
        "      examples.shop.Shop.State state\n  ) throws Missing, Sold\n",
        "  @Oneway\n  @AsyncReceiver(Queued)\n  void ping()\n}\n",
    ] {
        assert!(once.contains(line), "{line}{once}");
    }
    // Both have the same types.
    let read = |of: &str| Nsdl.reader().unwrap().read(&text(of), &mut NoFiles).unwrap();
    assert_eq!(read(&once).schema, read(SHOP).schema);
    let found = Nsdl.reader().unwrap().format(&text("module a service S {\n  void m(int)\n}")).unwrap_err();
    assert_eq!(found.to_string(), "shop.etch:2:13: expected the name of a parameter, saw `)`");
}

#[test]
fn the_common_schema_has_all_types() {
    let read = Nsdl.reader().unwrap().read(&text(SHOP), &mut NoFiles).unwrap();
    read.schema.check().unwrap();
    let names: Vec<&str> = read.schema.types.iter().map(|named| &*named.name).collect();
    assert_eq!(names, ["State", "Item", "Book", "Box", "Missing", "Sold", "Blob", "put", "get", "state", "ping"]);
    assert_eq!(read.schema.root, None);
    let lost: Vec<(&str, &str)> = read.losses.iter().map(|loss| (&*loss.at, &*loss.what)).collect();
    let reply = "what its reply holds";
    assert_eq!(
        lost,
        [
            ("MOST", "a constant"),
            ("NAME", "a constant"),
            ("Blob", "an external type, whose fields NSDL does not name"),
            ("put", reply),
            ("get", reply),
            ("state", reply)
        ]
    );
    let Some(Type::Record(book)) = read.schema.get("Book") else { panic!("no record") };
    let fields: Vec<(&str, &Type)> = book.fields.iter().map(|field| (&*field.name, &field.ty)).collect();
    let list = |ty| Type::List(Box::new(ty), Constraint::NONE);
    let named = |name: &str| Type::Reference(name.into(), Vec::new());
    assert_eq!(
        fields,
        [
            ("name", &Type::Text(Constraint::NONE)),
            ("price", &Type::Int(Width::W64)),
            ("state", &named("State")),
            ("sizes", &list(Type::F64)),
            ("author", &Type::Text(Constraint::NONE)),
        ]
    );
    let Some(Type::Record(large)) = read.schema.get("Box") else { panic!("no record") };
    assert_eq!((&large.fields[1].ty, &large.fields[2].ty), (&list(list(named("State"))), &Type::Bytes(Constraint::NONE)));
    let put = read.schema.types.iter().find(|named| named.name == "put").unwrap();
    assert_eq!(put.doc, "Puts an item in.\n@param item what is put in.\n@return the number of items.");
    let Type::Record(put) = &put.ty else { panic!("no record") };
    assert_eq!(put.fields[2].ty, Type::Timestamp(TimeUnit::Millisecond));
}

#[test]
fn types_of_other_services_have_their_full_names() {
    let mut files = Texts(HashMap::from([
        ("Base.etch", "module other service Base { struct Place(int row) }"),
        ("more.etch", "struct Seat(int number) extends Place"),
    ]));
    let own = "module a service S { mixin other.Base include \"more.etch\" void sit(/** Where. */ Seat seat, Place place) }";
    let read = Nsdl.reader().unwrap().read(&text(own), &mut files).unwrap();
    let names: Vec<&str> = read.schema.types.iter().map(|named| &*named.name).collect();
    assert_eq!(names, ["Seat", "sit", "other.Base.Place"]);
    assert_eq!(read.schema.root.as_deref(), Some("sit"));
    let Some(Type::Record(seat)) = read.schema.get("Seat") else { panic!("no record") };
    assert_eq!(seat.fields.iter().map(|field| &*field.name).collect::<Vec<_>>(), ["row", "number"]);
    // Written, it is one service; read again, it is the same.
    let (written, losses) = Nsdl.write(&read.schema).unwrap();
    assert_eq!(losses.iter().map(|loss| &*loss.what).collect::<Vec<_>>(), ["its name became `other_Base_Place`"], "{written}");
    let again = Nsdl.reader().unwrap().read(&text(&written), &mut NoFiles).unwrap();
    assert_eq!((&again.schema.root, again.schema.types.len()), (&read.schema.root, 3), "{written}");
    let Some(Type::Record(sit)) = again.schema.get("sit") else { panic!("no record") };
    assert_eq!(sit.fields.iter().map(|field| &*field.doc).collect::<Vec<_>>(), ["Where.", ""], "{written}");
    let found = Nsdl.reader().unwrap().read(&text("module a service S { void m(Nothing x) }"), &mut NoFiles).unwrap_err();
    assert!(found.to_string().contains("the type `Nothing` is not declared"), "{found}");
}

#[test]
fn what_nsdl_lacks_is_named() {
    let list = |ty| Type::List(Box::new(ty), Constraint::NONE);
    let nullable = |ty| Type::Nullable(Box::new(ty));
    let number = |name: &str, n| (name.to_owned(), n);
    let mut fields = vec![
        FieldType::required("class", Type::UInt(Width::W64)),
        FieldType::required("a b", nullable(Type::Int(Width::W32))),
        FieldType::required("struct", list(nullable(Type::Bool))).optional(),
        FieldType::required("map", Type::Map(Box::new(Type::Text(Constraint::NONE)), Box::new(Type::Any))),
        FieldType::required("pair", Type::Tuple(vec![Type::Bool, Type::Null])),
        FieldType::required(
            "of",
            Type::Sum(Sum { cases: vec![Case { name: "x".into(), id: None, carries: vec![], doc: String::new() }], ..Sum::default() }),
        ),
        FieldType::required("state", Type::Reference("State".into(), Vec::new())),
        FieldType::required("when", Type::Timestamp(TimeUnit::Nanosecond)),
        FieldType::required("deep", (0..12).fold(Type::F32, |inner, _| list(inner))),
        FieldType::required("alias", Type::Reference("Alias".into(), Vec::new())),
    ];
    fields.push(FieldType { presence: Presence::Repeated, default: Some(Value::Null), ..FieldType::required("tag", Type::Decimal) });
    let types = [
        ("Order", Type::Record(Record { fields, ..Record::default() })),
        ("State", Type::Enumeration(Enumeration { members: vec![number("NEW", 4), number("new order", 5)], extensible: true })),
        ("Alias", list(Type::Any)),
    ];
    let types = types.map(|(name, ty)| NamedType { name: name.into(), doc: "One.\nTwo.".into(), ty });
    let schema = Schema { types: types.into(), root: Some("Order".into()) };
    let (written, losses) = Nsdl.write(&schema).unwrap();
    let shown: Vec<String> = losses.iter().map(|loss| format!("{}: {}", loss.at, loss.what)).collect();
    assert_eq!(
        shown,
        [
            "State: numbers of names: names are known by themselves",
            "State.new order: its name became `new_order`",
            "Order.class: numbers above 9223372036854775807 do not fit",
            "Order.a b: its name became `a_b`",
            "Order.a b: null became an absent field",
            "Order.struct: its name became `struct_`",
            "Order.struct: null has no place in it",
            "Order.map: the types of what it holds",
            "Order.of: one of several types became any value",
            "Order.deep: lists in more than 9 others became any value",
            "Order.tag: its default",
            "Order.tag: a decimal became text",
            "Order.pair: values without names got names: `item1` and so on",
            "Order.pair: null became any value",
        ],
        "{written}"
    );
    assert!(
        written
            .contains("  /**\n   * One.\n   * Two.\n   */\n  void Order(\n      long class,\n      int a_b,\n      boolean[] struct_,\n"),
        "{written}"
    );
    assert!(written.contains("      Datetime when,\n      object[][] deep,\n      List alias,\n      string[] tag\n  )\n}\n"), "{written}");
    let again = Nsdl.reader().unwrap().read(&text(&written), &mut NoFiles).unwrap();
    assert_eq!(again.schema.root.as_deref(), Some("Order"));
    assert!(MESSAGE.binder.unwrap().bind_text(&text(&written), &mut NoFiles, None).is_ok());
    // A message that is no record is a parameter.
    let types = vec![NamedType { name: "Row".into(), doc: String::new(), ty: list(Type::Bool) }];
    let (written, losses) = Nsdl.write(&Schema { types, root: Some("Row".into()) }).unwrap();
    assert_eq!((&*written, losses.len()), ("module polywire\n\nservice Messages {\n  void Row(boolean[] value)\n}\n", 1));
}

#[test]
fn any_text_is_laid_out_or_refused() {
    let mut rng = Rng::with_seed(25);
    let mut sound = 0;
    for _ in 0..3000 {
        let bytes = testing::mutate(&mut rng, SHOP.as_bytes());
        let Ok(given) = std::str::from_utf8(&bytes) else { continue };
        let Ok(once) = Nsdl.reader().unwrap().format(&text(given)) else { continue };
        assert_eq!(format(&once), once, "{given}");
        sound += 1;
        let read = |of: &str| Nsdl.reader().unwrap().read(&text(of), &mut NoFiles);
        match (read(given), read(&once)) {
            (Ok(left), Ok(right)) => assert_eq!(left.schema, right.schema, "{given}"),
            (Err(_), Err(_)) => {}
            (left, right) => panic!("{given}: {left:?} {right:?}"),
        }
    }
    assert!(sound > 100, "{sound}");
}
