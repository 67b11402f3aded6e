//! What the shop's services answer.

use quick_xml::escape::escape;
use serde_json::{Value, json};

use super::server::{Reply, Request};

struct Item {
    id: &'static str,
    title: &'static str,
    maker: &'static str,
    price: &'static str,
    tags: &'static [&'static str],
    /// The price without tax, in cents, and the tax in percent.
    net: (u64, u64),
    offer: bool,
    left: Option<u64>,
    reviews: Result<&'static [(u64, &'static str)], &'static str>,
}

const ITEMS: [Item; 4] = [
    Item {
        id: "0071",
        title: "Desk lamp, brass",
        maker: "Ahlmann",
        price: "49.90",
        tags: &["desk", "brass"],
        net: (4193, 19),
        offer: false,
        left: Some(4),
        reviews: Ok(&[(5, "Bright & quiet."), (4, "The switch is stiff.")]),
    },
    Item {
        id: "0072",
        title: "Floor lamp",
        maker: "Birk",
        price: "129.00",
        tags: &["floor"],
        net: (9916, 19),
        offer: true,
        left: Some(0),
        reviews: Err("closed for repairs"),
    },
    Item {
        id: "0090",
        title: "Lamp & shade",
        maker: "Ahlmann",
        price: "15.50",
        tags: &[],
        net: (1303, 19),
        offer: false,
        left: Some(31),
        reviews: Ok(&[(3, "Smaller than it looks.")]),
    },
    Item {
        id: "0099",
        title: "Oil can",
        maker: "Carstens",
        price: "8.00",
        tags: &["oil"],
        net: (748, 7),
        offer: false,
        left: None,
        reviews: Ok(&[]),
    },
];

/// Answers as the service of the request's host does.
pub fn answer(request: &Request) -> Reply {
    let parts: Vec<&str> = request.url.path_segments().map(Iterator::collect).unwrap_or_default();
    match (request.url.host_str().unwrap_or_default(), &parts[..]) {
        ("catalogue.example", ["items"]) => catalogue(request),
        ("prices.example", ["quote"]) => reply("200 OK", "application/x-protobuf", quotes(&request.body)),
        ("depot.example", ["stock", id]) => stock(id),
        ("depot.example", ["old", "stock"]) => of_json("200 OK", &json!({"row": [{"left": 2, "counted": "2026-01-31"}]})),
        ("reviews.example", ["of", id]) => reviews(id),
        ("files.example", ["suppliers.csv"]) => {
            let text = "maker,town,days\nAhlmann,Bremen,3\nBirk,Ulm,10\nCarstens,Husum,5\n";
            reply("200 OK", "text/csv; header=present", text.into())
        }
        ("orders.example", ["orders"]) => order(&request.body),
        _ => reply("404 Not Found", "text/plain", "no such service\n".into()),
    }
}

fn reply(status: &'static str, content_type: &'static str, body: Vec<u8>) -> Reply {
    Reply { status, content_type, body }
}

fn of_json(status: &'static str, value: &Value) -> Reply {
    reply(status, "application/json", value.to_string().into_bytes())
}

fn item(id: &str) -> Option<&'static Item> {
    ITEMS.iter().find(|item| item.id == id)
}

fn catalogue(request: &Request) -> Reply {
    let value = |name: &str| request.url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.to_lowercase());
    let (words, maker) = (value("q").unwrap_or_default(), value("maker"));
    let limit = value("limit").and_then(|limit| limit.parse().ok()).unwrap_or(usize::MAX);
    let fits = |item: &&Item| {
        item.title.to_lowercase().contains(&words) && maker.as_deref().is_none_or(|maker| item.maker.to_lowercase() == maker)
    };
    let mut text = String::from("<?xml version=\"1.0\"?>\n<reply xmlns=\"http://catalogue.example/1\">\n  <items>\n");
    for item in ITEMS.iter().filter(fits).take(limit) {
        let tags: String = item.tags.iter().map(|tag| format!("<tag>{}</tag>", escape(*tag))).collect();
        text += &format!(
            "    <item><id>{}</id><title>{}</title><maker>{}</maker><price>{}</price>{tags}</item>\n",
            item.id,
            escape(item.title),
            escape(item.maker),
            item.price
        );
    }
    text += "  </items>\n</reply>\n";
    reply("200 OK", "application/xml; charset=UTF-8", text.into_bytes())
}

/// A message of `quotes.proto`, of the items that the request names.
fn quotes(body: &str) -> Vec<u8> {
    let mut message = Vec::new();
    for item in body.split("id=\"").skip(1).filter_map(|rest| item(rest.split('"').next()?)) {
        let mut quote = Vec::new();
        field(&mut quote, 1, item.id.as_bytes());
        number(&mut quote, 2, item.net.0);
        number(&mut quote, 3, item.net.1);
        number(&mut quote, 4, item.offer.into());
        field(&mut message, 1, &quote);
    }
    message
}

/// A field of bytes: number, length, bytes.
fn field(out: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    varint(out, number << 3 | 2);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// A field of a number.
fn number(out: &mut Vec<u8>, number: u64, value: u64) {
    varint(out, number << 3);
    varint(out, value);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 127 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

fn stock(id: &str) -> Reply {
    match item(id).and_then(|item| item.left) {
        Some(left) => of_json("200 OK", &json!({"id": id, "left": left})),
        None => of_json("503 Service Unavailable", &json!({"error": "that shelf is being counted"})),
    }
}

fn reviews(id: &str) -> Reply {
    match item(id).map(|item| item.reviews) {
        Some(Ok(reviews)) => {
            let all: Vec<Value> = reviews.iter().map(|(stars, says)| json!({"item": id, "stars": stars, "says": says})).collect();
            of_json("200 OK", &json!({"reviews": all}))
        }
        Some(Err(why)) => reply("503 Service Unavailable", "text/plain", format!("{why}\n").into_bytes()),
        None => of_json("404 Not Found", &json!({"error": "no such item"})),
    }
}

fn order(body: &str) -> Reply {
    match serde_json::from_str::<Value>(body) {
        Ok(order) => of_json("201 Created", &json!({"order": 1017, "taken": order})),
        Err(error) => of_json("400 Bad Request", &json!({"error": error.to_string()})),
    }
}
