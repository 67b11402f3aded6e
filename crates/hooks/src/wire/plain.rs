//! Values of the language as bytes.

use std::sync::Arc;

use bytes::Bytes;

use super::Wire;
use super::get::{From, Get, Malformed};
use super::put::Put;

impl Wire for () {
    fn put<'t>(&'t self, _: &mut Put<'t>) {}

    fn get(_: &mut Get<'_>) -> Result<(), Malformed> {
        Ok(())
    }
}

impl Wire for bool {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        out.byte(u8::from(*self));
    }

    fn get(from: &mut Get<'_>) -> Result<bool, Malformed> {
        Ok(from.byte()? != 0)
    }
}

macro_rules! numbers {
    ($($number:ty: $wide:expr),*) => {$(
        impl Wire for $number {
            fn put<'t>(&'t self, out: &mut Put<'t>) {
                out.count($wide(*self));
            }

            fn get(from: &mut Get<'_>) -> Result<$number, Malformed> {
                <$number>::try_from(from.count()?).map_err(|_| from.wrong("a smaller number"))
            }
        }
    )*};
}
numbers!(u16: u64::from, u32: u64::from, u64: std::convert::identity, usize: |number| number as u64);

impl Wire for String {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        out.bytes(self.as_bytes());
    }

    fn get(from: &mut Get<'_>) -> Result<String, Malformed> {
        from.text().map(str::to_owned)
    }
}

impl Wire for Arc<str> {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        out.bytes(self.as_bytes());
    }

    fn get(from: &mut Get<'_>) -> Result<Arc<str>, Malformed> {
        from.text().map(Arc::from)
    }
}

impl Wire for Bytes {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        out.bytes(self);
    }

    fn get(from: &mut Get<'_>) -> Result<Bytes, Malformed> {
        let bytes = from.bytes()?;
        Ok(match from.side {
            From::Gateway { frame, .. } => frame.slice_ref(bytes),
            From::Worker { .. } => Bytes::copy_from_slice(bytes),
        })
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        out.byte(u8::from(self.is_some()));
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn get(from: &mut Get<'_>) -> Result<Option<T>, Malformed> {
        Ok(if from.byte()? == 0 { None } else { Some(T::get(from)?) })
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        out.count(self.len() as u64);
        self.iter().for_each(|value| value.put(out));
    }

    fn get(from: &mut Get<'_>) -> Result<Vec<T>, Malformed> {
        let mut values = Vec::new();
        for _ in 0..from.count()? {
            from.value()?;
            values.push(T::get(from)?);
        }
        Ok(values)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn get(from: &mut Get<'_>) -> Result<(A, B), Malformed> {
        Ok((A::get(from)?, B::get(from)?))
    }
}
