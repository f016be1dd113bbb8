//! One writer that adds, edits and deletes documents through the API of whichever server comes next.

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use serde_json::json;

use super::{ferries, load::Load, node::Node, timeline::Timeline};
use crate::{
    client::{Client, HttpRequest, Target},
    seed::Seed,
};

/// The first figure; each change of a document has the next one.
pub(super) const FIRST_FIGURE: u64 = 100;
/// Of a hundred changes of a document that is there, how many remove it.
const REMOVALS_IN_A_HUNDRED: u64 = 20;
const NOT_FOUND: u16 = 404;
const OK: u16 = 200;

/// A change and what was said of it.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) document: usize,
    /// What the document is to state from now on; nothing if it is removed.
    pub(super) figure: Option<u64>,
    pub(super) node: usize,
    pub(super) sent: Duration,
    pub(super) ended: Duration,
    /// Why it is not known to have been made.
    pub(super) fault: Option<String>,
}

/// The documents before the first change, one JSON object per line.
pub(super) fn first_documents(documents: usize) -> String {
    let line = |(number, figure): (usize, u64)| body(number, figure).to_string();
    (0..documents).zip(FIRST_FIGURE..).map(line).collect::<Vec<_>>().join("\n")
}

/// Changes documents until the load is stopped.
#[expect(clippy::indexing_slicing, reason = "documents are drawn from those there are")]
pub(super) async fn change(load: Load, documents: usize, every: Duration) -> Vec<Change> {
    let mut seed = Seed::new(0x0fe4_41e5);
    let mut figure = FIRST_FIGURE + documents as u64;
    let mut is_there = vec![true; documents];
    let mut is_known = vec![true; documents];
    let mut clients: BTreeMap<(usize, u32), Client> = BTreeMap::new();
    let mut changes = Vec::new();
    let mut turn = 0;
    while !load.stop.load(Ordering::Relaxed) {
        tokio::time::sleep(every).await;
        turn += 1;
        let Some((node, place)) = next_up(&load.nodes, turn) else { continue };
        let document = seed.below(documents);
        let removes =
            is_there[document] && seed.below(100) < usize::try_from(REMOVALS_IN_A_HUNDRED).unwrap_or_default();
        let request = if removes {
            HttpRequest { method: "DELETE", ..HttpRequest::get(format!("/v1/documents/{}", ferries::id(document))) }
        } else {
            figure += 1;
            HttpRequest::post("/v1/documents", &body(document, figure))
        };
        let target = Target { address: place.address, key: None };
        let client = clients.entry((node.number, place.process)).or_insert_with(|| Client::new(&target));
        let sent = load.began.elapsed();
        let fault = match client.send(&request).await {
            Ok(reply) if reply.status == OK => None,
            // It may be gone already only where the change before this one was not acknowledged.
            Ok(reply) if removes && reply.status == NOT_FOUND && !is_known[document] => None,
            Ok(reply) => Some(format!("status {}: {}", reply.status, String::from_utf8_lossy(&reply.body))),
            Err(error) => Some(error.to_string()),
        };
        // Whether a change was made whose connection was cut is not known; what follows fits either.
        (is_there[document], is_known[document]) = (!removes, fault.is_none());
        let figure = (!removes).then_some(figure);
        changes.push(Change { document, figure, node: node.number, sent, ended: load.began.elapsed(), fault });
    }
    changes
}

/// The first server from this one on that is there.
pub(super) fn next_up(nodes: &[Arc<Node>], turn: usize) -> Option<(&Arc<Node>, super::node::Place)> {
    let from = turn % nodes.len().max(1);
    nodes.iter().cycle().skip(from).take(nodes.len()).find_map(|node| Some((node, node.place()?)))
}

fn body(document: usize, figure: u64) -> serde_json::Value {
    json!({ "id": ferries::id(document), "title": ferries::name(document), "text": ferries::text(document, figure) })
}

