//! A search reply of the finding service, as prost's types: `proto/finding.proto` says the same. Replies are made, always the same: their texts are
//! as long, their optional fields as frequent and their escapes as many as in a real one.

use fastrand::Rng;
use prost::Message;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Clone, PartialEq, Message)]
#[serde(rename = "Root")]
pub struct FindItemsByKeywordsResponse {
    #[prost(string, required, tag = "1")]
    pub ack: String,
    #[prost(string, required, tag = "2")]
    pub version: String,
    #[prost(string, required, tag = "3")]
    pub timestamp: String,
    #[prost(message, required, tag = "4")]
    pub search_result: SearchResult,
    #[prost(message, required, tag = "5")]
    pub pagination_output: PaginationOutput,
    #[prost(string, required, tag = "6")]
    pub item_search_url: String,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Message)]
pub struct SearchResult {
    #[serde(default)]
    #[prost(message, repeated, tag = "1")]
    pub item: Vec<Item>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Message)]
pub struct Item {
    #[prost(string, required, tag = "1")]
    pub item_id: String,
    #[prost(string, required, tag = "2")]
    pub title: String,
    #[prost(string, required, tag = "3")]
    pub global_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(string, optional, tag = "4")]
    pub subtitle: Option<String>,
    #[prost(message, required, tag = "5")]
    pub primary_category: PrimaryCategory,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(string, optional, tag = "6")]
    pub gallery_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(string, optional, tag = "7")]
    pub view_item_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(string, optional, tag = "8")]
    pub product_id: Option<String>,
    #[prost(string, required, tag = "9")]
    pub payment_method: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(bool, optional, tag = "10")]
    pub auto_pay: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(string, optional, tag = "11")]
    pub postal_code: Option<String>,
    #[prost(string, required, tag = "12")]
    pub location: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(string, optional, tag = "13")]
    pub country: Option<String>,
    #[prost(message, required, tag = "14")]
    pub shipping_info: ShippingInfo,
    #[prost(message, required, tag = "15")]
    pub selling_status: SellingStatus,
    #[prost(message, required, tag = "16")]
    pub listing_info: ListingInfo,
    #[prost(bool, required, tag = "17")]
    pub returns_accepted: bool,
    #[prost(message, required, tag = "18")]
    pub condition: Condition,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(bool, optional, tag = "19")]
    pub is_multi_variation_listing: Option<bool>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Message)]
pub struct PrimaryCategory {
    #[prost(string, required, tag = "1")]
    pub category_id: String,
    #[prost(string, required, tag = "2")]
    pub category_name: String,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Message)]
pub struct ShippingInfo {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(float, optional, tag = "1")]
    pub shipping_service_cost: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(string, optional, tag = "2")]
    pub shipping_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(string, optional, tag = "3")]
    pub ship_to_locations: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(bool, optional, tag = "4")]
    pub expedited_shipping: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(bool, optional, tag = "5")]
    pub one_day_shipping_available: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(string, optional, tag = "6")]
    pub handling_time: Option<String>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Message)]
pub struct SellingStatus {
    #[prost(float, required, tag = "1")]
    pub current_price: f32,
    #[prost(float, required, tag = "2")]
    pub converted_current_price: f32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(int32, optional, tag = "3")]
    pub bid_count: Option<i32>,
    #[prost(string, required, tag = "4")]
    pub selling_state: String,
    #[prost(string, required, tag = "5")]
    pub time_left: String,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Message)]
pub struct ListingInfo {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(bool, optional, tag = "1")]
    pub best_offer_enabled: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(bool, optional, tag = "2")]
    pub buy_it_now_available: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(float, optional, tag = "3")]
    pub buy_it_now_price: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(float, optional, tag = "4")]
    pub converted_buy_it_now_price: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(string, optional, tag = "5")]
    pub start_time: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(string, optional, tag = "6")]
    pub end_time: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(string, optional, tag = "7")]
    pub listing_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(bool, optional, tag = "8")]
    pub gift: Option<bool>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Message)]
pub struct Condition {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(string, optional, tag = "1")]
    pub condition_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[prost(string, optional, tag = "2")]
    pub condition_display_name: Option<String>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Message)]
pub struct PaginationOutput {
    #[prost(int32, required, tag = "1")]
    pub page_number: i32,
    #[prost(int32, required, tag = "2")]
    pub entries_per_page: i32,
    #[prost(int32, required, tag = "3")]
    pub total_pages: i32,
    #[prost(int32, required, tag = "4")]
    pub total_entries: i32,
}

/// Of a title, with blanks between.
const WORDS: &str = "Tablet 16GB Wi-Fi, 9.7in - Black (MC769) New with Case 3G (AT&amp;T) Screen White Sealed in";
const PLACES: [&str; 6] = ["Miami,FL,USA", "Springfield,MO,USA", "Hong Kong", "Union City,CA,USA", "Glasgow,KY,USA", "West Chester,OH,USA"];

fn one_of(random: &mut Rng, texts: &[&str]) -> String {
    texts[random.usize(..texts.len())].into()
}

fn digits(random: &mut Rng, count: usize) -> String {
    (0..count).map(|_| random.digit(10)).collect()
}

