//! `POST /v1/feedback`: what somebody thought of an answer, kept with its entry in the trail.

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vouch_domain::{AuditScope, Fault, Feedback, FeedbackOutcome, Opinion, Rating};

use super::{
    audit::{missing, unreadable},
    body,
};
use crate::{
    faults::{Faults, Missing},
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

/// Feedback on an answer: a thumb, a rating, or both.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FeedbackBody {
    /// Id of the reply it is about.
    request_id: String,
    /// Whether the answer helped. At least one of `helpful`, `thumb` and `rating` is needed.
    helpful: Option<bool>,
    /// The same as `helpful` in other words: `up` for true, `down` for false.
    thumb: Option<Thumb>,
    /// How good the answer was, 1 to 5; says nothing about `helpful`.
    #[schema(minimum = 1, maximum = 5)]
    rating: Option<u8>,
    /// What to add, at most 4000 characters.
    comment: Option<String>,
}

/// A thumb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Thumb {
    /// The answer helped.
    Up,
    /// It did not.
    Down,
}

impl FeedbackBody {
    /// What it says of the answer, or what is wrong with it.
    fn opinion(&self) -> Result<Opinion, String> {
        let thumb = self.thumb.map(|thumb| thumb == Thumb::Up);
        if self.helpful.is_some() && thumb.is_some() && self.helpful != thumb {
            return Err("helpful and thumb contradict each other".to_owned());
        }
        let rating = self.rating.map(|stars| {
            Rating::new(stars)
                .ok_or_else(|| format!("rating is {stars}, it must be {} to {}", Rating::MIN, Rating::MAX))
        });
        let opinion = Opinion { is_helpful: self.helpful.or(thumb), rating: rating.transpose()? };
        match opinion.is_empty() {
            true => Err("helpful, thumb or rating is missing".to_owned()),
            false => Ok(opinion),
        }
    }
}

/// The feedback as it was stored.
#[derive(Serialize, ToSchema)]
#[schema(as = Noted)]
pub(crate) struct FeedbackReply {
    /// Id of the reply it is about.
    request_id: String,
    /// Whether the answer helped; null if it was not said.
    helpful: Option<bool>,
    /// How good it was, 1 to 5; null if it was not said.
    rating: Option<u8>,
    /// The comment; null if there is none.
    comment: Option<String>,
}

#[utoipa::path(
    post, path = "/v1/feedback", operation_id = "give_feedback", tag = "audit", request_body = FeedbackBody,
    security(("key" = [])),
    description = "Feedback on an answer: a thumb, a rating of 1 to 5, or both; a second one by the same caller \
                   replaces the first.",
    responses((status = 200, description = "The feedback is stored.", body = FeedbackReply), Missing, Faults)
)]
pub(crate) async fn feedback(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, noted(&service, &headers, body, &id).await)
}

async fn noted(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<FeedbackReply, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    let body: FeedbackBody = body::read(body, id)?;
    let opinion = body.opinion().map_err(|sentence| Problem::new(Code::InvalidRequest, sentence, id))?;
    let feedback = Feedback {
        asker: caller.id.clone(),
        at_ms: service.access_control.clock.now_ms(),
        opinion,
        comment: body.comment.clone(),
    };
    let scope = AuditScope::for_caller(&caller);
    let write = async {
        let kept = service.ask_service.trail.comment(&scope, &body.request_id, feedback).await;
        kept.map_err(|error| match error.fault {
            Fault::Invalid => Problem::new(Code::InvalidRequest, error.sentence, id),
            Fault::Unavailable => {
                let detail = "Feedback cannot be stored at the moment; nothing was stored.";
                Problem::new(Code::Context, detail, id)
            }
            Fault::CircuitOpen
            | Fault::Timeout
            | Fault::Full
            | Fault::Held
            | Fault::Corrupt
            | Fault::OtherEmbedder
            | Fault::Internal => unreadable(&error, id),
        })
    };
    match service.run_admitted(id, write).await? {
        FeedbackOutcome::NoEntry => Err(missing(&body.request_id, id)),
        outcome @ (FeedbackOutcome::New | FeedbackOutcome::Replaced { .. }) => {
            service.ask_service.metrics.feedback(&body.request_id, opinion, outcome);
            Ok(FeedbackReply {
                request_id: body.request_id,
                helpful: opinion.is_helpful,
                rating: opinion.rating.map(Rating::stars),
                comment: body.comment,
            })
        }
    }
}
