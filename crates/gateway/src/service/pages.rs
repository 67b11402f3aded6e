//! Rows that come in pages: one request after the other, each made of the reply before it.

use std::collections::HashSet;

use bytes::Bytes;
use http::{Method, Uri};
use polywire_doc::{Datum, View};
use polywire_ql::backend::{Cut, Reply};
use polywire_ql::error::QueryError;
use polywire_ql::pages::{By, Counted, Pages};
use polywire_ql::resultset::resultset;
use polywire_ql::template::mutable::MutableUri;
use polywire_ql::template::scalar_text;
use url::Url;

use super::call::{Ready, TableCall};
use super::link;
use super::send::Seen;
use crate::exchange::{policy, redirect};
use crate::observe::Event as GatewayEvent;

/// The pages of one request so far.
struct Walk<'p> {
    pages: &'p Pages,
    /// The number of the page, or of the rows before it, if the way counts.
    count: u64,
    /// URIs asked for.
    asked: HashSet<String>,
    /// The body of the last page, if the way counts.
    body: Bytes,
    /// The most rows of a page that the request itself asks for.
    limit: Option<u64>,
}

impl TableCall<'_> {
    /// Makes a request and those for its further pages. Returns the reply of each page.
    pub async fn pages(&self, pages: &Pages, mut ready: Ready) -> Vec<Reply> {
        let limit = self.call.limit.filter(|_| self.call.action.carries(&self.call.action.limit));
        let mut walk = Walk { pages, count: 0, asked: HashSet::new(), body: Bytes::new(), limit };
        if let Err(failure) = walk.begin(&mut ready) {
            return vec![Reply::new(Err(failure))];
        }
        let mut replies: Vec<Reply> = Vec::new();
        let (mut rows, mut bytes) = (0u64, 0u64);
        loop {
            let mut seen = Seen::default();
            let mut reply = self.exchange(&ready, Some(&mut seen)).await;
            reply.page = u32::try_from(replies.len() + 1).unwrap_or(u32::MAX);
            self.session.service.observer.event(GatewayEvent::Page);
            bytes = bytes.saturating_add(reply.bytes_in.saturating_sub(reply.bytes_skipped).saturating_add(reply.kept));
            let body = match &reply.outcome {
                Ok(body) if bytes <= self.call.memory => body,
                _ => {
                    replies.push(reply);
                    return replies;
                }
            };
            let found = count(&resultset(body.clone(), &self.call.action.resultset));
            rows = rows.saturating_add(found);
            let mut next = walk.next(&ready, body, &seen, found);
            if let Err(Stop::Repeated(_)) = &next {
                reply.outcome = Ok(Datum::list([]));
            }
            if !matches!(next, Err(Stop::Repeated(_))) && self.call.enough.is_some_and(|enough| rows >= enough) {
                next = Ok(None);
            }
            let next = match next {
                Ok(Some(_)) if replies.len() + 1 >= pages.most => {
                    let message =
                        format!("only {} pages were read, which is the limit: `most` of table {}", pages.most, self.call.table.name);
                    Err(Cut { message, failure: None })
                }
                Ok(Some(_)) if self.call.nested.take(1) == 0 => {
                    let message = format!("only {} pages were read, which is the limit: `maxNestedRequests`", replies.len() + 1);
                    Err(Cut { message, failure: None })
                }
                Ok(next) => Ok(next),
                Err(Stop::Repeated(failure) | Stop::Wrong(failure)) => {
                    let failure = failure.uri(reply.uri.clone());
                    Err(Cut { message: format!("further pages are missing: {}", failure.parts().message), failure: Some(failure) })
                }
            };
            let next = next.unwrap_or_else(|cut| {
                reply.cut = Some(cut);
                None
            });
            replies.push(reply);
            let Some(uri) = next else { return replies };
            let secrets = self.session.service.shared.client.secrets();
            redirect::strip(&mut ready.request.headers, &ready.request.uri, &uri, secrets);
            ready.request.uri = uri;
        }
    }
}

/// The reason why the way to the next page is lost.
enum Stop {
    /// The page is the one before it, once more.
    Repeated(QueryError),
    /// The service names a next page that cannot be asked for.
    Wrong(QueryError),
}