/// Words of so many characters in all.
fn words(random: &mut Rng, length: usize) -> String {
    let known: Vec<&str> = WORDS.split(' ').collect();
    let mut text = String::new();
    while text.len() < length {
        text += &one_of(random, &known);
        text.push(' ');
    }
    text.truncate(length);
    text
}

/// True so many times of a hundred.
fn often(random: &mut Rng, percent: u8) -> bool {
    random.u8(..100) < percent
}

/// Whole, or as sellers like it.
fn price(random: &mut Rng) -> f32 {
    let cents = if random.bool() { 0 } else { one_of(random, &["99", "95", "49", "78"]).parse().unwrap_or_default() };
    (random.u32(2..820) * 100 + cents) as f32 / 100.0
}

fn moment(random: &mut Rng) -> String {
    let [month, day, hour, minute, second] = [random.u8(4..8), random.u8(1..29), random.u8(..24), random.u8(..60), random.u8(..60)];
    format!("2012-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z")
}

fn shipping_info(random: &mut Rng) -> ShippingInfo {
    let free = often(random, 65);
    let cost = if free { 0.0 } else { random.u8(8..20).into() };
    ShippingInfo {
        shipping_service_cost: often(random, 92).then_some(cost),
        shipping_type: Some(if free { "Free".into() } else { one_of(random, &["Flat", "Flat", "Calculated"]) }),
        ship_to_locations: Some(one_of(random, &["US", "US", "Worldwide"])),
        expedited_shipping: Some(random.bool()),
        one_day_shipping_available: Some(often(random, 28)),
        handling_time: Some(one_of(random, &["1", "1", "1", "1", "3", "2"])),
    }
}

fn item(random: &mut Rng) -> Item {
    let item_id = digits(random, 12);
    let length = random.usize(48..=84);
    let title = words(random, length);
    let in_url: String = title.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let subtitle = match random.u8(..50) {
        0 => Some("For tablets\" FREE Delivery\" Premium Quality \"Also pads\"".into()),
        1..=9 => {
            let length = random.usize(31..=58);
            Some(words(random, length))
        }
        _ => None,
    };
    let price = price(random);
    let days = random.u8(..30);
    let (condition, name) =
        [("3000", "Used"), ("3000", "Used"), ("1000", "New"), ("1000", "New"), ("7000", "For parts or not working")][random.usize(..5)];
    Item {
        title,
        global_id: "SHOPS-US".into(),
        subtitle,
        primary_category: PrimaryCategory { category_id: "171485".into(), category_name: "Tablets, Readers &amp; Small Books".into() },
        gallery_url: Some(format!("http://thumbs{}.images.example/pict/{item_id}4040_1.jpg", random.u8(1..5))),
        // The service's own line break and blanks.
        view_item_url: Some(format!("http://shop.example/itm/{in_url}/{item_id}?pt=US_Tablets\r\n{}", " ".repeat(20))),
        product_id: often(random, 90).then(|| digits(random, 9)),
        payment_method: "PayPal".into(),
        auto_pay: Some(often(random, 68)),
        postal_code: often(random, 72).then(|| digits(random, 5)),
        location: if often(random, 40) { "USA".into() } else { one_of(random, &PLACES) },
        country: Some("US".into()),
        shipping_info: shipping_info(random),
        selling_status: SellingStatus {
            current_price: price,
            converted_current_price: price,
            bid_count: often(random, 12).then(|| random.i32(..40)),
            selling_state: "Active".into(),
            time_left: format!("P{days}DT{}H{}M{}S", random.u8(..24), random.u8(..60), random.u8(..60)),
        },
        listing_info: ListingInfo {
            best_offer_enabled: Some(often(random, 8)),
            buy_it_now_available: Some(often(random, 2)),
            buy_it_now_price: often(random, 2).then_some(price),
            converted_buy_it_now_price: None,
            start_time: Some(moment(random)),
            end_time: Some(moment(random)),
            listing_type: Some(one_of(random, &["FixedPrice", "FixedPrice", "StoreInventory", "Auction"])),
            gift: Some(false),
        },
        returns_accepted: often(random, 82),
        condition: Condition { condition_id: Some(condition.into()), condition_display_name: Some(name.into()) },
        is_multi_variation_listing: Some(false),
        item_id,
    }
}

/// A reply of that many items, as Protobuf writes it.
pub fn reply(items: usize) -> Vec<u8> {
    let mut random = Rng::with_seed(items as u64);
    FindItemsByKeywordsResponse {
        ack: "Success".into(),
        version: "1.12.0".into(),
        timestamp: "2012-06-22T00:51:16.538Z".into(),
        search_result: SearchResult { item: (0..items).map(|_| item(&mut random)).collect() },
        pagination_output: PaginationOutput { page_number: 1, entries_per_page: items as i32, total_pages: 4241, total_entries: 212_027 },
        item_search_url: "http://shop.example/sch/i.html?_words=tablet&amp;order=1&amp;page_items=50".into(),
    }
    .encode_to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_of_fifty_items_has_about_the_size_of_a_real_one() {
        const REAL: f64 = 27_497.0;
        let bytes = reply(50);
        assert!((bytes.len() as f64 / REAL - 1.0).abs() < 0.03, "{} bytes", bytes.len());
        assert_eq!(FindItemsByKeywordsResponse::decode(&*bytes).unwrap().search_result.item.len(), 50);
    }
}