/// What is wrong with the changes: those that were acknowledged and are not there, and those that are there twice.
pub(super) fn faults(changes: &[Change], timeline: &Timeline) -> Vec<String> {
    let mut faults = Vec::new();
    let mut last: BTreeMap<usize, &Change> = BTreeMap::new();
    for change in changes {
        last.insert(change.document, change);
        let Some(figure) = change.figure else { continue };
        let name = ferries::name(change.document);
        let times = timeline.of(&name).iter().filter(|span| span.figure == figure).count();
        if times > 1 {
            faults.push(format!("{name} came to state {figure} {times} times"));
        }
        if times == 0 && change.fault.is_none() {
            faults.push(format!("{name} never came to state {figure}, although that was acknowledged"));
        }
    }
    for (document, change) in last.into_iter().filter(|(_, change)| change.fault.is_none()) {
        let name = ferries::name(document);
        let now = timeline.of(&name).iter().rfind(|span| span.died.is_none()).map(|span| span.figure);
        if now != change.figure {
            faults.push(format!("{name} states {now:?} at the end, and {:?} was acknowledged last", change.figure));
        }
    }
    for document in 0..changes.iter().map(|change| change.document + 1).max().unwrap_or_default() {
        let name = ferries::name(document);
        let those: Vec<&Change> = changes.iter().filter(|change| change.document == document).collect();
        let kept = removals(&those, timeline).filter(|(_, ended)| ended.is_none()).count();
        if kept > 0 {
            faults.push(format!("{name} was never gone after {kept} removals, although they were acknowledged"));
        }
        if !timeline.of(&name).is_sorted_by_key(|span| span.figure) {
            faults.push(format!("the changes of {name} were made in another order than asked for"));
        }
    }
    faults
}

/// The acknowledged removals among the changes of one document, each with the generation from which on it was gone; none where it was not
/// gone before it stated a figure that was asked for later.
pub(super) fn removals<'a>(
    those: &'a [&Change],
    timeline: &'a Timeline,
) -> impl Iterator<Item = (&'a Change, Option<u64>)> {
    let removals = those.iter().enumerate().filter(|(_, change)| change.figure.is_none() && change.fault.is_none());
    removals.map(|(place, removal)| {
        let spans = timeline.of(&ferries::name(removal.document));
        let later = those.iter().skip(place + 1).find_map(|change| change.figure).unwrap_or(u64::MAX);
        let after = spans.partition_point(|span| span.figure < later);
        let gone = spans.get(..after).and_then(<[_]>::last).and_then(|span| span.died);
        let again = spans.get(after).map(|span| span.born);
        (*removal, gone.filter(|gone| again.is_none_or(|again| *gone < again)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::truth::PassageRow;

    fn change(figure: Option<u64>, fault: Option<&str>) -> Change {
        let (sent, ended) = (Duration::ZERO, Duration::ZERO);
        Change { document: 0, figure, node: 0, sent, ended, fault: fault.map(str::to_owned) }
    }

    fn timeline(figures: &[(u64, u64, Option<u64>)]) -> Timeline {
        let rows: Vec<PassageRow> = figures
            .iter()
            .map(|(figure, born, died)| PassageRow { text: ferries::text(0, *figure), born: *born, died: *died })
            .collect();
        Timeline::new(&rows)
    }

    #[test]
    fn a_change_that_was_acknowledged_and_is_lost_is_found() {
        let asked = [change(Some(1), None), change(Some(2), None)];
        assert_eq!(faults(&asked, &timeline(&[(1, 1, Some(2)), (2, 2, None)])), Vec::<String>::new());
        assert_eq!(faults(&asked, &timeline(&[(1, 1, None)])).len(), 2);
    }

    #[test]
    fn a_change_whose_connection_was_cut_may_be_there_once_or_not_at_all() {
        let asked = [change(Some(1), None), change(Some(2), Some("cut"))];
        assert_eq!(faults(&asked, &timeline(&[(1, 1, None)])), Vec::<String>::new());
        assert_eq!(faults(&asked, &timeline(&[(1, 1, Some(2)), (2, 2, None)])), Vec::<String>::new());
        assert_eq!(faults(&asked, &timeline(&[(1, 1, Some(2)), (2, 2, Some(3)), (2, 3, None)])).len(), 1);
    }

    #[test]
    fn a_removal_that_was_acknowledged_ends_the_last_figure() {
        let asked = [change(Some(1), None), change(None, None)];
        assert_eq!(faults(&asked, &timeline(&[(1, 1, Some(2))])), Vec::<String>::new());
        assert_eq!(faults(&asked, &timeline(&[(1, 1, None)])).len(), 2);
    }

    #[test]
    fn a_removal_that_was_acknowledged_and_is_lost_is_found_though_an_edit_followed() {
        let asked = [change(Some(1), None), change(None, None), change(Some(2), None), change(Some(3), None)];
        let told = |figures: &[_]| faults(&asked, &timeline(figures)).len();
        assert_eq!(told(&[(1, 1, Some(2)), (2, 3, Some(4)), (3, 4, None)]), 0);
        assert_eq!(told(&[(1, 1, Some(3)), (2, 3, Some(4)), (3, 4, None)]), 1);
    }
}