impl Walk<'_> {
    /// Finds the beginning of the count, and sets it where the request has none.
    fn begin(&mut self, ready: &mut Ready) -> Result<(), QueryError> {
        if let By::Page(Counted { name, first, .. }) | By::Offset(Counted { name, first, .. }) = &self.pages.by {
            let mut uri = MutableUri::read(&ready.request.uri.to_string());
            match uri.get_param(name).first().filter(|text| !text.is_empty()) {
                Some(text) => {
                    self.count = text.parse().map_err(|_| {
                        let message = format!("the value of {name} is `{text}`: expected a whole number, the first page");
                        QueryError::new("bad_parameter", message)
                    })?;
                }
                None => {
                    self.count = *first;
                    uri.set_param(name, vec![first.to_string()]);
                    ready.request.uri = parsed(&uri.to_string())?;
                }
            }
        }
        self.asked.insert(ready.request.uri.to_string());
        Ok(())
    }

    /// Returns the URI of the page behind one with `rows` rows; `None` behind the last.
    fn next(&mut self, ready: &Ready, body: &Datum, seen: &Seen, rows: u64) -> Result<Option<Uri>, Stop> {
        let here = &ready.request.uri;
        let with = |name: &str, value: String| {
            let mut uri = MutableUri::read(&here.to_string());
            uri.set_param(name, vec![value]);
            parsed(&uri.to_string()).map_err(Stop::Wrong)
        };
        let next = match &self.pages.by {
            By::Page(Counted { name, size, .. }) | By::Offset(Counted { name, size, .. }) => {
                if rows == 0 {
                    return Ok(None);
                }
                if !self.body.is_empty() && self.body == seen.body {
                    let message = format!("the page is the one before it once more: the service does not look at `{name}`");
                    return Err(Stop::Repeated(QueryError::new("page_repeated", message).hint("mend `with pages` of the table")));
                }
                self.body = seen.body.clone();
                if size.is_some_and(|size| rows < self.limit.map_or(size, |limit| limit.min(size))) {
                    return Ok(None);
                }
                let step = if matches!(self.pages.by, By::Page(_)) { 1 } else { rows };
                let Some(count) = self.count.checked_add(step) else { return Ok(None) };
                self.count = count;
                with(name, count.to_string())?
            }
            By::Cursor { name, path } => match text(body, path, "the cursor").map_err(Stop::Wrong)? {
                Some(cursor) => with(name, cursor)?,
                None => return Ok(None),
            },
            By::Link { path } => {
                let target = match path {
                    Some(path) => text(body, path, "the link").map_err(Stop::Wrong)?,
                    None => link::next(seen.links.iter().map(String::as_str)),
                };
                let Some(target) = target else { return Ok(None) };
                linked(&ready.request.method, here, &target).map_err(Stop::Wrong)?
            }
        };
        if !self.asked.insert(next.to_string()) {
            let message = "the service names a page as the next one that was read before";
            return Err(Stop::Wrong(QueryError::new("page_repeated", message)));
        }
        Ok(Some(next))
    }
}

/// Returns the number of rows of a result set.
fn count(rows: &Datum) -> u64 {
    let rows = rows.view();
    if rows.is_list() { rows.len() as u64 } else { u64::from(rows.is_truthy()) }
}

/// Returns the text at `path` of a reply; `None` if it is absent, null, false or empty.
fn text(body: &Datum, path: &[String], what: &str) -> Result<Option<String>, QueryError> {
    let found = resultset(body.clone(), path);
    let view = found.view();
    let kind = match view.view() {
        View::List(items) if items.len() == 0 => return Ok(None),
        View::Null | View::Bool(false) => return Ok(None),
        View::List(_) => "a list",
        View::Object(_) => "an object",
        View::Bool(true) => "true",
        _ => return Ok(scalar_text(view).filter(|text| !text.is_empty())),
    };
    let message = format!("{what} of the next page at `{}` is {kind}: expected text or a number", path.join("."));
    Err(QueryError::new("bad_page", message).hint("mend `with pages` of the table, or the service"))
}

/// Returns the URI of a link that a reply to a request for `here` has.
fn linked(method: &Method, here: &Uri, target: &str) -> Result<Uri, QueryError> {
    let wrong = |what: String| QueryError::new("bad_page", format!("the link to the next page {what}"));
    let base = Url::parse(&here.to_string()).map_err(|error| wrong(format!("has no base: {error}")))?;
    let mut url = base.join(target).map_err(|error| wrong(format!("is no URI: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong(format!("has the scheme `{}`: expected http or https", url.scheme())));
    }
    url.set_fragment(None);
    let own = url.origin() == base.origin();
    // The password of the table goes to its own service, and a service has none to give.
    let (user, password) = if own { (base.username(), base.password()) } else { ("", None) };
    if url.set_username(user).and_then(|()| url.set_password(password)).is_err() {
        return Err(wrong("has no host".to_owned()));
    }
    let uri = parsed(url.as_str())?;
    if !matches!(*method, Method::GET | Method::HEAD) && policy::target(&uri) != policy::target(here) {
        return Err(wrong(format!("leads to another host, and a {method} would bring it the body of the request")));
    }
    Ok(uri)
}

fn parsed(text: &str) -> Result<Uri, QueryError> {
    text.parse().map_err(|error| QueryError::new("bad_page", format!("the URI of the next page is invalid: {error}")))
}
