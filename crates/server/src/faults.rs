//! The problems requests can end with, as the description of the API lists them.

use std::collections::BTreeMap;

use utoipa::{
    IntoResponses, ToSchema,
    openapi::{Ref, RefOr, ResponseBuilder, content::ContentBuilder, response::Response},
};

use crate::problem::Problem;

/// Problems that any request can end with.
pub(crate) struct Faults;

impl IntoResponses for Faults {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems(&[
            ("400", "The request is invalid (`invalid_request`)."),
            ("401", "The key or token is missing, unknown, expired or revoked (`unauthorized`)."),
            ("403", "The caller may not do this (`forbidden`)."),
            ("408", "The request did not arrive in time (`invalid_request`)."),
            (
                "413",
                "The body is too large (`invalid_request`), or the question for the model (`token_budget_exceeded`).",
            ),
            ("415", "The Content-Type is not JSON (`invalid_request`)."),
            ("429", "Too many requests per minute (`overloaded`); `Retry-After` says how long to wait."),
            ("500", "An internal error of Vouch (`context`)."),
            ("503", "The server is overloaded (`overloaded`), or the store cannot be used (`context`)."),
        ])
    }
}

/// There is nothing of this name.
pub(crate) struct Missing;

impl IntoResponses for Missing {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems(&[("404", "There is nothing with this id that the caller may see (`not_found`).")])
    }
}

/// A document has the name of a file.
pub(crate) struct NameTaken;

impl IntoResponses for NameTaken {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems(&[(
            "409",
            "A document has this name and says something else; `same_name` says what the file is (`same_name`).",
        )])
    }
}

/// Nobody can sign in.
pub(crate) struct NoSignIn;

impl IntoResponses for NoSignIn {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems(&[("404", "Nobody can sign in at this server (`not_found`).")])
    }
}

/// Problems that only requests to a model have.
pub(crate) struct ModelFaults;

impl IntoResponses for ModelFaults {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems(&[
            ("502", "The model server failed (`llm_connection`)."),
            ("504", "The model took too long (`llm_timeout`)."),
        ])
    }
}

fn problems(rows: &[(&str, &str)]) -> BTreeMap<String, RefOr<Response>> {
    let problem = |description: &str| {
        let schema = RefOr::Ref(Ref::from_schema_name(Problem::name()));
        let content = ContentBuilder::new().schema(Some(schema)).build();
        ResponseBuilder::new().description(description).content("application/problem+json", content).build()
    };
    rows.iter().map(|(status, description)| ((*status).to_owned(), RefOr::T(problem(description)))).collect()
}
