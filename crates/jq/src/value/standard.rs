//! Values as the filters of the interpreter's standard library take them.

use jaq_std::ValT;

use super::interpreter::owned;
use super::{Kind, Num, Val};

impl From<f64> for Val {
    fn from(value: f64) -> Val {
        Val::from_float(value)
    }
}

impl From<usize> for Val {
    fn from(value: usize) -> Val {
        i64::try_from(value).map_or_else(|_| Val::UInt(value as u64), Val::Int)
    }
}

impl ValT for Val {
    fn into_seq<S: FromIterator<Val>>(self) -> Result<S, Val> {
        match self {
            Val::List(list) => Ok(owned(list).into_iter().collect()),
            value if !value.is_plain() && value.kind() == Kind::Array => value.plain().into_seq(),
            value => Err(value),
        }
    }

    fn is_int(&self) -> bool {
        matches!(self.num(), Some(Num::Int(_) | Num::Big(_)))
    }

    fn as_isize(&self) -> Option<isize> {
        match self.num()? {
            Num::Int(value) => isize::try_from(value).ok(),
            Num::Float(value) if value.fract() == 0.0 && value.abs() <= 9e15 => Some(value as isize),
            _ => None,
        }
    }

    fn as_f64(&self) -> Option<f64> {
        self.num().map(|number| number.float())
    }

    fn is_utf8_str(&self) -> bool {
        match self {
            Val::Bytes(_) => false,
            Val::Tagged(tagged) => tagged.value.is_utf8_str(),
            value => value.kind() == Kind::String,
        }
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        self.bytes()
    }

    fn as_sub_str(&self, part: &[u8]) -> Val {
        match self {
            Val::Bytes(_) => Val::Bytes(part.to_vec().into()),
            Val::Octets(_) => match std::str::from_utf8(part) {
                Ok(text) => Val::text(text),
                Err(_) => Val::Octets(part.to_vec().into()),
            },
            _ => Val::text_lossy(part),
        }
    }

    fn from_utf8_bytes(bytes: impl AsRef<[u8]> + Send + 'static) -> Val {
        Val::text_lossy(bytes.as_ref())
    }
}
