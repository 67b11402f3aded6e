//! Names: the scope rules of type names, and names in JSON.

/// Returns the candidates for a name used in a scope, innermost first: `a.b.c.Name`, `a.b.Name`,
/// `a.Name`, `Name`.
pub(crate) fn candidates<'n>(scope: &'n str, first: &'n str) -> impl Iterator<Item = String> + 'n {
    let mut end = Some(scope.len());
    std::iter::from_fn(move || {
        let at = end?;
        end = if at == 0 { None } else { Some(scope[..at].rfind('.').unwrap_or(0)) };
        Some(join(&scope[..at], first))
    })
}

/// Returns the full name of a name in a scope.
pub(super) fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_string() } else { format!("{scope}.{name}") }
}

/// Returns the last part of a full name.
pub(crate) fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns the default name of a field in JSON, in lowerCamelCase (ProtoJSON format, "Field names
/// as JSON keys").
pub fn json_name(name: &str) -> String {
    let mut json = String::with_capacity(name.len());
    let mut upper = false;
    for c in name.chars() {
        if c == '_' {
            upper = true;
        } else {
            json.push(if upper { c.to_ascii_uppercase() } else { c });
            upper = false;
        }
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_searched_from_within() {
        assert_eq!(candidates("a.b", "N").collect::<Vec<_>>(), ["a.b.N", "a.N", "N"]);
        assert_eq!(candidates("", "N").collect::<Vec<_>>(), ["N"]);
    }

    #[test]
    fn json_names_are_camel_case() {
        for (name, json) in [("foo_bar", "fooBar"), ("_foo", "Foo"), ("foo__bar_", "fooBar"), ("FooBar", "FooBar"), ("f_1", "f1")] {
            assert_eq!(json_name(name), json);
        }
    }
}
