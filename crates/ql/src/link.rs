//! Where the interface describes tables and routes (specification 7.7).

use crate::route::Route;
use crate::template::uri::encode_component;

/// Path and query of the description of the table `name`.
pub fn table(name: &str) -> String {
    format!("/table?name={}", encode_component(name))
}

/// Path and query of the description of a route.
pub fn route(route: &Route) -> String {
    format!("/route?path={}&method={}", encode_component(&route.text), method(&route.method))
}

/// A method as descriptions show it: `delete` is `del`.
pub fn method(method: &str) -> &str {
    if method == "delete" { "del" } else { method }
}
