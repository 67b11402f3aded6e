//! Members of the configuration that are no settings. One at the top may be for scripts, but a
//! misspelt setting looks the same.

use polywire_doc::Ref;

/// The settings, as `docs/gateway-config.schema.json` lists them.
const SETTINGS: [&str; 40] = [
    "adHoc",
    "allow",
    "allowNetworks",
    "allowPrivate",
    "breaker",
    "cache",
    "callback",
    "callers",
    "clientCertificate",
    "compress",
    "connectTimeout",
    "connectionsPerHost",
    "cors",
    "deadline",
    "ecvPath",
    "hooks",
    "hosts",
    "http2Hosts",
    "keepAlive",
    "maxDecodedLength",
    "maxMemory",
    "maxNestedRequests",
    "maxRequestLength",
    "maxResponseLength",
    "parallel",
    "poweredBy",
    "proxy",
    "rates",
    "requestIdHeader",
    "requestTimeout",
    "retry",
    "rootCertificates",
    "secretHeaders",
    "secretParameters",
    "shareReplies",
    "slow",
    "sockets",
    "strict",
    "totalMemory",
    "xformers",
];

/// Members of settings that are objects.
const MEMBERS: [(&str, &[&str]); 3] = [
    ("adHoc", &["enabled", "maxRequests", "open", "persisted", "token"]),
    ("clientCertificate", &["certificate", "key"]),
    ("hooks", &["memory", "time"]),
];

/// Members of each proxy.
const PROXY: [&str; 4] = ["host", "password", "port", "user"];

/// The least likeness, from 0 to 1, of a name that may have been meant.
const ALIKE: f64 = 0.85;

/// A member that is no setting.
#[derive(Debug, PartialEq)]
pub(super) struct Odd {
    /// Its names, joined by dots.
    pub name: String,
    /// The setting that may have been meant.
    pub meant: Option<&'static str>,
    /// True if it may be for scripts.
    pub may_be_for_scripts: bool,
}

/// Returns the members of a configuration that are no settings.
pub(super) fn odd(config: Ref<'_>) -> Vec<Odd> {
    let mut found = Vec::new();
    for (name, value) in config.members() {
        if !SETTINGS.contains(&name) {
            found.push(Odd { name: name.to_owned(), meant: meant(name, &SETTINGS), may_be_for_scripts: true });
        } else if name == "proxy" {
            value.members().for_each(|(host, proxy)| within(&format!("proxy.{host}"), proxy, &PROXY, &mut found));
        } else if let Some((_, members)) = MEMBERS.iter().find(|(known, _)| *known == name) {
            within(name, value, members, &mut found);
        }
    }
    found
}

fn within(name: &str, value: Ref<'_>, known: &[&'static str], found: &mut Vec<Odd>) {
    for (member, _) in value.members().filter(|(member, _)| !known.contains(member)) {
        found.push(Odd { name: format!("{name}.{member}"), meant: meant(member, known), may_be_for_scripts: false });
    }
}

/// Returns the known name that is most like `name`, if one is.
fn meant(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let name = name.to_lowercase();
    let likeness = |known: &'static str| (strsim::jaro_winkler(&name, &known.to_lowercase()), known);
    let best = known.iter().map(|known| likeness(known)).max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(likeness, _)| *likeness >= ALIKE).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use polywire_doc::Datum;

    use super::*;

    #[test]
    fn odd_members_are_found_with_what_was_meant() {
        let text = br#"{"maxNestedRequest": 1, "shop": {"x": 1}, "deadline": 5, "proxy": {"*": {"host": "p", "prot": 1}},
                        "adHoc": {"enable": false}, "maxResponseSize": 1}"#;
        let config: Datum =
            crate::decode::request_body(&text.to_vec().into(), Some("application/json"), &polywire_core::Limits::DEFAULT).unwrap();
        let found: Vec<(String, Option<&str>, bool)> =
            odd(config.view()).into_iter().map(|odd| (odd.name, odd.meant, odd.may_be_for_scripts)).collect();
        let of = |name: &str, meant, may| (name.to_owned(), meant, may);
        assert_eq!(
            found,
            [
                of("maxNestedRequest", Some("maxNestedRequests"), true),
                of("shop", None, true),
                of("proxy.*.prot", Some("port"), false),
                of("adHoc.enable", Some("enabled"), false),
                of("maxResponseSize", Some("maxResponseLength"), true),
            ]
        );
    }

    #[test]
    fn the_settings_are_those_of_the_schema() {
        let text = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/gateway-config.schema.json")).unwrap();
        let schema: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let names = |of: &serde_json::Value| of["properties"].as_object().unwrap().keys().cloned().collect::<BTreeSet<String>>();
        let known = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
        assert_eq!(names(&schema), known(&SETTINGS));
        for (name, members) in MEMBERS {
            let setting = &schema["properties"][name];
            let reference = setting["$ref"].as_str().or_else(|| setting["anyOf"][0]["$ref"].as_str()).unwrap();
            assert_eq!(names(&schema["$defs"][reference.rsplit('/').next().unwrap()]), known(members), "{name}");
        }
        assert_eq!(names(&schema["$defs"]["Entry"]), known(&PROXY));
    }
}
