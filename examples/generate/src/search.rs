//! A search reply of a market place: fifty items with nested prices. One value, as a SOAP service, a JSON service and one of Protocol Buffers would send it.

mod json;
mod protobuf;
mod xml;

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::draw::Draw;
use crate::words::{ACCESSORIES, COLOURS, FEATURES, MAKERS, MODELS, POWERS, SHOUTS, SUBTITLES, TOWNS};

pub use json::json;
pub use protobuf::protobuf;
pub use xml::xml;

const ITEMS: u32 = 50;
const TOTAL: u32 = 18_342;
const DAY: i64 = 24 * 3600;

/// The reply.
struct Reply {
    timestamp: Timestamp,
    items: Vec<Item>,
    /// Hits on all pages.
    total: u32,
    url: String,
}

/// One offer.
struct Item {
    id: String,
    title: String,
    market: &'static str,
    subtitle: Option<&'static str>,
    /// Id and name.
    category: (u32, &'static str),
    gallery_url: String,
    view_url: String,
    product: Option<String>,
    payment_methods: Vec<&'static str>,
    auto_pay: bool,
    postal_code: Option<&'static str>,
    location: String,
    country: &'static str,
    shipping: Shipping,
    selling: Selling,
    listing: Listing,
    returns_accepted: bool,
    /// Code and name.
    condition: (u32, &'static str),
}

/// How an offer is sent.
struct Shipping {
    cost: Option<Price>,
    kind: &'static str,
    destinations: Vec<&'static str>,
    expedited: bool,
    one_day: bool,
    handling_days: u32,
}

/// What an offer costs at the time of the reply.
struct Selling {
    price: Price,
    converted: Price,
    bids: Option<u32>,
    /// Seconds until it ends.
    left: i64,
}

/// How an offer is listed.
struct Listing {
    best_offer: bool,
    /// The price at which it can be bought at once, as asked and converted.
    buy_now: Option<(Price, Price)>,
    start: Timestamp,
    end: Timestamp,
    kind: &'static str,
}

/// An amount of money.
#[derive(Clone, Copy)]
struct Price {
    /// In hundredths.
    cents: u32,
    currency: &'static str,
}

impl Price {
    /// The amount as the number that all services print.
    fn amount(self) -> f64 {
        f64::from(self.cents) / 100.0
    }

    /// The same in the currency of the market: a pound is 1.16 euro.
    fn converted(self) -> Price {
        match self.currency {
            "GBP" => Price { cents: (self.cents * 116).div_ceil(100), currency: "EUR" },
            _ => self,
        }
    }
}

/// The reply that all services send.
fn reply() -> Reply {
    let mut draw = Draw::new(0x0050);
    let timestamp: Timestamp = "2026-02-11T09:41:27.316Z".parse().expect("a timestamp of this file");
    Reply {
        timestamp,
        items: (0..ITEMS).map(|_| item(&mut draw, timestamp)).collect(),
        total: TOTAL,
        url: "https://www.example.com/find/list?words=binoculars&order=best&size=50&page=1".to_owned(),
    }
}

fn item(draw: &mut Draw, at: Timestamp) -> Item {
    let accessory = draw.chance(10);
    let condition = draw.favour(&[
        (1000, "New"),
        (3000, "Used"),
        (1500, "New, opened box"),
        (7000, "For parts only"),
        (2500, "Refurbished by the seller"),
    ]);
    let title = if accessory { accessory_title(draw) } else { title(draw, condition.0) };
    let id = format!("{}{:09}", draw.pick(&["110", "182", "204", "377"]), draw.below(1_000_000_000));
    let (country, market, currency) = if draw.chance(92) { ("XA", "MARKET-XA", "EUR") } else { ("XB", "MARKET-XB", "GBP") };
    let (town, postal_code, region) = draw.favour(TOWNS);
    let location = if draw.chance(12) { "Aldmark".to_owned() } else { format!("{town},{region},Aldmark") };
    let price = Price { cents: price(draw, accessory, condition.0), currency };
    let listing = listing(draw, at, price);
    let (category, section) =
        if accessory { ((180_214, "Cases, Straps & Optics Accessories"), "Extras") } else { ((180_207, "Binoculars & Scopes"), "Optics") };
    Item {
        market,
        subtitle: draw.chance(18).then(|| draw.pick(SUBTITLES)),
        category,
        gallery_url: format!("https://img{}.example.org/{id}{:04}_1.jpg", draw.between(1, 4), draw.below(40) * 101),
        view_url: format!("https://www.example.com/itm/{}/{id}?pt={section}{}", slug(&title), variation(draw)),
        product: draw.chance(90).then(|| format!("{}", 103_100_000 + draw.below(90_000))),
        payment_methods: payment_methods(draw),
        auto_pay: draw.chance(70),
        postal_code: draw.chance(72).then_some(postal_code),
        location,
        country,
        shipping: shipping(draw, currency),
        selling: Selling {
            price,
            converted: price.converted(),
            bids: listing.kind.starts_with("Auction").then(|| draw.below(12)),
            left: listing.end.as_second() - at.as_second(),
        },
        listing,
        returns_accepted: draw.chance(55),
        condition,
        id,
        title,
    }
}

/// The title of binoculars.
fn title(draw: &mut Draw, condition: u32) -> String {
    let maker = draw.favour(MAKERS);
    let model = draw.favour(MODELS);
    let power = draw.favour(POWERS);
    let first = draw.favour(FEATURES);
    let colour = draw.favour(COLOURS);
    let code = format!("{}{}-{}", &maker[..2].to_uppercase(), power.replace('x', ""), &colour[..1]);
    let mut title = format!("{maker} {model} {power} Binoculars, {first}");
    if draw.chance(30) {
        let second = draw.pick(FEATURES);
        if second != first {
            title += &format!(", {second}");
        }
    }
    title += &format!(" - {colour} ({code})");
    match condition {
        7000 => title += " Hinge Broken AS IS",
        _ if draw.chance(30) => title += &format!(" {}", draw.pick(SHOUTS)),
        _ => {}
    }
    title
}

fn accessory_title(draw: &mut Draw) -> String {
    let thing = draw.pick(ACCESSORIES);
    format!("{} {thing} - {}", draw.favour(MAKERS), draw.favour(COLOURS))
}

/// A price in hundredths that ends as prices do.
fn price(draw: &mut Draw, accessory: bool, condition: u32) -> u32 {
    let whole = if accessory {
        draw.between(6, 39)
    } else {
        let new = draw.favour(&[249, 129, 89, 399, 179, 59, 549, 799, 1290]) + draw.below(40);
        match condition {
            1000 => new,
            7000 => new / 4,
            _ => new * 7 / 10,
        }
    };
    whole * 100 + draw.favour(&[0, 99, 95, 50, 90])
}

fn listing(draw: &mut Draw, at: Timestamp, price: Price) -> Listing {
    let kind = draw.favour(&["FixedPrice", "ShopStock", "Auction", "AuctionOrBuy"]);
    let (days, age) = match kind {
        "Auction" | "AuctionOrBuy" => (7, i64::from(draw.below(7 * 86_400))),
        _ => (30, i64::from(draw.below(90 * 86_400))),
    };
    let start = at.as_second() - age;
    let rounds = age / (days * DAY) + 1;
    let second = |second| Timestamp::from_second(second).expect("a day of this century");
    let buy_now = Price { cents: price.cents * 2 + 99, ..price };
    Listing {
        best_offer: draw.chance(25),
        buy_now: (kind == "AuctionOrBuy").then(|| (buy_now, buy_now.converted())),
        start: second(start),
        end: second(start + rounds * days * DAY),
        kind,
    }
}

fn shipping(draw: &mut Draw, currency: &'static str) -> Shipping {
    let kind = draw.favour(&["Free", "Free", "Flat", "Calculated", "NotSaid"]);
    let cost = match kind {
        "Free" => Some(0),
        "Flat" => Some(draw.favour(&[1000, 590, 490, 1500, 1195, 1499])),
        "Calculated" => draw.chance(50).then(|| draw.between(450, 2200)),
        _ => None,
    };
    Shipping {
        cost: cost.map(|cents| Price { cents, currency }),
        kind,
        destinations: match draw.below(10) {
            0 => vec!["XA", "XB"],
            1..3 => vec!["Worldwide"],
            _ => vec!["XA"],
        },
        expedited: draw.chance(30),
        one_day: draw.chance(15),
        handling_days: draw.favour(&[1, 1, 1, 2, 3, 4]),
    }
}

fn payment_methods(draw: &mut Draw) -> Vec<&'static str> {
    match draw.below(12) {
        0 => vec!["Card", "BankTransfer", "CashOnVisit"],
        1 => vec!["Card", "BankTransfer"],
        _ => vec!["Card"],
    }
}

/// The second parameter of a link, which one item in six has.
fn variation(draw: &mut Draw) -> String {
    if draw.chance(16) { format!("&var={}", 550_000_000 + draw.below(9_000_000)) } else { String::new() }
}

/// A title as a part of a link: its letters and digits, with one hyphen for what lies between them.
fn slug(title: &str) -> String {
    let words: Vec<&str> = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// Seconds as an ISO 8601 duration of days, hours, minutes and seconds.
fn duration(seconds: i64) -> String {
    format!("P{}DT{}H{}M{}S", seconds / DAY, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
}

/// A time with its milliseconds.
fn time(at: Timestamp) -> String {
    format!("{at:.3}")
}

/// The object without the members that are null: what is absent isn't sent.
fn present(object: Value) -> Value {
    match object {
        Value::Object(members) => Value::Object(members.into_iter().filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use roxmltree::{Document, Node};

    use super::*;

    /// The only child element of that name.
    fn child<'a>(parent: Node<'a, 'a>, name: &str) -> Node<'a, 'a> {
        parent.children().find(|node| node.has_tag_name(("http://example.org/market/search/v1", name))).unwrap()
    }

    #[test]
    fn size_is_that_of_a_real_reply() {
        assert!((82_000..=88_000).contains(&xml().len()), "{}", xml().len());
    }

    #[test]
    fn both_say_the_same() {
        let xml = xml();
        let document = Document::parse(&xml).unwrap();
        let body = document.root_element().last_element_child().unwrap();
        let reply = body.first_element_child().unwrap();
        let result = child(reply, "searchResult");
        let items: Vec<_> = result.children().collect();
        let json: Value = serde_json::from_str(&json()).unwrap();
        let objects = json["searchResult"]["items"].as_array().unwrap();
        assert_eq!(items.len(), 50);
        assert_eq!(objects.len(), 50);
        assert_eq!(result.attribute("count"), Some("50"));
        for (item, object) in items.into_iter().zip(objects) {
            for name in ["itemId", "title", "viewItemURL"] {
                assert_eq!(child(item, name).text(), object[name].as_str());
            }
            let price = child(child(item, "sellingStatus"), "currentPrice");
            let twin = &object["sellingStatus"]["currentPrice"];
            assert_eq!(price.text().unwrap(), twin["amount"].to_string());
            assert_eq!(price.attribute("currencyId"), twin["currency"].as_str());
            for name in ["paymentMethod", "shipToLocations"] {
                let parent = if name == "paymentMethod" { item } else { child(item, "shippingInfo") };
                let repeats = parent.children().filter(|node| node.tag_name().name() == name).count();
                let list = if name == "paymentMethod" { &object["paymentMethods"] } else { &object["shippingInfo"]["shipToLocations"] };
                assert_eq!(list.as_array().unwrap().len(), repeats);
            }
        }
    }

    #[test]
    fn every_optional_part_is_there_and_is_missing_somewhere() {
        let items = reply().items;
        let mixed = |has: fn(&Item) -> bool| {
            let count = items.iter().filter(|item| has(item)).count();
            assert!((1..items.len()).contains(&count), "{count}");
        };
        mixed(|item| item.subtitle.is_some());
        mixed(|item| item.product.is_some());
        mixed(|item| item.postal_code.is_some());
        mixed(|item| item.shipping.cost.is_some());
        mixed(|item| item.selling.bids.is_some());
        mixed(|item| item.listing.buy_now.is_some());
        mixed(|item| item.selling.price.currency != item.selling.converted.currency);
        mixed(|item| item.payment_methods.len() > 1);
        mixed(|item| item.shipping.destinations.len() > 1);
    }

    #[test]
    fn durations_are_those_of_iso_8601() {
        assert_eq!(duration(0), "P0DT0H0M0S");
        assert_eq!(duration(24 * DAY + 20 * 3600 + 25 * 60 + 34), "P24DT20H25M34S");
    }
}
