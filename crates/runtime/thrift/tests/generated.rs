//! Generated code beside the reader and the writer by schema, in both protocols.

use std::path::Path;
use std::sync::Arc;

use polywire_core::format::{Bound, Format};
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_core::value::ValueSink;
use polywire_core::{Budget, Limits as Bounds, Value};
use polywire_testing::Rng;
use polywire_thrift::idl::model::{Base, Model, Requiredness, StructKind, Ty};
use polywire_thrift::idl::read_model;
use polywire_thrift::{BINARY, COMPACT};
use polywire_thrift_runtime::{Arena, Binary, Buffer, Cause, Compact, Decode, DecodeOwned, Encode, Limits, Validate};

#[rustfmt::skip] // As the generator lays it out.
#[path = "../../../codegen/conformance/golden/orders.rs"]
mod orders;

use orders::{Choice, ChoiceRef, Empty, Item, ItemRef, Order, OrderRef, Place, Refused, RefusedRef, State, Tree, TreeRef};

fn text() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../codegen/conformance/golden/orders.thrift");
    std::fs::read(path).expect("the schema is there")
}

fn schema(bytes: &[u8]) -> SchemaText<'_> {
    SchemaText { name: "orders.thrift", bytes, identity: "" }
}

/// Both readers of a type.
struct Twin {
    model: Model,
    /// Index of the type in the model.
    of: usize,
    bound: Arc<dyn Bound>,
}

