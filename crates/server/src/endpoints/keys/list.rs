//! `GET /v1/keys`: the keys of the caller's tenant, without their secrets.

use axum::{extract::State, http::HeaderMap, response::Response};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{KeyCard, timestamp};

use super::keeper;
use crate::{
    faults::{Faults, Missing},
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// A key without its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = Key)]
struct KeyWire {
    /// Its id.
    id: String,
    /// What its maker called it.
    name: String,
    /// `reader`, `admin` or `monitor`.
    role: &'static str,
    /// Id of the user whose key it is; null if it is nobody's.
    user_id: Option<String>,
    /// Tags it opens; null for the whole tenant, and for a user's key.
    tags: Option<Vec<String>>,
    /// Most requests per minute; null if unlimited.
    requests_per_minute: Option<u32>,
    /// When it was made, RFC 3339 in UTC.
    made: String,
    /// When it ends; null if never.
    expires: Option<String>,
    /// `valid`, `expired` or `revoked`.
    state: &'static str,
}

/// The keys of a tenant.
#[derive(Serialize, ToSchema)]
#[schema(as = Keys)]
pub(crate) struct KeysReply {
    /// Id of the request.
    request_id: String,
    /// Oldest first.
    keys: Vec<KeyWire>,
}

#[utoipa::path(
    get, path = "/v1/keys", operation_id = "list_keys", tag = "service", security(("key" = [])),
    description = "The tenant's keys without their secrets; needs an admin key for the whole tenant. Keys are made with `vouch key add`.",
    responses((status = 200, description = "The keys.", body = KeysReply), Missing, Faults)
)]
pub(crate) async fn list(State(service): State<Service>, headers: HeaderMap) -> Response {
    let id = request_id(&headers);
    respond(&id, listed(&service, &headers, &id).await)
}

async fn listed(service: &Service, headers: &HeaderMap, id: &str) -> Result<KeysReply, Problem> {
    let (caller, keys) = keeper(service, headers, id).await?;
    let now_ms = service.access_control.clock.now_ms();
    let read = async {
        let cards = keys.keys_of(&caller.reader.tenant).await;
        cards.map_err(|error| Problem::from_port_error(&error, id))
    };
    let cards = service.run_admitted(id, read).await?;
    let keys = cards.into_iter().map(|card| shown(card, now_ms)).collect();
    Ok(KeysReply { request_id: id.to_owned(), keys })
}

fn shown(card: KeyCard, now_ms: u64) -> KeyWire {
    KeyWire {
        state: card.state(now_ms),
        role: card.role.as_str(),
        user_id: card.person,
        tags: card.tags.map(|tags| tags.into_iter().collect()),
        requests_per_minute: card.per_minute,
        made: timestamp(card.made_ms),
        expires: card.expires_ms.map(timestamp),
        id: card.id,
        name: card.name,
    }
}
