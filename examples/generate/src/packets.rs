//! The seven messages of `testdata/packets`, gathered into one stream per format.

use serde_json::Value;

/// The JSON and the XML of one message.
macro_rules! packet {
    ($name:literal) => {
        (
            include_str!(concat!("../../../testdata/packets/", $name, ".json")),
            include_str!(concat!("../../../testdata/packets/", $name, ".xml")),
        )
    };
}

/// The messages, in the order of their file names.
const PACKETS: [(&str, &str); 7] = [
    packet!("activity"),
    packet!("chat_msg"),
    packet!("json-unfriendly"),
    packet!("presence"),
    packet!("psyc-unfriendly"),
    packet!("user_profile"),
    packet!("xml-unfriendly"),
];

/// The JSON messages as JSON Lines: the same values, each on one line.
pub fn json_lines() -> String {
    let compact = |(json, _): &(&str, &str)| {
        let value: Value = serde_json::from_str(json).expect("the packets are JSON");
        format!("{value}\n")
    };
    PACKETS.iter().map(compact).collect()
}

/// The XML messages one after another, exactly as they stand.
pub fn xml() -> String {
    PACKETS.iter().map(|(_, xml)| *xml).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_values_of_the_files() {
        let lines = json_lines();
        assert_eq!(lines.lines().count(), PACKETS.len());
        for (line, (json, _)) in lines.lines().zip(PACKETS) {
            let [ours, theirs] = [line, json].map(|text| serde_json::from_str::<Value>(text).unwrap());
            assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn each_file_is_one_document() {
        for (_, xml) in PACKETS {
            roxmltree::Document::parse(xml).unwrap();
        }
    }
}
