//! The reply as a SOAP service sends it: one line, prices as elements with a currency, absent parts left out, lists as repeated elements.

use std::fmt::Display;
use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::{Item, Listing, Price, Reply, Selling, Shipping, duration, reply, time};

type Out = Writer<Vec<u8>>;

/// The reply as XML.
pub fn xml() -> String {
    let mut out = Writer::new(Vec::new());
    write(&mut out, &reply()).expect("writing into memory");
    String::from_utf8(out.into_inner()).expect("made of text")
}

fn write(out: &mut Out, reply: &Reply) -> io::Result<()> {
    out.write_event(Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)))?;
    let envelope = out.create_element("soapenv:Envelope").with_attribute(("xmlns:soapenv", "http://schemas.xmlsoap.org/soap/envelope/"));
    envelope.write_inner_content(|out| {
        out.create_element("soapenv:Header").write_empty()?;
        group(out, "soapenv:Body", |out| {
            let response =
                out.create_element("findItemsByKeywordsResponse").with_attribute(("xmlns", "http://example.org/market/search/v1"));
            response.write_inner_content(|out| write_response(out, reply))?;
            Ok(())
        })
    })?;
    Ok(())
}

fn write_response(out: &mut Out, reply: &Reply) -> io::Result<()> {
    text(out, "ack", "Success")?;
    text(out, "version", "1.12.0")?;
    text(out, "timestamp", time(reply.timestamp))?;
    let count = reply.items.len().to_string();
    out.create_element("searchResult")
        .with_attribute(("count", count.as_str()))
        .write_inner_content(|out| reply.items.iter().try_for_each(|item| group(out, "item", |out| write_item(out, item))))?;
    group(out, "paginationOutput", |out| {
        text(out, "pageNumber", 1)?;
        text(out, "entriesPerPage", reply.items.len())?;
        text(out, "totalPages", reply.total.div_ceil(reply.items.len() as u32))?;
        text(out, "totalEntries", reply.total)
    })?;
    text(out, "itemSearchURL", &reply.url)
}

fn write_item(out: &mut Out, item: &Item) -> io::Result<()> {
    text(out, "itemId", &item.id)?;
    text(out, "title", &item.title)?;
    text(out, "globalId", item.market)?;
    optional(out, "subtitle", item.subtitle)?;
    group(out, "primaryCategory", |out| {
        text(out, "categoryId", item.category.0)?;
        text(out, "categoryName", item.category.1)
    })?;
    text(out, "galleryURL", &item.gallery_url)?;
    text(out, "viewItemURL", &item.view_url)?;
    if let Some(product) = &item.product {
        out.create_element("productId").with_attribute(("type", "CatalogueID")).write_text_content(BytesText::new(product))?;
    }
    item.payment_methods.iter().try_for_each(|method| text(out, "paymentMethod", method))?;
    text(out, "autoPay", item.auto_pay)?;
    optional(out, "postalCode", item.postal_code)?;
    text(out, "location", &item.location)?;
    text(out, "country", item.country)?;
    group(out, "shippingInfo", |out| write_shipping(out, &item.shipping))?;
    group(out, "sellingStatus", |out| write_selling(out, &item.selling))?;
    group(out, "listingInfo", |out| write_listing(out, &item.listing))?;
    text(out, "returnsAccepted", item.returns_accepted)?;
    group(out, "condition", |out| {
        text(out, "conditionId", item.condition.0)?;
        text(out, "conditionDisplayName", item.condition.1)
    })?;
    text(out, "isMultiVariationListing", false)
}

fn write_shipping(out: &mut Out, shipping: &Shipping) -> io::Result<()> {
    if let Some(cost) = shipping.cost {
        price(out, "shippingServiceCost", cost)?;
    }
    text(out, "shippingType", shipping.kind)?;
    shipping.destinations.iter().try_for_each(|place| text(out, "shipToLocations", place))?;
    text(out, "expeditedShipping", shipping.expedited)?;
    text(out, "oneDayShippingAvailable", shipping.one_day)?;
    text(out, "handlingTime", shipping.handling_days)
}

fn write_selling(out: &mut Out, selling: &Selling) -> io::Result<()> {
    price(out, "currentPrice", selling.price)?;
    price(out, "convertedCurrentPrice", selling.converted)?;
    optional(out, "bidCount", selling.bids)?;
    text(out, "sellingState", "Active")?;
    text(out, "timeLeft", duration(selling.left))
}

fn write_listing(out: &mut Out, listing: &Listing) -> io::Result<()> {
    text(out, "bestOfferEnabled", listing.best_offer)?;
    text(out, "buyItNowAvailable", listing.buy_now.is_some())?;
    if let Some((asked, converted)) = listing.buy_now {
        price(out, "buyItNowPrice", asked)?;
        price(out, "convertedBuyItNowPrice", converted)?;
    }
    text(out, "startTime", time(listing.start))?;
    text(out, "endTime", time(listing.end))?;
    text(out, "listingType", listing.kind)?;
    text(out, "gift", false)
}

/// An element of elements.
fn group(out: &mut Out, name: &str, inside: impl FnOnce(&mut Out) -> io::Result<()>) -> io::Result<()> {
    out.create_element(name).write_inner_content(inside)?;
    Ok(())
}

/// An element of text.
fn text(out: &mut Out, name: &str, value: impl Display) -> io::Result<()> {
    out.create_element(name).write_text_content(BytesText::new(&value.to_string()))?;
    Ok(())
}

/// An element of text, if there is any.
fn optional(out: &mut Out, name: &str, value: Option<impl Display>) -> io::Result<()> {
    value.map_or(Ok(()), |value| text(out, name, value))
}

/// An element of an amount; its attribute names the currency. Whole amounts keep a decimal place.
fn price(out: &mut Out, name: &str, price: Price) -> io::Result<()> {
    let amount = format!("{:?}", price.amount());
    out.create_element(name).with_attribute(("currencyId", price.currency)).write_text_content(BytesText::new(&amount))?;
    Ok(())
}
