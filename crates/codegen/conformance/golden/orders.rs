// Generated from orders.thrift by polywire. Changes are lost when it is generated again.

/// How an order stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity, clippy::large_enum_variant)]
pub enum State {
    /// `OPEN`.
    Open,
    /// `PAID`.
    Paid,
    /// `GONE`.
    Gone,
    /// A number that the schema does not have.
    Unknown(i32),
}
/// One thing of an order.
#[derive(Clone, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct Item {
    /// `name`.
    pub name: String,
    /// `price`.
    pub price: Option<i64>,
    /// `state`.
    pub state: State,
    /// `sizes`.
    pub sizes: Vec<f64>,
    /// `codes`.
    pub codes: Option<Vec<i16>>,
    /// `seals`.
    pub seals: Option<Vec<(State, Vec<u8>)>>,
    /// `key`.
    pub key: Option<(u64, u64)>,
    /// `fresh`.
    pub fresh: bool,
    /// `place`.
    pub place: Option<Place>,
    /// What it came with.
    pub choice: Option<Box<Choice>>,
    /// `type`.
    pub r#type: Option<i8>,
    /// `few`.
    pub few: i32,
    /// `note`.
    pub note: String,
}
/// One thing of an order.
///
/// Borrows from the message and an arena; [`Item`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct ItemRef<'a> {
    /// `name`.
    pub name: &'a str,
    /// `price`.
    pub price: Option<i64>,
    /// `state`.
    pub state: State,
    /// `sizes`.
    pub sizes: &'a [f64],
    /// `codes`.
    pub codes: Option<&'a [i16]>,
    /// `seals`.
    pub seals: Option<&'a [(State, &'a [u8])]>,
    /// `key`.
    pub key: Option<(u64, u64)>,
    /// `fresh`.
    pub fresh: bool,
    /// `place`.
    pub place: Option<Place>,
    /// What it came with.
    pub choice: Option<&'a ChoiceRef<'a>>,
    /// `type`.
    pub r#type: Option<i8>,
    /// `few`.
    pub few: i32,
    /// `note`.
    pub note: &'a str,
}
#[allow(dead_code)]
impl ItemRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> Item {
        Item {
            name: self.name.to_string(),
            price: self.price,
            state: self.state,
            sizes: self.sizes.to_vec(),
            codes: self.codes.map(<[_]>::to_vec),
            seals: self
                .seals
                .map(|item| item.iter().map(|item| (item.0, item.1.to_vec())).collect()),
            key: self.key,
            fresh: self.fresh,
            place: self.place,
            choice: self.choice.map(|item| Box::new(item.into_owned())),
            r#type: self.r#type,
            few: self.few,
            note: self.note.to_string(),
        }
    }
}
/// `Place`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity)]
pub struct Place {
    /// `row`.
    pub row: i32,
    /// `seat`.
    pub seat: i16,
}
/// [`Place`], which borrows nothing, under the name that a borrowing type has.
#[allow(dead_code)]
pub type PlaceRef<'a> = Place;
#[allow(dead_code)]
impl Place {
    /// Returns the value itself, which borrows nothing.
    pub fn into_owned(self) -> Place {
        self
    }
}
/// `Choice`.
#[derive(Clone, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity, clippy::large_enum_variant)]
pub enum Choice {
    /// `text`.
    Text(String),
    /// `number`.
    Number(i64),
    /// `flag`.
    Flag(bool),
    /// `item`.
    Item(Box<Item>),
    /// `several`.
    Several(Vec<Choice>),
}
/// `Choice`.
///
/// Borrows from the message and an arena; [`Choice`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity, clippy::large_enum_variant)]
pub enum ChoiceRef<'a> {
    /// `text`.
    Text(&'a str),
    /// `number`.
    Number(i64),
    /// `flag`.
    Flag(bool),
    /// `item`.
    Item(&'a ItemRef<'a>),
    /// `several`.
    Several(&'a [ChoiceRef<'a>]),
}
#[allow(dead_code)]
impl ChoiceRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> Choice {
        match self {
            Self::Text(value0) => Choice::Text(value0.to_string()),
            Self::Number(value0) => Choice::Number(value0),
            Self::Flag(value0) => Choice::Flag(value0),
            Self::Item(value0) => Choice::Item(Box::new(value0.into_owned())),
            Self::Several(value0) => {
                Choice::Several(value0.iter().map(|item| item.into_owned()).collect())
            }
        }
    }
}
/// Trees of several kinds.
#[derive(Clone, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct Tree {
    /// `left`.
    pub left: Option<Box<Tree>>,
    /// `right`.
    pub right: Option<Box<Tree>>,
    /// `others`.
    pub others: Option<Vec<Tree>>,
    /// `named`.
    pub named: Option<std::collections::BTreeMap<String, Tree>>,
    /// `flags`.
    pub flags: Option<Vec<(Place, Vec<bool>)>>,
    /// `deep`.
    pub deep: Option<
        std::collections::BTreeMap<i32, std::collections::BTreeMap<(u64, u64), f64>>,
    >,
    /// `self`.
    pub self_: i8,
}
/// Trees of several kinds.
///
/// Borrows from the message and an arena; [`Tree`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct TreeRef<'a> {
    /// `left`.
    pub left: Option<&'a TreeRef<'a>>,
    /// `right`.
    pub right: Option<&'a TreeRef<'a>>,
    /// `others`.
    pub others: Option<&'a [TreeRef<'a>]>,
    /// `named`.
    pub named: Option<&'a [(&'a str, TreeRef<'a>)]>,
    /// `flags`.
    pub flags: Option<&'a [(Place, &'a [bool])]>,
    /// `deep`.
    pub deep: Option<&'a [(i32, &'a [((u64, u64), f64)])]>,
    /// `self`.
    pub self_: i8,
}
#[allow(dead_code)]
impl TreeRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> Tree {
        Tree {
            left: self.left.map(|item| Box::new(item.into_owned())),
            right: self.right.map(|item| Box::new(item.into_owned())),
            others: self
                .others
                .map(|item| item.iter().map(|item| item.into_owned()).collect()),
            named: self
                .named
                .map(|item| {
                    item
                        .iter()
                        .map(|item| (item.0.to_string(), item.1.into_owned()))
                        .collect()
                }),
            flags: self
                .flags
                .map(|item| item.iter().map(|item| (item.0, item.1.to_vec())).collect()),
            deep: self
                .deep
                .map(|item| {
                    item
                        .iter()
                        .map(|item| (
                            item.0,
                            item.1.iter().map(|item| (item.0, item.1)).collect(),
                        ))
                        .collect()
                }),
            self_: self.self_,
        }
    }
}
/// `Order`.
#[derive(Clone, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct Order {
    /// `id`.
    pub id: i64,
    /// `items`.
    pub items: Option<Vec<Item>>,
    /// `tree`.
    pub tree: Option<Tree>,
    /// `states`.
    pub states: Option<Vec<State>>,
    /// `words`.
    pub words: Option<Vec<String>>,
    /// `numbers`.
    pub numbers: Option<Vec<i64>>,
    /// `flags`.
    pub flags: Option<Vec<bool>>,
}
/// `Order`.
///
/// Borrows from the message and an arena; [`Order`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct OrderRef<'a> {
    /// `id`.
    pub id: i64,
    /// `items`.
    pub items: Option<&'a [ItemRef<'a>]>,
    /// `tree`.
    pub tree: Option<TreeRef<'a>>,
    /// `states`.
    pub states: Option<&'a [State]>,
    /// `words`.
    pub words: Option<&'a [&'a str]>,
    /// `numbers`.
    pub numbers: Option<&'a [i64]>,
    /// `flags`.
    pub flags: Option<&'a [bool]>,
}
#[allow(dead_code)]
impl OrderRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> Order {
        Order {
            id: self.id,
            items: self
                .items
                .map(|item| item.iter().map(|item| item.into_owned()).collect()),
            tree: self.tree.map(|item| item.into_owned()),
            states: self.states.map(<[_]>::to_vec),
            words: self
                .words
                .map(|item| item.iter().map(|item| item.to_string()).collect()),
            numbers: self.numbers.map(<[_]>::to_vec),
            flags: self.flags.map(<[_]>::to_vec),
        }
    }
}
/// `Empty`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity)]
pub struct Empty {}
#[allow(clippy::derivable_impls)]
impl Default for Empty {
    fn default() -> Self {
        Self {}
    }
}
/// [`Empty`], which borrows nothing, under the name that a borrowing type has.
#[allow(dead_code)]
pub type EmptyRef<'a> = Empty;
#[allow(dead_code)]
impl Empty {
    /// Returns the value itself, which borrows nothing.
    pub fn into_owned(self) -> Empty {
        self
    }
}
/// `Nothing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity, clippy::large_enum_variant)]
pub enum Nothing {}
/// [`Nothing`], which borrows nothing, under the name that a borrowing type has.
#[allow(dead_code)]
pub type NothingRef<'a> = Nothing;
#[allow(dead_code)]
impl Nothing {
    /// Returns the value itself, which borrows nothing.
    pub fn into_owned(self) -> Nothing {
        self
    }
}
/// `Refused`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity)]
pub struct Refused {
    /// `why`.
    pub why: Option<String>,
    /// `state`.
    pub state: Option<State>,
}
#[allow(clippy::derivable_impls)]
impl Default for Refused {
    fn default() -> Self {
        Self { why: None, state: None }
    }
}
/// `Refused`.
///
/// Borrows from the message and an arena; [`Refused`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity)]
pub struct RefusedRef<'a> {
    /// `why`.
    pub why: Option<&'a str>,
    /// `state`.
    pub state: Option<State>,
}
#[allow(clippy::derivable_impls)]
impl Default for RefusedRef<'_> {
    fn default() -> Self {
        Self { why: None, state: None }
    }
}
#[allow(dead_code)]
impl RefusedRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> Refused {
        Refused {
            why: self.why.map(str::to_string),
            state: self.state,
        }
    }
}
/// Constants of the schema.
#[allow(dead_code, non_upper_case_globals, unused_imports, clippy::all)]
pub mod constants {
    use super::*;
    /// `MOST`.
    pub const MOST: i32 = 100;
    /// `LEAST`.
    pub const LEAST: i64 = i64::MIN;
    /// `RATE`.
    pub const RATE: f64 = 1500.0;
    /// `OPEN`.
    pub const OPEN: bool = true;
    /// `NAME`.
    pub const NAME: &str = "an \"order\"\n";
    /// `SEAL`.
    pub const SEAL: &[u8] = b"ab";
    /// `KEY`.
    pub const KEY: (u64, u64) = (0x11223344556677, 0x8899aabbccddeeff);
    /// `FIRST`.
    pub const FIRST: State = State::Open;
    /// `LAST`.
    pub const LAST: State = State::Gone;
    /// `rows`.
    pub const rows: &[&[i16]] = &[&[1, 100], &[]];
    /// `words`.
    pub const words: &[(State, &[&str])] = &[
        (State::Open, &["new"]),
        (State::Gone, &[]),
    ];
    /// `fn`.
    pub const r#fn: i8 = 7;
}
/// Thrift's protocols for the types.
#[allow(
    dead_code,
    non_camel_case_types,
    unused_mut,
    unreachable_code,
    unused_variables,
    unused_qualifications,
    clippy::all
)]
mod thrift {
    use polywire_thrift_runtime as rt;
    use super::*;
    #[inline(always)]
    fn case_state(number: i32) -> State {
        match number {
            1 => State::Open,
            2 => State::Paid,
            7 => State::Gone,
            number => State::Unknown(number),
        }
    }
    #[inline(always)]
    fn number_state(value: &State) -> i32 {
        match value {
            State::Open => 1,
            State::Paid => 2,
            State::Gone => 7,
            State::Unknown(number) => *number,
        }
    }
    fn read_item_ref<'a, P: rt::Protocol>(
        r: &mut rt::Reader<'a, P, &'a rt::Arena>,
    ) -> rt::read::Read<ItemRef<'a>> {
        r.enter()?;
        let mut last = 0i16;
        let mut field0 = None;
        let mut field1 = None;
        let mut field2 = None;
        let mut field3 = None;
        let mut field4 = None;
        let mut field5 = None;
        let mut field6 = None;
        let mut field7 = None;
        let mut field8 = None;
        let mut field9 = None;
        let mut field10 = None;
        let mut field11 = None;
        let mut field12 = None;
        while let Some(head) = r.field(&mut last)? {
            match head.key() {
                0x00010b => field0 = Some(r.text()?),
                0x00020a => field1 = Some(r.int64()?),
                0x000308 => field2 = Some(case_state(r.int32()?)),
                0x00040f => {
                    field3 = Some({
                        let count = r.list(rt::wire::kind::DOUBLE)?;
                        r.fill(count, |r| Ok(r.double()?))?
                    });
                }
                0x00050e => {
                    field4 = Some({
                        let count = r.list(rt::wire::kind::I16)?;
                        r.fill(count, |r| Ok(r.int16()?))?
                    });
                }
                0x00060d => {
                    field5 = Some({
                        let count = r.map(rt::wire::kind::I32, rt::wire::kind::STRING)?;
                        r.fill(count, |r| Ok((case_state(r.int32()?), r.bytes()?)))?
                    });
                }
                0x000710 => field6 = Some(r.uuid()?),
                0x000802 => field7 = Some(r.truth(head)?),
                0x00090c => field8 = Some(read_place(r)?),
                0x000a0c => {
                    field9 = Some({
                        let value = read_choice_ref(r)?;
                        r.one(value)?
                    });
                }
                0xffff03 => field10 = Some(r.int8()?),
                0x002808 => field11 = Some(r.int32()?),
                0x00290b => field12 = Some(r.text()?),
                _ => r.skip(head)?,
            }
        }
        r.leave();
        Ok(ItemRef {
            name: field0.ok_or(rt::read::Failed)?,
            price: field1,
            state: field2.unwrap_or_else(|| State::Open),
            sizes: field3.unwrap_or_else(|| &[][..]),
            codes: field4,
            seals: field5,
            key: field6,
            fresh: field7.unwrap_or_else(|| true),
            place: field8,
            choice: field9,
            r#type: field10,
            few: field11.unwrap_or_else(|| 3),
            note: field12.unwrap_or_else(|| "none"),
        })
    }
    fn write_item_ref<P: rt::Protocol>(
        value: &ItemRef<'_>,
        out: &mut rt::Output<'_, P>,
    ) {
        let mut last = 0i16;
        if let Some(item) = &value.r#type {
            out.field(&mut last, -1, rt::wire::kind::I8);
            out.int8(*item);
        }
        {
            let item = &value.name;
            out.field(&mut last, 1, rt::wire::kind::STRING);
            out.text(item);
        }
        if let Some(item) = &value.price {
            out.field(&mut last, 2, rt::wire::kind::I64);
            out.int64(*item);
        }
        {
            let item = &value.state;
            out.field(&mut last, 3, rt::wire::kind::I32);
            out.int32(number_state(item));
        }
        {
            let item = &value.sizes;
            out.field(&mut last, 4, rt::wire::kind::LIST);
            out.list(rt::wire::kind::DOUBLE, item.len());
            for item in item.iter() {
                out.double(*item);
            }
        }
        if let Some(item) = &value.codes {
            out.field(&mut last, 5, rt::wire::kind::SET);
            out.list(rt::wire::kind::I16, item.len());
            for item in item.iter() {
                out.int16(*item);
            }
        }
        if let Some(item) = &value.seals {
            out.field(&mut last, 6, rt::wire::kind::MAP);
            out.map(rt::wire::kind::I32, rt::wire::kind::STRING, item.len());
            for (key, item) in item.iter() {
                out.int32(number_state(key));
                out.bytes(item);
            }
        }
        if let Some(item) = &value.key {
            out.field(&mut last, 7, rt::wire::kind::UUID);
            out.uuid(*item);
        }
        {
            let item = &value.fresh;
            out.truth(&mut last, 8, *item);
        }
        if let Some(item) = &value.place {
            out.field(&mut last, 9, rt::wire::kind::STRUCT);
            write_place(item, out);
        }
        if let Some(item) = &value.choice {
            out.field(&mut last, 10, rt::wire::kind::STRUCT);
            write_choice_ref(item, out);
        }
        {
            let item = &value.few;
            out.field(&mut last, 40, rt::wire::kind::I32);
            out.int32(*item);
        }
        {
            let item = &value.note;
            out.field(&mut last, 41, rt::wire::kind::STRING);
            out.text(item);
        }
        out.stop();
    }
    impl<'a> rt::Decode<'a, rt::Binary> for ItemRef<'a> {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Binary, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_item_ref(r)
        }
    }
    impl rt::Validate<rt::Binary> for ItemRef<'_> {
        const SHAPE: &'static rt::shape::Shape = &ITEM;
    }
    impl rt::Encode<rt::Binary> for ItemRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Binary>) {
            write_item_ref(self, out);
        }
    }
    impl<'a> rt::Decode<'a, rt::Compact> for ItemRef<'a> {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Compact, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_item_ref(r)
        }
    }
    impl rt::Validate<rt::Compact> for ItemRef<'_> {
        const SHAPE: &'static rt::shape::Shape = &ITEM;
    }
    impl rt::Encode<rt::Compact> for ItemRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Compact>) {
            write_item_ref(self, out);
        }
    }
    fn read_item<'a, P: rt::Protocol>(
        r: &mut rt::Reader<'a, P, rt::read::Own>,
    ) -> rt::read::Read<Item> {
        r.enter()?;
        let mut last = 0i16;
        let mut field0 = None;
        let mut field1 = None;
        let mut field2 = None;
        let mut field3 = None;
        let mut field4 = None;
        let mut field5 = None;
        let mut field6 = None;
        let mut field7 = None;
        let mut field8 = None;
        let mut field9 = None;
        let mut field10 = None;
        let mut field11 = None;
        let mut field12 = None;
        while let Some(head) = r.field(&mut last)? {
            match head.key() {
                0x00010b => field0 = Some(r.text()?.to_string()),
                0x00020a => field1 = Some(r.int64()?),
                0x000308 => field2 = Some(case_state(r.int32()?)),
                0x00040f => {
                    field3 = Some({
                        let count = r.list(rt::wire::kind::DOUBLE)?;
                        r.vec(count, |r| Ok(r.double()?))?
                    });
                }
                0x00050e => {
                    field4 = Some({
                        let count = r.list(rt::wire::kind::I16)?;
                        r.vec(count, |r| Ok(r.int16()?))?
                    });
                }
                0x00060d => {
                    field5 = Some({
                        let count = r.map(rt::wire::kind::I32, rt::wire::kind::STRING)?;
                        r.vec(
                            count,
                            |r| Ok((case_state(r.int32()?), r.bytes()?.to_vec())),
                        )?
                    });
                }
                0x000710 => field6 = Some(r.uuid()?),
                0x000802 => field7 = Some(r.truth(head)?),
                0x00090c => field8 = Some(read_place(r)?),
                0x000a0c => field9 = Some(Box::new(read_choice(r)?)),
                0xffff03 => field10 = Some(r.int8()?),
                0x002808 => field11 = Some(r.int32()?),
                0x00290b => field12 = Some(r.text()?.to_string()),
                _ => r.skip(head)?,
            }
        }
        r.leave();
        Ok(Item {
            name: field0.ok_or(rt::read::Failed)?,
            price: field1,
            state: field2.unwrap_or_else(|| State::Open),
            sizes: field3.unwrap_or_else(|| Vec::new()),
            codes: field4,
            seals: field5,
            key: field6,
            fresh: field7.unwrap_or_else(|| true),
            place: field8,
            choice: field9,
            r#type: field10,
            few: field11.unwrap_or_else(|| 3),
            note: field12.unwrap_or_else(|| "none".to_string()),
        })
    }
    fn write_item<P: rt::Protocol>(value: &Item, out: &mut rt::Output<'_, P>) {
        let mut last = 0i16;
        if let Some(item) = &value.r#type {
            out.field(&mut last, -1, rt::wire::kind::I8);
            out.int8(*item);
        }
        {
            let item = &value.name;
            out.field(&mut last, 1, rt::wire::kind::STRING);
            out.text(item);
        }
        if let Some(item) = &value.price {
            out.field(&mut last, 2, rt::wire::kind::I64);
            out.int64(*item);
        }
        {
            let item = &value.state;
            out.field(&mut last, 3, rt::wire::kind::I32);
            out.int32(number_state(item));
        }
        {
            let item = &value.sizes;
            out.field(&mut last, 4, rt::wire::kind::LIST);
            out.list(rt::wire::kind::DOUBLE, item.len());
            for item in item.iter() {
                out.double(*item);
            }
        }
        if let Some(item) = &value.codes {
            out.field(&mut last, 5, rt::wire::kind::SET);
            out.list(rt::wire::kind::I16, item.len());
            for item in item.iter() {
                out.int16(*item);
            }
        }
        if let Some(item) = &value.seals {
            out.field(&mut last, 6, rt::wire::kind::MAP);
            out.map(rt::wire::kind::I32, rt::wire::kind::STRING, item.len());
            for (key, item) in item.iter() {
                out.int32(number_state(key));
                out.bytes(item);
            }
        }
        if let Some(item) = &value.key {
            out.field(&mut last, 7, rt::wire::kind::UUID);
            out.uuid(*item);
        }
        {
            let item = &value.fresh;
            out.truth(&mut last, 8, *item);
        }
        if let Some(item) = &value.place {
            out.field(&mut last, 9, rt::wire::kind::STRUCT);
            write_place(item, out);
        }
        if let Some(item) = &value.choice {
            out.field(&mut last, 10, rt::wire::kind::STRUCT);
            write_choice(item, out);
        }
        {
            let item = &value.few;
            out.field(&mut last, 40, rt::wire::kind::I32);
            out.int32(*item);
        }
        {
            let item = &value.note;
            out.field(&mut last, 41, rt::wire::kind::STRING);
            out.text(item);
        }
        out.stop();
    }
    impl rt::DecodeOwned<rt::Binary> for Item {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Binary, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_item(r)
        }
    }
    impl rt::Validate<rt::Binary> for Item {
        const SHAPE: &'static rt::shape::Shape = &ITEM;
    }
    impl rt::Encode<rt::Binary> for Item {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Binary>) {
            write_item(self, out);
        }
    }
    impl rt::DecodeOwned<rt::Compact> for Item {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Compact, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_item(r)
        }
    }
    impl rt::Validate<rt::Compact> for Item {
        const SHAPE: &'static rt::shape::Shape = &ITEM;
    }
    impl rt::Encode<rt::Compact> for Item {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Compact>) {
            write_item(self, out);
        }
    }
    static ITEM: rt::shape::Shape = rt::shape::Shape::Struct(rt::shape::Struct {
        name: "Item",
        union: false,
        fields: &[
            rt::shape::Field {
                id: 1,
                name: "name",
                required: true,
                shape: &rt::shape::Shape::Text,
            },
            rt::shape::Field {
                id: 2,
                name: "price",
                required: false,
                shape: &rt::shape::Shape::Int64,
            },
            rt::shape::Field {
                id: 3,
                name: "state",
                required: false,
                shape: &rt::shape::Shape::Int32,
            },
            rt::shape::Field {
                id: 4,
                name: "sizes",
                required: false,
                shape: &rt::shape::Shape::List(&rt::shape::Shape::Double),
            },
            rt::shape::Field {
                id: 5,
                name: "codes",
                required: false,
                shape: &rt::shape::Shape::Set(&rt::shape::Shape::Int16),
            },
            rt::shape::Field {
                id: 6,
                name: "seals",
                required: false,
                shape: &rt::shape::Shape::Map(
                    &rt::shape::Shape::Int32,
                    &rt::shape::Shape::Bytes,
                ),
            },
            rt::shape::Field {
                id: 7,
                name: "key",
                required: false,
                shape: &rt::shape::Shape::Uuid,
            },
            rt::shape::Field {
                id: 8,
                name: "fresh",
                required: false,
                shape: &rt::shape::Shape::Bool,
            },
            rt::shape::Field {
                id: 9,
                name: "place",
                required: false,
                shape: &PLACE,
            },
            rt::shape::Field {
                id: 10,
                name: "choice",
                required: false,
                shape: &CHOICE,
            },
            rt::shape::Field {
                id: -1,
                name: "type",
                required: false,
                shape: &rt::shape::Shape::Int8,
            },
            rt::shape::Field {
                id: 40,
                name: "few",
                required: false,
                shape: &rt::shape::Shape::Int32,
            },
            rt::shape::Field {
                id: 41,
                name: "note",
                required: false,
                shape: &rt::shape::Shape::Text,
            },
        ],
    });
    fn read_place<'a, P: rt::Protocol, S: Copy>(
        r: &mut rt::Reader<'a, P, S>,
    ) -> rt::read::Read<Place> {
        r.enter()?;
        let mut last = 0i16;
        let mut field0 = None;
        let mut field1 = None;
        while let Some(head) = r.field(&mut last)? {
            match head.key() {
                0x000108 => field0 = Some(r.int32()?),
                0x000206 => field1 = Some(r.int16()?),
                _ => r.skip(head)?,
            }
        }
        r.leave();
        Ok(Place {
            row: field0.ok_or(rt::read::Failed)?,
            seat: field1.unwrap_or_else(|| -1),
        })
    }
    fn write_place<P: rt::Protocol>(value: &Place, out: &mut rt::Output<'_, P>) {
        let mut last = 0i16;
        {
            let item = &value.row;
            out.field(&mut last, 1, rt::wire::kind::I32);
            out.int32(*item);
        }
        {
            let item = &value.seat;
            out.field(&mut last, 2, rt::wire::kind::I16);
            out.int16(*item);
        }
        out.stop();
    }
    impl<'a> rt::Decode<'a, rt::Binary> for Place {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Binary, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_place(r)
        }
    }
    impl rt::DecodeOwned<rt::Binary> for Place {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Binary, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_place(r)
        }
    }
    impl rt::Validate<rt::Binary> for Place {
        const SHAPE: &'static rt::shape::Shape = &PLACE;
    }
    impl rt::Encode<rt::Binary> for Place {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Binary>) {
            write_place(self, out);
        }
    }
    impl<'a> rt::Decode<'a, rt::Compact> for Place {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Compact, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_place(r)
        }
    }
    impl rt::DecodeOwned<rt::Compact> for Place {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Compact, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_place(r)
        }
    }
    impl rt::Validate<rt::Compact> for Place {
        const SHAPE: &'static rt::shape::Shape = &PLACE;
    }
    impl rt::Encode<rt::Compact> for Place {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Compact>) {
            write_place(self, out);
        }
    }
    static PLACE: rt::shape::Shape = rt::shape::Shape::Struct(rt::shape::Struct {
        name: "Place",
        union: false,
        fields: &[
            rt::shape::Field {
                id: 1,
                name: "row",
                required: true,
                shape: &rt::shape::Shape::Int32,
            },
            rt::shape::Field {
                id: 2,
                name: "seat",
                required: false,
                shape: &rt::shape::Shape::Int16,
            },
        ],
    });
    fn read_choice_ref<'a, P: rt::Protocol>(
        r: &mut rt::Reader<'a, P, &'a rt::Arena>,
    ) -> rt::read::Read<ChoiceRef<'a>> {
        r.enter()?;
        let mut last = 0i16;
        let Some(head) = r.field(&mut last)? else { return Err(rt::read::Failed) };
        let value = match head.key() {
            0x00010b => ChoiceRef::Text(r.text()?),
            0x00020a => ChoiceRef::Number(r.int64()?),
            0x000302 => ChoiceRef::Flag(r.truth(head)?),
            0x00040c => {
                ChoiceRef::Item({
                    let value = read_item_ref(r)?;
                    r.one(value)?
                })
            }
            0x00050f => {
                ChoiceRef::Several({
                    let count = r.list(rt::wire::kind::STRUCT)?;
                    r.fill(count, |r| Ok(read_choice_ref(r)?))?
                })
            }
            _ => return Err(rt::read::Failed),
        };
        if r.field(&mut last)?.is_some() {
            return Err(rt::read::Failed);
        }
        r.leave();
        Ok(value)
    }
    fn write_choice_ref<P: rt::Protocol>(
        value: &ChoiceRef<'_>,
        out: &mut rt::Output<'_, P>,
    ) {
        let mut last = 0i16;
        match value {
            ChoiceRef::Text(item) => {
                out.field(&mut last, 1, rt::wire::kind::STRING);
                out.text(item);
            }
            ChoiceRef::Number(item) => {
                out.field(&mut last, 2, rt::wire::kind::I64);
                out.int64(*item);
            }
            ChoiceRef::Flag(item) => {
                out.truth(&mut last, 3, *item);
            }
            ChoiceRef::Item(item) => {
                out.field(&mut last, 4, rt::wire::kind::STRUCT);
                write_item_ref(item, out);
            }
            ChoiceRef::Several(item) => {
                out.field(&mut last, 5, rt::wire::kind::LIST);
                out.list(rt::wire::kind::STRUCT, item.len());
                for item in item.iter() {
                    write_choice_ref(item, out);
                }
            }
        }
        out.stop();
    }
    impl<'a> rt::Decode<'a, rt::Binary> for ChoiceRef<'a> {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Binary, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_choice_ref(r)
        }
    }
    impl rt::Validate<rt::Binary> for ChoiceRef<'_> {
        const SHAPE: &'static rt::shape::Shape = &CHOICE;
    }
    impl rt::Encode<rt::Binary> for ChoiceRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Binary>) {
            write_choice_ref(self, out);
        }
    }
    impl<'a> rt::Decode<'a, rt::Compact> for ChoiceRef<'a> {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Compact, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_choice_ref(r)
        }
    }
    impl rt::Validate<rt::Compact> for ChoiceRef<'_> {
        const SHAPE: &'static rt::shape::Shape = &CHOICE;
    }
    impl rt::Encode<rt::Compact> for ChoiceRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Compact>) {
            write_choice_ref(self, out);
        }
    }
    fn read_choice<'a, P: rt::Protocol>(
        r: &mut rt::Reader<'a, P, rt::read::Own>,
    ) -> rt::read::Read<Choice> {
        r.enter()?;
        let mut last = 0i16;
        let Some(head) = r.field(&mut last)? else { return Err(rt::read::Failed) };
        let value = match head.key() {
            0x00010b => Choice::Text(r.text()?.to_string()),
            0x00020a => Choice::Number(r.int64()?),
            0x000302 => Choice::Flag(r.truth(head)?),
            0x00040c => Choice::Item(Box::new(read_item(r)?)),
            0x00050f => {
                Choice::Several({
                    let count = r.list(rt::wire::kind::STRUCT)?;
                    r.vec(count, |r| Ok(read_choice(r)?))?
                })
            }
            _ => return Err(rt::read::Failed),
        };
        if r.field(&mut last)?.is_some() {
            return Err(rt::read::Failed);
        }
        r.leave();
        Ok(value)
    }
    fn write_choice<P: rt::Protocol>(value: &Choice, out: &mut rt::Output<'_, P>) {
        let mut last = 0i16;
        match value {
            Choice::Text(item) => {
                out.field(&mut last, 1, rt::wire::kind::STRING);
                out.text(item);
            }
            Choice::Number(item) => {
                out.field(&mut last, 2, rt::wire::kind::I64);
                out.int64(*item);
            }
            Choice::Flag(item) => {
                out.truth(&mut last, 3, *item);
            }
            Choice::Item(item) => {
                out.field(&mut last, 4, rt::wire::kind::STRUCT);
                write_item(item, out);
            }
            Choice::Several(item) => {
                out.field(&mut last, 5, rt::wire::kind::LIST);
                out.list(rt::wire::kind::STRUCT, item.len());
                for item in item.iter() {
                    write_choice(item, out);
                }
            }
        }
        out.stop();
    }
    impl rt::DecodeOwned<rt::Binary> for Choice {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Binary, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_choice(r)
        }
    }
    impl rt::Validate<rt::Binary> for Choice {
        const SHAPE: &'static rt::shape::Shape = &CHOICE;
    }
    impl rt::Encode<rt::Binary> for Choice {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Binary>) {
            write_choice(self, out);
        }
    }
    impl rt::DecodeOwned<rt::Compact> for Choice {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Compact, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_choice(r)
        }
    }
    impl rt::Validate<rt::Compact> for Choice {
        const SHAPE: &'static rt::shape::Shape = &CHOICE;
    }
    impl rt::Encode<rt::Compact> for Choice {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Compact>) {
            write_choice(self, out);
        }
    }
    static CHOICE: rt::shape::Shape = rt::shape::Shape::Struct(rt::shape::Struct {
        name: "Choice",
        union: true,
        fields: &[
            rt::shape::Field {
                id: 1,
                name: "text",
                required: false,
                shape: &rt::shape::Shape::Text,
            },
            rt::shape::Field {
                id: 2,
                name: "number",
                required: false,
                shape: &rt::shape::Shape::Int64,
            },
            rt::shape::Field {
                id: 3,
                name: "flag",
                required: false,
                shape: &rt::shape::Shape::Bool,
            },
            rt::shape::Field {
                id: 4,
                name: "item",
                required: false,
                shape: &ITEM,
            },
            rt::shape::Field {
                id: 5,
                name: "several",
                required: false,
                shape: &rt::shape::Shape::List(&CHOICE),
            },
        ],
    });
    fn read_tree_ref<'a, P: rt::Protocol>(
        r: &mut rt::Reader<'a, P, &'a rt::Arena>,
    ) -> rt::read::Read<TreeRef<'a>> {
        r.enter()?;
        let mut last = 0i16;
        let mut field0 = None;
        let mut field1 = None;
        let mut field2 = None;
        let mut field3 = None;
        let mut field4 = None;
        let mut field5 = None;
        let mut field6 = None;
        while let Some(head) = r.field(&mut last)? {
            match head.key() {
                0x00010c => {
                    field0 = Some({
                        let value = read_tree_ref(r)?;
                        r.one(value)?
                    });
                }
                0x00020c => {
                    field1 = Some({
                        let value = read_tree_ref(r)?;
                        r.one(value)?
                    });
                }
                0x00030f => {
                    field2 = Some({
                        let count = r.list(rt::wire::kind::STRUCT)?;
                        r.fill(count, |r| Ok(read_tree_ref(r)?))?
                    });
                }
                0x00040d => {
                    field3 = Some({
                        let count = r
                            .map(rt::wire::kind::STRING, rt::wire::kind::STRUCT)?;
                        r.fill(count, |r| Ok((r.text()?, read_tree_ref(r)?)))?
                    });
                }
                0x00050d => {
                    field4 = Some({
                        let count = r.map(rt::wire::kind::STRUCT, rt::wire::kind::LIST)?;
                        r.fill(
                            count,
                            |r| Ok((
                                read_place(r)?,
                                {
                                    let count = r.list(rt::wire::kind::BOOL)?;
                                    r.fill(count, |r| Ok(r.bool()?))?
                                },
                            )),
                        )?
                    });
                }
                0x00060d => {
                    field5 = Some({
                        let count = r.map(rt::wire::kind::I32, rt::wire::kind::MAP)?;
                        r.fill(
                            count,
                            |r| Ok((
                                r.int32()?,
                                {
                                    let count = r
                                        .map(rt::wire::kind::UUID, rt::wire::kind::DOUBLE)?;
                                    r.fill(count, |r| Ok((r.uuid()?, r.double()?)))?
                                },
                            )),
                        )?
                    });
                }
                0x000703 => field6 = Some(r.int8()?),
                _ => r.skip(head)?,
            }
        }
        r.leave();
        Ok(TreeRef {
            left: field0,
            right: field1,
            others: field2,
            named: field3,
            flags: field4,
            deep: field5,
            self_: field6.ok_or(rt::read::Failed)?,
        })
    }
    fn write_tree_ref<P: rt::Protocol>(
        value: &TreeRef<'_>,
        out: &mut rt::Output<'_, P>,
    ) {
        let mut last = 0i16;
        if let Some(item) = &value.left {
            out.field(&mut last, 1, rt::wire::kind::STRUCT);
            write_tree_ref(item, out);
        }
        if let Some(item) = &value.right {
            out.field(&mut last, 2, rt::wire::kind::STRUCT);
            write_tree_ref(item, out);
        }
        if let Some(item) = &value.others {
            out.field(&mut last, 3, rt::wire::kind::LIST);
            out.list(rt::wire::kind::STRUCT, item.len());
            for item in item.iter() {
                write_tree_ref(item, out);
            }
        }
        if let Some(item) = &value.named {
            out.field(&mut last, 4, rt::wire::kind::MAP);
            out.map(rt::wire::kind::STRING, rt::wire::kind::STRUCT, item.len());
            for (key, item) in item.iter() {
                out.text(key);
                write_tree_ref(item, out);
            }
        }
        if let Some(item) = &value.flags {
            out.field(&mut last, 5, rt::wire::kind::MAP);
            out.map(rt::wire::kind::STRUCT, rt::wire::kind::LIST, item.len());
            for (key, item) in item.iter() {
                write_place(key, out);
                out.list(rt::wire::kind::BOOL, item.len());
                for item in item.iter() {
                    out.bool(*item);
                }
            }
        }
        if let Some(item) = &value.deep {
            out.field(&mut last, 6, rt::wire::kind::MAP);
            out.map(rt::wire::kind::I32, rt::wire::kind::MAP, item.len());
            for (key, item) in item.iter() {
                out.int32(*key);
                out.map(rt::wire::kind::UUID, rt::wire::kind::DOUBLE, item.len());
                for (key, item) in item.iter() {
                    out.uuid(*key);
                    out.double(*item);
                }
            }
        }
        {
            let item = &value.self_;
            out.field(&mut last, 7, rt::wire::kind::I8);
            out.int8(*item);
        }
        out.stop();
    }
    impl<'a> rt::Decode<'a, rt::Binary> for TreeRef<'a> {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Binary, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_tree_ref(r)
        }
    }
    impl rt::Validate<rt::Binary> for TreeRef<'_> {
        const SHAPE: &'static rt::shape::Shape = &TREE;
    }
    impl rt::Encode<rt::Binary> for TreeRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Binary>) {
            write_tree_ref(self, out);
        }
    }
    impl<'a> rt::Decode<'a, rt::Compact> for TreeRef<'a> {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Compact, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_tree_ref(r)
        }
    }
    impl rt::Validate<rt::Compact> for TreeRef<'_> {
        const SHAPE: &'static rt::shape::Shape = &TREE;
    }
    impl rt::Encode<rt::Compact> for TreeRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Compact>) {
            write_tree_ref(self, out);
        }
    }
    fn read_tree<'a, P: rt::Protocol>(
        r: &mut rt::Reader<'a, P, rt::read::Own>,
    ) -> rt::read::Read<Tree> {
        r.enter()?;
        let mut last = 0i16;
        let mut field0 = None;
        let mut field1 = None;
        let mut field2 = None;
        let mut field3 = None;
        let mut field4 = None;
        let mut field5 = None;
        let mut field6 = None;
        while let Some(head) = r.field(&mut last)? {
            match head.key() {
                0x00010c => field0 = Some(Box::new(read_tree(r)?)),
                0x00020c => field1 = Some(Box::new(read_tree(r)?)),
                0x00030f => {
                    field2 = Some({
                        let count = r.list(rt::wire::kind::STRUCT)?;
                        r.vec(count, |r| Ok(read_tree(r)?))?
                    });
                }
                0x00040d => {
                    field3 = Some({
                        let count = r
                            .map(rt::wire::kind::STRING, rt::wire::kind::STRUCT)?;
                        r.entries(count, |r| Ok((r.text()?.to_string(), read_tree(r)?)))?
                    });
                }
                0x00050d => {
                    field4 = Some({
                        let count = r.map(rt::wire::kind::STRUCT, rt::wire::kind::LIST)?;
                        r.vec(
                            count,
                            |r| Ok((
                                read_place(r)?,
                                {
                                    let count = r.list(rt::wire::kind::BOOL)?;
                                    r.vec(count, |r| Ok(r.bool()?))?
                                },
                            )),
                        )?
                    });
                }
                0x00060d => {
                    field5 = Some({
                        let count = r.map(rt::wire::kind::I32, rt::wire::kind::MAP)?;
                        r.entries(
                            count,
                            |r| Ok((
                                r.int32()?,
                                {
                                    let count = r
                                        .map(rt::wire::kind::UUID, rt::wire::kind::DOUBLE)?;
                                    r.entries(count, |r| Ok((r.uuid()?, r.double()?)))?
                                },
                            )),
                        )?
                    });
                }
                0x000703 => field6 = Some(r.int8()?),
                _ => r.skip(head)?,
            }
        }
        r.leave();
        Ok(Tree {
            left: field0,
            right: field1,
            others: field2,
            named: field3,
            flags: field4,
            deep: field5,
            self_: field6.ok_or(rt::read::Failed)?,
        })
    }
    fn write_tree<P: rt::Protocol>(value: &Tree, out: &mut rt::Output<'_, P>) {
        let mut last = 0i16;
        if let Some(item) = &value.left {
            out.field(&mut last, 1, rt::wire::kind::STRUCT);
            write_tree(item, out);
        }
        if let Some(item) = &value.right {
            out.field(&mut last, 2, rt::wire::kind::STRUCT);
            write_tree(item, out);
        }
        if let Some(item) = &value.others {
            out.field(&mut last, 3, rt::wire::kind::LIST);
            out.list(rt::wire::kind::STRUCT, item.len());
            for item in item.iter() {
                write_tree(item, out);
            }
        }
        if let Some(item) = &value.named {
            out.field(&mut last, 4, rt::wire::kind::MAP);
            out.map(rt::wire::kind::STRING, rt::wire::kind::STRUCT, item.len());
            for (key, item) in item.iter() {
                out.text(key);
                write_tree(item, out);
            }
        }
        if let Some(item) = &value.flags {
            out.field(&mut last, 5, rt::wire::kind::MAP);
            out.map(rt::wire::kind::STRUCT, rt::wire::kind::LIST, item.len());
            for (key, item) in item.iter() {
                write_place(key, out);
                out.list(rt::wire::kind::BOOL, item.len());
                for item in item.iter() {
                    out.bool(*item);
                }
            }
        }
        if let Some(item) = &value.deep {
            out.field(&mut last, 6, rt::wire::kind::MAP);
            out.map(rt::wire::kind::I32, rt::wire::kind::MAP, item.len());
            for (key, item) in item.iter() {
                out.int32(*key);
                out.map(rt::wire::kind::UUID, rt::wire::kind::DOUBLE, item.len());
                for (key, item) in item.iter() {
                    out.uuid(*key);
                    out.double(*item);
                }
            }
        }
        {
            let item = &value.self_;
            out.field(&mut last, 7, rt::wire::kind::I8);
            out.int8(*item);
        }
        out.stop();
    }
    impl rt::DecodeOwned<rt::Binary> for Tree {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Binary, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_tree(r)
        }
    }
    impl rt::Validate<rt::Binary> for Tree {
        const SHAPE: &'static rt::shape::Shape = &TREE;
    }
    impl rt::Encode<rt::Binary> for Tree {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Binary>) {
            write_tree(self, out);
        }
    }
    impl rt::DecodeOwned<rt::Compact> for Tree {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Compact, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_tree(r)
        }
    }
    impl rt::Validate<rt::Compact> for Tree {
        const SHAPE: &'static rt::shape::Shape = &TREE;
    }
    impl rt::Encode<rt::Compact> for Tree {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Compact>) {
            write_tree(self, out);
        }
    }
    static TREE: rt::shape::Shape = rt::shape::Shape::Struct(rt::shape::Struct {
        name: "Tree",
        union: false,
        fields: &[
            rt::shape::Field {
                id: 1,
                name: "left",
                required: false,
                shape: &TREE,
            },
            rt::shape::Field {
                id: 2,
                name: "right",
                required: false,
                shape: &TREE,
            },
            rt::shape::Field {
                id: 3,
                name: "others",
                required: false,
                shape: &rt::shape::Shape::List(&TREE),
            },
            rt::shape::Field {
                id: 4,
                name: "named",
                required: false,
                shape: &rt::shape::Shape::Map(&rt::shape::Shape::Text, &TREE),
            },
            rt::shape::Field {
                id: 5,
                name: "flags",
                required: false,
                shape: &rt::shape::Shape::Map(
                    &PLACE,
                    &rt::shape::Shape::List(&rt::shape::Shape::Bool),
                ),
            },
            rt::shape::Field {
                id: 6,
                name: "deep",
                required: false,
                shape: &rt::shape::Shape::Map(
                    &rt::shape::Shape::Int32,
                    &rt::shape::Shape::Map(
                        &rt::shape::Shape::Uuid,
                        &rt::shape::Shape::Double,
                    ),
                ),
            },
            rt::shape::Field {
                id: 7,
                name: "self",
                required: true,
                shape: &rt::shape::Shape::Int8,
            },
        ],
    });
    fn read_order_ref<'a, P: rt::Protocol>(
        r: &mut rt::Reader<'a, P, &'a rt::Arena>,
    ) -> rt::read::Read<OrderRef<'a>> {
        r.enter()?;
        let mut last = 0i16;
        let mut field0 = None;
        let mut field1 = None;
        let mut field2 = None;
        let mut field3 = None;
        let mut field4 = None;
        let mut field5 = None;
        let mut field6 = None;
        while let Some(head) = r.field(&mut last)? {
            match head.key() {
                0x00010a => field0 = Some(r.int64()?),
                0x00020f => {
                    field1 = Some({
                        let count = r.list(rt::wire::kind::STRUCT)?;
                        r.fill(count, |r| Ok(read_item_ref(r)?))?
                    });
                }
                0x00030c => field2 = Some(read_tree_ref(r)?),
                0x00040f => {
                    field3 = Some({
                        let count = r.list(rt::wire::kind::I32)?;
                        r.fill(count, |r| Ok(case_state(r.int32()?)))?
                    });
                }
                0x00050f => {
                    field4 = Some({
                        let count = r.list(rt::wire::kind::STRING)?;
                        r.fill(count, |r| Ok(r.text()?))?
                    });
                }
                0x00060f => {
                    field5 = Some({
                        let count = r.list(rt::wire::kind::I64)?;
                        r.fill(count, |r| Ok(r.int64()?))?
                    });
                }
                0x00070f => {
                    field6 = Some({
                        let count = r.list(rt::wire::kind::BOOL)?;
                        r.fill(count, |r| Ok(r.bool()?))?
                    });
                }
                _ => r.skip(head)?,
            }
        }
        r.leave();
        Ok(OrderRef {
            id: field0.ok_or(rt::read::Failed)?,
            items: field1,
            tree: field2,
            states: field3,
            words: field4,
            numbers: field5,
            flags: field6,
        })
    }
    fn write_order_ref<P: rt::Protocol>(
        value: &OrderRef<'_>,
        out: &mut rt::Output<'_, P>,
    ) {
        let mut last = 0i16;
        {
            let item = &value.id;
            out.field(&mut last, 1, rt::wire::kind::I64);
            out.int64(*item);
        }
        if let Some(item) = &value.items {
            out.field(&mut last, 2, rt::wire::kind::LIST);
            out.list(rt::wire::kind::STRUCT, item.len());
            for item in item.iter() {
                write_item_ref(item, out);
            }
        }
        if let Some(item) = &value.tree {
            out.field(&mut last, 3, rt::wire::kind::STRUCT);
            write_tree_ref(item, out);
        }
        if let Some(item) = &value.states {
            out.field(&mut last, 4, rt::wire::kind::LIST);
            out.list(rt::wire::kind::I32, item.len());
            for item in item.iter() {
                out.int32(number_state(item));
            }
        }
        if let Some(item) = &value.words {
            out.field(&mut last, 5, rt::wire::kind::LIST);
            out.list(rt::wire::kind::STRING, item.len());
            for item in item.iter() {
                out.text(item);
            }
        }
        if let Some(item) = &value.numbers {
            out.field(&mut last, 6, rt::wire::kind::LIST);
            out.list(rt::wire::kind::I64, item.len());
            for item in item.iter() {
                out.int64(*item);
            }
        }
        if let Some(item) = &value.flags {
            out.field(&mut last, 7, rt::wire::kind::LIST);
            out.list(rt::wire::kind::BOOL, item.len());
            for item in item.iter() {
                out.bool(*item);
            }
        }
        out.stop();
    }
    impl<'a> rt::Decode<'a, rt::Binary> for OrderRef<'a> {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Binary, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_order_ref(r)
        }
    }
    impl rt::Validate<rt::Binary> for OrderRef<'_> {
        const SHAPE: &'static rt::shape::Shape = &ORDER;
    }
    impl rt::Encode<rt::Binary> for OrderRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Binary>) {
            write_order_ref(self, out);
        }
    }
    impl<'a> rt::Decode<'a, rt::Compact> for OrderRef<'a> {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Compact, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_order_ref(r)
        }
    }
    impl rt::Validate<rt::Compact> for OrderRef<'_> {
        const SHAPE: &'static rt::shape::Shape = &ORDER;
    }
    impl rt::Encode<rt::Compact> for OrderRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Compact>) {
            write_order_ref(self, out);
        }
    }
    fn read_order<'a, P: rt::Protocol>(
        r: &mut rt::Reader<'a, P, rt::read::Own>,
    ) -> rt::read::Read<Order> {
        r.enter()?;
        let mut last = 0i16;
        let mut field0 = None;
        let mut field1 = None;
        let mut field2 = None;
        let mut field3 = None;
        let mut field4 = None;
        let mut field5 = None;
        let mut field6 = None;
        while let Some(head) = r.field(&mut last)? {
            match head.key() {
                0x00010a => field0 = Some(r.int64()?),
                0x00020f => {
                    field1 = Some({
                        let count = r.list(rt::wire::kind::STRUCT)?;
                        r.vec(count, |r| Ok(read_item(r)?))?
                    });
                }
                0x00030c => field2 = Some(read_tree(r)?),
                0x00040f => {
                    field3 = Some({
                        let count = r.list(rt::wire::kind::I32)?;
                        r.vec(count, |r| Ok(case_state(r.int32()?)))?
                    });
                }
                0x00050f => {
                    field4 = Some({
                        let count = r.list(rt::wire::kind::STRING)?;
                        r.vec(count, |r| Ok(r.text()?.to_string()))?
                    });
                }
                0x00060f => {
                    field5 = Some({
                        let count = r.list(rt::wire::kind::I64)?;
                        r.vec(count, |r| Ok(r.int64()?))?
                    });
                }
                0x00070f => {
                    field6 = Some({
                        let count = r.list(rt::wire::kind::BOOL)?;
                        r.vec(count, |r| Ok(r.bool()?))?
                    });
                }
                _ => r.skip(head)?,
            }
        }
        r.leave();
        Ok(Order {
            id: field0.ok_or(rt::read::Failed)?,
            items: field1,
            tree: field2,
            states: field3,
            words: field4,
            numbers: field5,
            flags: field6,
        })
    }
    fn write_order<P: rt::Protocol>(value: &Order, out: &mut rt::Output<'_, P>) {
        let mut last = 0i16;
        {
            let item = &value.id;
            out.field(&mut last, 1, rt::wire::kind::I64);
            out.int64(*item);
        }
        if let Some(item) = &value.items {
            out.field(&mut last, 2, rt::wire::kind::LIST);
            out.list(rt::wire::kind::STRUCT, item.len());
            for item in item.iter() {
                write_item(item, out);
            }
        }
        if let Some(item) = &value.tree {
            out.field(&mut last, 3, rt::wire::kind::STRUCT);
            write_tree(item, out);
        }
        if let Some(item) = &value.states {
            out.field(&mut last, 4, rt::wire::kind::LIST);
            out.list(rt::wire::kind::I32, item.len());
            for item in item.iter() {
                out.int32(number_state(item));
            }
        }
        if let Some(item) = &value.words {
            out.field(&mut last, 5, rt::wire::kind::LIST);
            out.list(rt::wire::kind::STRING, item.len());
            for item in item.iter() {
                out.text(item);
            }
        }
        if let Some(item) = &value.numbers {
            out.field(&mut last, 6, rt::wire::kind::LIST);
            out.list(rt::wire::kind::I64, item.len());
            for item in item.iter() {
                out.int64(*item);
            }
        }
        if let Some(item) = &value.flags {
            out.field(&mut last, 7, rt::wire::kind::LIST);
            out.list(rt::wire::kind::BOOL, item.len());
            for item in item.iter() {
                out.bool(*item);
            }
        }
        out.stop();
    }
    impl rt::DecodeOwned<rt::Binary> for Order {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Binary, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_order(r)
        }
    }
    impl rt::Validate<rt::Binary> for Order {
        const SHAPE: &'static rt::shape::Shape = &ORDER;
    }
    impl rt::Encode<rt::Binary> for Order {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Binary>) {
            write_order(self, out);
        }
    }
    impl rt::DecodeOwned<rt::Compact> for Order {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Compact, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_order(r)
        }
    }
    impl rt::Validate<rt::Compact> for Order {
        const SHAPE: &'static rt::shape::Shape = &ORDER;
    }
    impl rt::Encode<rt::Compact> for Order {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Compact>) {
            write_order(self, out);
        }
    }
    static ORDER: rt::shape::Shape = rt::shape::Shape::Struct(rt::shape::Struct {
        name: "Order",
        union: false,
        fields: &[
            rt::shape::Field {
                id: 1,
                name: "id",
                required: true,
                shape: &rt::shape::Shape::Int64,
            },
            rt::shape::Field {
                id: 2,
                name: "items",
                required: false,
                shape: &rt::shape::Shape::List(&ITEM),
            },
            rt::shape::Field {
                id: 3,
                name: "tree",
                required: false,
                shape: &TREE,
            },
            rt::shape::Field {
                id: 4,
                name: "states",
                required: false,
                shape: &rt::shape::Shape::List(&rt::shape::Shape::Int32),
            },
            rt::shape::Field {
                id: 5,
                name: "words",
                required: false,
                shape: &rt::shape::Shape::List(&rt::shape::Shape::Text),
            },
            rt::shape::Field {
                id: 6,
                name: "numbers",
                required: false,
                shape: &rt::shape::Shape::List(&rt::shape::Shape::Int64),
            },
            rt::shape::Field {
                id: 7,
                name: "flags",
                required: false,
                shape: &rt::shape::Shape::List(&rt::shape::Shape::Bool),
            },
        ],
    });
    fn read_empty<'a, P: rt::Protocol, S: Copy>(
        r: &mut rt::Reader<'a, P, S>,
    ) -> rt::read::Read<Empty> {
        r.enter()?;
        let mut last = 0i16;
        while let Some(head) = r.field(&mut last)? {
            match head.key() {
                _ => r.skip(head)?,
            }
        }
        r.leave();
        Ok(Empty {})
    }
    fn write_empty<P: rt::Protocol>(value: &Empty, out: &mut rt::Output<'_, P>) {
        let mut last = 0i16;
        out.stop();
    }
    impl<'a> rt::Decode<'a, rt::Binary> for Empty {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Binary, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_empty(r)
        }
    }
    impl rt::DecodeOwned<rt::Binary> for Empty {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Binary, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_empty(r)
        }
    }
    impl rt::Validate<rt::Binary> for Empty {
        const SHAPE: &'static rt::shape::Shape = &EMPTY;
    }
    impl rt::Encode<rt::Binary> for Empty {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Binary>) {
            write_empty(self, out);
        }
    }
    impl<'a> rt::Decode<'a, rt::Compact> for Empty {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Compact, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_empty(r)
        }
    }
    impl rt::DecodeOwned<rt::Compact> for Empty {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Compact, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_empty(r)
        }
    }
    impl rt::Validate<rt::Compact> for Empty {
        const SHAPE: &'static rt::shape::Shape = &EMPTY;
    }
    impl rt::Encode<rt::Compact> for Empty {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Compact>) {
            write_empty(self, out);
        }
    }
    static EMPTY: rt::shape::Shape = rt::shape::Shape::Struct(rt::shape::Struct {
        name: "Empty",
        union: false,
        fields: &[],
    });
    fn read_nothing<'a, P: rt::Protocol, S: Copy>(
        r: &mut rt::Reader<'a, P, S>,
    ) -> rt::read::Read<Nothing> {
        r.enter()?;
        let mut last = 0i16;
        let Some(head) = r.field(&mut last)? else { return Err(rt::read::Failed) };
        let value = match head.key() {
            _ => return Err(rt::read::Failed),
        };
        if r.field(&mut last)?.is_some() {
            return Err(rt::read::Failed);
        }
        r.leave();
        Ok(value)
    }
    fn write_nothing<P: rt::Protocol>(value: &Nothing, out: &mut rt::Output<'_, P>) {
        let mut last = 0i16;
        match value {
            _ => {}
        }
        out.stop();
    }
    impl<'a> rt::Decode<'a, rt::Binary> for Nothing {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Binary, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_nothing(r)
        }
    }
    impl rt::DecodeOwned<rt::Binary> for Nothing {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Binary, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_nothing(r)
        }
    }
    impl rt::Validate<rt::Binary> for Nothing {
        const SHAPE: &'static rt::shape::Shape = &NOTHING;
    }
    impl rt::Encode<rt::Binary> for Nothing {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Binary>) {
            write_nothing(self, out);
        }
    }
    impl<'a> rt::Decode<'a, rt::Compact> for Nothing {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Compact, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_nothing(r)
        }
    }
    impl rt::DecodeOwned<rt::Compact> for Nothing {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Compact, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_nothing(r)
        }
    }
    impl rt::Validate<rt::Compact> for Nothing {
        const SHAPE: &'static rt::shape::Shape = &NOTHING;
    }
    impl rt::Encode<rt::Compact> for Nothing {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Compact>) {
            write_nothing(self, out);
        }
    }
    static NOTHING: rt::shape::Shape = rt::shape::Shape::Struct(rt::shape::Struct {
        name: "Nothing",
        union: true,
        fields: &[],
    });
    fn read_refused_ref<'a, P: rt::Protocol>(
        r: &mut rt::Reader<'a, P, &'a rt::Arena>,
    ) -> rt::read::Read<RefusedRef<'a>> {
        r.enter()?;
        let mut last = 0i16;
        let mut field0 = None;
        let mut field1 = None;
        while let Some(head) = r.field(&mut last)? {
            match head.key() {
                0x00010b => field0 = Some(r.text()?),
                0x000208 => field1 = Some(case_state(r.int32()?)),
                _ => r.skip(head)?,
            }
        }
        r.leave();
        Ok(RefusedRef {
            why: field0,
            state: field1,
        })
    }
    fn write_refused_ref<P: rt::Protocol>(
        value: &RefusedRef<'_>,
        out: &mut rt::Output<'_, P>,
    ) {
        let mut last = 0i16;
        if let Some(item) = &value.why {
            out.field(&mut last, 1, rt::wire::kind::STRING);
            out.text(item);
        }
        if let Some(item) = &value.state {
            out.field(&mut last, 2, rt::wire::kind::I32);
            out.int32(number_state(item));
        }
        out.stop();
    }
    impl<'a> rt::Decode<'a, rt::Binary> for RefusedRef<'a> {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Binary, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_refused_ref(r)
        }
    }
    impl rt::Validate<rt::Binary> for RefusedRef<'_> {
        const SHAPE: &'static rt::shape::Shape = &REFUSED;
    }
    impl rt::Encode<rt::Binary> for RefusedRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Binary>) {
            write_refused_ref(self, out);
        }
    }
    impl<'a> rt::Decode<'a, rt::Compact> for RefusedRef<'a> {
        #[inline]
        fn read(
            r: &mut rt::Reader<'a, rt::Compact, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_refused_ref(r)
        }
    }
    impl rt::Validate<rt::Compact> for RefusedRef<'_> {
        const SHAPE: &'static rt::shape::Shape = &REFUSED;
    }
    impl rt::Encode<rt::Compact> for RefusedRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Compact>) {
            write_refused_ref(self, out);
        }
    }
    fn read_refused<'a, P: rt::Protocol>(
        r: &mut rt::Reader<'a, P, rt::read::Own>,
    ) -> rt::read::Read<Refused> {
        r.enter()?;
        let mut last = 0i16;
        let mut field0 = None;
        let mut field1 = None;
        while let Some(head) = r.field(&mut last)? {
            match head.key() {
                0x00010b => field0 = Some(r.text()?.to_string()),
                0x000208 => field1 = Some(case_state(r.int32()?)),
                _ => r.skip(head)?,
            }
        }
        r.leave();
        Ok(Refused {
            why: field0,
            state: field1,
        })
    }
    fn write_refused<P: rt::Protocol>(value: &Refused, out: &mut rt::Output<'_, P>) {
        let mut last = 0i16;
        if let Some(item) = &value.why {
            out.field(&mut last, 1, rt::wire::kind::STRING);
            out.text(item);
        }
        if let Some(item) = &value.state {
            out.field(&mut last, 2, rt::wire::kind::I32);
            out.int32(number_state(item));
        }
        out.stop();
    }
    impl rt::DecodeOwned<rt::Binary> for Refused {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Binary, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_refused(r)
        }
    }
    impl rt::Validate<rt::Binary> for Refused {
        const SHAPE: &'static rt::shape::Shape = &REFUSED;
    }
    impl rt::Encode<rt::Binary> for Refused {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Binary>) {
            write_refused(self, out);
        }
    }
    impl rt::DecodeOwned<rt::Compact> for Refused {
        #[inline]
        fn read_owned(
            r: &mut rt::Reader<'_, rt::Compact, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_refused(r)
        }
    }
    impl rt::Validate<rt::Compact> for Refused {
        const SHAPE: &'static rt::shape::Shape = &REFUSED;
    }
    impl rt::Encode<rt::Compact> for Refused {
        #[inline]
        fn write(&self, out: &mut rt::Output<'_, rt::Compact>) {
            write_refused(self, out);
        }
    }
    static REFUSED: rt::shape::Shape = rt::shape::Shape::Struct(rt::shape::Struct {
        name: "Refused",
        union: false,
        fields: &[
            rt::shape::Field {
                id: 1,
                name: "why",
                required: false,
                shape: &rt::shape::Shape::Text,
            },
            rt::shape::Field {
                id: 2,
                name: "state",
                required: false,
                shape: &rt::shape::Shape::Int32,
            },
        ],
    });
}
