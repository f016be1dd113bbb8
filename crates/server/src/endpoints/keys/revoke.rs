//! `DELETE /v1/keys/{id}`: a key revoked for good.

use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};

use vouch_domain::{KeyCard, PortError};

use super::keeper;
use crate::{
    endpoints::removed::Removed,
    faults::{Faults, Missing},
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

#[utoipa::path(
    delete, path = "/v1/keys/{id}", operation_id = "revoke_key", tag = "service", security(("key" = [])),
    params(("id" = String, Path, description = "The key's id.")),
    description = "Revokes a key of the tenant, for good; needs an admin key for the whole tenant, and another one.",
    responses((status = 200, description = "It is revoked.", body = Removed), Missing, Faults)
)]
pub(crate) async fn revoke(
    State(service): State<Service>,
    headers: HeaderMap,
    path: Result<Path<String>, PathRejection>,
) -> Response {
    let id = request_id(&headers);
    let key = path.map(|Path(key)| key).unwrap_or_default();
    respond(&id, revoked(&service, &headers, &key, &id).await)
}

async fn revoked(service: &Service, headers: &HeaderMap, key: &str, id: &str) -> Result<Removed, Problem> {
    let (caller, keys) = keeper(service, headers, id).await?;
    let now_ms = service.access_control.clock.now_ms();
    let work = async {
        let told = |error: PortError| Problem::from_port_error(&error, id);
        let cards = keys.keys_of(&caller.reader.tenant).await.map_err(told)?;
        let is_own = |card: &KeyCard| match &card.person {
            Some(person) => caller.person.as_ref() == Some(person),
            None => caller.id == format!("key:{key}"),
        };
        if cards.iter().any(|card| card.id == key && is_own(card)) {
            let detail = "This key is your own; revoke it with another one, or with `vouch key revoke`.";
            return Err(Problem::new(Code::Forbidden, detail, id));
        }
        keys.revoke_of(&caller.reader.tenant, key, now_ms).await.map_err(told)
    };
    match service.run_admitted(id, work).await? {
        true => Ok(Removed { request_id: id.to_owned(), removed: 1 }),
        false => Err(Problem::new(Code::NotFound, "There is no valid key with this id.", id)),
    }
}
