//! What went wrong → one shape for every client: a stable code, a sentence for a person, the request's name.
//!
//! Invariant: HTTP status codes are known here and nowhere else.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{Fault, ModelError, PortError};
use vouch_engine::ask::AskError;

use vouch_service::{admin_service::AdminError, ask_service::AskServiceError, wire::without_addresses};

/// A failed request (RFC 9457).
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(example = json!({
    "type": "about:blank", "title": "Invalid request", "status": 400, "code": "invalid_request",
    "detail": "k is 0; it must be between 1 and 1000", "request_id": "req-198c-3f-1"
}))]
pub struct Problem {
    /// Always `about:blank`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What went wrong, in a few words; the same for every problem of this kind.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// Stable word for programs, such as `invalid_request` or `overloaded`.
    code: &'static str,
    /// What went wrong with this request, for a person.
    detail: String,
    /// Id of the request, for looking it up in the log.
    request_id: String,
    #[serde(skip)]
    retry_after_s: Option<u64>,
}

/// Everything that can go wrong, by its stable code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The model may not be used.
    ModelNotAllowed,
    /// The server does not have the model.
    ModelUnavailable,
    /// The model's server cannot be spoken with.
    LlmConnection,
    /// The model is too slow.
    LlmTimeout,
    /// What a model is to read cannot be put together, or the store cannot be read.
    Context,
    /// The question does not fit the model.
    TokenBudgetExceeded,
    /// The key or token is missing, unknown, expired or revoked.
    Unauthorized,
    /// The caller may not do this.
    Forbidden,
    /// There is no such path.
    NotFound,
    /// The request makes no sense.
    InvalidRequest,
    /// A file has the name of a document, and it may be another one.
    SameName,
    /// The server is overloaded.
    Overloaded,
    /// The caller has reached its rate limit.
    TooOften,
    /// The path exists, but does not accept this method.
    WrongMethod,
    /// The Content-Type is not JSON.
    WrongMedia,
    /// The body is larger than this server accepts.
    TooLarge,
    /// The request did not arrive in time.
    TooSlow,
    /// An internal error.
    Broken,
}

impl Code {
    fn row(self) -> (&'static str, StatusCode, &'static str) {
        match self {
            Self::ModelNotAllowed => ("model_not_allowed", StatusCode::BAD_REQUEST, "The model is not allowed"),
            Self::ModelUnavailable => {
                ("model_unavailable", StatusCode::SERVICE_UNAVAILABLE, "The model is not available")
            }
            Self::LlmConnection => ("llm_connection", StatusCode::BAD_GATEWAY, "The model server failed"),
            Self::LlmTimeout => ("llm_timeout", StatusCode::GATEWAY_TIMEOUT, "The model took too long"),
            Self::Context => ("context", StatusCode::SERVICE_UNAVAILABLE, "The documents cannot be read"),
            Self::TokenBudgetExceeded => {
                ("token_budget_exceeded", StatusCode::PAYLOAD_TOO_LARGE, "The question is too long for the model")
            }
            Self::Unauthorized => ("unauthorized", StatusCode::UNAUTHORIZED, "Authentication failed"),
            Self::Forbidden => ("forbidden", StatusCode::FORBIDDEN, "Not allowed"),
            Self::NotFound => ("not_found", StatusCode::NOT_FOUND, "Not found"),
            Self::InvalidRequest => ("invalid_request", StatusCode::BAD_REQUEST, "Invalid request"),
            Self::SameName => ("same_name", StatusCode::CONFLICT, "A document has this name"),
            Self::Overloaded => ("overloaded", StatusCode::SERVICE_UNAVAILABLE, "The server is overloaded"),
            Self::TooOften => ("overloaded", StatusCode::TOO_MANY_REQUESTS, "Too many requests"),
            Self::WrongMethod => ("invalid_request", StatusCode::METHOD_NOT_ALLOWED, "Method not allowed"),
            Self::WrongMedia => ("invalid_request", StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body is not JSON"),
            Self::TooLarge => ("invalid_request", StatusCode::PAYLOAD_TOO_LARGE, "The body is too large"),
            Self::TooSlow => ("invalid_request", StatusCode::REQUEST_TIMEOUT, "The request took too long to arrive"),
            Self::Broken => ("context", StatusCode::INTERNAL_SERVER_ERROR, "Internal error"),
        }
    }
}

/// How long a rejected client should wait unless something better is known, in seconds.
const RETRY_AFTER_S: u64 = 1;

/// The name of the port that fails where servers share a database which is away.
const DATABASE: &str = "database";

impl Problem {
    /// A problem of one request.
    #[must_use]
    pub fn new(code: Code, detail: impl Into<String>, request_id: &str) -> Self {
        let (word, status, title) = code.row();
        Self {
            kind: "about:blank",
            title,
            status: status.as_u16(),
            code: word,
            detail: detail.into(),
            request_id: request_id.to_owned(),
            retry_after_s: (word == Code::Overloaded.row().0).then_some(RETRY_AFTER_S),
        }
    }

