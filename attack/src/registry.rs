//! All attacks, one line each.

use crate::attack::Attack;
use crate::attacks::{
    bombs, browsers, cache, fanout, framing, heads, hooks, http2, itself, lines, mixed, parsing, pollution, replicas, sandbox, scripts,
    secrets, slow, smuggling, sockets, ssrf, uris,
};

/// Every attack, in the order in which they run.
#[rustfmt::skip] // One line each, so that a new attack is one new line.
pub static ATTACKS: &[Attack] = &[
    Attack::new("heads-ids", "request ids that grow", heads::ids),
    Attack::new("heads-losses", "headers about losses and events", heads::losses),
    Attack::new("heads-routes", "headers of routes, filled by callers", heads::routes),
    Attack::new("scripts-doubles", "values that double with each line", scripts::doubles),
    Attack::new("scripts-ways", "the same by GET, callback, events, explain", scripts::ways),
    Attack::new("scripts-long", "answers of many megabytes in every content coding", scripts::long),
    Attack::new("scripts-work", "scripts just below the limit of work, 40 at once", scripts::work),
    Attack::new("scripts-hoards", "values just below the limit of a script, 60 at once", scripts::hoards),
    Attack::new("scripts-files", "files of the machine as tables", scripts::files),
    Attack::new("scripts-hard", "scripts that are hard to read", scripts::hard),
    Attack::new("hooks-search", "searches of minutes in hooks, six at once", hooks::search),
    Attack::new("hooks-built-ins", "every built-in that walks to a length", hooks::built_ins),
    Attack::new("hooks-bodies", "bodies that are slow in a hook", hooks::bodies),
    Attack::new("hooks-end", "SIGTERM while all hooks hang", hooks::end),
    Attack::new("fanout-values", "one request that becomes thousands", fanout::values),
    Attack::new("fanout-scripts", "statements that multiply requests", fanout::scripts),
    Attack::new("parsing-forms", "forms of 9 MB, 20 at once", parsing::forms),
    Attack::new("parsing-values", "bodies of every format: many, deep, long, claimed", parsing::values),
    Attack::new("parsing-parts", "parts: many, nested, without an end", parsing::parts),
    Attack::new("parsing-heads", "headers and targets that are slow to read", parsing::heads),
    Attack::new("secrets-shown", "credentials in descriptions, plans, events, pages", secrets::shown),
    Attack::new("secrets-errors", "credentials in errors and logs", secrets::errors),
    Attack::new("secrets-redirects", "credentials at a redirect to another port", secrets::redirects),
    Attack::new("uris-paths", "traversal in a segment of a path", uris::paths),
    Attack::new("uris-parts", "values that become another query, host, port, scheme", uris::parts),
    Attack::new("lines", "line ends in values: headers, logs", lines::ends),
    Attack::new("browsers-sites", "pages of other sites: scripts, writes, callbacks", browsers::sites),
    Attack::new("browsers-names", "names that change (DNS rebinding)", browsers::names),
    Attack::new("browsers-sockets", "WebSocket of other origins", browsers::sockets),
    Attack::new("framing-routes", "routes that frame their answers", framing::routes),
    Attack::long("smuggling-lengths", "requests with two ends", 60, smuggling::lengths),
    Attack::long("smuggling-http2", "heads of HTTP/2 that are two requests", 40, smuggling::downgrades),
    Attack::long("slow-heads", "slowloris: 1,500 heads that drip", 25, slow::heads),
    Attack::new("slow-bodies", "bodies that drip", slow::bodies),
    Attack::new("slow-readers", "answers that nobody takes", slow::readers),
    Attack::new("slow-connections", "2,000 silent connections, 6,000 that come and go", slow::connections),
    Attack::new("slow-pipelines", "500 requests at once on each connection", slow::pipelines),
    Attack::new("slow-services", "600 requests to a service that hangs", slow::services),
    Attack::new("floods", "as many requests as go", slow::floods),
    Attack::new("http2-reset", "rapid reset (CVE-2023-44487)", http2::rapid_reset),
    Attack::new("http2-made-you-reset", "MadeYouReset (CVE-2025-8671)", http2::made_you_reset),
    Attack::new("http2-continuation", "heads without an end (CVE-2024-27316)", http2::continuation),
    Attack::new("http2-control", "floods of settings, pings, priorities, windows", http2::control),
    Attack::new("http2-empty", "data without bytes", http2::empty_data),
    Attack::new("http2-table", "small heads that are long when decoded", http2::table),
    Attack::new("http2-windows", "answers whose windows stay closed", http2::windows),
    Attack::new("http2-streams", "more streams than are allowed", http2::streams),
    Attack::new("http2-honest", "a fast and honest client is no attacker", http2::honest),
    Attack::long("http2-spec", "h2spec", 120, http2::spec),
    Attack::new("bombs-requests", "bombs of callers in every content coding", bombs::requests),
    Attack::new("bombs-streams", "streams without bytes, cut, or with claims", bombs::streams),
    Attack::new("bombs-replies", "bombs of services in every content coding", bombs::replies),
    Attack::new("ssrf-scripts", "tables of callers that lead inwards", ssrf::scripts),
    Attack::new("ssrf-redirects", "redirects that lead inwards", ssrf::redirects),
    Attack::new("sandbox", "hooks that look for a way out", sandbox::escapes),
    Attack::new("pollution", "names that mean something to JavaScript", pollution::members),
    Attack::new("cache-keys", "what is no part of the cache's key", cache::keys),
    Attack::new("cache-replies", "replies that must not be kept", cache::replies),
    Attack::new("cache-fill", "keys without an end", cache::fill),
    Attack::new("itself-routes", "a gateway that calls itself", itself::routes),
    Attack::new("itself-scripts", "a script that the gateway runs again and again", itself::scripts),
    Attack::new("sockets-frames", "frames of WebSocket: long, endless, wrong, many", sockets::frames),
    Attack::new("sockets-places", "more WebSocket connections than there are places", sockets::places),
    Attack::long("replicas", "two replicas behind nginx, 100 victims", 60, replicas::all),
    Attack::long("mixed", "200,000 mixed requests", 120, mixed::growth),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_different() {
        for (at, attack) in ATTACKS.iter().enumerate() {
            assert!(ATTACKS[..at].iter().all(|other| other.name != attack.name), "{}", attack.name);
        }
    }
}
