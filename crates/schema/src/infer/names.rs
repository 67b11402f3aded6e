//! Names of types, from the names of the fields that hold them.

use std::collections::BTreeMap;

/// Returns a type's name: `goods_name`, `goods-name` and `ns:goodsName` become `GoodsName`.
pub(crate) fn type_name(name: &str) -> String {
    let local = name.rsplit(':').find(|part| part.contains(char::is_alphanumeric)).unwrap_or("");
    let mut out = String::new();
    for word in local.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let mut chars = word.chars();
        if let Some(first) = chars.next() {
            out.extend(first.to_uppercase().filter(|c| c.is_alphanumeric()));
            out.push_str(chars.as_str());
        }
    }
    match out.chars().next() {
        None => "Value".into(),
        Some(first) if first.is_alphabetic() => out,
        Some(_) => format!("N{out}"),
    }
}

/// Returns the singular: `vouchers` becomes `voucher`, `categories` becomes `category`.
pub(crate) fn singular(name: &str) -> &str {
    let lower = name.to_lowercase();
    // Lower case may have another length in few scripts; those have no English plural.
    if lower.len() != name.len() || name.len() < 3 {
        return name;
    }
    let stem = |ending: usize| name.get(..name.len() - ending).unwrap_or(name);
    if ["sses", "shes", "ches", "xes", "zes"].iter().any(|ending| lower.ends_with(ending)) {
        stem(2)
    } else if lower.ends_with('s') && !["ss", "us", "is", "ies"].iter().any(|ending| lower.ends_with(ending)) {
        stem(1)
    } else {
        name
    }
}

/// Returns the name of the type of one item, from the name of a list.
pub(crate) fn singular_type_name(name: &str) -> String {
    let lower = name.to_lowercase();
    if lower.len() == name.len()
        && lower.len() > 4
        && lower.ends_with("ies")
        && let Some(stem) = name.get(..name.len() - 3)
    {
        return type_name(&format!("{stem}y"));
    }
    type_name(singular(name))
}

/// Returns the name of a type that several fields hold: theirs if it is one; else the last word if
/// most of them share it (`CurrentPrice`, `LowestPrice`: `Price`); else the shortest.
pub(crate) fn common_name(candidates: &[String]) -> String {
    let mut distinct: Vec<&str> = candidates.iter().map(String::as_str).collect();
    distinct.sort_unstable();
    distinct.dedup();
    if let [one] = distinct[..] {
        return one.to_string();
    }
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    distinct.iter().for_each(|name| *words.entry(last_word(name)).or_default() += 1);
    let most = words.iter().max_by_key(|(word, count)| (**count, std::cmp::Reverse(*word)));
    if let Some((word, &count)) = most
        && 2 * count > distinct.len()
    {
        return word.to_string();
    }
    distinct.iter().min_by_key(|name| name.chars().count()).map_or_else(|| "Value".into(), |name| name.to_string())
}

fn last_word(name: &str) -> &str {
    let start = name.char_indices().rev().find(|(_, c)| c.is_uppercase()).map_or(0, |(at, _)| at);
    let word = &name[start..];
    // A single letter, as in ItemID, is no word.
    if word.chars().count() > 2 { word } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types() {
        for (name, expected) in [
            ("goods_name", "GoodsName"),
            ("viewItemURL", "ViewItemURL"),
            ("@xmlns:activity", "Activity"),
            ("soapenv:Envelope", "Envelope"),
            ("#text", "Text"),
            ("", "Value"),
            ("::", "Value"),
            ("1x", "N1x"),
            ("größe", "Größe"),
            ("\u{202e}\n", "Value"),
        ] {
            assert_eq!(type_name(name), expected, "{name}");
        }
    }

    #[test]
    fn one_of_several() {
        for (name, expected) in [
            ("vouchers", "Voucher"),
            ("categories", "Category"),
            ("addresses", "Address"),
            ("boxes", "Box"),
            ("status", "Status"),
            ("series", "Sery"),
            ("analysis", "Analysis"),
            ("a2", "A2"),
            ("as", "As"),
        ] {
            assert_eq!(singular_type_name(name), expected, "{name}");
        }
    }

    #[test]
    fn a_name_for_several_fields() {
        let name = |names: &[&str]| common_name(&names.iter().map(|name| name.to_string()).collect::<Vec<_>>());
        assert_eq!(name(&["CurrentPrice", "ShippingServiceCost", "BuyItNowPrice"]), "Price");
        assert_eq!(name(&["Home", "Office", "Home"]), "Home");
        assert_eq!(name(&["Address", "Address"]), "Address");
        assert_eq!(name(&["Left", "Right", "Up"]), "Up");
    }
}
