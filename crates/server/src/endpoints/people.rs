//! `GET /v1/people`: whom a question can be sent to, for admins.

use axum::{extract::State, http::HeaderMap, response::Response};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{Person, Scope};

use crate::{
    faults::Faults,
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// Most people that are listed.
const LISTED_MAX: usize = 1_000;

/// People of the tenant.
#[derive(Serialize, ToSchema)]
#[schema(as = People)]
pub(crate) struct PeopleReply {
    /// Id of the request.
    request_id: String,
    /// By id, at most 1000; for an admin of a part of the tenant those who have one of its tags.
    people: Vec<PersonWire>,
    /// How many there are.
    total: usize,
}

/// Somebody.
#[derive(Serialize, ToSchema)]
#[schema(as = Person)]
pub(crate) struct PersonWire {
    /// What they are called by.
    user_id: String,
    /// Their e-mail address.
    email: String,
}

#[utoipa::path(
    get, path = "/v1/people", operation_id = "list_people", tag = "questions", security(("key" = [])),
    description = "The people of the tenant, whom a question can be sent to; needs an admin key.",
    responses((status = 200, description = "The people.", body = PeopleReply), Faults)
)]
pub(crate) async fn list(State(service): State<Service>, headers: HeaderMap) -> Response {
    let id = request_id(&headers);
    respond(&id, listed(&service, &headers, &id).await)
}

async fn listed(service: &Service, headers: &HeaderMap, id: &str) -> Result<PeopleReply, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let read = async {
        let people = service.admin_service.directory.people(&caller.reader.tenant).await;
        people.map_err(|error| Problem::from_port_error(&error, id))
    };
    let is_seen = |person: &Person| match &caller.reader.scope {
        Scope::WholeTenant => true,
        Scope::Tags(tags) => !tags.is_disjoint(&person.tags),
    };
    let mut people: Vec<PersonWire> = service
        .run_admitted(id, read)
        .await?
        .into_iter()
        .filter(is_seen)
        .map(|person| PersonWire { user_id: person.id, email: person.email })
        .collect();
    let total = people.len();
    people.truncate(LISTED_MAX);
    Ok(PeopleReply { request_id: id.to_owned(), people, total })
}
