// Generated from tickets.udic by polywire. Changes are lost when it is generated again.

/// `I`.
#[derive(Clone, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct I {
    /// `n`.
    pub n: u64,
    /// `s`.
    pub s: f64,
    /// `g`.
    pub g: String,
    /// `t`.
    pub t: i64,
    /// `b`.
    pub b: bool,
}
#[allow(clippy::derivable_impls)]
impl Default for I {
    fn default() -> Self {
        Self {
            n: 0,
            s: 0.0,
            g: String::new(),
            t: 0,
            b: false,
        }
    }
}
/// `I`.
///
/// Borrows from the message and an arena; [`I`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct IRef<'a> {
    /// `n`.
    pub n: u64,
    /// `s`.
    pub s: f64,
    /// `g`.
    pub g: &'a str,
    /// `t`.
    pub t: i64,
    /// `b`.
    pub b: bool,
}
#[allow(clippy::derivable_impls)]
impl Default for IRef<'_> {
    fn default() -> Self {
        Self {
            n: 0,
            s: 0.0,
            g: "",
            t: 0,
            b: false,
        }
    }
}
#[allow(dead_code)]
impl IRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> I {
        I {
            n: self.n,
            s: self.s,
            g: self.g.to_string(),
            t: self.t,
            b: self.b,
        }
    }
}
/// `S`.
#[derive(Clone, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct S {
    /// `n`.
    pub n: u64,
    /// `m`.
    pub m: i32,
    /// `s`.
    pub s: i64,
    /// `e`.
    pub e: i64,
    /// `v`.
    pub v: Vec<I>,
}
#[allow(clippy::derivable_impls)]
impl Default for S {
    fn default() -> Self {
        Self {
            n: 0,
            m: 0,
            s: 0,
            e: 0,
            v: Vec::new(),
        }
    }
}
/// `S`.
///
/// Borrows from the message and an arena; [`S`] owns its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(dead_code, clippy::type_complexity)]
pub struct SRef<'a> {
    /// `n`.
    pub n: u64,
    /// `m`.
    pub m: i32,
    /// `s`.
    pub s: i64,
    /// `e`.
    pub e: i64,
    /// `v`.
    pub v: &'a [IRef<'a>],
}
#[allow(clippy::derivable_impls)]
impl Default for SRef<'_> {
    fn default() -> Self {
        Self {
            n: 0,
            m: 0,
            s: 0,
            e: 0,
            v: &[],
        }
    }
}
#[allow(dead_code)]
impl SRef<'_> {
    /// Returns the same value, which owns its parts.
    pub fn into_owned(self) -> S {
        S {
            n: self.n,
            m: self.m,
            s: self.s,
            e: self.e,
            v: self.v.iter().map(|item| item.into_owned()).collect(),
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
    fn read_i_ref<'a>(
        r: &mut rt::read::Reader<'a, &'a rt::Arena>,
    ) -> rt::read::Read<IRef<'a>> {
        let value0 = r.uvarint()?;
        let run1 = r.run::<8>()?;
        let value1 = f64::from_le_bytes(rt::read::part::<0, 8, 8>(run1));
        let value2 = r.text()?;
        let run3 = r.run::<9>()?;
        let value3 = i64::from_le_bytes(rt::read::part::<0, 8, 9>(run3));
        let value4 = rt::read::truth(run3[8])?;
        Ok(IRef {
            n: value0,
            s: value1,
            g: value2,
            t: value3,
            b: value4,
        })
    }
    #[inline]
    fn write_i_ref(value: &IRef<'_>, out: &mut rt::output::Output<'_>) {
        out.uvarint(value.n);
        out.put(value.s.to_le_bytes());
        out.octets(value.g.as_bytes());
        let mut run = [0; 9];
        rt::output::part::<0, 8, 9>(&mut run, value.t.to_le_bytes());
        rt::output::part::<8, 1, 9>(&mut run, [rt::output::truth(value.b)]);
        out.put(run);
    }
    impl rt::Validate<rt::Usds> for IRef<'_> {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &I,
        };
    }
    impl<'a> rt::Decode<'a, rt::Usds> for IRef<'a> {
        #[inline]
        fn read(
            reader: &mut rt::read::Reader<'a, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_i_ref(reader)
        }
    }
    impl rt::Encode<rt::Usds> for IRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_i_ref(self, out);
        }
    }
    #[inline(always)]
    fn read_i(r: &mut rt::read::Reader<'_, rt::read::Own>) -> rt::read::Read<I> {
        let value0 = r.uvarint()?;
        let run1 = r.run::<8>()?;
        let value1 = f64::from_le_bytes(rt::read::part::<0, 8, 8>(run1));
        let value2 = r.text()?.to_string();
        let run3 = r.run::<9>()?;
        let value3 = i64::from_le_bytes(rt::read::part::<0, 8, 9>(run3));
        let value4 = rt::read::truth(run3[8])?;
        Ok(I {
            n: value0,
            s: value1,
            g: value2,
            t: value3,
            b: value4,
        })
    }
    #[inline]
    fn write_i(value: &I, out: &mut rt::output::Output<'_>) {
        out.uvarint(value.n);
        out.put(value.s.to_le_bytes());
        out.octets(value.g.as_bytes());
        let mut run = [0; 9];
        rt::output::part::<0, 8, 9>(&mut run, value.t.to_le_bytes());
        rt::output::part::<8, 1, 9>(&mut run, [rt::output::truth(value.b)]);
        out.put(run);
    }
    impl rt::Validate<rt::Usds> for I {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &I,
        };
    }
    impl rt::DecodeOwned<rt::Usds> for I {
        #[inline]
        fn read_owned(
            reader: &mut rt::read::Reader<'_, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_i(reader)
        }
    }
    impl rt::Encode<rt::Usds> for I {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_i(self, out);
        }
    }
    static I: rt::shape::Shape = rt::shape::Shape::Structure(
        0,
        &[
            rt::shape::Field {
                name: "n",
                shape: &rt::shape::Shape::Uvarint,
                nullable: false,
            },
            rt::shape::Field {
                name: "s",
                shape: &rt::shape::Shape::Fixed(8),
                nullable: false,
            },
            rt::shape::Field {
                name: "g",
                shape: &rt::shape::Shape::Text,
                nullable: false,
            },
            rt::shape::Field {
                name: "t",
                shape: &rt::shape::Shape::Fixed(8),
                nullable: false,
            },
            rt::shape::Field {
                name: "b",
                shape: &rt::shape::Shape::Boolean,
                nullable: false,
            },
        ],
    );
    #[inline]
    fn read_s_ref<'a>(
        r: &mut rt::read::Reader<'a, &'a rt::Arena>,
    ) -> rt::read::Read<SRef<'a>> {
        let value0 = r.uvarint()?;
        let run1 = r.run::<20>()?;
        let value1 = i32::from_le_bytes(rt::read::part::<0, 4, 20>(run1));
        let value2 = i64::from_le_bytes(rt::read::part::<4, 8, 20>(run1));
        let value3 = i64::from_le_bytes(rt::read::part::<12, 8, 20>(run1));
        let value4 = r.array::<19, _>(|r| read_i_ref(r))?;
        Ok(SRef {
            n: value0,
            m: value1,
            s: value2,
            e: value3,
            v: value4,
        })
    }
    #[inline]
    fn write_s_ref(value: &SRef<'_>, out: &mut rt::output::Output<'_>) {
        out.uvarint(value.n);
        let mut run = [0; 20];
        rt::output::part::<0, 4, 20>(&mut run, value.m.to_le_bytes());
        rt::output::part::<4, 8, 20>(&mut run, value.s.to_le_bytes());
        rt::output::part::<12, 8, 20>(&mut run, value.e.to_le_bytes());
        out.put(run);
        out.uvarint(value.v.len() as u64);
        for item in value.v.iter() {
            write_i_ref(item, out);
        }
    }
    impl rt::Validate<rt::Usds> for SRef<'_> {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &S,
        };
    }
    impl rt::Root for SRef<'_> {
        const TAG: u32 = 2;
    }
    impl<'a> rt::Decode<'a, rt::Usds> for SRef<'a> {
        #[inline]
        fn read(
            reader: &mut rt::read::Reader<'a, &'a rt::Arena>,
        ) -> rt::read::Read<Self> {
            read_s_ref(reader)
        }
    }
    impl rt::Encode<rt::Usds> for SRef<'_> {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_s_ref(self, out);
        }
    }
    #[inline]
    fn read_s(r: &mut rt::read::Reader<'_, rt::read::Own>) -> rt::read::Read<S> {
        let value0 = r.uvarint()?;
        let run1 = r.run::<20>()?;
        let value1 = i32::from_le_bytes(rt::read::part::<0, 4, 20>(run1));
        let value2 = i64::from_le_bytes(rt::read::part::<4, 8, 20>(run1));
        let value3 = i64::from_le_bytes(rt::read::part::<12, 8, 20>(run1));
        let value4 = r.vector::<19, _>(|r| read_i(r))?;
        Ok(S {
            n: value0,
            m: value1,
            s: value2,
            e: value3,
            v: value4,
        })
    }
    #[inline]
    fn write_s(value: &S, out: &mut rt::output::Output<'_>) {
        out.uvarint(value.n);
        let mut run = [0; 20];
        rt::output::part::<0, 4, 20>(&mut run, value.m.to_le_bytes());
        rt::output::part::<4, 8, 20>(&mut run, value.s.to_le_bytes());
        rt::output::part::<12, 8, 20>(&mut run, value.e.to_le_bytes());
        out.put(run);
        out.uvarint(value.v.len() as u64);
        for item in value.v.iter() {
            write_i(item, out);
        }
    }
    impl rt::Validate<rt::Usds> for S {
        const SHAPE: &'static rt::Type = &rt::Type {
            dictionary: &DICTIONARY_,
            shape: &S,
        };
    }
    impl rt::Root for S {
        const TAG: u32 = 2;
    }
    impl rt::DecodeOwned<rt::Usds> for S {
        #[inline]
        fn read_owned(
            reader: &mut rt::read::Reader<'_, rt::read::Own>,
        ) -> rt::read::Read<Self> {
            read_s(reader)
        }
    }
    impl rt::Encode<rt::Usds> for S {
        #[inline]
        fn write(&self, out: &mut rt::output::Output<'_>) {
            write_s(self, out);
        }
    }
    static S: rt::shape::Shape = rt::shape::Shape::Structure(
        0,
        &[
            rt::shape::Field {
                name: "n",
                shape: &rt::shape::Shape::Uvarint,
                nullable: false,
            },
            rt::shape::Field {
                name: "m",
                shape: &rt::shape::Shape::Fixed(4),
                nullable: false,
            },
            rt::shape::Field {
                name: "s",
                shape: &rt::shape::Shape::Fixed(8),
                nullable: false,
            },
            rt::shape::Field {
                name: "e",
                shape: &rt::shape::Shape::Fixed(8),
                nullable: false,
            },
            rt::shape::Field {
                name: "v",
                shape: &rt::shape::Shape::Array(&I),
                nullable: false,
            },
        ],
    );
    static DICTIONARY_: rt::Dictionary = rt::Dictionary {
        revision: rt::Revision::A,
        extended: false,
        head: *b"$S\x01\x00x\x03\x00\x00\x01\x00",
        section: b"\x02t\x01\x01I\x1ff\x01\x01n\x19f\x02\x01s\x16f\x03\x01g\x1a\x02f\x04\x01t\x0cf\x05\x01b\x01Rrt\x02\x01S\x1ff\x01\x01n\x19f\x02\x01m\x08f\x03\x01s\x0cf\x04\x01e\x0cf\x05\x01v\x1b \x01",
        tags: &[
            rt::dictionary::Tag {
                name: "I",
                root: false,
                shape: &I,
            },
            rt::dictionary::Tag {
                name: "S",
                root: true,
                shape: &S,
            },
        ],
    };
}
