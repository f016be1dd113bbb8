//! `GET /v1/me`: who the caller is taken for, and what they may do.

use std::collections::BTreeSet;

use axum::{extract::State, http::HeaderMap, response::Response};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::Scope;

use crate::{
    faults::Faults,
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// A caller.
#[derive(Serialize, ToSchema)]
#[schema(as = Me)]
pub(crate) struct MeReply {
    /// Id of the request.
    request_id: String,
    /// What they are called in the audit trail.
    id: String,
    /// What people call them, by the issuer they signed in with; null if that is not known.
    name: Option<String>,
    /// Id of the user they are; null if that is not known.
    user_id: Option<String>,
    /// Whose documents they read.
    tenant: String,
    /// `reader`, `admin` or `monitor`.
    role: &'static str,
    /// Tags of the documents they may see, beside those that are open to everyone; null for a reader of the whole tenant.
    #[schema(value_type = Option<Vec<String>>)]
    tags: Option<BTreeSet<String>>,
}

#[utoipa::path(
    get, path = "/v1/me", operation_id = "read_me", tag = "service", security(("key" = [])),
    description = "Whom the key of this request identifies, and what it may do.",
    responses((status = 200, description = "The caller.", body = MeReply), Faults)
)]
pub(crate) async fn me(State(service): State<Service>, headers: HeaderMap) -> Response {
    let id = request_id(&headers);
    respond(&id, known(&service, &headers, &id).await)
}

async fn known(service: &Service, headers: &HeaderMap, id: &str) -> Result<MeReply, Problem> {
    let caller = service.access_control.authenticate(headers, id).await?;
    let tags = match caller.reader.scope {
        Scope::WholeTenant => None,
        Scope::Tags(tags) => Some(tags),
    };
    Ok(MeReply {
        request_id: id.to_owned(),
        id: caller.id,
        name: caller.name,
        user_id: caller.person,
        tenant: caller.reader.tenant,
        role: caller.role.as_str(),
        tags,
    })
}