    /// The same, with how long to wait: whole seconds, never fewer than it takes.
    #[must_use]
    pub fn with_retry_after(mut self, wait: std::time::Duration) -> Self {
        self.retry_after_s = Some(wait.as_secs().saturating_add(1));
        self
    }

    /// The problem of a failed question. Details of the store stay in the log.
    #[must_use]
    pub fn from_ask_error(error: &AskError, request_id: &str) -> Self {
        let code = match error {
            AskError::NotAQuestion(_) | AskError::Agent(_) => Code::InvalidRequest,
            AskError::Port(error) if matches!(error.fault, Fault::Invalid) => Code::InvalidRequest,
            AskError::Port(_) => Code::Context,
            AskError::Model(error) => match error {
                ModelError::Connection { .. } | ModelError::CircuitOpen { .. } => Code::LlmConnection,
                ModelError::Timeout { .. } => Code::LlmTimeout,
                ModelError::NotAllowed { .. } => Code::ModelNotAllowed,
                ModelError::Unavailable { .. } => Code::ModelUnavailable,
                ModelError::Context { .. } => Code::Context,
                ModelError::TokenBudgetExceeded { .. } => Code::TokenBudgetExceeded,
            },
        };
        tracing::warn!(code = code.row().0, %error, "question failed");
        let detail = match error {
            AskError::Port(_) => "The documents cannot be read at the moment.".to_owned(),
            AskError::Model(_) => without_addresses(&error.to_string()),
            AskError::NotAQuestion(_) | AskError::Agent(_) => error.to_string(),
        };
        Self::new(code, detail, request_id)
    }

    /// Why there is no reply.
    #[must_use]
    pub fn from_ask_service_error(error: &AskServiceError, request_id: &str) -> Self {
        match error {
            AskServiceError::Ask(error) => Self::from_ask_error(error, request_id),
            AskServiceError::Unrecorded(cause) => {
                tracing::error!(%cause, "audit entry could not be written");
                Self::new(
                    Code::Context,
                    "The request could not be recorded in the audit trail, so it was not answered.",
                    request_id,
                )
            }
        }
    }

    /// The problem of a failed store; its details stay in the log.
    #[must_use]
    pub fn from_port_error(error: &PortError, request_id: &str) -> Self {
        tracing::warn!(request_id, fault = error.fault.as_str(), %error, "store failed");
        let is_away = error.port == DATABASE && matches!(error.fault, Fault::Unavailable | Fault::Timeout);
        let detail = if is_away {
            "The database cannot be reached, so nothing was changed. Questions are still answered from the server's \
             copy of it."
        } else {
            "The documents cannot be read or written at the moment."
        };
        Self::new(Code::Context, detail, request_id)
    }

    /// Why nothing was changed.
    #[must_use]
    pub(crate) fn from_admin_error(error: &AdminError, request_id: &str) -> Self {
        let code = match error {
            AdminError::Missing => Code::NotFound,
            AdminError::NotTheirs(_) => Code::Forbidden,
            AdminError::Bad(_) => Code::InvalidRequest,
            AdminError::SameName(_) => Code::SameName,
            AdminError::Crowded => Code::Overloaded,
            AdminError::Port(error) if matches!(error.fault, Fault::Invalid) => Code::InvalidRequest,
            AdminError::Port(error) => return Self::from_port_error(error, request_id),
            AdminError::Broken => return Self::broken(request_id),
        };
        Self::new(code, error.to_string(), request_id)
    }

    /// A body larger than the limit.
    #[must_use]
    pub(crate) fn too_large(bytes_max: usize, request_id: &str) -> Self {
        Self::new(Code::TooLarge, format!("The body is larger than {bytes_max} bytes."), request_id)
    }

    /// An internal error; its details stay in the log.
    #[must_use]
    pub(crate) fn broken(request_id: &str) -> Self {
        tracing::error!(request_id, "request stopped by an internal error");
        Self::new(
            Code::Broken,
            "An internal error stopped this request; the server's log has the details under this request id.",
            request_id,
        )
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The sentence for a person.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl Problem {
    /// What clients of OpenAI's protocol call a problem of this status.
    pub(crate) fn openai_kind(&self) -> &'static str {
        match self.status {
            401 => "authentication_error",
            403 => "permission_error",
            429 => "rate_limit_error",
            400..=499 => "invalid_request_error",
            _ => "server_error",
        }
    }

    /// The problem as a response with a body that says at least as much.
    pub(crate) fn with_body(&self, body: Vec<u8>) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let retry_after_s = self.retry_after_s;
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::REQUEST_TIMEOUT {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        self.with_body(serde_json::to_vec(&self).unwrap_or_default())
    }
}
