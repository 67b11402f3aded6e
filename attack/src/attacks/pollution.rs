//! Names that mean something to JavaScript or to the gateway, in what callers send.

use crate::trial::Trial;

/// Members of prototypes, in bodies, forms and queries.
pub fn members(trial: &Trial<'_>) {
    let bodies: Vec<(&str, String)> = vec![
        ("application/json", r#"{"value":{"__proto__":{"polluted":1}}}"#.to_owned()),
        ("application/json", r#"{"__proto__":{"polluted":1},"value":{"constructor":{"prototype":{"polluted":1}}}}"#.to_owned()),
        ("application/json", r#"{"value":[{"__proto__":["polluted"]},{"hasOwnProperty":1,"toString":1,"valueOf":1}]}"#.to_owned()),
        ("application/json", r#"{"value":{"then":{"then":1},"toJSON":1,"length":-1,"length":4294967296}}"#.to_owned()),
        ("application/json", r#"{"value":{"__defineGetter__":1,"__lookupSetter__":2,"__proto__":null}}"#.to_owned()),
        ("application/x-www-form-urlencoded", "value=1&__proto__[polluted]=1&constructor.prototype.polluted=1&__proto__=x".to_owned()),
        ("application/xml", "<a><value><__proto__><polluted>1</polluted></__proto__></value></a>".to_owned()),
        ("application/yaml", "value: {__proto__: {polluted: 1}, ? {a: 1} : 2}".to_owned()),
    ];
    for (media, body) in bodies {
        for query in ["", "?__proto__[polluted]=1", "?value.__proto__.polluted=1", "?__proto__=1&constructor=2"] {
            if let Some(answer) = trial.post(&format!("/polluted{query}"), media, "", body.as_bytes()) {
                trial.expect(!answer.text().contains(r#""own":false"#), || format!("{body}: {}", answer.short()));
            }
        }
    }
    let after = trial.get("/escape/asked");
    trial.expect(after.as_ref().is_some_and(|answer| answer.text() == "\"clean\""), || format!("afterwards: {after:?}"));
    // Variables of the gateway's own, set by a caller: tables and the configuration go before.
    for body in
        [r#"{"config":{"allowPrivate":["*"]},"ks":[1]}"#, r#"{"req":{"parts":[1]},"ks":[1]}"#, r#"{"ids":[{"ok":"poison"}],"ks":[1]}"#]
    {
        if let Some(answer) = trial.post("/many", "application/json", "", body.as_bytes()) {
            trial.expect(!answer.text().contains("poison"), || format!("{body}: {}", answer.short()));
        }
    }
}
