//! XMPP stanzas and packets: the published twins, both ways.

use std::path::Path;

use polywire_core::value::Value;
use polywire_psyc::FORMAT;
use polywire_psyc::xmpp::Gateway;
use polywire_testing as testing;

fn packet(name: &str) -> (Vec<u8>, Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/packets").join(format!("{name}.psyc"));
    let bytes = std::fs::read(path).expect("a packet");
    let value = Value::from(testing::read(&FORMAT, &bytes).expect("a packet").root().expect("a value"));
    (bytes, value)
}

/// The twin in XML as XML's document profile reads it.
fn stanza(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/packets").join(format!("{name}.xml"));
    let bytes = std::fs::read(path).expect("a stanza");
    Value::from(testing::read(&polywire_formats::xml::FORMAT, &bytes).expect("a stanza").root().expect("a value"))
}

fn gateway() -> Gateway {
    Gateway { xmpp_domains: vec!["example.net".into()] }
}

#[test]
fn a_published_twin_with_its_domains_swapped() {
    // The packet has romeo at example.com and juliet at example.net, the stanza has it the other
    // way round.
    let mapped = Gateway::default().packet_of(&stanza("json-unfriendly")).expect("a packet");
    let text = String::from_utf8(testing::write(&FORMAT, &mapped.value).expect("a packet")).expect("text");
    let swapped = text.replace("example.com", "example.TMP").replace("example.net", "example.com").replace("example.TMP", "example.net");
    assert_eq!(swapped.as_bytes(), packet("json-unfriendly").0);
    assert_eq!(mapped.lost, ["resource of @from", "resource of @to"]);
}

/// The stanza without what its packet has no place for, and addresses without resources.
fn kept(stanza: &Value, drop: &[&str]) -> Value {
    match stanza {
        Value::Record { name, fields } => Value::Record {
            name: name.clone(),
            fields: fields
                .iter()
                .filter(|(name, _)| !drop.contains(&name.as_str()))
                .map(|(name, value)| match value {
                    Value::Text(text) if name == "@from" || name == "@to" => {
                        (name.clone(), Value::text(text.split('/').next().unwrap_or_default()))
                    }
                    other => (name.clone(), kept(other, drop)),
                })
                .collect(),
        },
        other => other.clone(),
    }
}

#[test]
fn stanzas_become_their_published_packets() {
    for (name, gateway, lost) in [
        ("chat_msg", gateway(), &["resource of @from", "@type"][..]),
        ("psyc-unfriendly", Gateway::default(), &["resource of @from"]),
        ("presence", Gateway::default(), &["resource of @from", "@to"]),
        ("activity", Gateway::default(), &["resource of @from", "@to", "@id", "activity:verb", "activity:object", "osw:acl-rule"]),
    ] {
        let mapped = gateway.packet_of(&stanza(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let bytes = testing::write(&FORMAT, &mapped.value).expect("a packet");
        assert_eq!(String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&packet(name).0), "{name}");
        assert_eq!(mapped.lost, lost, "{name}");
    }
}

#[test]
fn packets_become_stanzas() {
    for (name, drop) in [("chat_msg", &["@type"][..]), ("psyc-unfriendly", &[]), ("presence", &["@to"])] {
        let mapped = gateway().stanza_of(&packet(name).1).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(mapped.value, kept(&stanza(name), drop), "{name}");
        assert!(mapped.lost.is_empty(), "{name}: {:?}", mapped.lost);
    }
    // The published text of this one is not that of its stanza.
    let mapped = gateway().stanza_of(&packet("xml-unfriendly").1).expect("a stanza");
    assert!(format!("{:?}", mapped.value).contains(" Pro&#x010D;e"));
}

#[test]
fn what_came_from_a_packet_goes_back_to_it() {
    for name in ["chat_msg", "json-unfriendly", "psyc-unfriendly", "xml-unfriendly", "presence", "activity"] {
        let gateway = if name == "chat_msg" { gateway() } else { Gateway::default() };
        let (bytes, value) = packet(name);
        let there = gateway.stanza_of(&value).unwrap_or_else(|error| panic!("{name}: {error}"));
        let back = gateway.packet_of(&there.value).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(there.lost.is_empty() && back.lost.is_empty(), "{name}: {:?} {:?}", there.lost, back.lost);
        assert_eq!(testing::write(&FORMAT, &back.value).expect("a packet"), bytes, "{name}");
    }
}

#[test]
fn what_has_no_counterpart_is_refused_or_named() {
    let with = |name: &str, fields: Vec<(&str, Value)>| Value::record([(name, Value::record(fields))]);
    let gateway = Gateway::default();
    assert!(gateway.packet_of(&with("stream", vec![])).is_err());
    assert!(gateway.packet_of(&with("iq", vec![("@type", Value::text("get"))])).is_err());
    assert!(gateway.packet_of(&with("presence", vec![("@type", Value::text("subscribe"))])).is_err());
    assert!(gateway.stanza_of(&Value::Record { name: "notice_set".into(), fields: vec![] }).is_err());
    let message = with("message", vec![("thread", Value::text("t")), ("@from", Value::text("a b@h"))]);
    let mapped = gateway.packet_of(&message).expect("a packet");
    assert_eq!(mapped.lost, ["thread"]);
    assert!(format!("{:?}", mapped.value).contains("xmpp:a b@h"));
    for (kind, show) in [(None, "xa"), (None, "dnd"), (None, "chat"), (Some("unavailable"), "")] {
        let mut fields = vec![("@from", Value::text("a@h"))];
        fields.extend(kind.map(|kind| ("@type", Value::text(kind))));
        if !show.is_empty() {
            fields.push(("show", Value::text(show)));
        }
        fields.push(("status", Value::text("s")));
        let stanza = with("presence", fields);
        let packet = gateway.packet_of(&stanza).expect("a packet");
        assert_eq!(gateway.stanza_of(&packet.value).expect("a stanza").value, stanza);
    }
}
