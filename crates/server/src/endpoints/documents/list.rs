//! `GET /v1/documents`: the cards a caller may see, by id, a page at a time.

use axum::{
    extract::{Query, State, rejection::QueryRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use vouch_domain::{DocumentId, NameWords, Reader, ports::PageRequest};
use vouch_service::wire::CardWire;

use crate::{
    faults::Faults,
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

const PAGE: usize = 100;
const PAGE_MAX: usize = 1_000;
/// Longest text that names are looked for by, in characters.
const WORDS_CHARS_MAX: usize = 200;

/// Which page is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListParams {
    /// Only the document with this id.
    id: Option<String>,
    /// Only documents of this kind, in any case.
    kind: Option<String>,
    /// Only documents of this collection.
    collection: Option<String>,
    /// Only documents about this topic, in any case.
    topic: Option<String>,
    /// Only documents whose title, address or id holds each of these words, in any case and without accents; at most 200 characters.
    #[param(max_length = 200)]
    words: Option<String>,
    /// Most documents per page; 100 if absent.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// Start after this id: the `next` of the page before.
    after: Option<String>,
}

/// A page of documents.
#[derive(Serialize, ToSchema)]
#[schema(as = Documents)]
pub(crate) struct Page {
    /// Id of the request.
    request_id: String,
    /// Ordered by id.
    documents: Vec<CardWire>,
    /// Send it as `after` for the next page; null on the last.
    next: Option<String>,
    /// How many documents of this sort the caller may see; null on later pages.
    total: Option<u64>,
}

#[utoipa::path(
    get, path = "/v1/documents", operation_id = "list_documents", tag = "documents", params(ListParams), security(("key" = [])),
    responses((status = 200, description = "One page.", body = Page), Faults)
)]
pub(crate) async fn list(
    State(service): State<Service>,
    headers: HeaderMap,
    params: Result<Query<ListParams>, QueryRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, page(&service, &headers, params, &id).await)
}

async fn page(
    service: &Service,
    headers: &HeaderMap,
    params: Result<Query<ListParams>, QueryRejection>,
    id: &str,
) -> Result<Page, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    let wrong = |detail: String| Problem::new(Code::InvalidRequest, detail, id);
    let Query(params) = params.map_err(|rejection| wrong(rejection.body_text()))?;
    let limit = params.limit.unwrap_or(PAGE);
    if !(1..=PAGE_MAX).contains(&limit) {
        return Err(wrong(format!("limit is {limit}; it must be between 1 and {PAGE_MAX}")));
    }
    if let Some(one) = params.id.as_deref() {
        return only(service, &caller.reader, one, id).await;
    }
    let words = params.words.unwrap_or_default();
    if words.chars().count() > WORDS_CHARS_MAX {
        return Err(wrong(format!("words is longer than {WORDS_CHARS_MAX} characters")));
    }
    let is_first = params.after.is_none();
    let wanted = PageRequest {
        kind: params.kind,
        collection: params.collection,
        topic: params.topic,
        words: NameWords::parse(&words),
        after: params.after.as_deref().and_then(DocumentId::parse),
        limit: limit + 1,
    };
    let asked = async {
        let register = service.admin_service.register.as_ref();
        let fault = |error| Problem::from_port_error(&error, id);
        let cards = register.page(&caller.reader, &wanted).await.map_err(fault)?;
        let total = match is_first {
            true => Some(register.count(&caller.reader, &wanted).await.map_err(fault)?),
            false => None,
        };
        Ok::<_, Problem>((cards, total))
    };
    let (mut cards, total) = service.run_admitted(id, asked).await?;
    let is_last = cards.len() <= limit;
    cards.truncate(limit);
    let next = cards.last().filter(|_| !is_last).map(|card| card.id.as_str().to_owned());
    let documents = cards.iter().map(|card| CardWire::new(card, &caller.reader)).collect();
    Ok(Page { request_id: id.to_owned(), documents, next, total })
}

/// A page of the one document with an id, or of none.
async fn only(service: &Service, reader: &Reader, wanted: &str, id: &str) -> Result<Page, Problem> {
    let asked = async {
        let found = match DocumentId::parse(wanted) {
            Some(wanted) => service.admin_service.register.by_id(reader, &wanted).await,
            None => Ok(None),
        };
        found.map_err(|error| Problem::from_port_error(&error, id))
    };
    let card = service.run_admitted(id, asked).await?;
    let documents = card.iter().map(|card| CardWire::new(card, reader)).collect();
    Ok(Page { request_id: id.to_owned(), documents, next: None, total: Some(u64::from(card.is_some())) })
}
