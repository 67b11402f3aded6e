//! The calls of the query language, as the backend of one execution answers them.

use futures_util::future::{BoxFuture, join_all};
use polywire_ql::backend::{Backend, Call, Reply};
use polywire_ql::error::QueryError;

use super::call::TableCall;
use super::prepare::prepared;
use super::session::Session;
use crate::observe::Event;

impl Backend for Session<'_> {
    fn call<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Vec<Reply>, QueryError>> {
        Box::pin(async move {
            let prepared = prepared(self.service, call.table, call.action).await?;
            let table_call = TableCall::new(self, &call, &prepared);
            let mut requests = table_call.requests().await?;
            for ready in requests.iter().filter(|ready| ready.values > 1) {
                self.service.observer.event(Event::Batch { values: ready.values });
            }
            if let Some(pages) = &call.action.pages {
                let pages = requests.into_iter().map(|request| Box::pin(table_call.pages(pages, request)));
                return Ok(join_all(pages).await.into_iter().flatten().collect());
            }
            if requests.len() == 1
                && let Some(request) = requests.pop()
            {
                // The usual case is not joined: joining moves the future, which is large.
                return Ok(vec![table_call.exchange(&request, None).await]);
            }
            Ok(join_all(requests.iter().map(|request| table_call.exchange(request, None))).await)
        })
    }
}
