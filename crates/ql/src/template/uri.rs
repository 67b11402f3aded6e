//! URI templates (docs/spec/ql.md 5.3), and the requests that lists make of them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use polywire_doc::{Datum, Ref};

use super::place::{self, Place};
use super::token::{self, Piece, Token};
use super::{Lookup, scalar_text};

/// Characters that encodeURIComponent keeps, besides letters and digits.
const COMPONENT: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'!').remove(b'~').remove(b'*').remove(b'\'').remove(b'(').remove(b')');

/// Encodes text as encodeURIComponent does.
pub fn encode_component(text: &str) -> String {
    utf8_percent_encode(text, COMPONENT).to_string()
}

/// The way in which results of several requests are merged (docs/spec/ql.md 8.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// Lists are joined; objects are merged member by member.
    Field,
    /// A list of the results.
    Block,
}

/// A URI with tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UriTemplate {
    parts: Vec<Part>,
    /// The place of each token, in order.
    places: Vec<Place>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    Parameter(Parameter),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Parameter {
    token: Token,
    required: bool,
    /// Without a value, the pair of the query is left out.
    optional: bool,
    /// `None` for a token that takes a single value.
    several: Option<Several>,
    block: bool,
    raw: bool,
}

/// The way in which a token takes several values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Several {
    /// Most values in one request.
    pub most: usize,
    /// True if the parameter of the query is repeated for each value: no comma separates them.
    pub repeated: bool,
}

/// A URI, and the values that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formatted {
    /// The URI.
    pub uri: String,
    /// Number of values in the token that takes several, if there is one; else 1.
    pub values: usize,
}

/// A token of a URI template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterInfo {
    /// Name, with tokens in it as they are written.
    pub name: String,
    /// True if a request without it is refused.
    pub required: bool,
    /// True if it takes several values, separated by commas or as repeated parameters.
    pub several: bool,
    /// Most values in one request, if limited.
    pub most: Option<usize>,
    /// True if results are merged as a block.
    pub block: bool,
}

/// The reason why a URI cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UriError {
    /// A required token has no value: its name, and the text so far.
    Required {
        /// Name of the token.
        name: String,
        /// The URI up to the token.
        so_far: String,
    },
    /// Two tokens would each make several requests.
    TwoFanOuts {
        /// The second token.
        name: String,
    },
    /// The template with its values makes more requests than are allowed.
    TooMany {
        /// Requests that it needs.
        requests: usize,
        /// Requests that are allowed.
        allowed: usize,
    },
    /// A value would change another part of the URI than its own.
    Beyond {
        /// Name of the token.
        name: String,
        /// The place of the token.
        place: &'static str,
        /// The form of a value that may stand there.
        expected: &'static str,
    },
}

impl std::fmt::Display for UriError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            UriError::Required { name, so_far } => write!(f, "Token {name} not specified. Processed {so_far}"),
            UriError::TwoFanOuts { name } => {
                write!(f, "Template can not have multiple single-valued params with multiple values: {name} is the second")
            }
            UriError::TooMany { requests, allowed } => write!(f, "{requests} requests for one statement, more than {allowed}"),
            UriError::Beyond { name, place, expected } => {
                write!(f, "the value of {name} would change more than {place} of the URI; expected {expected}")
            }
        }
    }
}

impl std::error::Error for UriError {}

