//! Links to descriptions of tables and routes (docs/spec/ql.md 7.7).

use crate::route::Route;
use crate::template::uri::encode_component;

/// Returns path and query of the description of the table `name`.
pub fn table(name: &str) -> String {
    format!("/table?name={}", encode_component(name))
}

/// Returns path and query of the description of a route.
pub fn route(route: &Route) -> String {
    format!("/route?path={}&method={}", encode_component(&route.text), method(&route.method))
}

/// Returns a method as descriptions show it: `delete` is `del`.
pub fn method(method: &str) -> &str {
    if method == "delete" { "del" } else { method }
}
