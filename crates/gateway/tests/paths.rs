//! One reply by two paths: XML and Protocol Buffers give the same data, but for what one of them
//! does not carry. `docs/xml-objects.md` lists the differences.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use polywire_core::format::Dialect;
use polywire_core::walk::Path as ValuePath;
use polywire_doc::{Reads, Ref, Shape, View, Wanted};
use polywire_formats::registry;
use polywire_gateway::decode::Decoder;

/// How the values at one place differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Differs {
    /// XML has a number where Protocol Buffers have its text.
    TextOfNumber,
    /// XML has the number among attributes, in `$t`.
    Attributed,
    /// XML has one value where Protocol Buffers have a list of it.
    ListOfOne,
    /// Protocol Buffers have a 32-bit number: the nearest to what XML says.
    Nearest,
    /// XML alone has it.
    XmlOnly,
}

type Places = BTreeMap<String, BTreeSet<Differs>>;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The lists, and the texts of digits, that a table may declare so that XML gives them as they are
/// meant.
const LISTS: [&str; 2] = ["searchResult.item.paymentMethod", "searchResult.item.shippingInfo.shipToLocations"];
const TEXTS: [&str; 6] = [
    "searchResult.item.condition.conditionId",
    "searchResult.item.itemId",
    "searchResult.item.postalCode",
    "searchResult.item.primaryCategory.categoryId",
    "searchResult.item.productId.$t",
    "searchResult.item.shippingInfo.handlingTime",
];

#[test]
fn both_paths_give_the_same_but_for_what_is_listed() {
    let prices = [
        "searchResult.item.listingInfo.buyItNowPrice",
        "searchResult.item.listingInfo.convertedBuyItNowPrice",
        "searchResult.item.sellingStatus.convertedCurrentPrice",
        "searchResult.item.sellingStatus.currentPrice",
        "searchResult.item.shippingInfo.shippingServiceCost",
    ];
    let kept = |places: &mut Places| {
        let mut note = |path: &str, differs| places.entry(path.to_owned()).or_default().insert(differs);
        prices.iter().for_each(|path| _ = note(path, Differs::Attributed));
        note("searchResult.item.productId", Differs::Attributed);
        note("searchResult.count", Differs::XmlOnly);
        note("xmlns", Differs::XmlOnly);
    };
    let mut declared = Places::new();
    kept(&mut declared);
    assert_eq!(differences(true), declared);

    let mut undeclared = Places::new();
    kept(&mut undeclared);
    for path in TEXTS {
        undeclared.entry(path.trim_end_matches(".$t").to_owned()).or_default().insert(Differs::TextOfNumber);
    }
    LISTS.iter().for_each(|path| _ = undeclared.entry((*path).to_owned()).or_default().insert(Differs::ListOfOne));
    assert_eq!(differences(false), undeclared);
}

/// Where the two paths differ, with the table's declarations or without.
fn differences(declared: bool) -> Places {
    const ENVELOPE: [&str; 3] = ["soapenv:Envelope", "soapenv:Body", "findItemsByKeywordsResponse"];
    let mut shape = Shape::default();
    if declared {
        let path = |below: &str| ValuePath::parse(&format!("{}.{below}", ENVELOPE.join("."))).expect("a path");
        LISTS.iter().for_each(|below| shape.list(&path(below)));
        TEXTS.iter().for_each(|below| shape.reads(&path(below), Reads::Text));
    }
    let read = |file: &str| Bytes::from(std::fs::read(examples().join(file)).expect("an example"));
    let protobuf = registry::find("protobuf").expect("a format");
    let message = "example.market.search.v1.FindItemsByKeywordsResponse";
    let dialect = Dialect::with_schema(protobuf, &examples().join("search.proto"), Some(message), &[]).expect("a schema");
    let everything = Wanted::everything();
    let xml = Decoder::by_media_type().shape(shape).decode(&read("search-reply.xml"), Some("text/xml"), &everything).expect("XML").value;
    let messages =
        Decoder::by_media_type().dialect(dialect).decode(&read("search-reply.pb"), None, &everything).expect("Protocol Buffers").value;
    let inner = ENVELOPE.iter().try_fold(xml.view(), |at, name| at.get(name)).expect("the reply in its envelope");
    let mut found = Places::new();
    compare(inner, messages.view(), "", &mut found);
    found
}

/// Notes where `xml` and `other` differ; values that have nothing to do with each other end the
/// test.
fn compare(xml: Ref<'_>, other: Ref<'_>, path: &str, found: &mut Places) {
    let mut note = |differs| {
        found.entry(path.to_owned()).or_default().insert(differs);
    };
    match (xml.view(), other.view()) {
        _ if other.is_list() && !xml.is_list() => {
            note(Differs::ListOfOne);
            assert_eq!(other.len(), 1, "{path}");
            compare(xml, other.items().next().expect("one"), path, found);
        }
        _ if other.is_list() => {
            assert_eq!(xml.len(), other.len(), "{path}");
            xml.items().zip(other.items()).for_each(|(xml, other)| compare(xml, other, path, found));
        }
        _ if other.is_object() => {
            for (name, value) in other.members() {
                let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                compare(xml.get(name).unwrap_or_else(|| panic!("XML lacks {path}")), value, &path, found);
            }
            for (name, _) in xml.members().filter(|(name, _)| other.get(name).is_none()) {
                let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                found.entry(path).or_default().insert(Differs::XmlOnly);
            }
        }
        _ if xml.is_object() => {
            note(Differs::Attributed);
            compare(xml.get("$t").unwrap_or_else(|| panic!("{path} has no text")), other, path, found);
        }
        (View::Text(one), View::Text(two)) => assert_eq!(one, two, "{path}"),
        (_, View::Text(text)) => {
            note(Differs::TextOfNumber);
            assert_eq!(String::from_utf8(xml.to_datum().to_json()).expect("UTF-8"), text, "{path}");
        }
        (_, View::F32(nearest)) => {
            let said = String::from_utf8(xml.to_datum().to_json()).expect("UTF-8");
            let shown = String::from_utf8(other.to_datum().to_json()).expect("UTF-8");
            assert_eq!(said.parse::<f32>().expect("a number"), nearest, "{path}");
            if said != shown {
                note(Differs::Nearest);
            }
        }
        _ => assert_eq!(xml.to_datum().to_json(), other.to_datum().to_json(), "{path}"),
    }
}
