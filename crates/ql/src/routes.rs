//! Routes of a server: the script that answers a request (docs/spec/ql.md 12.1).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use polywire_doc::Datum;

use crate::plan::Plan;
use crate::route::{Route, undone};

/// Routes of a server.
#[derive(Debug, Clone, Default)]
pub struct Routes {
    /// By number of segments, so that few are looked at; each in the order in which they were
    /// added.
    by_length: BTreeMap<usize, Vec<Arc<Plan>>>,
}

/// The answer of the routes to a request.
#[derive(Debug, Clone)]
pub enum Found {
    /// This script answers it, with these parameters: an object.
    Script(Arc<Plan>, Datum),
    /// A route has the path, but not with these parameters in the query: 400.
    NoMatch,
    /// A route has the path, but not with this method; the methods that it has, in upper case.
    OtherMethods(Vec<String>),
    /// No route has the path: 404.
    Unknown,
}

impl Routes {
    /// Adds a script. Returns false if it has no route.
    pub fn add(&mut self, plan: Arc<Plan>) -> bool {
        let Some(route) = &plan.route else { return false };
        self.by_length.entry(route.length()).or_default().push(plan.clone());
        true
    }

    /// Returns all scripts, ordered by path, letter case aside, then by method.
    pub fn all(&self) -> Vec<Arc<Plan>> {
        let mut plans: Vec<Arc<Plan>> = self.by_length.values().flatten().cloned().collect();
        plans.sort_by_cached_key(|plan| plan.route.as_ref().map(|route| (route.text.to_lowercase(), route.method.clone())));
        plans
    }

    /// Finds the script that answers a request. `path` is still percent-encoded; `query` is not.
    pub fn find(&self, method: &str, path: &str, query: &[(String, String)]) -> Found {
        let segments: Vec<Cow<'_, str>> = path.strip_prefix('/').unwrap_or(path).split('/').map(undone).collect();
        let mut best: Option<(usize, &Arc<Plan>, &Route)> = None;
        let (mut known, mut methods) = (false, Vec::new());
        for plan in self.by_length.get(&segments.len()).into_iter().flatten() {
            let Some(route) = &plan.route else { continue };
            if !route.has_path(&segments) {
                continue;
            }
            if !route.method.eq_ignore_ascii_case(method) {
                methods.push(route.method.to_ascii_uppercase());
                continue;
            }
            known = true;
            let Some(matched) = route.matched(query) else { continue };
            // Among equal matches, the one with fewer names in its path is more particular.
            let score = matched * 64 + 63_usize.saturating_sub(route.names());
            if best.is_none_or(|(most, ..)| score > most) {
                best = Some((score, plan, route));
            }
        }
        match best {
            Some((_, plan, route)) => {
                let mut parameters = route.parameters(&segments);
                route.fill(&mut parameters, query);
                Found::Script(plan.clone(), Datum::from(parameters))
            }
            None if known => Found::NoMatch,
            None if !methods.is_empty() => {
                methods.sort();
                methods.dedup();
                Found::OtherMethods(methods)
            }
            None => Found::Unknown,
        }
    }
}
