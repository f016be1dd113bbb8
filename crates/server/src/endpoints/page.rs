//! `GET /`: a page to ask from. It holds no data of its own, loads nothing from elsewhere, and asks through the API like
//! any other client.

use axum::{
    Router,
    http::{HeaderName, HeaderValue, header},
    response::{IntoResponse, Response},
    routing::get,
};

use crate::service_slot::ServiceSlot;

/// Only the page's own files, no inline script, no framing by other sites.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The page's files: path, kind, text.
const FILES: &[(&str, &str, &str)] = &[
    ("/", "text/html; charset=utf-8", include_str!("../../web/index.html")),
    ("/page.css", "text/css; charset=utf-8", include_str!("../../web/page.css")),
    ("/page.js", "text/javascript; charset=utf-8", include_str!("../../web/page.js")),
    ("/show.js", "text/javascript; charset=utf-8", include_str!("../../web/show.js")),
    ("/markdown.js", "text/javascript; charset=utf-8", include_str!("../../web/markdown.js")),
    ("/views.js", "text/javascript; charset=utf-8", include_str!("../../web/views.js")),
    ("/why.js", "text/javascript; charset=utf-8", include_str!("../../web/why.js")),
    ("/words.js", "text/javascript; charset=utf-8", include_str!("../../web/words.js")),
    ("/api.js", "text/javascript; charset=utf-8", include_str!("../../web/api.js")),
    ("/certified.js", "text/javascript; charset=utf-8", include_str!("../../web/certified.js")),
    ("/chart.js", "text/javascript; charset=utf-8", include_str!("../../web/chart.js")),
    ("/copy.js", "text/javascript; charset=utf-8", include_str!("../../web/copy.js")),
    ("/curate.js", "text/javascript; charset=utf-8", include_str!("../../web/curate.js")),
    ("/desk.js", "text/javascript; charset=utf-8", include_str!("../../web/desk.js")),
    ("/documents.js", "text/javascript; charset=utf-8", include_str!("../../web/documents.js")),
    ("/dom.js", "text/javascript; charset=utf-8", include_str!("../../web/dom.js")),
    ("/evaluations.js", "text/javascript; charset=utf-8", include_str!("../../web/evaluations.js")),
    ("/findings.js", "text/javascript; charset=utf-8", include_str!("../../web/findings.js")),
    ("/help.js", "text/javascript; charset=utf-8", include_str!("../../web/help.js")),
    ("/hint.js", "text/javascript; charset=utf-8", include_str!("../../web/hint.js")),
    ("/kept.js", "text/javascript; charset=utf-8", include_str!("../../web/kept.js")),
    ("/jobs.js", "text/javascript; charset=utf-8", include_str!("../../web/jobs.js")),
    ("/keys.js", "text/javascript; charset=utf-8", include_str!("../../web/keys.js")),
    ("/marked.js", "text/javascript; charset=utf-8", include_str!("../../web/marked.js")),
    ("/operate.js", "text/javascript; charset=utf-8", include_str!("../../web/operate.js")),
    ("/past.js", "text/javascript; charset=utf-8", include_str!("../../web/past.js")),
    ("/pick.js", "text/javascript; charset=utf-8", include_str!("../../web/pick.js")),
    ("/recalls.js", "text/javascript; charset=utf-8", include_str!("../../web/recalls.js")),
    ("/record.js", "text/javascript; charset=utf-8", include_str!("../../web/record.js")),
    ("/sign-in.js", "text/javascript; charset=utf-8", include_str!("../../web/sign-in.js")),
    ("/source.js", "text/javascript; charset=utf-8", include_str!("../../web/source.js")),
    ("/stream.js", "text/javascript; charset=utf-8", include_str!("../../web/stream.js")),
    ("/trail.js", "text/javascript; charset=utf-8", include_str!("../../web/trail.js")),
    ("/answers.js", "text/javascript; charset=utf-8", include_str!("../../web/answers.js")),
    ("/diff.js", "text/javascript; charset=utf-8", include_str!("../../web/diff.js")),
    ("/document-form.js", "text/javascript; charset=utf-8", include_str!("../../web/document-form.js")),
    ("/feedback.js", "text/javascript; charset=utf-8", include_str!("../../web/feedback.js")),
    ("/original.js", "text/javascript; charset=utf-8", include_str!("../../web/original.js")),
    ("/terms.js", "text/javascript; charset=utf-8", include_str!("../../web/terms.js")),
    ("/typing.js", "text/javascript; charset=utf-8", include_str!("../../web/typing.js")),
    ("/picker.js", "text/javascript; charset=utf-8", include_str!("../../web/picker.js")),
    ("/wordings.js", "text/javascript; charset=utf-8", include_str!("../../web/wordings.js")),
    ("/unanswered.js", "text/javascript; charset=utf-8", include_str!("../../web/unanswered.js")),
    ("/welcome.js", "text/javascript; charset=utf-8", include_str!("../../web/welcome.js")),
    ("/icon.svg", "image/svg+xml", include_str!("../../web/icon.svg")),
];

/// The paths of the page.
pub(crate) fn routes() -> Router<ServiceSlot> {
    FILES.iter().fold(Router::new(), |router, (path, kind, text)| {
        router.route(path, get(move || async move { file(kind, text) }))
    })
}

fn file(kind: &'static str, text: &'static str) -> Response {
    let mut response = text.into_response();
    let headers: [(HeaderName, &'static str); 6] = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
