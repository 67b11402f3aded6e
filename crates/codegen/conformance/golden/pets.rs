// Generated from pets.udic by polywire. Changes are lost when it is generated again.

/// `Kind.size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity, clippy::large_enum_variant)]
pub enum KindSize {
    /// `small`.
    Small,
    /// `large`.
    Large,
}
#[allow(clippy::derivable_impls)]
impl Default for KindSize {
    fn default() -> Self {
        Self::Small
    }
}
/// `Kind`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity)]
pub struct Kind {
    /// `size`.
    pub size: KindSize,
    /// `age`.
    pub age: i64,
    /// `note`.
    pub note: Option<Vec<u8>>,
}
#[allow(clippy::derivable_impls)]
impl Default for Kind {
    fn default() -> Self {
        Self {
            size: KindSize::default(),
            age: 1,
            note: None,
        }
    }
}
/// `Kind`.
///
/// Borrows from the message and an arena; [`Kind`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity)]
pub struct KindRef<'a> {
    /// `size`.
    pub size: KindSize,
    /// `age`.
    pub age: i64,
    /// `note`.
    pub note: Option<&'a [u8]>,
}
#[allow(clippy::derivable_impls)]
impl Default for KindRef<'_> {
    fn default() -> Self {
        Self {
            size: KindSize::default(),
            age: 1,
            note: None,
        }
    }
}
#[allow(dead_code)]
impl KindRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> Kind {
        Kind {
            size: self.size,
            age: self.age,
            note: self.note.map(<[u8]>::to_vec),
        }
    }
}
/// `Dog`.
#[derive(Clone, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct Dog {
    /// `name`.
    pub name: String,
    /// `kind`.
    pub kind: Option<Kind>,
    /// `walks`.
    pub walks: Vec<Vec<f32>>,
    /// `chip`.
    pub chip: Option<u16>,
}
#[allow(clippy::derivable_impls)]
impl Default for Dog {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: None,
            walks: Vec::new(),
            chip: None,
        }
    }
}
/// `Dog`.
///
/// Borrows from the message and an arena; [`Dog`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct DogRef<'a> {
    /// `name`.
    pub name: &'a str,
    /// `kind`.
    pub kind: Option<KindRef<'a>>,
    /// `walks`.
    pub walks: &'a [&'a [f32]],
    /// `chip`.
    pub chip: Option<u16>,
}
#[allow(clippy::derivable_impls)]
impl Default for DogRef<'_> {
    fn default() -> Self {
        Self {
            name: "",
            kind: None,
            walks: &[],
            chip: None,
        }
    }
}
#[allow(dead_code)]
impl DogRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> Dog {
        Dog {
            name: self.name.to_string(),
            kind: self.kind.map(|item| item.into_owned()),
            walks: self.walks.iter().map(|item| item.to_vec()).collect(),
            chip: self.chip,
        }
    }
}
/// `Fish`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity)]
pub struct Fish {
    /// `tank`.
    pub tank: u8,
    /// `alive`.
    pub alive: bool,
}
#[allow(clippy::derivable_impls)]
impl Default for Fish {
    fn default() -> Self {
        Self { tank: 0, alive: true }
    }
}
/// [`Fish`], which borrows nothing, under the name that a borrowing type has.
#[allow(dead_code)]
pub type FishRef<'a> = Fish;
#[allow(dead_code)]
impl Fish {
    /// Returns the value itself, which borrows nothing.
    pub fn into_owned(self) -> Fish {
        self
    }
}
/// `Pet`.
#[derive(Clone, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity, clippy::large_enum_variant)]
pub enum Pet {
    /// `Dog`.
    Dog(Dog),
    /// `Fish`.
    Fish(Fish),
}
/// `Pet`.
///
/// Borrows from the message and an arena; [`Pet`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity, clippy::large_enum_variant)]
pub enum PetRef<'a> {
    /// `Dog`.
    Dog(DogRef<'a>),
    /// `Fish`.
    Fish(Fish),
}
#[allow(dead_code)]
impl PetRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> Pet {
        match self {
            Self::Dog(value0) => Pet::Dog(value0.into_owned()),
            Self::Fish(value0) => Pet::Fish(value0),
        }
    }
}
/// `Home.Where`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct HomeWhere {
    /// `x`.
    pub x: f64,
    /// `y`.
    pub y: f64,
}
#[allow(clippy::derivable_impls)]
impl Default for HomeWhere {
    fn default() -> Self {
        Self { x: 0.0, y: 0.0 }
    }
}
/// `Home`.
#[derive(Clone, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct Home {
    /// `pets`.
    pub pets: Vec<Pet>,
    /// `Where`.
    pub r#where: Option<HomeWhere>,
}
#[allow(clippy::derivable_impls)]
impl Default for Home {
    fn default() -> Self {
        Self {
            pets: Vec::new(),
            r#where: None,
        }
    }
}
/// `Home`.
///
/// Borrows from the message and an arena; [`Home`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct HomeRef<'a> {
    /// `pets`.
    pub pets: &'a [PetRef<'a>],
    /// `Where`.
    pub r#where: Option<HomeWhere>,
}
#[allow(clippy::derivable_impls)]
impl Default for HomeRef<'_> {
    fn default() -> Self {
        Self { pets: &[], r#where: None }
    }
}
#[allow(dead_code)]
impl HomeRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> Home {
        Home {
            pets: self.pets.iter().map(|item| item.into_owned()).collect(),
            r#where: self.r#where,
        }
    }
}
/// `Counts`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity)]
pub struct Counts {
    /// The value of the root.
    pub value: Vec<u64>,
}
#[allow(clippy::derivable_impls)]
impl Default for Counts {
    fn default() -> Self {
        Self { value: Vec::new() }
    }
}
/// `Counts`.
///
/// Borrows from the message and an arena; [`Counts`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(dead_code, clippy::type_complexity)]
pub struct CountsRef<'a> {
    /// The value of the root.
    pub value: &'a [u64],
}
#[allow(clippy::derivable_impls)]
impl Default for CountsRef<'_> {
    fn default() -> Self {
        Self { value: &[] }
    }
}
#[allow(dead_code)]
impl CountsRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> Counts {
        Counts {
            value: self.value.to_vec(),
        }
    }
}
/// The USDS encoding of the types.
#[allow(
    dead_code,
    non_camel_case_types,
    clippy::type_complexity,
    clippy::large_enum_variant
)]
mod usds {
    use polywire_usds_runtime as rt;
    use super::*;
    #[inline(always)]
    fn read_kind_size<Store_: Copy>(
        r: &mut rt::read::Reader<'_, Store_>,
    ) -> rt::read::Read<KindSize> {
        match i8::from_le_bytes(*r.run::<1>()?) {
            1 => Ok(KindSize::Small),
            2 => Ok(KindSize::Large),
            _ => Err(rt::read::Failed),
        }
    }
    #[inline]
    fn write_kind_size(value: &KindSize, out: &mut rt::output::Output<'_>) {
        let number = match value {
            KindSize::Small => 1,
            KindSize::Large => 2,
        };
        let i8_number: i8 = number;
        out.put(i8_number.to_le_bytes());
    }
    impl rt::Validate<rt::Usds> for KindSize {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &KIND_SIZE,
        };
    }
    impl<'a> rt::Decode<'a, rt::Usds> for KindSize {
        #[inline]
        fn read(
            reader: &mut rt::read::Reader<'a, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_kind_size(reader)
        }
    }
    impl rt::DecodeOwned<rt::Usds> for KindSize {
        #[inline]
        fn read_owned(
            reader: &mut rt::read::Reader<'_, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_kind_size(reader)
        }
    }
    impl rt::Encode<rt::Usds> for KindSize {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_kind_size(self, out);
        }
    }
    static KIND_SIZE: rt::shape::Shape = rt::shape::Shape::Enumeration(
        rt::shape::Subtype::Signed(1),
        &[1, 2],
    );
    #[inline]
    fn read_kind_ref<'a>(
        r: &mut rt::read::Reader<'a, &'a rt::Arena>,
    ) -> rt::read::Read<KindRef<'a>> {
        let presence = r.presence::<1>(1)?;
        let value0 = read_kind_size(r)?;
        let value1 = r.varint()?;
        let value2 = if rt::read::is_present(presence, 0) {
            Some(r.octets()?)
        } else {
            None
        };
        Ok(KindRef {
            size: value0,
            age: value1,
            note: value2,
        })
    }
    #[inline]
    fn write_kind_ref(value: &KindRef<'_>, out: &mut rt::output::Output<'_>) {
        out.put([u8::from(value.note.is_some())]);
        write_kind_size(&value.size, out);
        out.varint(value.age);
        if let Some(item) = &value.note {
            out.octets(item);
        }
    }
    impl rt::Validate<rt::Usds> for KindRef<'_> {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &KIND,
        };
    }
    impl rt::Root for KindRef<'_> {
        const TAG: u32 = 1;
    }
    impl<'a> rt::Decode<'a, rt::Usds> for KindRef<'a> {
        #[inline]
        fn read(
            reader: &mut rt::read::Reader<'a, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_kind_ref(reader)
        }
    }
    impl rt::Encode<rt::Usds> for KindRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_kind_ref(self, out);
        }
    }
    #[inline]
    fn read_kind(r: &mut rt::read::Reader<'_, rt::read::Own>) -> rt::read::Read<Kind> {
        let presence = r.presence::<1>(1)?;
        let value0 = read_kind_size(r)?;
        let value1 = r.varint()?;
        let value2 = if rt::read::is_present(presence, 0) {
            Some(r.octets()?.to_vec())
        } else {
            None
        };
        Ok(Kind {
            size: value0,
            age: value1,
            note: value2,
        })
    }
    #[inline]
    fn write_kind(value: &Kind, out: &mut rt::output::Output<'_>) {
        out.put([u8::from(value.note.is_some())]);
        write_kind_size(&value.size, out);
        out.varint(value.age);
        if let Some(item) = &value.note {
            out.octets(item);
        }
    }
    impl rt::Validate<rt::Usds> for Kind {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &KIND,
        };
    }
    impl rt::Root for Kind {
        const TAG: u32 = 1;
    }
    impl rt::DecodeOwned<rt::Usds> for Kind {
        #[inline]
        fn read_owned(
            reader: &mut rt::read::Reader<'_, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_kind(reader)
        }
    }
    impl rt::Encode<rt::Usds> for Kind {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_kind(self, out);
        }
    }
    static KIND: rt::shape::Shape = rt::shape::Shape::Structure(
        1,
        &[
            rt::shape::Field {
                name: "size",
                shape: &KIND_SIZE,
                nullable: false,
            },
            rt::shape::Field {
                name: "age",
                shape: &rt::shape::Shape::Varint,
                nullable: false,
            },
            rt::shape::Field {
                name: "note",
                shape: &rt::shape::Shape::Octets,
                nullable: true,
            },
        ],
    );
    #[inline]
    fn read_dog_ref<'a>(
        r: &mut rt::read::Reader<'a, &'a rt::Arena>,
    ) -> rt::read::Read<DogRef<'a>> {
        let presence = r.presence::<1>(2)?;
        let value0 = r.text()?;
        let value1 = if rt::read::is_present(presence, 0) {
            Some(read_kind_ref(r)?)
        } else {
            None
        };
        let value2 = r
            .array::<
                1,
                _,
            >(|r| r.array::<4, _>(|r| Ok(f32::from_le_bytes(*r.run::<4>()?))))?;
        let value3 = if rt::read::is_present(presence, 1) {
            Some(u16::from_le_bytes(*r.run::<2>()?))
        } else {
            None
        };
        Ok(DogRef {
            name: value0,
            kind: value1,
            walks: value2,
            chip: value3,
        })
    }
    #[inline]
    fn write_dog_ref(value: &DogRef<'_>, out: &mut rt::output::Output<'_>) {
        out.put([u8::from(value.kind.is_some()) | u8::from(value.chip.is_some()) << 1]);
        out.octets(value.name.as_bytes());
        if let Some(item) = &value.kind {
            write_kind_ref(item, out);
        }
        out.uvarint(value.walks.len() as u64);
        for item in value.walks.iter() {
            out.uvarint(item.len() as u64);
            for item in item.iter() {
                out.put(item.to_le_bytes());
            }
        }
        if let Some(item) = &value.chip {
            out.put(item.to_le_bytes());
        }
    }
    impl rt::Validate<rt::Usds> for DogRef<'_> {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &DOG,
        };
    }
    impl rt::Root for DogRef<'_> {
        const TAG: u32 = 2;
    }
    impl<'a> rt::Decode<'a, rt::Usds> for DogRef<'a> {
        #[inline]
        fn read(
            reader: &mut rt::read::Reader<'a, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_dog_ref(reader)
        }
    }
    impl rt::Encode<rt::Usds> for DogRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_dog_ref(self, out);
        }
    }
    #[inline]
    fn read_dog(r: &mut rt::read::Reader<'_, rt::read::Own>) -> rt::read::Read<Dog> {
        let presence = r.presence::<1>(2)?;
        let value0 = r.text()?.to_string();
        let value1 = if rt::read::is_present(presence, 0) {
            Some(read_kind(r)?)
        } else {
            None
        };
        let value2 = r
            .vector::<
                1,
                _,
            >(|r| r.vector::<4, _>(|r| Ok(f32::from_le_bytes(*r.run::<4>()?))))?;
        let value3 = if rt::read::is_present(presence, 1) {
            Some(u16::from_le_bytes(*r.run::<2>()?))
        } else {
            None
        };
        Ok(Dog {
            name: value0,
            kind: value1,
            walks: value2,
            chip: value3,
        })
    }
    #[inline]
    fn write_dog(value: &Dog, out: &mut rt::output::Output<'_>) {
        out.put([u8::from(value.kind.is_some()) | u8::from(value.chip.is_some()) << 1]);
        out.octets(value.name.as_bytes());
        if let Some(item) = &value.kind {
            write_kind(item, out);
        }
        out.uvarint(value.walks.len() as u64);
        for item in value.walks.iter() {
            out.uvarint(item.len() as u64);
            for item in item.iter() {
                out.put(item.to_le_bytes());
            }
        }
        if let Some(item) = &value.chip {
            out.put(item.to_le_bytes());
        }
    }
    impl rt::Validate<rt::Usds> for Dog {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &DOG,
        };
    }
    impl rt::Root for Dog {
        const TAG: u32 = 2;
    }
    impl rt::DecodeOwned<rt::Usds> for Dog {
        #[inline]
        fn read_owned(
            reader: &mut rt::read::Reader<'_, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_dog(reader)
        }
    }
    impl rt::Encode<rt::Usds> for Dog {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_dog(self, out);
        }
    }
    static DOG: rt::shape::Shape = rt::shape::Shape::Structure(
        2,
        &[
            rt::shape::Field {
                name: "name",
                shape: &rt::shape::Shape::Text,
                nullable: false,
            },
            rt::shape::Field {
                name: "kind",
                shape: &KIND,
                nullable: true,
            },
            rt::shape::Field {
                name: "walks",
                shape: &rt::shape::Shape::Array(
                    &rt::shape::Shape::Array(&rt::shape::Shape::Fixed(4)),
                ),
                nullable: false,
            },
            rt::shape::Field {
                name: "chip",
                shape: &rt::shape::Shape::Fixed(2),
                nullable: true,
            },
        ],
    );
    #[inline(always)]
    fn read_fish<Store_: Copy>(
        r: &mut rt::read::Reader<'_, Store_>,
    ) -> rt::read::Read<Fish> {
        let run0 = r.run::<2>()?;
        let value0 = u8::from_le_bytes(rt::read::part::<0, 1, 2>(run0));
        let value1 = rt::read::truth(run0[1])?;
        Ok(Fish {
            tank: value0,
            alive: value1,
        })
    }
    #[inline]
    fn write_fish(value: &Fish, out: &mut rt::output::Output<'_>) {
        let mut run = [0; 2];
        rt::output::part::<0, 1, 2>(&mut run, value.tank.to_le_bytes());
        rt::output::part::<1, 1, 2>(&mut run, [rt::output::truth(value.alive)]);
        out.put(run);
    }
    impl rt::Validate<rt::Usds> for Fish {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &FISH,
        };
    }
    impl rt::Root for Fish {
        const TAG: u32 = 3;
    }
    impl<'a> rt::Decode<'a, rt::Usds> for Fish {
        #[inline]
        fn read(
            reader: &mut rt::read::Reader<'a, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_fish(reader)
        }
    }
    impl rt::DecodeOwned<rt::Usds> for Fish {
        #[inline]
        fn read_owned(
            reader: &mut rt::read::Reader<'_, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_fish(reader)
        }
    }
    impl rt::Encode<rt::Usds> for Fish {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_fish(self, out);
        }
    }
    static FISH: rt::shape::Shape = rt::shape::Shape::Structure(
        0,
        &[
            rt::shape::Field {
                name: "tank",
                shape: &rt::shape::Shape::Fixed(1),
                nullable: false,
            },
            rt::shape::Field {
                name: "alive",
                shape: &rt::shape::Shape::Boolean,
                nullable: false,
            },
        ],
    );
    #[inline]
    fn read_pet_ref<'a>(
        r: &mut rt::read::Reader<'a, &'a rt::Arena>,
    ) -> rt::read::Read<PetRef<'a>> {
        match r.id()? {
            2 => Ok(PetRef::Dog(read_dog_ref(r)?)),
            3 => Ok(PetRef::Fish(read_fish(r)?)),
            _ => Err(rt::read::Failed),
        }
    }
    #[inline]
    fn write_pet_ref(value: &PetRef<'_>, out: &mut rt::output::Output<'_>) {
        match value {
            PetRef::Dog(item) => {
                out.uvarint(2);
                write_dog_ref(item, out);
            }
            PetRef::Fish(item) => {
                out.uvarint(3);
                write_fish(item, out);
            }
        }
    }
    impl rt::Validate<rt::Usds> for PetRef<'_> {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &PET,
        };
    }
    impl<'a> rt::Decode<'a, rt::Usds> for PetRef<'a> {
        #[inline]
        fn read(
            reader: &mut rt::read::Reader<'a, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_pet_ref(reader)
        }
    }
    impl rt::Encode<rt::Usds> for PetRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_pet_ref(self, out);
        }
    }
    #[inline]
    fn read_pet(r: &mut rt::read::Reader<'_, rt::read::Own>) -> rt::read::Read<Pet> {
        match r.id()? {
            2 => Ok(Pet::Dog(read_dog(r)?)),
            3 => Ok(Pet::Fish(read_fish(r)?)),
            _ => Err(rt::read::Failed),
        }
    }
    #[inline]
    fn write_pet(value: &Pet, out: &mut rt::output::Output<'_>) {
        match value {
            Pet::Dog(item) => {
                out.uvarint(2);
                write_dog(item, out);
            }
            Pet::Fish(item) => {
                out.uvarint(3);
                write_fish(item, out);
            }
        }
    }
    impl rt::Validate<rt::Usds> for Pet {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &PET,
        };
    }
    impl rt::DecodeOwned<rt::Usds> for Pet {
        #[inline]
        fn read_owned(
            reader: &mut rt::read::Reader<'_, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_pet(reader)
        }
    }
    impl rt::Encode<rt::Usds> for Pet {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_pet(self, out);
        }
    }
    static PET: rt::shape::Shape = rt::shape::Shape::Polymorph(
        &[(2, "Dog", &DOG), (3, "Fish", &FISH)],
    );
    #[inline(always)]
    fn read_home_where<Store_: Copy>(
        r: &mut rt::read::Reader<'_, Store_>,
    ) -> rt::read::Read<HomeWhere> {
        let run0 = r.run::<16>()?;
        let value0 = f64::from_le_bytes(rt::read::part::<0, 8, 16>(run0));
        let value1 = f64::from_le_bytes(rt::read::part::<8, 8, 16>(run0));
        Ok(HomeWhere { x: value0, y: value1 })
    }
    #[inline]
    fn write_home_where(value: &HomeWhere, out: &mut rt::output::Output<'_>) {
        let mut run = [0; 16];
        rt::output::part::<0, 8, 16>(&mut run, value.x.to_le_bytes());
        rt::output::part::<8, 8, 16>(&mut run, value.y.to_le_bytes());
        out.put(run);
    }
    impl rt::Validate<rt::Usds> for HomeWhere {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &HOME_WHERE,
        };
    }
    impl<'a> rt::Decode<'a, rt::Usds> for HomeWhere {
        #[inline]
        fn read(
            reader: &mut rt::read::Reader<'a, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_home_where(reader)
        }
    }
    impl rt::DecodeOwned<rt::Usds> for HomeWhere {
        #[inline]
        fn read_owned(
            reader: &mut rt::read::Reader<'_, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_home_where(reader)
        }
    }
    impl rt::Encode<rt::Usds> for HomeWhere {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_home_where(self, out);
        }
    }
    static HOME_WHERE: rt::shape::Shape = rt::shape::Shape::Structure(
        0,
        &[
            rt::shape::Field {
                name: "x",
                shape: &rt::shape::Shape::Fixed(8),
                nullable: false,
            },
            rt::shape::Field {
                name: "y",
                shape: &rt::shape::Shape::Fixed(8),
                nullable: false,
            },
        ],
    );
    #[inline]
    fn read_home_ref<'a>(
        r: &mut rt::read::Reader<'a, &'a rt::Arena>,
    ) -> rt::read::Read<HomeRef<'a>> {
        let presence = r.presence::<1>(1)?;
        let value0 = r.array::<3, _>(|r| read_pet_ref(r))?;
        let value1 = if rt::read::is_present(presence, 0) {
            Some(read_home_where(r)?)
        } else {
            None
        };
        Ok(HomeRef {
            pets: value0,
            r#where: value1,
        })
    }
    #[inline]
    fn write_home_ref(value: &HomeRef<'_>, out: &mut rt::output::Output<'_>) {
        out.put([u8::from(value.r#where.is_some())]);
        out.uvarint(value.pets.len() as u64);
        for item in value.pets.iter() {
            write_pet_ref(item, out);
        }
        if let Some(item) = &value.r#where {
            write_home_where(item, out);
        }
    }
    impl rt::Validate<rt::Usds> for HomeRef<'_> {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &HOME,
        };
    }
    impl rt::Root for HomeRef<'_> {
        const TAG: u32 = 5;
    }
    impl<'a> rt::Decode<'a, rt::Usds> for HomeRef<'a> {
        #[inline]
        fn read(
            reader: &mut rt::read::Reader<'a, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_home_ref(reader)
        }
    }
    impl rt::Encode<rt::Usds> for HomeRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_home_ref(self, out);
        }
    }
    #[inline]
    fn read_home(r: &mut rt::read::Reader<'_, rt::read::Own>) -> rt::read::Read<Home> {
        let presence = r.presence::<1>(1)?;
        let value0 = r.vector::<3, _>(|r| read_pet(r))?;
        let value1 = if rt::read::is_present(presence, 0) {
            Some(read_home_where(r)?)
        } else {
            None
        };
        Ok(Home {
            pets: value0,
            r#where: value1,
        })
    }
    #[inline]
    fn write_home(value: &Home, out: &mut rt::output::Output<'_>) {
        out.put([u8::from(value.r#where.is_some())]);
        out.uvarint(value.pets.len() as u64);
        for item in value.pets.iter() {
            write_pet(item, out);
        }
        if let Some(item) = &value.r#where {
            write_home_where(item, out);
        }
    }
    impl rt::Validate<rt::Usds> for Home {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &HOME,
        };
    }
    impl rt::Root for Home {
        const TAG: u32 = 5;
    }
    impl rt::DecodeOwned<rt::Usds> for Home {
        #[inline]
        fn read_owned(
            reader: &mut rt::read::Reader<'_, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_home(reader)
        }
    }
    impl rt::Encode<rt::Usds> for Home {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_home(self, out);
        }
    }
    static HOME: rt::shape::Shape = rt::shape::Shape::Structure(
        1,
        &[
            rt::shape::Field {
                name: "pets",
                shape: &rt::shape::Shape::Array(&PET),
                nullable: false,
            },
            rt::shape::Field {
                name: "Where",
                shape: &HOME_WHERE,
                nullable: true,
            },
        ],
    );
    #[inline]
    fn read_counts_ref<'a>(
        r: &mut rt::read::Reader<'a, &'a rt::Arena>,
    ) -> rt::read::Read<CountsRef<'a>> {
        Ok(CountsRef {
            value: r.array::<1, _>(|r| r.uvarint())?,
        })
    }
    #[inline]
    fn write_counts_ref(value: &CountsRef<'_>, out: &mut rt::output::Output<'_>) {
        out.uvarint(value.value.len() as u64);
        for item in value.value.iter() {
            out.uvarint(*item);
        }
    }
    impl rt::Validate<rt::Usds> for CountsRef<'_> {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &COUNTS,
        };
    }
    impl rt::Root for CountsRef<'_> {
        const TAG: u32 = 6;
    }
    impl<'a> rt::Decode<'a, rt::Usds> for CountsRef<'a> {
        #[inline]
        fn read(
            reader: &mut rt::read::Reader<'a, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_counts_ref(reader)
        }
    }
    impl rt::Encode<rt::Usds> for CountsRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_counts_ref(self, out);
        }
    }
    #[inline]
    fn read_counts(
        r: &mut rt::read::Reader<'_, rt::read::Own>,
    ) -> rt::read::Read<Counts> {
        Ok(Counts {
            value: r.vector::<1, _>(|r| r.uvarint())?,
        })
    }
    #[inline]
    fn write_counts(value: &Counts, out: &mut rt::output::Output<'_>) {
        out.uvarint(value.value.len() as u64);
        for item in value.value.iter() {
            out.uvarint(*item);
        }
    }
    impl rt::Validate<rt::Usds> for Counts {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &COUNTS,
        };
    }
    impl rt::Root for Counts {
        const TAG: u32 = 6;
    }
    impl rt::DecodeOwned<rt::Usds> for Counts {
        #[inline]
        fn read_owned(
            reader: &mut rt::read::Reader<'_, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_counts(reader)
        }
    }
    impl rt::Encode<rt::Usds> for Counts {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_counts(self, out);
        }
    }
    static COUNTS: rt::shape::Shape = rt::shape::Shape::Array(
        &rt::shape::Shape::Uvarint,
    );
    static DICTIONARY_: rt::Dictionary = rt::Dictionary {
        revision: rt::Revision::Profile,
        extended: true,
        head: *b"$S\x01\x00\x05\x00\x00\x00\x01\x00",
        section: b"P\x04Petst\x01\x04Kind\x12f\x01\x04size\x13\x02\x02\x05small\x02\x05large\x04f\x02\x03age\x0e=\x02f\x03\x04note\x10\x00nt\x02\x03Dog\x12f\x01\x04name\x10\x01f\x02\x04kind\x00\x01nf\x03\x05walks\x11\x11\x0cf\x04\x04chip\x05nt\x03\x04Fish\x12f\x01\x04tank\x03f\x02\x05alive\x01=\xfft\x04\x03Pet\x14\x02\x02\x03t\x05\x04Home\x12f\x01\x04pets\x11\x00\x04f\x02\x05Where\x12f\x01\x01x\rf\x02\x01y\rRrnt\x06\x06Counts\x11\x0f",
        tags: &[
            rt::dictionary::Tag {
                name: "Kind",
                root: true,
                shape: &KIND,
            },
            rt::dictionary::Tag {
                name: "Dog",
                root: true,
                shape: &DOG,
            },
            rt::dictionary::Tag {
                name: "Fish",
                root: true,
                shape: &FISH,
            },
            rt::dictionary::Tag {
                name: "Pet",
                root: false,
                shape: &PET,
            },
            rt::dictionary::Tag {
                name: "Home",
                root: true,
                shape: &HOME,
            },
            rt::dictionary::Tag {
                name: "Counts",
                root: true,
                shape: &rt::shape::Shape::Array(&rt::shape::Shape::Uvarint),
            },
        ],
    };
}
