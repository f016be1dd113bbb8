//! What is not answered with enough certainty → the person responsible for its topic.
//!
//! Invariant: only documents the reader may see count, with the topics they name and, of the tags that say who may see
//! them, those the reader holds: whom to ask must not tell what is hidden. An owner that cannot be found is the admin, and that is said.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use vouch_domain::{PortError, Reader, Scope, ports::Directory};

use super::{Confidence, Decision, Refusal, VerifiedAnswer, confidence::of_refusal};
use crate::{judge::Evidence, policy::ReferralPolicy};

/// A question for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Referral {
    /// What Vouch itself has to say.
    pub unsure: UnsureOutcome,
    /// Whom to ask.
    pub target: ReferralTarget,
    /// How certain the answer is, or would have been.
    pub confidence: Confidence,
}

/// What Vouch itself has to say where a person is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum UnsureOutcome {
    /// Verified sentences that are less certain than the profile wants.
    Answer(VerifiedAnswer),
    /// A refusal.
    Refusal(Refusal),
}

/// Whom to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferralTarget {
    /// The topic.
    pub tag: String,
    /// The person's id; none if the admin stands in.
    pub owner_user_id: Option<String>,
    /// Their e-mail address.
    pub owner_email: Option<String>,
    /// Why a person is asked.
    pub reason: String,
    /// Whether no owner was found.
    pub is_fallback: bool,
}

/// The topic of an answer nobody owns.
const SYSTEM_TAG: &str = "system";

/// Sends what is unsure to a person; everything else stays as it is.
pub async fn refer(
    decision: Decision,
    evidence: &Evidence,
    reader: &Reader,
    directory: Option<&Arc<dyn Directory>>,
    (policy, timeout): (&ReferralPolicy, Duration),
) -> Decision {
    let (unsure, confidence, why) = match decision {
        Decision::Answer(answer) if answer.confidence.overall < policy.below => {
            let confidence = answer.confidence;
            (UnsureOutcome::Answer(answer), confidence, format!("Low confidence: {}%", confidence.overall))
        }
        Decision::Refuse(refusal) => {
            let confidence = of_refusal(evidence, policy.below);
            let why =
                format!("Low confidence: {}%, no verified answer ({})", confidence.overall, refusal.reason.as_str());
            (UnsureOutcome::Refusal(refusal), confidence, why)
        }
        Decision::Answer(_) | Decision::Clarify(_) | Decision::Refer(_) | Decision::General(_) | Decision::Tool(_) => {
            return decision;
        }
    };
    let target = target(&why, evidence, reader, directory, (policy, timeout)).await;
    Decision::Refer(Referral { unsure, target, confidence })
}

async fn target(
    why: &str,
    evidence: &Evidence,
    reader: &Reader,
    directory: Option<&Arc<dyn Directory>>,
    (policy, timeout): (&ReferralPolicy, Duration),
) -> ReferralTarget {
    let admin = |reason: String| ReferralTarget {
        tag: SYSTEM_TAG.to_owned(),
        owner_user_id: None,
        owner_email: Some(policy.admin_email.clone()),
        reason: format!("{why}; {reason} - routing to admin"),
        is_fallback: true,
    };
    let Some(tag) = commonest_tag(evidence, reader) else { return admin("no tags in context".to_owned()) };
    let Some(directory) = directory else { return admin(format!("no owner for tag '{tag}'")) };
    let looked_up = async {
        let Some(owner) = directory.topic(&reader.tenant, &tag).await?.and_then(|topic| topic.owner) else {
            return Ok::<_, PortError>(Err(format!("no owner for tag '{tag}'")));
        };
        let person = directory.person(&reader.tenant, &owner).await?;
        Ok(person.ok_or_else(|| format!("owner of tag '{tag}' not found")))
    };
    match tokio::time::timeout(timeout, looked_up).await {
        Ok(Ok(Ok(person))) => ReferralTarget {
            reason: format!("{why}, routing to {tag} owner"),
            tag,
            owner_user_id: Some(person.id),
            owner_email: Some(person.email),
            is_fallback: false,
        },
        Ok(Ok(Err(reason))) => admin(reason),
        Ok(Err(error)) => {
            tracing::warn!(fault = error.fault.as_str(), "the directory failed");
            admin(format!("the owner of tag '{tag}' could not be looked up"))
        }
        Err(_) => admin(format!("the owner of tag '{tag}' could not be looked up in time")),
    }
}

/// The topic or tag most pieces of the evidence share; of equally common ones the first by name.
fn commonest_tag(evidence: &Evidence, reader: &Reader) -> Option<String> {
    let is_known = |tag: &String| match &reader.scope {
        Scope::WholeTenant => true,
        Scope::Tags(own) => own.contains(tag),
    };
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for piece in evidence.pieces() {
        let document = &piece.passage.document;
        let own: BTreeSet<&String> =
            document.topics.iter().chain(document.tags.iter().filter(|tag| is_known(tag))).collect();
        for tag in own {
            *counts.entry(tag).or_default() += 1;
        }
    }
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, count)| *count == most).map(|(tag, _)| tag.clone())
}
