//! USDS beside JSON: documents in memory from JSON and back, exactly, and what does not fit with
//! its place.

use std::sync::Arc;

use polywire_core::Limits;
use polywire_core::format::Format;
use polywire_core::tools::adapt::Walker;
use polywire_formats::registry::FORMATS;
use polywire_usds::dictionary::Dictionary;
use polywire_usds::dom::{Arena, Intake};
use polywire_usds::events::Scalar;
use polywire_usds::plan::Plan;

const TICKETS: &str = "USDS 888: TicketSales 1.0 { I { UVARINT n; DOUBLE s; STRING<UTF-8> g; LONG t; BOOLEAN b; };
     S { UVARINT n; INT m; LONG s; LONG e; I[] v; }; }";

fn plan(text: &str) -> Arc<Plan> {
    Arc::new(Plan::new(Arc::new(Dictionary::parse("d", text.as_bytes()).unwrap_or_else(|found| panic!("{found}")))))
}

fn json() -> &'static Format {
    FORMATS.iter().copied().find(|format| format.name == "json").expect("JSON is there")
}

/// JSON into an arena and out again; or the error.
fn through(intake: &mut Intake, arena: &mut Arena, text: &str) -> Result<String, String> {
    let limits = Limits::DEFAULT.with_items(u64::MAX);
    Walker::new(json(), &limits).walk(text.as_bytes(), 0, intake).map_err(|error| error.to_string())?;
    let document = intake.document(arena).map_err(|error| error.to_string())?;
    let mut writer = (json().writer.expect("JSON is written"))();
    document.emit(&mut *writer).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    writer.finish(&mut out).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(out).expect("JSON is text"))
}

fn sales(vouchers: u64) -> String {
    let voucher =
        |n: u64| format!(r#"{{"n":{n},"s":{n}.5,"g":"Goods ID is {n} \"ü\"","t":{},"b":{}}}"#, i64::MIN + n as i64, n.is_multiple_of(2));
    let vouchers: Vec<String> = (0..vouchers).map(voucher).collect();
    format!(r#"{{"S":{{"n":18446744073709551615,"m":-2147483648,"s":9007199254740993,"e":-1,"v":[{}]}}}}"#, vouchers.join(","))
}

#[test]
fn json_comes_back_from_an_arena_to_the_byte() {
    let plan = plan(TICKETS);
    let (mut intake, mut arena) = (Intake::documents(Arc::clone(&plan)).expect("bytes"), Arena::new(Arc::clone(&plan)));
    // 110,000 vouchers are more than ten million bytes.
    for vouchers in [0, 2, 1000, 110_000, 3] {
        let text = sales(vouchers);
        assert_eq!(through(&mut intake, &mut arena, &text).as_ref(), Ok(&text), "{vouchers}");
        assert_eq!(intake.losses(), []);
        let document = intake.document(&mut arena);
        assert!(document.is_err(), "the message was taken");
    }
    let text = sales(1);
    Walker::new(json(), &Limits::DEFAULT).walk(text.as_bytes(), 0, &mut intake).expect("JSON");
    let document = intake.document(&mut arena).expect("it fits");
    let sale = document.first("S").and_then(|sale| sale.structure()).expect("a structure");
    assert_eq!(sale.by_name("n").and_then(|value| value.scalar()), Some(Scalar::UInt(u64::MAX)));
    assert_eq!(sale.by_name("s").and_then(|value| value.scalar()), Some(Scalar::Int(9_007_199_254_740_993)));
}

#[test]
fn the_published_message_comes_back() {
    let plan = plan(TICKETS);
    let mut arena = Arena::new(Arc::clone(&plan));
    // Another order of fields, and blanks.
    let text = r#" { "S" : { "v" : [ {"b":true,"t":0,"g":"x","s":1e3,"n":7} ], "e":1, "s":2, "m":3, "n":4 } } "#;
    let came = through(&mut Intake::documents(Arc::clone(&plan)).expect("bytes"), &mut arena, text);
    assert_eq!(came.as_deref(), Ok(r#"{"S":{"n":4,"m":3,"s":2,"e":1,"v":[{"n":7,"s":1000.0,"g":"x","t":0,"b":true}]}}"#));
    // The value of a root alone.
    let came = through(&mut Intake::roots(Arc::clone(&plan), 1), &mut arena, r#"{"n":1,"s":0.1,"g":"","t":-5,"b":false}"#);
    assert_eq!(came.as_deref(), Ok(r#"{"I":{"n":1,"s":0.1,"g":"","t":-5,"b":false}}"#));
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let plan = plan(TICKETS);
    let (mut intake, mut arena) = (Intake::documents(Arc::clone(&plan)).expect("bytes"), Arena::new(Arc::clone(&plan)));
    let voucher = |text: &str| format!(r#"{{"S":{{"n":1,"m":2,"s":3,"e":4,"v":[{{"n":1,"s":1.5,"g":"x","t":0,"b":true}},{text}]}}}}"#);
    // The text, what is seen, where that stands in it, and the path.
    for (text, what, at, path) in [
        (r#"{"n":-1,"s":1.5,"g":"x","t":0,"b":true}"#, "-1", "-1", "S.v[1].n"),
        (r#"{"n":1,"s":"much","g":"x","t":0,"b":true}"#, "text", "\"much", "S.v[1].s"),
        (r#"{"n":1,"s":1.5,"g":7,"t":0,"b":true}"#, "integer", "7", "S.v[1].g"),
        (r#"{"n":1,"s":1.5,"g":"x","t":9223372036854775808,"b":true}"#, "9223372036854775808", "92", "S.v[1].t"),
        (r#"{"n":1,"s":1.5,"g":"x","t":0}"#, "no such field", "{", "S.v[1].b"),
        (r#"{"n":1,"s":1.5,"g":"x","t":0,"b":null}"#, "null", "null", "S.v[1].b"),
        (r#"["list"]"#, "list", "[", "S.v[1]"),
    ] {
        let whole = voucher(text);
        let start = whole.rfind(text).expect("it is there") + text.find(at).expect("it is there");
        let error = through(&mut intake, &mut arena, &whole).expect_err(text);
        let place = format!("at byte {start}, in {path}");
        assert!(error.contains(what) && error.ends_with(&place) || error.contains(&format!("{place} (")), "{text}: {error}, {place}");
    }
    // A field without a place is lost, and reported.
    let text = voucher(r#"{"n":1,"s":1.5,"g":"x","t":0,"b":true,"more":[1,2]}"#);
    assert!(through(&mut intake, &mut arena, &text).is_ok());
    let losses = intake.losses();
    assert!(losses.len() == 1 && losses[0].what.contains("does not have"), "{losses:?}");
    // After all of that it takes the next message.
    assert_eq!(through(&mut intake, &mut arena, &sales(5)), Ok(sales(5)));
}
