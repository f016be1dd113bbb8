//! `GET /v1/memory`: the entries a caller may see, by id, a page at a time.

use axum::{
    extract::{Query, State, rejection::QueryRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use vouch_domain::{PortError, Reader};
use vouch_engine::recall;
use vouch_service::wire::EntryWire;

use crate::{
    faults::Faults,
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

const PAGE: usize = 100;
const PAGE_MAX: usize = 1_000;

/// Which page is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct EntriesParams {
    /// Most entries per page; 100 if absent.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// Start after this id: the `next` of the page before.
    after: Option<String>,
}

/// A page of entries.
#[derive(Serialize, ToSchema)]
#[schema(as = Entries)]
pub(crate) struct Page {
    /// Id of the request.
    request_id: String,
    /// Ordered by id.
    entries: Vec<EntryWire>,
    /// Send it as `after` for the next page; null on the last.
    next: Option<String>,
}

#[utoipa::path(
    get, path = "/v1/memory", operation_id = "list_memory", tag = "memory", params(EntriesParams), security(("key" = [])),
    responses((status = 200, description = "One page.", body = Page), Faults)
)]
pub(crate) async fn list(
    State(service): State<Service>,
    headers: HeaderMap,
    params: Result<Query<EntriesParams>, QueryRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, page(&service, &headers, params, &id).await)
}

async fn page(
    service: &Service,
    headers: &HeaderMap,
    params: Result<Query<EntriesParams>, QueryRejection>,
    id: &str,
) -> Result<Page, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    let wrong = |detail: String| Problem::new(Code::InvalidRequest, detail, id);
    let Query(params) = params.map_err(|rejection| wrong(rejection.body_text()))?;
    let limit = params.limit.unwrap_or(PAGE);
    if !(1..=PAGE_MAX).contains(&limit) {
        return Err(wrong(format!("limit is {limit}; it must be between 1 and {PAGE_MAX}")));
    }
    let after = params.after.unwrap_or_default();
    let asked = async {
        let asked = entries(service, &caller.reader, &after, limit).await;
        asked.map_err(|error| Problem::from_port_error(&error, id))
    };
    let (entries, is_last) = service.run_admitted(id, asked).await?;
    let next = entries.last().filter(|_| !is_last).map(|entry| entry.id.clone());
    Ok(Page { request_id: id.to_owned(), entries, next })
}

/// The entries of a page, and whether it is the last. What a reader may not see is not named to them either.
async fn entries(
    service: &Service,
    reader: &Reader,
    after: &str,
    limit: usize,
) -> Result<(Vec<EntryWire>, bool), PortError> {
    let mut all =
        service.admin_service.memory.entries(reader).await?.into_iter().filter(|entry| entry.id.as_str() > after);
    let mut page = Vec::new();
    for mut entry in all.by_ref().take(limit) {
        entry.references = recall::open_references(&entry, reader, service.admin_service.register.as_ref()).await?;
        page.push(EntryWire::new(&entry, reader));
    }
    Ok((page, all.next().is_none()))
}
