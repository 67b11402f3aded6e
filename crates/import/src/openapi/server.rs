//! Where the service is, and what it asks for.

use polywire_doc::Ref;
use url::Url;

use super::Version;
use super::operation::Context;
use crate::Imported;
use crate::table::literal;

/// The first part of all URIs.
#[derive(Debug, Clone)]
pub(super) struct Base(pub String);

/// Returns the address of the service: the wish of the user, else the first one that the
/// description has, else a key of the configuration.
pub(super) fn base(context: &Context<'_, '_>, name: &str, imported: &mut Imported) -> Base {
    let root = context.document.root();
    let given = match (&context.settings.server, context.version) {
        (Some(server), _) => Some(server.clone()),
        (None, Version::V2) => swagger(root, name),
        (None, Version::V3) => first_server(root, name, imported),
    };
    given.and_then(|given| of(&given)).unwrap_or_else(|| {
        let key = format!("{}.server", context.part);
        imported.needs(key.clone(), "the address of the service, such as https://shop.example/v1");
        Base(format!("{{config.{key}}}"))
    })
}

/// Returns the base of an absolute address, without a slash at its end.
fn of(text: &str) -> Option<Base> {
    let mut url: Url = text.parse().ok()?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return None;
    }
    url.set_query(None);
    url.set_fragment(None);
    // Credentials are no part of a table. These calls fail only for addresses without a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(Base(literal(url.as_str().trim_end_matches('/'))))
}

/// Returns the address by `schemes`, `host` and `basePath` (OpenAPI 2.0, "Swagger Object"). Parts
/// that are missing are those of the description's own address.
fn swagger(root: Ref<'_>, name: &str) -> Option<String> {
    let own: Option<Url> = name.parse().ok();
    let schemes: Vec<&str> = root.get("schemes").into_iter().flat_map(Ref::items).filter_map(Ref::as_str).collect();
    let best = ["https", "http"].into_iter().find(|scheme| schemes.contains(scheme));
    let scheme = best.or_else(|| own.as_ref().map(Url::scheme)).unwrap_or("https");
    let authority = own.as_ref().map(|url| &url[url::Position::BeforeHost..url::Position::AfterPort]);
    let host = root.get("host").and_then(Ref::as_str).or(authority)?;
    let path = root.get("basePath").and_then(Ref::as_str).unwrap_or_default();
    Some(format!("{scheme}://{host}{path}"))
}

/// Returns the address of the first server, its variables by their defaults (OpenAPI 3.1, "Server
/// Object").
fn first_server(root: Ref<'_>, name: &str, imported: &mut Imported) -> Option<String> {
    let servers = root.get("servers").filter(|servers| servers.is_list());
    let count = servers.map_or(0, Ref::len);
    let server = servers.and_then(|servers| servers.index(0));
    let mut text = server.and_then(|server| server.get("url")).and_then(Ref::as_str).unwrap_or("/").to_owned();
    if count > 1 {
        imported.remark("servers", format!("the first of {count} is taken: {text}"));
    }
    for (variable, about) in server.and_then(|server| server.get("variables")).into_iter().flat_map(Ref::members) {
        let Some(default) = about.get("default").and_then(polywire_ql::template::scalar_text) else { continue };
        let token = format!("{{{variable}}}");
        if text.contains(&token) {
            text = text.replace(&token, &default);
            imported.remark(format!("servers[0].variables.{variable}"), format!("has its default `{default}`"));
        }
    }
    if text.contains("://") {
        return Some(text);
    }
    let own: Url = name.parse().ok()?;
    own.join(&text).ok().map(String::from)
}
