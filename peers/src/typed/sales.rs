//! upb on ticket sales, from struct to bytes to struct: a message that has an arena of its own is filled and written, or parsed and every field read into
//! the program's struct, whose texts lie in the message.

use std::hint::black_box;

use polywire_compare::harness::Subject;
use polywire_core::{Error, Result};
use prost::Message as _;
use protobuf::{Parse as _, Serialize as _};

use super::generated::of_upb;
use super::model::Sales;
use super::usds::{Told, ToldVoucher};
use crate::failed::failed;
use crate::input::Input;
use crate::peer::{Peer, Prepared, Work};

struct Upb<'a> {
    values: Vec<Sales>,
    /// Memory of vouchers.
    room: Vec<ToldVoucher<'static>>,
    input: &'a Input,
    work: Work,
}

fn written(value: &Sales) -> Result<Vec<u8>> {
    let mut message = of_upb::Sales::new();
    message.set_n(value.n);
    message.set_m(value.m);
    message.set_s(value.s);
    message.set_e(value.e);
    let mut vouchers = message.v_mut();
    for voucher in &value.v {
        let mut next = of_upb::Voucher::new();
        next.set_n(voucher.n);
        next.set_s(voucher.s);
        next.set_g(voucher.g.as_str());
        next.set_t(voucher.t);
        next.set_b(voucher.b);
        vouchers.push(next);
    }
    message.serialize().map_err(failed)
}

fn read<'m>(message: &'m of_upb::Sales, told: &mut Told<'m>) -> Result<()> {
    (told.n, told.m, told.s, told.e) = (message.n(), message.m(), message.s(), message.e());
    for voucher in message.v() {
        let g = voucher.g().to_str().map_err(failed)?;
        told.v.push(ToldVoucher { n: voucher.n(), s: voucher.s(), g, t: voucher.t(), b: voucher.b() });
    }
    Ok(())
}

impl Subject for Upb<'_> {
    fn pass(&mut self) -> Result<()> {
        if self.work == Work::Encode {
            for value in &self.values {
                black_box(written(black_box(value))?);
            }
            return Ok(());
        }
        for bytes in self.input.each() {
            let message = of_upb::Sales::parse(black_box(bytes)).map_err(failed)?;
            let mut told = Told { v: std::mem::take(&mut self.room), ..Told::default() };
            read(&message, &mut told)?;
            black_box(&told);
            self.room = told.room();
        }
        Ok(())
    }
}

impl<'a> Peer<'a> for Upb<'a> {
    fn check(&mut self) -> Result<u64> {
        for (value, bytes) in self.values.iter().zip(self.input.each()) {
            let message = of_upb::Sales::parse(bytes).map_err(failed)?;
            let mut told = Told::default();
            read(&message, &mut told)?;
            if told.to_protobuf() != bytes || written(value)? != bytes {
                return Err(Error::internal("upb: another message"));
            }
        }
        Ok(self.values.len() as u64)
    }
}

/// upb, from struct to bytes to struct.
pub fn upb(work: Work, input: &Input) -> Prepared<'_> {
    if !matches!(work, Work::Decode | Work::Encode) {
        return Ok(None);
    }
    let values = input.each().map(|bytes| Sales::decode(bytes).map_err(failed)).collect::<Result<Vec<_>>>()?;
    Ok(Some(Box::new(Upb { values, room: Vec::new(), input, work })))
}
