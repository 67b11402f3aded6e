//! One request that becomes many to a service.

use crate::trial::Trial;
use crate::wire::http1::encoded;

/// Requests that one answer may cost: `maxNestedRequests`, and the first of each of its statements.
const MOST: usize = 52;

/// Counts the requests that one caller's request makes.
fn counted(trial: &Trial<'_>, path: &str, what: &str, ask: impl FnOnce()) {
    trial.world.service.forget();
    ask();
    let count = trial.world.service.seen(path).len();
    trial.expect(count <= MOST, || format!("{what}: {count} requests to the service"));
}

/// Repeated parameters and lists in bodies, on routes of a single value.
pub fn values(trial: &Trial<'_>) {
    for count in [51, 60, 1000, 5000] {
        let query: Vec<String> = (0..count).map(|n| format!("q={n}")).collect();
        let query = query.join("&");
        counted(trial, "/one", "a query", || drop(trial.get(&format!("/one?{query}"))));
        let query: Vec<String> = (0..count).map(|n| format!("r={n}")).collect();
        counted(trial, "/one", "a form", || {
            drop(trial.post("/two/1", "application/x-www-form-urlencoded", "", query.join("&").as_bytes()))
        });
        let list: Vec<String> = (0..count).map(|n| n.to_string()).collect();
        let list = list.join(",");
        counted(trial, "/one", "a list", || {
            drop(trial.post("/bodied", "application/json", "", format!(r#"{{"list":[{list}]}}"#).as_bytes()))
        });
        counted(trial, "/one", "two lists", || {
            drop(trial.post(
                &format!("/two/1?q=1&q=2&{}", query.join("&")),
                "application/json",
                "",
                format!(r#"{{"r":[{list}]}}"#).as_bytes(),
            ))
        });
        let members: String = (0..count).map(|n| format!("<list>{n}</list>")).collect();
        counted(trial, "/one", "markup", || drop(trial.post("/bodied", "application/xml", "", format!("<a>{members}</a>").as_bytes())));
        counted(trial, "/one", "a join", || drop(trial.get(&format!("/join?n={count}"))));
        let lines: String = (0..count).map(|n| format!("list: {n}\n")).collect();
        counted(trial, "/one", "lines", || drop(trial.post("/bodied", "application/yaml", "", lines.as_bytes())));
    }
    counted(trial, "/one", "nested lists", || {
        drop(trial.post("/bodied", "application/json", "", br#"{"list":[[1,2,[3,4]],[5,[6]],{"a":[7]}]}"#))
    });
}

/// Scripts whose statements multiply.
pub fn scripts(trial: &Trial<'_>) {
    let list: Vec<String> = (0..40).map(|n| n.to_string()).collect();
    let list = list.join(",");
    let scripts = [
        format!(
            "v = [{list}]; a = select * from one where q = '{{v}}'; b = select * from one where q = '{{v}}'; return {{\"a\":\"{{a}}\",\"b\":\"{{b}}\"}}"
        ),
        "r = select * from rows where n = '5000'; return select a.id, b.asked from r as a, one as b where b.q = a.id".to_owned(),
        format!("return select * from one where q in ({list},{list}) and r in ({list})"),
        format!(
            "a = select asked as asked from one where q in ({list}); return select a.asked, b.asked from a as a, one as b where b.q = a.asked"
        ),
        "return select * from one where q in (select id from rows where n = '4000')".to_owned(),
    ];
    for script in scripts {
        counted(trial, "/one", &format!("{script:.60}"), || drop(trial.script(&script)));
        counted(trial, "/one", &format!("{script:.60}"), || drop(trial.get(&format!("/q?s={}", encoded(&script)))));
    }
}
