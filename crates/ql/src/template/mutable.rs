//! URIs whose parameters can be changed (docs/spec/ql.md 5.4).

use std::fmt;

use percent_encoding::percent_decode_str;

use super::uri::encode_component;

/// A URI with its query parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MutableUri {
    base: String,
    params: Vec<(String, Vec<String>)>,
    fragment: String,
}

impl MutableUri {
    /// Parses a URI. Parameters of one name stand at the place of the first.
    pub fn read(uri: &str) -> MutableUri {
        let (rest, fragment) = uri.find('#').map_or((uri, ""), |at| uri.split_at(at));
        let (base, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut this = MutableUri { base: base.to_string(), params: Vec::new(), fragment: fragment.to_string() };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            this.add_param(&decode(name), decode(value));
        }
        this
    }

    /// Returns the part before the query.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the parameters, in order, each with its values.
    pub fn params(&self) -> &[(String, Vec<String>)] {
        &self.params
    }

    /// Returns the values of a parameter; none if it is missing.
    pub fn get_param(&self, name: &str) -> &[String] {
        self.params.iter().find(|(known, _)| known == name).map_or(&[], |(_, values)| values)
    }

    /// Adds a value to a parameter.
    pub fn add_param(&mut self, name: &str, value: impl Into<String>) {
        match self.params.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) => values.push(value.into()),
            None => self.params.push((name.to_string(), vec![value.into()])),
        }
    }

    /// Replaces the values of a parameter.
    pub fn set_param(&mut self, name: &str, new: Vec<String>) {
        match self.params.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) => *values = new,
            None => self.params.push((name.to_string(), new)),
        }
    }

    /// Removes a parameter, or one value of it.
    pub fn remove_param(&mut self, name: &str, value: Option<&str>) {
        for (known, values) in &mut self.params {
            if known == name {
                values.retain(|known| value.is_some_and(|value| known != value));
            }
        }
        self.params.retain(|(_, values)| !values.is_empty());
    }

    /// Removes empty values, and parameters without values.
    pub fn remove_empty_params(&mut self) {
        self.params.iter_mut().for_each(|(_, values)| values.retain(|value| !value.is_empty()));
        self.params.retain(|(_, values)| !values.is_empty());
    }
}

/// The URI, its query encoded anew.
impl fmt::Display for MutableUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)?;
        let pairs = self.params.iter().flat_map(|(name, values)| values.iter().map(move |value| (name, value)));
        for (n, (name, value)) in pairs.enumerate() {
            write!(f, "{}{}={}", if n == 0 { '?' } else { '&' }, encode_component(name), encode_component(value))?;
        }
        f.write_str(&self.fragment)
    }
}

fn decode(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_is_encoded_anew() {
        for (uri, printed) in [
            ("http://h/p?q=a%20b%26c%2Fd&z=%C3%A9", "http://h/p?q=a%20b%26c%2Fd&z=%C3%A9"),
            ("http://h/p?id=a,b", "http://h/p?id=a%2Cb"),
            ("http://h/p?a=1&r=", "http://h/p?a=1&r="),
            ("http://h/p?a=1&b=2&a=3", "http://h/p?a=1&a=3&b=2"),
            ("http://h/a,b/c", "http://h/a,b/c"),
            ("http://h/p?a+b=c+d&flag", "http://h/p?a%20b=c%20d&flag="),
            ("http://h/p?x=1#top", "http://h/p?x=1#top"),
        ] {
            assert_eq!(MutableUri::read(uri).to_string(), printed);
        }
    }

    #[test]
    fn parameters_change() {
        let mut uri = MutableUri::read("/p?a=1&b=&c=3");
        uri.add_param("a", "2");
        uri.set_param("d", vec!["x y".into()]);
        uri.set_param("c", vec!["4".into()]);
        assert_eq!(uri.to_string(), "/p?a=1&a=2&b=&c=4&d=x%20y");
        assert_eq!((uri.get_param("a"), uri.get_param("zzz").len()), (&["1".to_string(), "2".to_string()][..], 0));
        uri.remove_param("a", Some("1"));
        uri.remove_param("c", None);
        uri.remove_empty_params();
        assert_eq!(uri.to_string(), "/p?a=2&d=x%20y");
        uri.remove_param("a", Some("2"));
        assert_eq!((uri.base(), uri.params().len()), ("/p", 1));
    }
}
