//! The keys of replies (docs/spec/ql.md 10): a digest of the request, or of the text that the hook
//! *compute key* returns.
//!
//! Tables that scripts make have keys of their own: a caller who sends a script must not replace
//! the replies of another table.

use std::fmt::Write;

use http::{HeaderMap, HeaderName, Method};
use sha2::{Digest, Sha256};

/// The origin of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maker<'a> {
    /// The folder.
    Folder,
    /// A script, with its hooks if there are any: they may have made the reply.
    Script(Option<&'a str>),
}

/// The parts that make one request differ from another.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The table.
    pub table: &'a str,
    /// The origin of the table.
    pub maker: Maker<'a>,
    /// The method.
    pub method: &'a Method,
    /// The URI.
    pub uri: &'a str,
    /// Names and values of the parameters, in any order.
    pub params: &'a [(&'a str, &'a str)],
    /// All headers that are sent.
    pub headers: &'a HeaderMap,
    /// The body.
    pub body: &'a [u8],
    /// The header with the request id, which differs each time.
    pub id: &'a HeaderName,
}

/// Returns the digest of table, method, URI, sorted parameters, sorted headers and body. As a
/// digest, it shows no secret of the headers.
pub fn of(asked: &Asked<'_>) -> String {
    let mut digest = Pieces(Sha256::new());
    digest.piece(asked.uri.as_bytes());
    digest.piece(asked.body);
    let mut params = asked.params.to_vec();
    params.sort_unstable();
    digest.piece(&params.len().to_le_bytes());
    for (name, value) in params {
        digest.piece(name.as_bytes());
        digest.piece(value.as_bytes());
    }
    let mut headers: Vec<(&str, &[u8])> =
        asked.headers.iter().filter(|(name, _)| *name != asked.id).map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    headers.sort_unstable();
    for (name, value) in headers {
        digest.piece(name.as_bytes());
        digest.piece(value);
    }
    digest.end(asked.maker, format!("{}:{}:", asked.table, asked.method))
}

/// Returns the digest of a hook's text, which may hold secrets and be long. Tables of the folder
/// whose hooks return the same text share an entry.
pub fn of_hook(said: &str, maker: Maker<'_>) -> String {
    let mut digest = Pieces(Sha256::new());
    digest.piece(said.as_bytes());
    digest.end(maker, ":hook:".to_owned())
}

/// Pieces with their lengths, so that the same bytes cut elsewhere give another digest.
struct Pieces(Sha256);

impl Pieces {
    fn piece(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn end(mut self, maker: Maker<'_>, mut key: String) -> String {
        if let Maker::Script(hooks) = maker {
            self.piece(hooks.unwrap_or_default().as_bytes());
            // No table has such a name.
            key.insert_str(0, ":script:");
        }
        for byte in self.0.finalize() {
            let _ = write!(key, "{byte:02x}");
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn key(uri: &str, params: &[(&str, &str)], headers: &[(&'static str, &'static str)], body: &str) -> String {
        let headers = headers.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect();
        let id = HeaderName::from_static("request-id");
        of(&Asked {
            table: "t",
            maker: Maker::Folder,
            method: &Method::GET,
            uri,
            params,
            headers: &headers,
            body: body.as_bytes(),
            id: &id,
        })
    }

    #[test]
    fn what_makes_a_difference() {
        let one = key("u", &[("a", "1"), ("b", "2")], &[("x", "y"), ("request-id", "1")], "");
        assert!(one.starts_with("t:GET:") && !one.contains('y'));
        assert_eq!(one, key("u", &[("b", "2"), ("a", "1")], &[("request-id", "2"), ("x", "y")], ""));
        for other in [
            key("v", &[("a", "1"), ("b", "2")], &[("x", "y")], ""),
            key("u", &[("a", "1"), ("b", "3")], &[("x", "y")], ""),
            key("u", &[("a", "1"), ("b", "2")], &[("x", "z")], ""),
            key("u", &[("a", "1"), ("b", "2")], &[("x", "y")], "b"),
            key("u", &[("a", "1")], &[("b", "2"), ("x", "y")], ""),
        ] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn tables_of_scripts_share_nothing_with_those_of_the_folder() {
        let headers = HeaderMap::new();
        let id = HeaderName::from_static("request-id");
        let of =
            |maker| of(&Asked { table: "t", maker, method: &Method::GET, uri: "u", params: &[], headers: &headers, body: b"", id: &id });
        let makers = [Maker::Folder, Maker::Script(None), Maker::Script(Some("a.js")), Maker::Script(Some("b.js"))];
        let keys: HashSet<String> = makers.into_iter().flat_map(|maker| [of(maker), of_hook("u", maker)]).collect();
        assert_eq!(keys.len(), 8);
        assert_ne!(of_hook("s3cret", Maker::Folder), of_hook("other", Maker::Folder));
        assert!(keys.iter().all(|key| key.len() < 100));
    }
}