impl UriTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// The byte of the mistake, and the mistake.
    pub fn read(text: &str) -> Result<UriTemplate, (usize, String)> {
        let literal = |c: char| !matches!(c, ' ' | '^' | '"' | '\'' | '<' | '>' | '{' | '}' | '|' | '`');
        let flag = |c: char| matches!(c, '^' | '#' | '`' | '|' | '*' | '?' | '0'..='9');
        let pieces = token::read(text, literal, flag)?;
        let mut parts: Vec<Part> = Vec::with_capacity(pieces.len());
        let mut at = 0;
        for piece in pieces {
            let start = at;
            let part = match piece {
                Piece::Literal(text) => {
                    at += text.len();
                    Part::Literal(text)
                }
                Piece::Token(token) => {
                    let mut written = String::new();
                    token.print(&mut written);
                    at += written.len();
                    Part::Parameter(Parameter::new(token))
                }
            };
            let named = matches!(parts.last(), Some(Part::Literal(before)) if before.ends_with('='));
            if let Part::Parameter(parameter) = &part
                && let Some(flag) = parameter.flag_of_pairs().filter(|_| !named)
            {
                return Err((start, format!("a token with {flag} stands behind the name of a parameter and =")));
            }
            parts.push(part);
        }
        Ok(UriTemplate::of(parts))
    }

    fn of(parts: Vec<Part>) -> UriTemplate {
        let places = place::of(parts.iter().map(|part| match part {
            Part::Literal(text) => Some(text.as_str()),
            Part::Parameter(_) => None,
        }));
        UriTemplate { parts, places }
    }

    /// Returns its tokens.
    pub fn parameters(&self) -> impl Iterator<Item = ParameterInfo> + '_ {
        self.tokens().map(|parameter| ParameterInfo {
            name: {
                let mut name = String::new();
                token::print(&parameter.token.name, &mut name);
                name
            },
            required: parameter.required,
            several: parameter.several.is_some(),
            most: parameter.several.map(|several| several.most).filter(|most| *most < usize::MAX),
            block: parameter.block,
        })
    }

    /// Returns whether a token has that name.
    pub fn has(&self, name: &str) -> bool {
        self.tokens().any(|parameter| matches!(&parameter.token.name[..], [Piece::Literal(known)] if known == name))
    }

    /// Returns how the token of that name takes several values, if it does.
    pub fn several(&self, name: &str) -> Option<Several> {
        let is = |parameter: &&Parameter| matches!(&parameter.token.name[..], [Piece::Literal(known)] if known == name);
        self.tokens().find(is)?.several
    }

    /// Returns how results of several requests are merged.
    pub fn merge(&self) -> Merge {
        if self.tokens().any(|parameter| parameter.block) { Merge::Block } else { Merge::Field }
    }

    /// Returns the first part of each token's name.
    pub fn roots(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.tokens().for_each(|parameter| parameter.token.roots(&mut found));
        found
    }

    /// Returns the template with the tokens filled that `values` knows; the others stay.
    #[must_use]
    pub fn prefilled(&self, values: &dyn Lookup) -> UriTemplate {
        let fill = |name: &str| values.usable(name).and_then(|value| scalar_text(value.view()));
        let mut parts: Vec<Part> = Vec::new();
        for part in &self.parts {
            let filled = match part {
                Part::Literal(_) => None,
                Part::Parameter(parameter) => fill(&parameter.token.name(&fill)),
            };
            // A configured value may be a whole URI with tokens of its own: it is no component.
            let own = filled.map(|text| UriTemplate::read(&text).map_or_else(|_| vec![Part::Literal(text)], |own| own.parts));
            for part in own.unwrap_or_else(|| vec![part.clone()]) {
                match (parts.last_mut(), part) {
                    (Some(Part::Literal(text)), Part::Literal(more)) => text.push_str(&more),
                    (_, part) => parts.push(part),
                }
            }
        }
        UriTemplate::of(parts)
    }

    /// Returns the URIs of the requests: one, or as many as a list asks for, at most `allowed`.
    ///
    /// A value stays within its part of the URI: one segment of the path, a name or a value of the
    /// query, a host, a port.
    ///
    /// # Errors
    /// A required token has no value, there are too many requests, or a value would change another
    /// part of the URI.
    pub fn format(&self, values: &dyn Lookup, allowed: usize) -> Result<Vec<String>, UriError> {
        Ok(self.requests(values, allowed)?.into_iter().map(|made| made.uri).collect())
    }

    /// Returns what [`UriTemplate::format`] does, with the number of values in each.
    ///
    /// # Errors
    /// As [`UriTemplate::format`].
    pub fn requests(&self, values: &dyn Lookup, allowed: usize) -> Result<Vec<Formatted>, UriError> {
        let fill = |name: &str| values.usable(name).and_then(|value| scalar_text(value.view()));
        let mut uris = vec![Formatted { uri: String::new(), values: 1 }];
        let mut places = self.places.iter();
        let mut left_out = false;
        for part in &self.parts {
            let parameter = match part {
                Part::Literal(text) => {
                    let text = if left_out { behind_gap(text, &mut uris) } else { text };
                    left_out = false;
                    uris.iter_mut().for_each(|made| made.uri.push_str(text));
                    continue;
                }
                Part::Parameter(parameter) => parameter,
            };
            let name = parameter.token.name(&fill);
            // Requests differ in values alone, and no value is the name of a repeated parameter.
            let mut alternatives = parameter.alternatives(values.usable(&name), &uris[0].uri);
            let place = places.next().copied().unwrap_or(Place::Whole);
            if alternatives.iter().any(|made| !place.holds(&made.uri)) {
                return Err(UriError::Beyond { name, place: place.name(), expected: place.expected() });
            }
            match alternatives.len() {
                0 if parameter.required => return Err(UriError::Required { name, so_far: uris.swap_remove(0).uri }),
                0 if parameter.optional => {
                    uris.iter_mut().for_each(|made| made.uri.truncate(made.uri.rfind(['?', '&']).map_or(0, |at| at + 1)));
                    left_out = true;
                }
                0 => {}
                1 => {
                    let only = alternatives.swap_remove(0);
                    uris.iter_mut().for_each(|made| {
                        made.uri.push_str(&only.uri);
                        made.values = made.values.max(only.values);
                    });
                }
                _ if uris.len() > 1 => return Err(UriError::TwoFanOuts { name }),
                requests if requests > allowed => return Err(UriError::TooMany { requests, allowed }),
                _ => {
                    let so_far = uris.swap_remove(0);
                    let join = |made: Formatted| Formatted { uri: so_far.uri.clone() + &made.uri, values: so_far.values.max(made.values) };
                    uris = alternatives.into_iter().map(join).collect();
                }
            }
        }
        if left_out {
            behind_gap("", &mut uris);
        }
        if self.places.contains(&Place::Path) && uris.iter().any(|made| place::has_dots(&made.uri)) {
            let name = self.names_in(Place::Path, &fill).join(", ");
            return Err(UriError::Beyond { name, place: Place::Path.name(), expected: Place::Path.expected() });
        }
        Ok(uris)
    }

    /// Returns the names of the tokens in a place.
    fn names_in(&self, place: Place, fill: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        self.tokens().zip(&self.places).filter(|(_, known)| **known == place).map(|(parameter, _)| parameter.token.name(fill)).collect()
    }

    fn tokens(&self) -> impl Iterator<Item = &Parameter> {
        self.parts.iter().filter_map(|part| match part {
            Part::Parameter(parameter) => Some(parameter),
            Part::Literal(_) => None,
        })
    }
}

