// Generated from zoo.proto by polywire. Changes are lost when it is generated again.

/// `zoo.Kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity, clippy::large_enum_variant)]
pub enum Kind {
    /// `UNKNOWN`.
    Unknown,
    /// `BIRD`.
    Bird,
    /// `FISH`.
    Fish,
    /// A number that has no name.
    Other(i32),
}
#[allow(clippy::derivable_impls)]
impl Default for Kind {
    fn default() -> Self {
        Self::Unknown
    }
}
/// `zoo.Animal.home`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity, clippy::large_enum_variant)]
pub enum AnimalHome {
    /// `cage`.
    Cage(String),
    /// `pool`.
    Pool(Pool),
}
/// `zoo.Animal.home`.
///
/// Borrows from the message and an arena; [`AnimalHome`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity, clippy::large_enum_variant)]
pub enum AnimalHomeRef<'a> {
    /// `cage`.
    Cage(&'a str),
    /// `pool`.
    Pool(PoolRef<'a>),
}
#[allow(dead_code)]
impl AnimalHomeRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> AnimalHome {
        match self {
            Self::Cage(value0) => AnimalHome::Cage(value0.to_string()),
            Self::Pool(value0) => AnimalHome::Pool(value0.into_owned()),
        }
    }
}
/// An animal.
#[derive(Clone, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct Animal {
    /// `id`.
    pub id: u32,
    /// `name`.
    pub name: String,
    /// `kind`.
    pub kind: Kind,
    /// `weight`.
    pub weight: Option<f64>,
    /// `moods`.
    pub moods: Vec<i32>,
    /// `home`.
    pub home: Option<AnimalHome>,
    /// `mother`.
    pub mother: Option<Box<Animal>>,
}
#[allow(clippy::derivable_impls)]
impl Default for Animal {
    fn default() -> Self {
        Self {
            id: 0,
            name: String::new(),
            kind: Kind::Unknown,
            weight: None,
            moods: Vec::new(),
            home: None,
            mother: None,
        }
    }
}
/// An animal.
///
/// Borrows from the message and an arena; [`Animal`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct AnimalRef<'a> {
    /// `id`.
    pub id: u32,
    /// `name`.
    pub name: &'a str,
    /// `kind`.
    pub kind: Kind,
    /// `weight`.
    pub weight: Option<f64>,
    /// `moods`.
    pub moods: &'a [i32],
    /// `home`.
    pub home: Option<AnimalHomeRef<'a>>,
    /// `mother`.
    pub mother: Option<&'a AnimalRef<'a>>,
}
#[allow(clippy::derivable_impls)]
impl Default for AnimalRef<'_> {
    fn default() -> Self {
        Self {
            id: 0,
            name: "",
            kind: Kind::Unknown,
            weight: None,
            moods: &[],
            home: None,
            mother: None,
        }
    }
}
#[allow(dead_code)]
impl AnimalRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> Animal {
        Animal {
            id: self.id,
            name: self.name.to_string(),
            kind: self.kind,
            weight: self.weight,
            moods: self.moods.to_vec(),
            home: self.home.map(|item| item.into_owned()),
            mother: self.mother.map(|item| Box::new(item.into_owned())),
        }
    }
}
/// `zoo.Pool`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity)]
pub struct Pool {
    /// `litres`.
    pub litres: i64,
    /// `guests`.
    pub guests: std::collections::BTreeMap<String, u32>,
}
#[allow(clippy::derivable_impls)]
impl Default for Pool {
    fn default() -> Self {
        Self {
            litres: 0,
            guests: std::collections::BTreeMap::new(),
        }
    }
}
/// `zoo.Pool`.
///
/// Borrows from the message and an arena; [`Pool`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity)]
pub struct PoolRef<'a> {
    /// `litres`.
    pub litres: i64,
    /// `guests`.
    pub guests: &'a [(&'a str, u32)],
}
#[allow(clippy::derivable_impls)]
impl Default for PoolRef<'_> {
    fn default() -> Self {
        Self { litres: 0, guests: &[] }
    }
}
#[allow(dead_code)]
impl PoolRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> Pool {
        Pool {
            litres: self.litres,
            guests: self.guests.iter().map(|item| (item.0.to_string(), item.1)).collect(),
        }
    }
}
/// The Protobuf encoding of the types.
#[allow(
    dead_code,
    non_camel_case_types,
    unused_mut,
    unused_variables,
    irrefutable_let_patterns,
    clippy::all
)]
mod protobuf {
    use polywire_protobuf_runtime as rt;
    use super::*;
    #[inline(always)]
    fn case_kind(number: i32) -> Kind {
        match number {
            0 => Kind::Unknown,
            1 => Kind::Bird,
            2 => Kind::Fish,
            number => Kind::Other(number),
        }
    }
    #[inline(always)]
    fn number_kind(value: &Kind) -> i32 {
        match value {
            Kind::Unknown => 0,
            Kind::Bird => 1,
            Kind::Fish => 2,
            Kind::Other(number) => *number,
        }
    }
    impl Kind {
        /// Returns the case of a number.
        #[inline]
        pub fn from_number(number: i32) -> Self {
            case_kind(number)
        }
        /// Returns its number.
        #[inline]
        pub fn number(self) -> i32 {
            number_kind(&self)
        }
    }
    #[inline]
    fn merge_animal_ref<'a>(
        this: &mut AnimalRef<'a>,
        reader: &mut rt::read::Reader<'a, &'a rt::Arena>,
    ) -> rt::read::Read<()> {
        let mut own = *reader;
        let r = &mut own;
        if r.next([0x08]) {
            this.id = r.varint()? as u32;
        }
        if r.next([0x12]) {
            this.name = r.text()?;
        }
        if r.next([0x18]) {
            this.kind = case_kind(r.varint()? as i32);
        }
        if r.next([0x21]) {
            this.weight = Some(f64::from_le_bytes(r.fixed()?));
        }
        if r.next([0x2a]) {
            r.packed(
                &mut this.moods,
                |number| Ok(Some(rt::read::unzigzag(u64::from(number as u32)) as i32)),
            )?;
        }
        if r.next([0x32]) {
            this.home = Some(AnimalHomeRef::Cage(r.text()?));
        } else if r.next([0x3a]) {
            if let AnimalHomeRef::Pool(item) = this
                .home
                .insert(AnimalHomeRef::Pool(Default::default()))
            {
                r.message(|r| r.apart(|r| merge_pool_ref(item, r)))?;
            }
        }
        if r.next([0x42]) {
            let item = r.place(AnimalRef::default());
            r.message(|r| r.apart(|r| merge_animal_ref(item, r)))?;
            this.mother = Some(item);
        }
        if !r.done() {
            r.apart(|r| rest_animal_ref(this, r))?;
        }
        *reader = own;
        Ok(())
    }
    #[cold]
    #[inline(never)]
    fn rest_animal_ref<'a>(
        this: &mut AnimalRef<'a>,
        r: &mut rt::read::Reader<'a, &'a rt::Arena>,
    ) -> rt::read::Read<()> {
        while !r.done() {
            let mark = r.mark();
            match r.tag()? {
                8 => {
                    this.id = r.varint()? as u32;
                }
                18 => {
                    this.name = r.text()?;
                }
                24 => {
                    this.kind = case_kind(r.varint()? as i32);
                }
                33 => {
                    this.weight = Some(f64::from_le_bytes(r.fixed()?));
                }
                40 => {
                    r.values(
                        &mut this.moods,
                        [0x28],
                        rt::read::varints,
                        |r| Ok(rt::read::unzigzag(u64::from(r.varint()? as u32)) as i32),
                    )?;
                }
                42 => {
                    r.packed(
                        &mut this.moods,
                        |number| Ok(
                            Some(rt::read::unzigzag(u64::from(number as u32)) as i32),
                        ),
                    )?;
                }
                50 => {
                    this.home = Some(AnimalHomeRef::Cage(r.text()?));
                }
                58 => {
                    if matches!(this.home, Some(AnimalHomeRef::Pool { .. })) {
                        return Err(rt::read::Failed);
                    }
                    if let AnimalHomeRef::Pool(item) = this
                        .home
                        .insert(AnimalHomeRef::Pool(Default::default()))
                    {
                        r.message(|r| r.apart(|r| merge_pool_ref(item, r)))?;
                    }
                }
                66 => {
                    if this.mother.is_some() {
                        return Err(rt::read::Failed);
                    }
                    let item = r.place(AnimalRef::default());
                    r.message(|r| r.apart(|r| merge_animal_ref(item, r)))?;
                    this.mother = Some(item);
                }
                tag => r.skip(tag)?,
            }
        }
        Ok(())
    }
    #[inline]
    fn write_animal_ref(this: &AnimalRef<'_>, output: &mut rt::output::Output<'_>) {
        let mut own = output.take();
        let out = &mut own;
        if let Some(item) = &this.mother {
            {
                let before = out.written();
                out.apart(|out| write_animal_ref(item, out));
                out.wrap([0x42], before);
            }
        }
        if let Some(item) = &this.home {
            match item {
                AnimalHomeRef::Cage(part0) => {
                    out.octets([0x32], part0.as_bytes());
                }
                AnimalHomeRef::Pool(part0) => {
                    let before = out.written();
                    out.apart(|out| write_pool_ref(part0, out));
                    out.wrap([0x3a], before);
                }
            }
        }
        out.varints(
            [0x2a],
            &this.moods[..],
            |item| rt::output::zigzag(i64::from(*item)),
        );
        if let Some(item) = &this.weight {
            out.fixed([0x21], item.to_le_bytes());
        }
        if number_kind(&this.kind) != 0 {
            out.varint([0x18], i64::from(number_kind(&this.kind)) as u64);
        }
        if !this.name.is_empty() {
            out.octets([0x12], this.name.as_bytes());
        }
        if this.id != 0 {
            out.varint([0x08], u64::from(this.id));
        }
        *output = own;
    }
    impl rt::Validate<rt::Protobuf> for AnimalRef<'_> {
        const SHAPE: &'static rt::shape::Message = &ANIMAL;
    }
    impl<'a> rt::Decode<'a, rt::Protobuf> for AnimalRef<'a> {
        #[inline]
        fn read(
            reader: &mut rt::read::Reader<'a, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            let mut this = Self::default();
            merge_animal_ref(&mut this, reader)?;
            reader.end()?;
            Ok(this)
        }
    }
    impl rt::Encode<rt::Protobuf> for AnimalRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_animal_ref(self, out);
        }
    }
    #[inline]
    fn merge_animal(
        this: &mut Animal,
        reader: &mut rt::read::Reader<'_, rt::read::Own>,
    ) -> rt::read::Read<()> {
        let mut own = *reader;
        let r = &mut own;
        if r.next([0x08]) {
            this.id = r.varint()? as u32;
        }
        if r.next([0x12]) {
            this.name = r.text()?.to_owned();
        }
        if r.next([0x18]) {
            this.kind = case_kind(r.varint()? as i32);
        }
        if r.next([0x21]) {
            this.weight = Some(f64::from_le_bytes(r.fixed()?));
        }
        if r.next([0x2a]) {
            r.packed(
                &mut this.moods,
                |number| Ok(Some(rt::read::unzigzag(u64::from(number as u32)) as i32)),
            )?;
        }
        if r.next([0x32]) {
            this.home = Some(AnimalHome::Cage(r.text()?.to_owned()));
        } else if r.next([0x3a]) {
            if let AnimalHome::Pool(item) = this
                .home
                .insert(AnimalHome::Pool(Default::default()))
            {
                r.message(|r| r.apart(|r| merge_pool(item, r)))?;
            }
        }
        if r.next([0x42]) {
            let item = this.mother.insert(Default::default());
            r.message(|r| r.apart(|r| merge_animal(item, r)))?;
        }
        if !r.done() {
            r.apart(|r| rest_animal(this, r))?;
        }
        *reader = own;
        Ok(())
    }
    #[cold]
    #[inline(never)]
    fn rest_animal(
        this: &mut Animal,
        r: &mut rt::read::Reader<'_, rt::read::Own>,
    ) -> rt::read::Read<()> {
        while !r.done() {
            let mark = r.mark();
            match r.tag()? {
                8 => {
                    this.id = r.varint()? as u32;
                }
                18 => {
                    this.name = r.text()?.to_owned();
                }
                24 => {
                    this.kind = case_kind(r.varint()? as i32);
                }
                33 => {
                    this.weight = Some(f64::from_le_bytes(r.fixed()?));
                }
                40 => {
                    r.values(
                        &mut this.moods,
                        [0x28],
                        rt::read::varints,
                        |r| Ok(rt::read::unzigzag(u64::from(r.varint()? as u32)) as i32),
                    )?;
                }
                42 => {
                    r.packed(
                        &mut this.moods,
                        |number| Ok(
                            Some(rt::read::unzigzag(u64::from(number as u32)) as i32),
                        ),
                    )?;
                }
                50 => {
                    this.home = Some(AnimalHome::Cage(r.text()?.to_owned()));
                }
                58 => {
                    if matches!(this.home, Some(AnimalHome::Pool { .. })) {
                        return Err(rt::read::Failed);
                    }
                    if let AnimalHome::Pool(item) = this
                        .home
                        .insert(AnimalHome::Pool(Default::default()))
                    {
                        r.message(|r| r.apart(|r| merge_pool(item, r)))?;
                    }
                }
                66 => {
                    if this.mother.is_some() {
                        return Err(rt::read::Failed);
                    }
                    let item = this.mother.insert(Default::default());
                    r.message(|r| r.apart(|r| merge_animal(item, r)))?;
                }
                tag => r.skip(tag)?,
            }
        }
        Ok(())
    }
    #[inline]
    fn write_animal(this: &Animal, output: &mut rt::output::Output<'_>) {
        let mut own = output.take();
        let out = &mut own;
        if let Some(item) = &this.mother {
            {
                let before = out.written();
                out.apart(|out| write_animal(item, out));
                out.wrap([0x42], before);
            }
        }
        if let Some(item) = &this.home {
            match item {
                AnimalHome::Cage(part0) => {
                    out.octets([0x32], part0.as_bytes());
                }
                AnimalHome::Pool(part0) => {
                    let before = out.written();
                    out.apart(|out| write_pool(part0, out));
                    out.wrap([0x3a], before);
                }
            }
        }
        out.varints(
            [0x2a],
            &this.moods[..],
            |item| rt::output::zigzag(i64::from(*item)),
        );
        if let Some(item) = &this.weight {
            out.fixed([0x21], item.to_le_bytes());
        }
        if number_kind(&this.kind) != 0 {
            out.varint([0x18], i64::from(number_kind(&this.kind)) as u64);
        }
        if !this.name.is_empty() {
            out.octets([0x12], this.name.as_bytes());
        }
        if this.id != 0 {
            out.varint([0x08], u64::from(this.id));
        }
        *output = own;
    }
    impl rt::Validate<rt::Protobuf> for Animal {
        const SHAPE: &'static rt::shape::Message = &ANIMAL;
    }
    impl rt::DecodeOwned<rt::Protobuf> for Animal {
        #[inline]
        fn read_owned(
            reader: &mut rt::read::Reader<'_, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            let mut this = Self::default();
            merge_animal(&mut this, reader)?;
            reader.end()?;
            Ok(this)
        }
    }
    impl rt::Encode<rt::Protobuf> for Animal {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_animal(self, out);
        }
    }
    static ANIMAL: rt::shape::Message = rt::shape::Message {
        name: "zoo.Animal",
        fields: &[
            rt::shape::Field {
                number: 1,
                name: "id",
                kind: rt::shape::Kind::Varint,
                comes: rt::shape::Comes::Once,
                oneof: 0,
            },
            rt::shape::Field {
                number: 2,
                name: "name",
                kind: rt::shape::Kind::Text,
                comes: rt::shape::Comes::Once,
                oneof: 0,
            },
            rt::shape::Field {
                number: 3,
                name: "kind",
                kind: rt::shape::Kind::Varint,
                comes: rt::shape::Comes::Once,
                oneof: 0,
            },
            rt::shape::Field {
                number: 4,
                name: "weight",
                kind: rt::shape::Kind::Fixed64,
                comes: rt::shape::Comes::Once,
                oneof: 0,
            },
            rt::shape::Field {
                number: 5,
                name: "moods",
                kind: rt::shape::Kind::Varint,
                comes: rt::shape::Comes::Packed,
                oneof: 0,
            },
            rt::shape::Field {
                number: 6,
                name: "cage",
                kind: rt::shape::Kind::Text,
                comes: rt::shape::Comes::Once,
                oneof: 1,
            },
            rt::shape::Field {
                number: 7,
                name: "pool",
                kind: rt::shape::Kind::Message(&POOL),
                comes: rt::shape::Comes::Once,
                oneof: 1,
            },
            rt::shape::Field {
                number: 8,
                name: "mother",
                kind: rt::shape::Kind::Message(&ANIMAL),
                comes: rt::shape::Comes::Once,
                oneof: 0,
            },
        ],
        keeps: false,
        chooses: false,
    };
    #[inline]
    fn merge_pool_ref<'a>(
        this: &mut PoolRef<'a>,
        reader: &mut rt::read::Reader<'a, &'a rt::Arena>,
    ) -> rt::read::Read<()> {
        let mut own = *reader;
        let r = &mut own;
        if r.next([0x08]) {
            this.litres = r.varint()? as i64;
        }
        if r.next([0x12]) {
            r.entries(
                &mut this.guests,
                [0x12],
                false,
                |r| {
                    r
                        .message(|r| {
                            let mut key = "";
                            let mut value = 0;
                            if r.next([0x0a]) {
                                key = r.text()?;
                            }
                            if r.next([0x10]) {
                                value = r.varint()? as u32;
                            }
                            while !r.done() {
                                match r.tag()? {
                                    10 => key = r.text()?,
                                    16 => {
                                        value = r.varint()? as u32;
                                    }
                                    tag => r.skip(tag)?,
                                }
                            }
                            Ok(Some((key, value)))
                        })
                },
            )?;
        }
        if !r.done() {
            r.apart(|r| rest_pool_ref(this, r))?;
        }
        *reader = own;
        Ok(())
    }
    #[cold]
    #[inline(never)]
    fn rest_pool_ref<'a>(
        this: &mut PoolRef<'a>,
        r: &mut rt::read::Reader<'a, &'a rt::Arena>,
    ) -> rt::read::Read<()> {
        while !r.done() {
            let mark = r.mark();
            match r.tag()? {
                8 => {
                    this.litres = r.varint()? as i64;
                }
                18 => {
                    r.entries(
                        &mut this.guests,
                        [0x12],
                        false,
                        |r| {
                            r
                                .message(|r| {
                                    let mut key = "";
                                    let mut value = 0;
                                    if r.next([0x0a]) {
                                        key = r.text()?;
                                    }
                                    if r.next([0x10]) {
                                        value = r.varint()? as u32;
                                    }
                                    while !r.done() {
                                        match r.tag()? {
                                            10 => key = r.text()?,
                                            16 => {
                                                value = r.varint()? as u32;
                                            }
                                            tag => r.skip(tag)?,
                                        }
                                    }
                                    Ok(Some((key, value)))
                                })
                        },
                    )?;
                }
                tag => r.skip(tag)?,
            }
        }
        Ok(())
    }
    #[inline]
    fn write_pool_ref(this: &PoolRef<'_>, output: &mut rt::output::Output<'_>) {
        let mut own = output.take();
        let out = &mut own;
        for (key, value) in this.guests.iter().rev() {
            let before = out.written();
            out.varint([0x10], u64::from(*value));
            out.octets([0x0a], key.as_bytes());
            out.wrap([0x12], before);
        }
        if this.litres != 0 {
            out.varint([0x08], i64::from(this.litres) as u64);
        }
        *output = own;
    }
    impl rt::Validate<rt::Protobuf> for PoolRef<'_> {
        const SHAPE: &'static rt::shape::Message = &POOL;
    }
    impl<'a> rt::Decode<'a, rt::Protobuf> for PoolRef<'a> {
        #[inline]
        fn read(
            reader: &mut rt::read::Reader<'a, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            let mut this = Self::default();
            merge_pool_ref(&mut this, reader)?;
            reader.end()?;
            Ok(this)
        }
    }
    impl rt::Encode<rt::Protobuf> for PoolRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_pool_ref(self, out);
        }
    }
    #[inline]
    fn merge_pool(
        this: &mut Pool,
        reader: &mut rt::read::Reader<'_, rt::read::Own>,
    ) -> rt::read::Read<()> {
        let mut own = *reader;
        let r = &mut own;
        if r.next([0x08]) {
            this.litres = r.varint()? as i64;
        }
        if r.next([0x12]) {
            r.entries(
                &mut this.guests,
                [0x12],
                false,
                |r| {
                    r
                        .message(|r| {
                            let mut key = String::new();
                            let mut value = 0;
                            if r.next([0x0a]) {
                                key = r.text()?.to_owned();
                            }
                            if r.next([0x10]) {
                                value = r.varint()? as u32;
                            }
                            while !r.done() {
                                match r.tag()? {
                                    10 => key = r.text()?.to_owned(),
                                    16 => {
                                        value = r.varint()? as u32;
                                    }
                                    tag => r.skip(tag)?,
                                }
                            }
                            Ok(Some((key, value)))
                        })
                },
            )?;
        }
        if !r.done() {
            r.apart(|r| rest_pool(this, r))?;
        }
        *reader = own;
        Ok(())
    }
    #[cold]
    #[inline(never)]
    fn rest_pool(
        this: &mut Pool,
        r: &mut rt::read::Reader<'_, rt::read::Own>,
    ) -> rt::read::Read<()> {
        while !r.done() {
            let mark = r.mark();
            match r.tag()? {
                8 => {
                    this.litres = r.varint()? as i64;
                }
                18 => {
                    r.entries(
                        &mut this.guests,
                        [0x12],
                        false,
                        |r| {
                            r
                                .message(|r| {
                                    let mut key = String::new();
                                    let mut value = 0;
                                    if r.next([0x0a]) {
                                        key = r.text()?.to_owned();
                                    }
                                    if r.next([0x10]) {
                                        value = r.varint()? as u32;
                                    }
                                    while !r.done() {
                                        match r.tag()? {
                                            10 => key = r.text()?.to_owned(),
                                            16 => {
                                                value = r.varint()? as u32;
                                            }
                                            tag => r.skip(tag)?,
                                        }
                                    }
                                    Ok(Some((key, value)))
                                })
                        },
                    )?;
                }
                tag => r.skip(tag)?,
            }
        }
        Ok(())
    }
    #[inline]
    fn write_pool(this: &Pool, output: &mut rt::output::Output<'_>) {
        let mut own = output.take();
        let out = &mut own;
        for (key, value) in this.guests.iter().rev() {
            let before = out.written();
            out.varint([0x10], u64::from(*value));
            out.octets([0x0a], key.as_bytes());
            out.wrap([0x12], before);
        }
        if this.litres != 0 {
            out.varint([0x08], i64::from(this.litres) as u64);
        }
        *output = own;
    }
    impl rt::Validate<rt::Protobuf> for Pool {
        const SHAPE: &'static rt::shape::Message = &POOL;
    }
    impl rt::DecodeOwned<rt::Protobuf> for Pool {
        #[inline]
        fn read_owned(
            reader: &mut rt::read::Reader<'_, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            let mut this = Self::default();
            merge_pool(&mut this, reader)?;
            reader.end()?;
            Ok(this)
        }
    }
    impl rt::Encode<rt::Protobuf> for Pool {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_pool(self, out);
        }
    }
    static POOL: rt::shape::Message = rt::shape::Message {
        name: "zoo.Pool",
        fields: &[
            rt::shape::Field {
                number: 1,
                name: "litres",
                kind: rt::shape::Kind::Varint,
                comes: rt::shape::Comes::Once,
                oneof: 0,
            },
            rt::shape::Field {
                number: 2,
                name: "guests",
                kind: rt::shape::Kind::Entry(
                    &rt::shape::Message {
                        name: "",
                        fields: &[
                            rt::shape::Field {
                                number: 1,
                                name: "key",
                                kind: rt::shape::Kind::Text,
                                comes: rt::shape::Comes::Once,
                                oneof: 0,
                            },
                            rt::shape::Field {
                                number: 2,
                                name: "value",
                                kind: rt::shape::Kind::Varint,
                                comes: rt::shape::Comes::Once,
                                oneof: 0,
                            },
                        ],
                        keeps: false,
                        chooses: false,
                    },
                ),
                comes: rt::shape::Comes::Repeated,
                oneof: 0,
            },
        ],
        keeps: false,
        chooses: false,
    };
}
