//! The lexical lane: the passages that share the question's words.

use vouch_domain::{PortError, Reader, ports::LaneHit};

use super::within;
use crate::{policy::RetrievePolicy, retrieve::RetrievePorts};

pub(in crate::retrieve) async fn lexical(
    text: &str,
    reader: &Reader,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> Result<Vec<LaneHit>, PortError> {
    within(policy, "lexical", ports.lexical.matching(reader, text, policy.lane_limit)).await
}
