//! Shift reports of a shop that sells tickets.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::draw::Draw;
use crate::words::GOODS;

/// What a cash register reports when its shift ends.
struct Report {
    shift_number: u32,
    cash_register: u32,
    start: Timestamp,
    end: Timestamp,
    vouchers: Vec<Voucher>,
}

/// One sale.
struct Voucher {
    /// Running number within the shift, from 1.
    number: u32,
    /// In cents.
    sum: u32,
    goods_name: &'static str,
    time: Timestamp,
    /// Whether a receipt was printed.
    flag: bool,
}

/// One report with two vouchers.
pub fn two() -> String {
    report(&mut Draw::new(0x0002), 61_804, 4107, at("2026-03-14T09:05:00Z"), 15 * 60, 2).line()
}

/// One report with a thousand vouchers: a shift of nine hours at the main desk.
pub fn thousand() -> String {
    report(&mut Draw::new(0x1000), 61_806, 4101, at("2026-03-14T08:45:00Z"), 9 * 3600, 1000).line()
}

/// A day of the self-service registers as JSON Lines: 500 reports of two vouchers each.
pub fn day() -> String {
    let mut draw = Draw::new(0x0500);
    let mut start = at("2026-03-14T06:00:00Z").as_second();
    let mut lines = String::new();
    for shift_number in 0..500 {
        start += i64::from(draw.between(30, 210));
        let length = draw.between(4, 40) * 60;
        let cash_register = 4102 + draw.below(23);
        let start = Timestamp::from_second(start).expect("a day of this century");
        lines += &report(&mut draw, 61_300 + shift_number, cash_register, start, length, 2).line();
    }
    lines
}

/// A shift of `seconds` from `start` with that many vouchers.
fn report(draw: &mut Draw, shift_number: u32, cash_register: u32, start: Timestamp, seconds: u32, vouchers: u32) -> Report {
    let mut times: Vec<i64> = (0..vouchers).map(|_| start.as_millisecond() + i64::from(draw.below(seconds * 1000))).collect();
    times.sort_unstable();
    let mut number = 0;
    let vouchers = times.into_iter().map(|time| {
        number += 1;
        voucher(draw, number, Timestamp::from_millisecond(time).expect("within the shift"))
    });
    Report {
        shift_number,
        cash_register,
        start,
        end: Timestamp::from_second(start.as_second() + i64::from(seconds)).expect("a day of this century"),
        vouchers: vouchers.collect(),
    }
}

/// A sale: mostly one or two pieces of what sells best, a few of them a tenth cheaper.
fn voucher(draw: &mut Draw, number: u32, time: Timestamp) -> Voucher {
    let (goods_name, price) = draw.favour(GOODS);
    let pieces = draw.favour(&[1, 2, 4, 3, 5, 10]);
    let full = price * pieces;
    let sum = if draw.chance(8) { full - full / 10 } else { full };
    Voucher { number, sum, goods_name, time, flag: draw.chance(85) }
}

impl Report {
    /// Compact JSON and a line end.
    fn line(&self) -> String {
        let vouchers: Vec<Value> = self.vouchers.iter().map(Voucher::json).collect();
        let report = json!({
            "shift_number": self.shift_number,
            "cash_register": self.cash_register,
            "start_time": self.start.as_millisecond(),
            "end_time": self.end.as_millisecond(),
            "vouchers": vouchers,
        });
        format!("{report}\n")
    }
}

impl Voucher {
    fn json(&self) -> Value {
        json!({
            "number": self.number,
            "sum": f64::from(self.sum) / 100.0,
            "goods_name": self.goods_name,
            "time": self.time.as_millisecond(),
            "flag": self.flag,
        })
    }
}

/// The time that RFC 3339 text names.
fn at(text: &str) -> Timestamp {
    text.parse().expect("a timestamp of this file")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports(text: &str) -> Vec<Value> {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn counts_are_as_named() {
        for (text, reports_wanted, vouchers) in [(two(), 1, 2), (thousand(), 1, 1000), (day(), 500, 2)] {
            let reports = reports(&text);
            assert_eq!(reports.len(), reports_wanted);
            assert!(reports.iter().all(|report| report["vouchers"].as_array().unwrap().len() == vouchers));
        }
    }

    #[test]
    fn times_lie_in_order_within_the_shift() {
        for report in reports(&(thousand() + &day())) {
            let time = |value: &Value| value.as_i64().unwrap();
            let mut last = time(&report["start_time"]);
            for voucher in report["vouchers"].as_array().unwrap() {
                assert!(time(&voucher["time"]) >= last);
                last = time(&voucher["time"]);
            }
            assert!(time(&report["end_time"]) >= last);
        }
    }

    #[test]
    fn sums_are_doubles_of_whole_cents() {
        for report in reports(&thousand()) {
            for voucher in report["vouchers"].as_array().unwrap() {
                let text = voucher["sum"].to_string();
                let (_, cents) = text.split_once('.').unwrap();
                assert!(cents.len() <= 2, "{text}");
            }
        }
    }

    #[test]
    fn the_days_reports_differ() {
        let day = day();
        let mut lines: Vec<&str> = day.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), 500);
    }
}