/// Closes the gap of a pair that was left out before `text`: one of the characters around it goes.
/// Returns the text to go on with.
fn behind_gap<'t>(text: &'t str, uris: &mut [Formatted]) -> &'t str {
    match text.strip_prefix('&') {
        Some(rest) => rest,
        None => {
            for made in uris.iter_mut().filter(|made| made.uri.ends_with(['?', '&'])) {
                made.uri.pop();
            }
            text
        }
    }
}

/// As it is written.
impl std::fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => out.push_str(text),
                Part::Parameter(parameter) => parameter.token.print(&mut out),
            }
        }
        f.write_str(&out)
    }
}

impl Parameter {
    fn new(token: Token) -> Parameter {
        let flags = &token.flags;
        let most = flags.find('|').map(|bar| {
            let before = &flags[..bar];
            let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            before[before.len() - digits..].parse().ok().filter(|most| *most > 0).unwrap_or(usize::MAX)
        });
        let repeated = flags.contains('*');
        let several = most.or(repeated.then_some(usize::MAX)).map(|most| Several { most, repeated });
        let has = |flag| flags.contains(flag);
        Parameter { required: has('^'), optional: has('?'), several, block: has('#'), raw: has('`'), token }
    }

    /// Returns its flag that has a meaning for the pair of a name and a value only.
    fn flag_of_pairs(&self) -> Option<char> {
        let repeated = self.several.is_some_and(|several| several.repeated);
        if repeated { Some('*') } else { self.optional.then_some('?') }
    }

