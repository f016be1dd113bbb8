//! The address lane: the passages of documents the question calls by name, forced into the pool.

use vouch_domain::{AddressKey, PortError, Reader, StoredPassage, ports::LaneHit};

use super::{Lane, LaneFindings, with_timeout};
use crate::{
    policy::RetrievePolicy,
    retrieve::{Probe, RetrievePorts},
};

/// How many passages of the named documents are brought at most.
const PASSAGES_MAX: usize = 20;

pub(in crate::retrieve) async fn address(
    probe: &Probe,
    reader: &Reader,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> LaneFindings {
    let mentions = probe.understanding.mentions();
    if mentions.is_empty() {
        return LaneFindings::unasked(Lane::Address);
    }
    let keys: Vec<AddressKey> =
        mentions.iter().flat_map(|mention| mention.addresses.iter().map(vouch_domain::Address::key)).collect();
    match with_timeout(policy, "register", passages(&keys, reader, ports)).await {
        Ok(passages) => {
            let hits: Vec<LaneHit> = passages
                .iter()
                .take(PASSAGES_MAX)
                .map(|passage| LaneHit { key: passage.key, lane_score: 1.0 })
                .collect();
            let forced = hits.iter().map(|hit| hit.key).collect();
            LaneFindings::found(Lane::Address, vec![hits], forced)
        }
        Err(error) => LaneFindings::failed(Lane::Address, error),
    }
}

async fn passages(
    keys: &[AddressKey],
    reader: &Reader,
    ports: &RetrievePorts,
) -> Result<Vec<StoredPassage>, PortError> {
    let mut passages = Vec::new();
    for card in ports.register.by_address(reader, keys).await? {
        passages.extend(ports.register.passages_of(reader, &card.id).await?);
        if passages.len() >= PASSAGES_MAX {
            break;
        }
    }
    Ok(passages)
}
