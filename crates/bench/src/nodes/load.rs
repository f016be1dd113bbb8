//! Clients that ask one question after the other, each of one server.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::bail;
use vouch_app::console::tell;

use super::{ferries, fleet::Fleet, node::Node, timeline::Timeline};
use crate::client::{Client, HttpReply, HttpRequest, Target};

/// How long a client waits for a server that is not there before it looks again.
const PAUSE: Duration = Duration::from_millis(20);
/// What a reply says whose server cannot reach the database.
const AWAY: &str = "answered from the server's copy";

/// A question for the figure of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FerryQuestion {
    pub(super) document: usize,
    pub(super) wording: usize,
}

/// What became of one question.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    /// The id that the client gave the request.
    pub(super) id: String,
    pub(super) node: usize,
    pub(super) document: usize,
    /// When it was sent and when the reply was there, since the beginning of the run.
    pub(super) sent: Duration,
    pub(super) ended: Duration,
    /// The status, or what was wrong with the connection.
    pub(super) status: Result<u16, String>,
    /// The generation that the reply names.
    pub(super) generation: Option<u64>,
    pub(super) outcome: String,
    /// Whether the reply says that something was down, late or cut.
    pub(super) is_cut: bool,
    /// Whether the reply says that it is of a copy whose database is away.
    pub(super) is_marked: bool,
    /// Every figure that the answer states, with the name it states it of.
    pub(super) figures: Vec<(String, u64)>,
}

/// A load until it is stopped.
#[derive(Clone)]
pub(super) struct Load {
    pub(super) nodes: Vec<Arc<Node>>,
    pub(super) questions: Arc<Vec<FerryQuestion>>,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) began: Instant,
    /// The number of the next question, over all clients.
    pub(super) next: Arc<AtomicUsize>,
}

impl Load {
    pub(super) fn new(nodes: &[Arc<Node>], questions: Vec<FerryQuestion>, began: Instant) -> Self {
        let (stop, next) = (Arc::default(), Arc::default());
        Self { nodes: nodes.to_vec(), questions: Arc::new(questions), stop, began, next }
    }

    /// This many clients, spread evenly over the servers, until `stop`.
    pub(super) async fn run(&self, clients: usize) -> Vec<Answer> {
        let tasks: Vec<_> = (0..clients)
            .filter_map(|client| Some((client, Arc::clone(self.nodes.get(client % self.nodes.len().max(1))?))))
            .map(|(client, node)| tokio::spawn(self.clone().ask(client, node)))
            .collect();
        let mut answers = Vec::new();
        for task in tasks {
            answers.extend(task.await.unwrap_or_default());
        }
        answers
    }

    async fn ask(self, client: usize, node: Arc<Node>) -> Vec<Answer> {
        let mut answers = Vec::new();
        let mut connection: Option<(u32, Client)> = None;
        while !self.stop.load(Ordering::Relaxed) {
            let Some(place) = node.place() else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            if connection.as_ref().is_none_or(|(process, _)| *process != place.process) {
                connection = Some((place.process, Client::new(&Target { address: place.address, key: None })));
            }
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let question = self.questions.get(number % self.questions.len().max(1)).copied();
            let (Some((_, http)), Some(question)) = (&mut connection, question) else { break };
            let id = format!("load-{client}-{number}");
            answers.push(asked(http, (&id, node.number), question, self.began).await);
        }
        answers
    }
}

/// The questions that are answered with the right figure while nothing changes: what is refused then says nothing later.
pub(super) async fn answerable(fleet: &Fleet, documents: usize) -> anyhow::Result<Vec<FerryQuestion>> {
    let Some(place) = fleet.nodes.first().and_then(|node| node.place()) else { bail!("there is no server") };
    let timeline = Timeline::new(&fleet.truth.passages().await?);
    let mut client = Client::new(&Target { address: place.address, key: None });
    let mut questions = Vec::new();
    for (document, wording) in
        (0..documents).flat_map(|document| (0..ferries::WORDINGS).map(move |word| (document, word)))
    {
        let question = FerryQuestion { document, wording };
        let id = format!("quiet-{document}-{wording}");
        let answer = asked(&mut client, (&id, 0), question, fleet.began).await;
        let name = ferries::name(document);
        let [span] = timeline.of(&name) else { bail!("document {name} is not in the database once") };
        if answer.figures.contains(&(name, span.figure)) {
            questions.push(question);
        }
    }
    tell(&format!("{} of {} questions are answered with their figure", questions.len(), documents * ferries::WORDINGS));
    if questions.len() * 2 < documents * ferries::WORDINGS {
        bail!("too few questions are answered while nothing changes");
    }
    Ok(questions)
}

/// Asks once.
pub(super) async fn asked(
    http: &mut Client,
    (id, node): (&str, usize),
    question: FerryQuestion,
    began: Instant,
) -> Answer {
    let words = ferries::question(question.document, question.wording);
    let request = HttpRequest { id: Some(id.to_owned()), ..HttpRequest::ask(&words) };
    let sent = began.elapsed();
    let reply = http.send(&request).await;
    let ended = began.elapsed();
    let body = reply.as_ref().map(HttpReply::json).unwrap_or_default();
    let field = |name: &str| body.get(name);
    let text = |name: &str| field(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
    Answer {
        id: id.to_owned(),
        node,
        document: question.document,
        sent,
        ended,
        status: reply.map(|reply| reply.status).map_err(|error| error.to_string()),
        generation: field("generation").and_then(serde_json::Value::as_u64),
        outcome: text("outcome"),
        is_cut: field("fallback_mode").and_then(serde_json::Value::as_bool).unwrap_or_default(),
        is_marked: field("notices").is_some_and(|notices| notices.to_string().contains(AWAY)),
        figures: ferries::figures(&text("answer")),
    }
}
