//! `/v1/keys`: the keys of a tenant, to be looked through and revoked. None is made over HTTP.

pub(crate) mod list;
pub(crate) mod revoke;

use std::sync::Arc;

use axum::http::HeaderMap;
use vouch_domain::{Caller, Scope, ports::KeyRing};

use crate::{
    problem::{Code, Problem},
    service::Service,
};

/// An admin of the whole tenant, and its keys: who sees a part of a tenant is not shown who sees the rest.
async fn keeper(service: &Service, headers: &HeaderMap, id: &str) -> Result<(Caller, Arc<dyn KeyRing>), Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    match (&caller.reader.scope, &service.access_control.key_ring) {
        (Scope::WholeTenant, Some(keys)) => Ok((caller, Arc::clone(keys))),
        (Scope::WholeTenant, None) => Err(Problem::new(Code::NotFound, "This server keeps no keys.", id)),
        (Scope::Tags(_), _) => Err(Problem::new(Code::Forbidden, "This needs an admin key for the whole tenant.", id)),
    }
}
