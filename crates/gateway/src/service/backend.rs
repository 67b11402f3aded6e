//! The calls of the query language, as the backend of one execution answers them.

use futures_util::future::{BoxFuture, join_all};
use polywire_ql::backend::{Backend, Call, Reply};
use polywire_ql::error::QueryError;

use super::call::TableCall;
use super::prepare::prepared;
use super::session::Session;

impl Backend for Session<'_> {
    fn call<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Vec<Reply>, QueryError>> {
        Box::pin(async move {
            let prepared = prepared(self.service, call.table, call.action).await?;
            let table_call = TableCall::new(self, &call, &prepared);
            let mut requests = table_call.requests().await?;
            if requests.len() == 1
                && let Some(request) = requests.pop()
            {
                // The usual case is not joined: joining moves the future, which is large.
                return Ok(vec![table_call.exchange(request).await]);
            }
            Ok(join_all(requests.into_iter().map(|request| table_call.exchange(request))).await)
        })
    }
}
