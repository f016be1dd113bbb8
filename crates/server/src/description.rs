//! The API described for programs, made from the types themselves (OpenAPI 3.1).
//!
//! Invariant: every route is described, and nothing else is. A new endpoint adds a line here and one in the list of
//! routes.

use std::sync::OnceLock;

use axum::{
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};
use utoipa::{
    Modify, OpenApi,
    openapi::{
        OpenApi as Document, RefOr, Schema,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};
use vouch_service::wire;

use crate::{
    endpoints,
    problem::Problem,
    request_id::{request_id, with_request_id},
};

#[derive(OpenApi)]
#[openapi(
    info(title = "Vouch", description = "Answers whose citations have been checked against the documents, or a refusal that says why. Every \
        response has an `x-request-id` header: the client's own where it sent a valid one."),
    paths(
        endpoints::ask::ask,
        endpoints::stream::stream,
        endpoints::completions::complete,
        endpoints::models::models,
        endpoints::models::model,
        endpoints::search::search,
        endpoints::check::check,
        endpoints::documents::list::list,
        endpoints::documents::ingest::ingest,
        endpoints::files::keep,
        endpoints::documents::read::read,
        endpoints::documents::edit::edit,
        endpoints::documents::delete::delete,
        endpoints::versions::list,
        endpoints::versions::show,
        endpoints::versions::changes,
        endpoints::terms::define,
        endpoints::memory::list::list,
        endpoints::memory::remember::remember,
        endpoints::memory::forget::forget,
        endpoints::memory::wording::add,
        endpoints::matches::compare,
        endpoints::concepts::list,
        endpoints::suggestions::suggest,
        endpoints::people::list,
        endpoints::unanswered::list,
        endpoints::findings::list::list,
        endpoints::findings::dismiss::dismiss,
        endpoints::questions::list::list,
        endpoints::questions::send::send,
        endpoints::questions::answer::answer,
        endpoints::questions::withdraw::withdraw,
        endpoints::certificate::certificate,
        endpoints::evaluations::list,
        endpoints::evaluations::show,
        endpoints::history::read,
        endpoints::jobs::list::list,
        endpoints::jobs::start::start,
        endpoints::jobs::read::read,
        endpoints::jobs::cancel::cancel,
        endpoints::jobs::retry::retry,
        endpoints::keys::list::list,
        endpoints::keys::revoke::revoke,
        endpoints::me::me,
        endpoints::sign_in::offer,
        endpoints::sign_in::exchange,
        endpoints::audit::list,
        endpoints::audit::show,
        endpoints::recalls::list,
        endpoints::feedback::feedback,
        endpoints::reload::reload,
        endpoints::health::alive,
        endpoints::health::ready,
        endpoints::metrics::text,
        endpoints::metrics::json,
        describe,
    ),
    components(schemas(Problem, wire::Event)),
    modifiers(&Key, &AlwaysThere)
)]
struct Description;

/// The description.
pub(crate) fn document() -> Document {
    Description::openapi()
}

#[utoipa::path(
    get, path = "/openapi.json", operation_id = "describe", tag = "service",
    responses((status = 200, description = "This description.", body = Object))
)]
pub(crate) async fn describe(headers: HeaderMap) -> Response {
    static WRITTEN: OnceLock<String> = OnceLock::new();
    let text = WRITTEN.get_or_init(|| document().to_json().unwrap_or_default());
    let mut response = text.as_str().into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    with_request_id(&request_id(&headers), response)
}

/// The key of a caller.
struct Key;

impl Modify for Key {
    fn modify(&self, document: &mut Document) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(
            "A key made with `vouch key add`; it decides tenant and tags. Without any keys, Vouch listens on loopback only \
             and needs none.",
        ));
        let components = document.components.get_or_insert_default();
        components.security_schemes.insert("key".to_owned(), RefOr::T(SecurityScheme::Http(scheme.build())));
    }
}

/// In responses every key is always present; request bodies may leave keys out.
struct AlwaysThere;

impl Modify for AlwaysThere {
    fn modify(&self, document: &mut Document) {
        let Some(components) = document.components.as_mut() else { return };
        for (name, schema) in &mut components.schemas {
            if !name.ends_with("Body") {
                require_all(schema);
            }
        }
    }
}

fn require_all(schema: &mut RefOr<Schema>) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => object.required = object.properties.keys().cloned().collect(),
        Schema::AllOf(all) => all.items.iter_mut().for_each(require_all),
        Schema::OneOf(one) => one.items.iter_mut().for_each(require_all),
        Schema::AnyOf(any) => any.items.iter_mut().for_each(require_all),
        Schema::Array(_) => {}
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::document;
    use crate::routes::routes;

    fn described() -> Value {
        serde_json::to_value(document()).expect("JSON")
    }

    #[test]
    fn every_route_is_described_and_nothing_else() {
        let served: BTreeSet<(String, String)> =
            routes().iter().map(|route| (route.path.replace("{*", "{"), route.method.to_owned())).collect();
        let described = described();
        let paths = described["paths"].as_object().expect("paths");
        let told: BTreeSet<(String, String)> = paths
            .iter()
            .flat_map(|(path, item)| {
                let methods = item.as_object().expect("methods").keys();
                methods.map(|method| (path.clone(), method.clone())).collect::<Vec<_>>()
            })
            .collect();
        let operations = paths.values().flat_map(|item| item.as_object().expect("methods").values());
        let names: BTreeSet<&str> = operations.filter_map(|operation| operation["operationId"].as_str()).collect();
        assert_eq!(names.len(), told.len(), "every operation has a name of its own: {names:?}");
        assert_eq!(served, told);
    }

    #[test]
    fn whatever_takes_a_key_says_so_and_says_how_it_fails() {
        let described = described();
        for (path, item) in described["paths"].as_object().expect("paths") {
            for (method, operation) in item.as_object().expect("methods") {
                let has_key = operation["security"][0]["key"].is_array();
                // Whoever signs in has no key yet.
                let is_sign_in = path == "/v1/sign-in";
                let takes_key = path.starts_with("/v1/") && !is_sign_in || path.starts_with("/metrics");
                assert_eq!(has_key, takes_key, "{method} {path}");
                let responses = operation["responses"].as_object().expect("responses");
                for (status, response) in responses.iter().filter(|(status, _)| status.as_str() >= "400") {
                    let is_health = path == "/readyz" && status == "503";
                    let problem = &response["content"]["application/problem+json"]["schema"]["$ref"];
                    assert!(is_health || problem == "#/components/schemas/Problem", "{method} {path} {status}");
                }
            }
        }
    }

    #[test]
    fn every_key_of_a_reply_is_promised() {
        let described = described();
        let reply = &described["components"]["schemas"]["Reply"];
        let required = reply["required"].as_array().expect("required").len();
        assert_eq!(required, reply["properties"].as_object().expect("properties").len());
        let ask = &described["components"]["schemas"]["AskBody"];
        assert_eq!(ask["required"], serde_json::json!(["query"]), "{ask}");
    }
}
