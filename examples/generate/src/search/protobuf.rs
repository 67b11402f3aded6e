//! The reply as a service of Protocol Buffers sends it, of the schema in `examples/search.proto`: ids are text, prices are floats without a currency.

use std::sync::Arc;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_core::{Budget, Limits};
use polywire_protobuf::json::{JsonParser, ParseOptions};
use polywire_protobuf::plan::Plan;
use polywire_protobuf::source;
use serde_json::{Value, json};

use super::{Item, Listing, Price, Selling, Shipping, duration, present, reply, time};

const SCHEMA: &str = include_str!("../../../search.proto");

/// The reply in bytes.
pub fn protobuf() -> Vec<u8> {
    let text = SchemaText { name: "search.proto", bytes: SCHEMA.as_bytes(), identity: "" };
    let schema = source::read(&text, &mut NoFiles).expect("a schema of this project");
    let plan = Plan::named(&schema.pool, Some("example.market.search.v1.FindItemsByKeywordsResponse")).expect("a message of it");
    let mut bytes = Vec::new();
    let mut budget = Budget::new(&Limits::DEFAULT);
    let parsed = JsonParser::new(Arc::new(plan), ParseOptions::default()).parse(json().to_string().as_bytes(), 0, &mut bytes, &mut budget);
    parsed.expect("canonical JSON of the schema");
    bytes
}

/// The same in canonical JSON.
fn json() -> Value {
    let reply = reply();
    let count = reply.items.len() as u32;
    json!({
        "ack": "Success",
        "version": "1.12.0",
        "timestamp": time(reply.timestamp),
        "searchResult": { "item": reply.items.iter().map(item).collect::<Vec<_>>() },
        "paginationOutput": {
            "pageNumber": 1,
            "entriesPerPage": count,
            "totalPages": reply.total.div_ceil(count),
            "totalEntries": reply.total,
        },
        "itemSearchURL": reply.url,
    })
}

fn item(item: &Item) -> Value {
    present(json!({
        "itemId": item.id,
        "title": item.title,
        "globalId": item.market,
        "subtitle": item.subtitle,
        "primaryCategory": { "categoryId": item.category.0.to_string(), "categoryName": item.category.1 },
        "galleryURL": item.gallery_url,
        "viewItemURL": item.view_url,
        "productId": item.product,
        "paymentMethod": item.payment_methods,
        "autoPay": item.auto_pay,
        "postalCode": item.postal_code,
        "location": item.location,
        "country": item.country,
        "shippingInfo": shipping(&item.shipping),
        "sellingStatus": selling(&item.selling),
        "listingInfo": listing(&item.listing),
        "returnsAccepted": item.returns_accepted,
        "condition": { "conditionId": item.condition.0.to_string(), "conditionDisplayName": item.condition.1 },
        "isMultiVariationListing": false,
    }))
}

fn shipping(shipping: &Shipping) -> Value {
    present(json!({
        "shippingServiceCost": shipping.cost.map(Price::amount),
        "shippingType": shipping.kind,
        "shipToLocations": shipping.destinations,
        "expeditedShipping": shipping.expedited,
        "oneDayShippingAvailable": shipping.one_day,
        "handlingTime": shipping.handling_days.to_string(),
    }))
}

fn selling(selling: &Selling) -> Value {
    present(json!({
        "currentPrice": selling.price.amount(),
        "convertedCurrentPrice": selling.converted.amount(),
        "bidCount": selling.bids,
        "sellingState": "Active",
        "timeLeft": duration(selling.left),
    }))
}

fn listing(listing: &Listing) -> Value {
    present(json!({
        "bestOfferEnabled": listing.best_offer,
        "buyItNowAvailable": listing.buy_now.is_some(),
        "buyItNowPrice": listing.buy_now.map(|(asked, _)| asked.amount()),
        "convertedBuyItNowPrice": listing.buy_now.map(|(_, converted)| converted.amount()),
        "startTime": time(listing.start),
        "endTime": time(listing.end),
        "listingType": listing.kind,
        "gift": false,
    }))
}