impl Twin {
    fn new(format: &'static Format, name: &str) -> Twin {
        let text = text();
        let model = read_model(&schema(&text), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
        let of = model.structs.iter().position(|of| of.name == name).expect("a struct of the schema");
        let bound = format.binder.unwrap().bind_text(&schema(&text), &mut NoFiles, Some(name)).unwrap();
        Twin { model, of, bound }
    }

    fn write(&self, value: &Value) -> Vec<u8> {
        let mut writer = self.bound.writer().expect("it is written");
        value.emit(&mut *writer).unwrap_or_else(|error| panic!("{error} in {value:?}"));
        let mut bytes = Vec::new();
        writer.finish(&mut bytes).unwrap();
        bytes
    }

    fn read(&self, bytes: &[u8]) -> Option<Value> {
        let mut sink = ValueSink::default();
        self.bound.reader().walk(bytes, 0, &mut sink, &mut Budget::new(&Bounds::DEFAULT)).ok()?;
        sink.finish()
    }

    fn random(&self, rng: &mut Rng) -> Value {
        self.structure(self.of, rng, 4)
    }

    fn structure(&self, of: usize, rng: &mut Rng, depth: u32) -> Value {
        let of = &self.model.structs[of];
        if of.kind == StructKind::Union {
            let plain = of.fields.iter().position(|field| matches!(field.ty, Ty::Base(_))).unwrap();
            let index = if depth == 0 { plain } else { rng.usize(..of.fields.len()) };
            let field = &of.fields[index];
            let value = self.value(&field.ty, rng, depth.saturating_sub(1));
            return Value::Variant { name: field.name.clone(), index: index as u32, values: vec![value] };
        }
        let wanted = of.fields.iter().filter(|field| field.requiredness == Requiredness::Required || (depth > 0 && rng.bool()));
        let wanted: Vec<_> = wanted.collect();
        let fields = wanted.into_iter().map(|field| (field.name.clone(), self.value(&field.ty, rng, depth.saturating_sub(1))));
        Value::Record { name: String::new(), fields: fields.collect() }
    }

    fn value(&self, ty: &Ty, rng: &mut Rng, depth: u32) -> Value {
        match ty {
            Ty::Base(base) => match base {
                Base::Bool => Value::Bool(rng.bool()),
                Base::I8 => Value::int(rng.i8(..).into()),
                Base::I16 => Value::int(rng.i16(..).into()),
                Base::I32 => Value::int((rng.i32(..) >> rng.u32(..32)).into()),
                Base::I64 => Value::int(rng.i64(..) >> rng.u32(..64)),
                Base::Double | Base::Float => Value::F64(rng.f64()),
                Base::String => Value::text(["", "a", "größe", "x".repeat(20).as_str(), &"日".repeat(50)][rng.usize(..5)]),
                Base::Binary => Value::Bytes((0..rng.usize(..20)).map(|_| rng.u8(..)).collect()),
                Base::Uuid => Value::text(format!("{:08x}-0000-4000-8000-{:012x}", rng.u32(..), rng.u32(..))),
            },
            Ty::List(inner) | Ty::Set(inner) => {
                let count = if depth == 0 { 0 } else { rng.usize(..20).saturating_sub(3) % 17 };
                Value::List((0..count).map(|_| self.value(inner, rng, depth.saturating_sub(2))).collect())
            }
            Ty::Map(key, value) => {
                let count = if depth == 0 { 0 } else { rng.usize(..3) };
                let mut pairs: Vec<(Value, Value)> = Vec::new();
                for _ in 0..count {
                    let key = self.value(key, rng, depth - 1);
                    if pairs.iter().all(|(known, _)| *known != key) {
                        pairs.push((key, self.value(value, rng, depth.saturating_sub(2))));
                    }
                }
                Value::Map(pairs)
            }
            Ty::Struct(id) => self.structure(*id, rng, depth),
            Ty::Enum(_) => [Value::text("OPEN"), Value::text("PAID"), Value::text("GONE"), Value::int(99)][rng.usize(..4)].clone(),
            Ty::Stream => unreachable!("no field is a stream"),
        }
    }
}

/// Reports whether a value has all that another one has, in any order of fields and entries.
fn has(all: &Value, part: &Value) -> bool {
    match (all, part) {
        (Value::Record { fields: all, .. }, Value::Record { fields: part, .. }) => {
            part.iter().all(|(name, value)| all.iter().any(|(known, other)| known == name && has(other, value)))
        }
        (Value::List(all), Value::List(part)) => all.len() == part.len() && all.iter().zip(part).all(|(all, part)| has(all, part)),
        (Value::Map(all), Value::Map(part)) => {
            let entry = |key: &Value, value: &Value| all.iter().any(|(known, other)| has(known, key) && has(other, value));
            all.len() == part.len() && part.iter().all(|(key, value)| entry(key, value))
        }
        (Value::Variant { name, values: all, .. }, Value::Variant { name: other, values: part, .. }) => {
            name == other && all.iter().zip(part).all(|(all, part)| has(all, part))
        }
        _ => all == part,
    }
}

/// Random messages, and messages that were cut and changed.
macro_rules! agrees {
    ($test:ident, $format:ident, $protocol:ident, $name:literal, $owned:ident, $borrowed:ident) => {
        #[test]
        fn $test() {
            let twin = Twin::new(&$format, $name);
            let mut rng = Rng::with_seed(7);
            let mut seen = [0, 0];
            for _ in 0..150 {
                let value = twin.random(&mut rng);
                let bytes = twin.write(&value);
                let read = <$owned as DecodeOwned<$protocol>>::decode_owned(&bytes).unwrap_or_else(|error| panic!("{error} in {value:?}"));
                let mut again = Vec::new();
                Encode::<$protocol>::encode(&read, &mut again);
                let back = twin.read(&again).expect("what was written is read");
                assert!(has(&back, &twin.read(&bytes).unwrap()), "{value:?} became {back:?}");
                assert_eq!(<$owned as DecodeOwned<$protocol>>::decode_owned(&again).unwrap(), read);
                let arena = Arena::new();
                let lent = <$borrowed<'_> as Decode<$protocol>>::decode(&bytes, &arena).unwrap();
                assert_eq!(lent.into_owned(), read);
                assert_eq!(Encode::<$protocol>::encode_in(&read, &mut Buffer::new()), again);
                for _ in 0..20 {
                    let mut bytes = bytes.clone();
                    match rng.usize(..3) {
                        0 => bytes.truncate(rng.usize(..=bytes.len())),
                        1 if !bytes.is_empty() => {
                            let at = rng.usize(..bytes.len());
                            bytes[at] = rng.u8(..);
                        }
                        _ => bytes.insert(rng.usize(..=bytes.len()), rng.u8(..20)),
                    }
                    let arena = Arena::new();
                    let checked = <$owned as Validate<$protocol>>::validate_limited(&bytes, &Limits::DEFAULT);
                    let owned = <$owned as DecodeOwned<$protocol>>::decode_owned_limited(&bytes, &Limits::DEFAULT);
                    let lent = <$borrowed<'_> as Decode<$protocol>>::decode_limited(&bytes, &arena, &Limits::DEFAULT);
                    assert_eq!(owned.as_ref().map(|(_, end)| *end), checked.as_ref().map(|end| *end), "{bytes:?}");
                    assert_eq!(lent.map(|(_, end)| end), checked, "{bytes:?}");
                    let envelope = bytes.first() == Some(&0x82);
                    if let Ok(end) = checked.as_ref()
                        && !envelope
                    {
                        assert!(twin.read(&bytes[..*end]).is_some(), "{bytes:?}");
                    }
                    seen[usize::from(checked.is_ok())] += 1;
                }
            }
            assert!(seen[0] > 50 && seen[1] > 50, "{seen:?}");
        }
    };
}

agrees!(items_in_binary, BINARY, Binary, "Item", Item, ItemRef);
agrees!(items_in_compact, COMPACT, Compact, "Item", Item, ItemRef);
agrees!(choices_in_binary, BINARY, Binary, "Choice", Choice, ChoiceRef);
agrees!(choices_in_compact, COMPACT, Compact, "Choice", Choice, ChoiceRef);
agrees!(trees_in_binary, BINARY, Binary, "Tree", Tree, TreeRef);
agrees!(trees_in_compact, COMPACT, Compact, "Tree", Tree, TreeRef);
agrees!(orders_in_binary, BINARY, Binary, "Order", Order, OrderRef);
agrees!(orders_in_compact, COMPACT, Compact, "Order", Order, OrderRef);
agrees!(exceptions_in_binary, BINARY, Binary, "Refused", Refused, RefusedRef);

#[test]
fn absent_fields_have_their_defaults() {
    let item = <Item as DecodeOwned<Compact>>::decode_owned(&[0x18, 1, b'a', 0]).unwrap();
    assert_eq!((item.state, item.few, &*item.note, item.price, item.fresh), (State::Open, 3, "none", None, true));
    assert_eq!(<Place as DecodeOwned<Binary>>::decode_owned(&[8, 0, 1, 0, 0, 0, 5, 0]).unwrap(), Place { row: 5, seat: -1 });
    assert_eq!(<Empty as DecodeOwned<Binary>>::decode_owned(&[0]).unwrap(), Empty::default());
}

#[test]
fn fields_of_another_type_and_unknown_ones_are_stepped_over() {
    // Field 2 as text, field 9 as a list of structs, then field 1.
    let bytes = [11, 0, 2, 0, 0, 0, 1, b'x', 15, 0, 9, 12, 0, 0, 0, 1, 0, 8, 0, 1, 0, 0, 0, 5, 0, 99];
    let (place, end) = <Place as DecodeOwned<Binary>>::decode_owned_limited(&bytes, &Limits::DEFAULT).unwrap();
    assert_eq!((place, end), (Place { row: 5, seat: -1 }, bytes.len() - 1));
}

#[test]
fn mistakes_have_their_place() {
    let refused = |bytes: &[u8]| <Order as DecodeOwned<Binary>>::decode_owned(bytes).unwrap_err();
    let error = refused(&[0]);
    assert_eq!((error.cause(), error.offset()), (Cause::Missing("id"), 0));
    assert_eq!(error.to_string(), "the end of a struct, expected its required field `id`, at byte 0, in Order");
    let error = refused(&[15, 0, 2, 12, 0, 0, 0, 1, 11, 0, 1, 0, 0, 0, 1, 0xff, 0, 0]);
    assert_eq!(error.to_string(), "text that is not UTF-8, at byte 11, in Order.items[0].name");
    let error = refused(&[15, 0, 6, 11, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
    assert_eq!(error.cause(), Cause::Elements(11, 10));
    let error = refused(&[15, 0, 6, 10, 0x7f, 0xff, 0xff, 0xff, 0]);
    assert_eq!(error.cause(), Cause::Count(0x7fff_ffff));
    let error = <Choice as DecodeOwned<Compact>>::decode_owned(&[0]).unwrap_err();
    assert_eq!(error.cause(), Cause::Empty);
    // Structs in field 1, each within the one before.
    let deep: Vec<u8> = [0x1c].repeat(1000);
    let error = <Tree as DecodeOwned<Compact>>::decode_owned(&deep).unwrap_err();
    assert_eq!((error.cause(), error.offset()), (Cause::Depth, 64));
}

#[test]
fn constants_have_their_values() {
    use orders::constants as of;
    assert_eq!((of::MOST, of::LEAST, of::RATE, of::OPEN, of::r#fn), (100, i64::MIN, 1500.0, true, 7));
    assert_eq!((of::NAME, of::SEAL), ("an \"order\"\n", &b"ab"[..]));
    assert_eq!(of::KEY, (0x0011_2233_4455_6677, 0x8899_aabb_ccdd_eeff));
    // Two names have one number, which is one case.
    assert_eq!((of::FIRST, of::LAST), (State::Open, State::Gone));
    assert_eq!(of::rows, [&[1, 100][..], &[]]);
    assert_eq!(of::words, [(State::Open, &["new"][..]), (State::Gone, &[])]);
}
