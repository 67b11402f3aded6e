//! The part of a URI in which a token of a template stands, and the values that stay in it.

/// A part of a URI (RFC 3986 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The URI, or its beginning: the address policy decides about it.
    Whole,
    /// The scheme.
    Scheme,
    /// User name or password.
    User,
    /// The host.
    Host,
    /// The port.
    Port,
    /// A segment of the path.
    Path,
    /// The query, or a form.
    Query,
}

impl Place {
    /// Returns whether a value, encoded as the token asks, changes nothing outside of its place.
    /// Dots of a path are for [`has_dots`].
    pub fn holds(self, value: &str) -> bool {
        let none_of = |others: &[u8]| value.bytes().all(|byte| !others.contains(&byte) && !byte.is_ascii_control());
        match self {
            Place::Whole => true,
            Place::Scheme => value.eq_ignore_ascii_case("http") || value.eq_ignore_ascii_case("https"),
            Place::User => none_of(b"@/?#\\"),
            Place::Host => value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')),
            Place::Port => value.bytes().all(|byte| byte.is_ascii_digit()),
            Place::Path => none_of(b"?#\\"),
            Place::Query => none_of(b"#"),
        }
    }

    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Place::Whole => "the beginning",
            Place::Scheme => "the scheme",
            Place::User => "the user information",
            Place::Host => "the host",
            Place::Port => "the port",
            Place::Path => "its segment of the path",
            Place::Query => "the query",
        }
    }

    /// Returns the form of a value that it holds.
    pub const fn expected(self) -> &'static str {
        match self {
            Place::Whole => "a URI",
            Place::Scheme => "http or https",
            Place::User => "text without @, /, ? and #",
            Place::Host => "letters, digits, dots and hyphens",
            Place::Port => "digits",
            Place::Path => "a segment that is not . or .., without ?, # and backslash",
            Place::Query => "text without #",
        }
    }
}

/// Returns the place of each token of a template whose parts are literal texts, and `None` for each
/// token.
pub fn of<'p>(parts: impl Iterator<Item = Option<&'p str>>) -> Vec<Place> {
    let parts: Vec<Option<&str>> = parts.collect();
    let mut places = Vec::new();
    let mut place = Place::Whole;
    for (n, part) in parts.iter().enumerate() {
        let Some(text) = part else {
            places.push(token(place, parts.get(..n).and_then(<[_]>::last).copied().flatten(), &parts[n + 1..]));
            continue;
        };
        place = after(place, text, n == 0);
    }
    places
}

/// Returns the place of a token, by the place where the text before it ends, that text, and the
/// parts after it.
fn token(place: Place, before: Option<&str>, after: &[Option<&str>]) -> Place {
    match place {
        Place::Whole if after.first().copied().flatten().is_some_and(|text| text.starts_with("://")) => Place::Scheme,
        Place::Host => {
            let authority = after.iter().flatten().find_map(|text| text.find(['/', '?', '#', '@']).map(|end| text.as_bytes()[end]));
            match authority {
                Some(b'@') => Place::User,
                _ if before.is_some_and(|text| text.ends_with(':')) => Place::Port,
                _ => Place::Host,
            }
        }
        other => other,
    }
}

/// Returns the place after a literal text.
fn after(mut place: Place, text: &str, first: bool) -> Place {
    let mut rest = text;
    if place == Place::Whole {
        place = match rest.find("://") {
            Some(end) => {
                rest = &rest[end + 3..];
                Place::Host
            }
            None if rest.starts_with("//") => {
                rest = &rest[2..];
                Place::Host
            }
            None if rest.contains('/') => Place::Path,
            // A form has no path.
            None if first || rest.contains('?') => Place::Query,
            None => Place::Whole,
        };
    }
    for byte in rest.bytes() {
        place = match (place, byte) {
            (_, b'?') => return Place::Query,
            (Place::Host, b'/') => Place::Path,
            (other, _) => other,
        };
    }
    place
}

/// Returns whether the path of a URI has a segment `.` or `..`, percent-encoded or not, which
/// servers resolve (RFC 3986 5.2.4, 6.2.2.3).
pub fn has_dots(uri: &str) -> bool {
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    path.split(['/', '\\']).any(|segment| {
        let mut dots = 0;
        let mut rest = segment;
        while let Some(next) = rest.strip_prefix('.').or_else(|| rest.strip_prefix("%2e")).or_else(|| rest.strip_prefix("%2E")) {
            dots += 1;
            rest = next;
        }
        rest.is_empty() && (dots == 1 || dots == 2)
    })
}
