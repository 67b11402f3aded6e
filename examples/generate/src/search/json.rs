//! The reply as a JSON service sends it: no envelope, numbers and truth values as such, a price as amount and currency, lists as arrays.

use serde_json::{Value, json};

use super::{Item, Listing, Price, Selling, Shipping, duration, present, reply, time};

/// The reply as JSON.
pub fn json() -> String {
    let reply = reply();
    let items: Vec<Value> = reply.items.iter().map(item).collect();
    let count = reply.items.len() as u32;
    let reply = json!({
        "ack": "Success",
        "version": "1.12.0",
        "timestamp": time(reply.timestamp),
        "searchResult": { "count": count, "items": items },
        "paginationOutput": {
            "pageNumber": 1,
            "entriesPerPage": count,
            "totalPages": reply.total.div_ceil(count),
            "totalEntries": reply.total,
        },
        "itemSearchURL": reply.url,
    });
    format!("{reply}\n")
}

fn item(item: &Item) -> Value {
    present(json!({
        "itemId": item.id,
        "title": item.title,
        "globalId": item.market,
        "subtitle": item.subtitle,
        "primaryCategory": { "categoryId": item.category.0, "categoryName": item.category.1 },
        "galleryURL": item.gallery_url,
        "viewItemURL": item.view_url,
        "productId": item.product.as_ref().map(|product| json!({ "type": "CatalogueID", "value": product })),
        "paymentMethods": item.payment_methods,
        "autoPay": item.auto_pay,
        "postalCode": item.postal_code,
        "location": item.location,
        "country": item.country,
        "shippingInfo": shipping(&item.shipping),
        "sellingStatus": selling(&item.selling),
        "listingInfo": listing(&item.listing),
        "returnsAccepted": item.returns_accepted,
        "condition": { "conditionId": item.condition.0, "conditionDisplayName": item.condition.1 },
        "isMultiVariationListing": false,
    }))
}

fn shipping(shipping: &Shipping) -> Value {
    present(json!({
        "shippingServiceCost": shipping.cost.map(price),
        "shippingType": shipping.kind,
        "shipToLocations": shipping.destinations,
        "expeditedShipping": shipping.expedited,
        "oneDayShippingAvailable": shipping.one_day,
        "handlingTime": shipping.handling_days,
    }))
}

fn selling(selling: &Selling) -> Value {
    present(json!({
        "currentPrice": price(selling.price),
        "convertedCurrentPrice": price(selling.converted),
        "bidCount": selling.bids,
        "sellingState": "Active",
        "timeLeft": duration(selling.left),
    }))
}

fn listing(listing: &Listing) -> Value {
    present(json!({
        "bestOfferEnabled": listing.best_offer,
        "buyItNowAvailable": listing.buy_now.is_some(),
        "buyItNowPrice": listing.buy_now.map(|(asked, _)| price(asked)),
        "convertedBuyItNowPrice": listing.buy_now.map(|(_, converted)| price(converted)),
        "startTime": time(listing.start),
        "endTime": time(listing.end),
        "listingType": listing.kind,
        "gift": false,
    }))
}

fn price(price: Price) -> Value {
    json!({ "amount": price.amount(), "currency": price.currency })
}
