//! Scopes: the routes and tables that a caller may use.

use polywire_ql::plan::Plan;
use polywire_ql::route::Route;
use serde::Deserialize;

/// A scope of the configuration.
#[derive(Debug, Clone, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Scope {
    /// Routes: `/path` as the script writes it, with any method; `get /path`; `*` at the end stands
    /// for anything.
    pub routes: Vec<String>,
    /// True if it permits scripts of callers.
    #[serde(rename = "adHoc")]
    pub scripts: bool,
    /// Tables that those routes and scripts may use: names, or `*` at the end. Without it, all.
    pub tables: Option<Vec<String>>,
}

/// The reason for which a caller may not have a plan run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denied {
    /// No scope permits the route.
    Route(String),
    /// No scope permits scripts.
    Scripts,
    /// No scope permits the table.
    Table(String),
    /// The script makes tables, and no scope permits all.
    Making,
}

impl Scope {
    fn permits_route(&self, route: &Route) -> bool {
        self.routes.iter().any(|pattern| match pattern.split_once(' ') {
            Some((method, path)) => method.eq_ignore_ascii_case(&route.method) && matches(path.trim_start(), &route.path),
            None => matches(pattern, &route.path),
        })
    }

    fn permits_table(&self, name: &str) -> bool {
        self.tables.as_ref().is_none_or(|patterns| patterns.iter().any(|pattern| matches(pattern, name)))
    }

    fn permits_all_tables(&self) -> bool {
        self.tables.as_ref().is_none_or(|patterns| patterns.iter().any(|pattern| pattern == "*"))
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => text.starts_with(beginning),
        None => pattern == text,
    }
}

/// Checks that scopes permit a plan: as a route, or as a caller's script if `route` is `None`. A
/// scope that permits the route or script must permit each of its tables.
///
/// # Errors
/// They do not.
pub fn permit<'s>(scopes: impl Iterator<Item = &'s Scope>, route: Option<&Route>, plan: &Plan) -> Result<(), Denied> {
    let usable: Vec<&Scope> = match route {
        Some(route) => scopes.filter(|scope| scope.permits_route(route)).collect(),
        None => scopes.filter(|scope| scope.scripts).collect(),
    };
    if usable.is_empty() {
        return Err(route.map_or(Denied::Scripts, |route| Denied::Route(format!("{} {}", route.method, route.path))));
    }
    if let Some(table) = plan.uses().iter().find(|table| !usable.iter().any(|scope| scope.permits_table(table))) {
        return Err(Denied::Table(table.to_string()));
    }
    // A table of the script's own could ask the service of any table.
    if route.is_none() && !plan.tables.is_empty() && !usable.iter().any(|scope| scope.permits_all_tables()) {
        return Err(Denied::Making);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use polywire_core::text::diagnostic::Source;
    use polywire_doc::Datum;

    fn plan(script: &str) -> Plan {
        Plan::new(&Source::new("script", script), &Datum::Null, None).unwrap()
    }

    fn scopes(text: &str) -> Vec<Scope> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn scripts_and_their_tables() {
        let some = scopes(r#"[{"adHoc": true, "tables": ["items", "shop.*"]}, {"routes": ["*"], "tables": ["other"]}]"#);
        let check = |script: &str| permit(some.iter(), None, &plan(script));
        for script in ["return 1", "return select * from items", "return select * from shop.a where id in (select id from items)"] {
            assert_eq!(check(script), Ok(()), "{script}");
        }
        for (script, table) in [
            ("return select * from other", "other"),
            ("return select * from items where id in (select id from other)", "other"),
            ("return select i.a, o.b from items as i, other as o where i.a = o.a", "other"),
            ("a = select * from items || select * from other; return 1", "other"),
            ("return insert into other (a) values (1)", "other"),
            ("return delete from other where a = 1", "other"),
            ("describe other", "other"),
        ] {
            assert_eq!(check(script), Err(Denied::Table(table.to_owned())), "{script}");
        }
        let making = "create table mine on select get from 'http://a.example/'; return select * from mine";
        assert_eq!(check(making), Err(Denied::Making));
        assert_eq!(permit(scopes(r#"[{"adHoc": true}]"#).iter(), None, &plan(making)), Ok(()));
        assert_eq!(permit([].iter(), None, &plan("return 1")), Err(Denied::Scripts));
        assert_eq!(permit(scopes(r#"[{"routes": ["*"]}]"#).iter(), None, &plan("return 1")), Err(Denied::Scripts));
    }

    #[test]
    fn routes() {
        let plan = plan("return select * from items via route '/find/{word}' using method get");
        let route = plan.route.as_deref();
        for (scope, permitted) in [
            (r#"[{"routes": ["/find/{word}"]}]"#, true),
            (r#"[{"routes": ["GET /find/*"]}]"#, true),
            (r#"[{"routes": ["*"], "tables": ["items"]}]"#, true),
            (r#"[{"routes": ["post /find/*"]}]"#, false),
            (r#"[{"routes": ["/find"]}]"#, false),
            (r#"[{"routes": ["*"], "tables": ["other"]}]"#, false),
            (r#"[{"routes": ["*"], "tables": []}, {"routes": ["/other"]}]"#, false),
            (r#"[{"adHoc": true}]"#, false),
        ] {
            assert_eq!(permit(scopes(scope).iter(), route, &plan).is_ok(), permitted, "{scope}");
        }
    }
}