    fn encode(&self, value: Ref<'_>) -> Option<String> {
        let text = scalar_text(value).filter(|text| !text.is_empty())?;
        Some(if self.raw { text } else { encode_component(&text) })
    }

    /// Returns the texts that can stand in its place behind `before`, one per request.
    fn alternatives(&self, value: Option<Datum>, before: &str) -> Vec<Formatted> {
        let Some(value) = value else { return Vec::new() };
        let value = value.view();
        let one = |uri| Formatted { uri, values: 1 };
        if !value.is_list() {
            return self.encode(value).map(one).into_iter().collect();
        }
        let mut texts: Vec<String> = value.items().filter_map(|item| self.encode(item)).collect();
        let Some(Several { most, repeated }) = self.several else { return texts.into_iter().map(one).collect() };
        if texts.len() > most {
            texts = value.items().filter_map(scalar_text).filter(|text| !text.is_empty()).collect();
            texts.sort_unstable();
            texts.dedup();
            if !self.raw {
                texts = texts.iter().map(|text| encode_component(text)).collect();
            }
        }
        let separator = match repeated {
            true => format!("&{}", &before[before.rfind(['?', '&']).map_or(0, |at| at + 1)..]),
            false => ",".to_owned(),
        };
        texts.chunks(most).map(|slice| Formatted { uri: slice.join(&separator), values: slice.len() }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::walk;
    use crate::testing::datum;

    fn made(template: &str, values: &str) -> Result<Vec<String>, UriError> {
        let values = datum(values);
        UriTemplate::read(template).unwrap().format(&|name: &str| walk(values.view(), name), 50)
    }

    fn one(template: &str, values: &str) -> String {
        made(template, values).unwrap().join(" ")
    }

    #[test]
    fn values_are_encoded() {
        assert_eq!(one("/s?q={q}&z={z}", r#"{"q":"a b&c/d","z":"é"}"#), "/s?q=a%20b%26c%2Fd&z=%C3%A9");
        assert_eq!(one("/s?q={`q}", r#"{"q":"a/b c"}"#), "/s?q=a/b c");
        assert_eq!(one("/s?q={q}", r#"{"q":"-_.!~*'()"}"#), "/s?q=-_.!~*'()");
        assert_eq!(one("/s?a={a}&b={b}&c={c}&d={d}&e={e}", r#"{"a":0,"b":false,"c":1.5,"d":null,"e":{}}"#), "/s?a=0&b=false&c=1.5&d=&e=");
    }

    #[test]
    fn what_is_required_must_be_there() {
        assert_eq!(one("/s?q={q}", "{}"), "/s?q=");
        for values in ["{}", r#"{"q":""}"#, r#"{"q":null}"#, r#"{"q":[]}"#] {
            let error = made("/s?x={x}&q={^q}&r=1", values).unwrap_err();
            assert_eq!(error.to_string(), "Token q not specified. Processed /s?x=&q=");
        }
        assert_eq!(one("/s?q={^q}", r#"{"q":0}"#), "/s?q=0");
    }

    #[test]
    fn a_pair_without_a_value_may_be_left_out() {
        for (template, values, expected) in [
            ("/s?a={?a}&b={?b}&c={?c}", r#"{"b":0}"#, "/s?b=0"),
            ("/s?a={?a}&b={?b}&c={?c}", r#"{"a":1,"c":2}"#, "/s?a=1&c=2"),
            ("/s?a={?a}&b={?b}", "{}", "/s"),
            ("/s?a={?a}&b={?b}#f", "{}", "/s#f"),
            ("/s?x=1&a={?a}&b={b}&c={?c}", "{}", "/s?x=1&b="),
            ("/s?a={?*a}&b={^b}", r#"{"b":[1,2]}"#, "/s?b=1 /s?b=2"),
            ("/s?b={|b}&a={?*a}&c={?c}", r#"{"a":["x","y"],"b":[]}"#, "/s?b=&a=x&a=y"),
            ("a={?a}&b={?b}", r#"{"b":"é"}"#, "b=%C3%A9"),
            ("a={?a}&b={?b}", "{}", ""),
        ] {
            assert_eq!(one(template, values), expected, "{template}");
        }
    }

    #[test]
    fn names_may_have_dots_and_tokens() {
        let values = r#"{"a":{"b":[{"c":"deep"}],"k":"v"},"which":"k","x.y":"flat"}"#;
        assert_eq!(one("{a.b.c}/{a.{which}}/{x.y}", values), "deep/v/flat");
    }

    #[test]
    fn lists_make_requests_or_go_into_one() {
        let values = r#"{"id":["c","a","b","a"],"one":["x"],"two":[1,2]}"#;
        assert_eq!(one("/{id}", values), "/c /a /b /a");
        assert_eq!(one("/{|id}", values), "/c,a,b,a");
        assert_eq!(one("/{9|id}", values), "/c,a,b,a");
        assert_eq!(one("/{2|id}", values), "/a,b /c");
        assert_eq!(one("/{^2|id}?{#two}", r#"{"id":["c","a"],"two":[1,2]}"#), "/c,a?1 /c,a?2");
        assert_eq!(one("/{one}/{id}", values), "/x/c /x/a /x/b /x/a");
        assert_eq!(one("/x?a=1&id={*id}", values), "/x?a=1&id=c&id=a&id=b&id=a");
        assert_eq!(one("id={2|*id}&z", values), "id=a&id=b&z id=c&z");
        assert!(matches!(made("/{two}/{id}", values), Err(UriError::TwoFanOuts { name }) if name == "id"));
        let many = format!("{{\"id\":[{}1]}}", "1,".repeat(99));
        assert!(matches!(made("/{id}", &many), Err(UriError::TooMany { requests: 100, allowed: 50 })));
        assert_eq!(made("/{|id}", &many).unwrap().len(), 1);
    }

    #[test]
    fn values_stay_in_their_part() {
        for (template, values) in [
            ("http://h/users/{id}/profile", r#"{"id":".."}"#),
            ("http://h/users/{id}/profile", r#"{"id":"."}"#),
            ("http://h/users/{id}", r#"{"id":["a",".."]}"#),
            ("http://h/users/{`id}", r#"{"id":"%2e%2E"}"#),
            ("http://h/users/{`id}", r#"{"id":"a/../../b"}"#),
            ("http://h/users/{`id}", r#"{"id":"a?b"}"#),
            ("http://h/users/{`id}", r#"{"id":"a\\..\\b"}"#),
            ("http://h/{a}{b}/x", r#"{"a":".","b":"."}"#),
            ("http://h/.{a}/x", r#"{"a":"."}"#),
            ("http://{host}/x", r#"{"host":"a/b"}"#),
            ("http://{`host}/x", r#"{"host":"a@b"}"#),
            ("http://{`host}/x", r#"{"host":"a:81"}"#),
            ("http://h:{port}/x", r#"{"port":"81@evil"}"#),
            ("http://h:{`port}/x", r#"{"port":"81/y"}"#),
            ("{`scheme}://h/x", r#"{"scheme":"file"}"#),
            ("http://h/x?q={`q}", r##"{"q":"a#b"}"##),
        ] {
            let error = made(template, values).unwrap_err();
            assert!(matches!(error, UriError::Beyond { .. }), "{template} {values}: {error}");
        }
        for (template, values, expected) in [
            ("http://{host}:{port}/{a}", r#"{"host":"a-1.example","port":81,"a":"..."}"#, "http://a-1.example:81/..."),
            ("http://{user}:{word}@h/", r#"{"user":"a","word":"p/:@"}"#, "http://a:p%2F%3A%40@h/"),
            ("{`scheme}://h/{a}", r#"{"scheme":"https","a":"a/b"}"#, "https://h/a%2Fb"),
            ("{`base}/x/{a}", r#"{"base":"http://h/y","a":"..a"}"#, "http://h/y/x/..a"),
            ("http://h/{`a}?q={q}", r#"{"a":"b/c","q":".."}"#, "http://h/b/c?q=.."),
            ("q={q}&r={r}", r#"{"q":"..","r":"/"}"#, "q=..&r=%2F"),
        ] {
            assert_eq!(one(template, values), expected);
        }
    }

    #[test]
    fn values_of_a_request_are_counted() {
        let values = datum(r#"{"id":["c","a","b"],"one":["x"],"text":"t"}"#);
        let counts = |template: &str| -> Vec<usize> {
            let made = UriTemplate::read(template).unwrap().requests(&|name: &str| walk(values.view(), name), 50).unwrap();
            made.into_iter().map(|made| made.values).collect()
        };
        assert_eq!(counts("/{id}/{text}"), [1, 1, 1]);
        assert_eq!(counts("/{2|id}/{|one}"), [2, 1]);
        assert_eq!(counts("/{text}?id={*id}"), [3]);
    }

    #[test]
    fn flags_come_in_any_order() {
        let info = |text| UriTemplate::read(text).unwrap().parameters().next().unwrap();
        let all = ParameterInfo { name: "a.b".into(), required: true, several: true, most: Some(12), block: true };
        assert_eq!(info("{^12|#a.b}"), all);
        assert_eq!(info("{#^`12|a.b}"), all);
        assert_eq!(info("{|x}"), ParameterInfo { name: "x".into(), required: false, several: true, most: None, block: false });
        assert_eq!(info("{2x}").name, "2x");
        let several = |text| UriTemplate::read(text).unwrap().several("x");
        assert_eq!(several("/?x={5|*x}"), Some(Several { most: 5, repeated: true }));
        assert_eq!(several("/?x={*^x}"), Some(Several { most: usize::MAX, repeated: true }));
        assert_eq!((several("/{5|x}"), several("/{x}")), (Some(Several { most: 5, repeated: false }), None));
        assert_eq!(UriTemplate::read("{#a}").unwrap().merge(), Merge::Block);
    }

    #[test]
    fn mistakes_have_their_byte() {
        for (text, at) in [
            ("/a b", 2),
            ("/{}", 2),
            ("/{a", 3),
            ("/a}", 2),
            ("/<", 1),
            ("/{a b}", 3),
            ("/|", 1),
            ("/a/{*b}", 3),
            ("{*b}", 0),
            ("/{?a}", 1),
        ] {
            assert_eq!(UriTemplate::read(text).unwrap_err().0, at, "{text}");
        }
        assert!(UriTemplate::read(&"{".repeat(100_000)).is_err());
        let text = "http://h:1/{a}/x?b={^2|#`c.{d}}&e=$f";
        assert_eq!(UriTemplate::read(text).unwrap().to_string(), text);
    }

    #[test]
    fn some_tokens_can_be_filled_before() {
        let config = datum(r#"{"config":{"host":"http://h:1/base"}}"#);
        let template = UriTemplate::read("{config.host}/x?a={a}").unwrap().prefilled(&|name: &str| walk(config.view(), name));
        assert_eq!(template.to_string(), "http://h:1/base/x?a={a}");
        // A configured value may have tokens of its own; a value that is no template is text.
        let config = datum(r#"{"config":{"uri":"http://h/{^kind}?id={9|id}","key":"a b"}}"#);
        let template = UriTemplate::read("{config.uri}&key={config.key}&q={q}").unwrap().prefilled(&|name: &str| walk(config.view(), name));
        assert_eq!(template.to_string(), "http://h/{^kind}?id={9|id}&key=a b&q={q}");
    }
}
