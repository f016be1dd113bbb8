//! The trail of requests → how it went over time, in steps of the same length.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{
    AuditEntry, AuditScope, PortError,
    ports::{AuditPlace, AuditTrail},
    timestamp,
};

/// Most requests that are counted; the newest.
pub const COUNTED_MAX: usize = 50_000;
/// How many entries are read at a time.
const BATCH: usize = 1_000;
/// So many older requests one after the other end a count. A trail of several servers is in the order in which entries arrived: those
/// of a server that could not send its own for a while lie behind newer ones.
const OLDER_MAX: usize = 4_000;
/// Most steps of a history.
const STEPS_MAX: u64 = 60;
const MINUTE_MS: u64 = 60_000;
/// How long a step can be, in minutes.
const STEP_MINUTES: [u64; 8] = [5, 15, 30, 60, 180, 360, 720, 1_440];

/// How it went over time.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct History {
    /// When the first step begins, RFC 3339 in UTC.
    pub from: String,
    /// Length of a step, in seconds.
    pub step_s: u64,
    /// Whether only the newest requests were counted, since there are too many.
    pub is_cut: bool,
    /// Oldest first; steps without a request included.
    pub steps: Vec<HistoryStep>,
}

/// How it went for a while.
#[derive(Debug, Clone, PartialEq, Default, Serialize, ToSchema)]
pub struct HistoryStep {
    /// When it begins, RFC 3339 in UTC.
    pub start: String,
    /// Number of questions.
    pub asked: u64,
    /// How many ended how, such as `answered`.
    pub outcomes: BTreeMap<String, u64>,
    /// How many were refused or failed why, as stable words.
    pub reasons: BTreeMap<String, u64>,
    /// Half of the replies took no longer, in milliseconds; null without any.
    pub median_ms: Option<f64>,
    /// 95 % of the replies took no longer, in milliseconds; null without any.
    pub p95_ms: Option<f64>,
}

/// The last hours, up to now.
///
/// # Errors
/// Fails if the trail cannot be read.
pub async fn history(
    trail: &dyn AuditTrail,
    scope: &AuditScope,
    (hours, now_ms): (u64, u64),
) -> Result<History, PortError> {
    let step_ms = step_ms(hours * 60);
    let count = (hours * 60 * MINUTE_MS).div_ceil(step_ms);
    // Steps begin at whole multiples of their length, so that two looks at one hour agree.
    let end_ms = (now_ms / step_ms + 1) * step_ms;
    let from_ms = end_ms.saturating_sub(count * step_ms);
    let mut steps: Vec<(HistoryStep, Vec<f64>)> = (0..count)
        .map(|number| HistoryStep { start: timestamp(from_ms + number * step_ms), ..HistoryStep::default() })
        .map(|step| (step, Vec::new()))
        .collect();
    let mut place: Option<AuditPlace> = None;
    let (mut counted, mut is_cut, mut older) = (0, false, 0);
    'trail: loop {
        let batch = trail.before(scope, place, BATCH).await?;
        let Some((last, _)) = batch.last() else { break };
        place = Some(*last);
        for (_, entry) in &batch {
            if entry.at_ms < from_ms {
                older += 1;
                if older == OLDER_MAX {
                    break 'trail;
                }
                continue;
            }
            older = 0;
            if counted == COUNTED_MAX {
                is_cut = true;
                break 'trail;
            }
            counted += 1;
            let number = usize::try_from((entry.at_ms - from_ms) / step_ms).unwrap_or(usize::MAX);
            if let Some(step) = steps.get_mut(number) {
                add(step, entry);
            }
        }
    }
    let steps = steps.into_iter().map(|(step, times)| timed(step, times)).collect();
    Ok(History { from: timestamp(from_ms), step_s: step_ms / 1_000, is_cut, steps })
}

/// The shortest step of which there are not too many.
fn step_ms(minutes: u64) -> u64 {
    let longest = STEP_MINUTES.last().copied().unwrap_or(1);
    STEP_MINUTES.into_iter().find(|step| minutes / step <= STEPS_MAX).unwrap_or(longest) * MINUTE_MS
}

fn add((step, times): &mut (HistoryStep, Vec<f64>), entry: &AuditEntry) {
    step.asked += 1;
    *step.outcomes.entry(entry.outcome.clone()).or_default() += 1;
    if let Some(reason) = &entry.reason {
        *step.reasons.entry(reason.clone()).or_default() += 1;
    }
    times.push(entry.elapsed_ms);
}

fn timed(step: HistoryStep, mut times: Vec<f64>) -> HistoryStep {
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| times.get((times.len() * percent).div_ceil(100).saturating_sub(1)).copied();
    HistoryStep { median_ms: at(50), p95_ms: at(95), ..step }
}

#[cfg(test)]
mod tests {
    use vouch_domain::{AuditEntry, AuditScope, ports::AuditTrail};
    use vouch_testkit::{contracts::audit_trail::entry, corpus::TENANT, fakes::FakeTrail};

    use super::{MINUTE_MS, OLDER_MAX, history};

    const NOW_MS: u64 = 1_800_000_000_000;

    /// How many requests are counted where so many that were asked two days ago arrived after two of the last hour.
    async fn counted_behind(late: usize) -> u64 {
        let trail = FakeTrail::default();
        let times = [5, 3].map(|minutes| NOW_MS - minutes * MINUTE_MS);
        let late = (0..late).map(|_| NOW_MS - 48 * 60 * MINUTE_MS);
        for at_ms in times.into_iter().chain(late) {
            trail.write(AuditEntry { at_ms, ..entry("r") }).await.expect("written");
        }
        let told = history(&trail, &AuditScope::for_tenant(TENANT), (24, NOW_MS)).await.expect("a history");
        told.steps.iter().map(|step| step.asked).sum()
    }

    #[tokio::test]
    async fn requests_that_arrived_late_hide_no_newer_ones() {
        for late in [0, 1, OLDER_MAX - 1] {
            assert_eq!(counted_behind(late).await, 2, "{late} arrived late");
        }
    }

    #[tokio::test]
    async fn a_trail_is_not_read_for_ever_for_what_may_have_arrived_late() {
        assert_eq!(counted_behind(OLDER_MAX).await, 0);
    }
}
