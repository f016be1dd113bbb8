//! The dense lane: the question's vector and the passages nearest to it.

use vouch_domain::{Embedding, Fault, PortError, Reader, ports::LaneHit};

use super::within;
use crate::{policy::RetrievePolicy, retrieve::RetrievePorts};

pub(in crate::retrieve) async fn dense(
    text: &str,
    reader: &Reader,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> Result<(Embedding, Vec<LaneHit>), PortError> {
    let vectors = within(policy, "embedder", ports.embedder.embed(vec![text.to_owned()])).await?;
    let vector = vectors
        .into_iter()
        .next()
        .ok_or_else(|| PortError::of("embedder", Fault::Internal, "no vector came back for the question"))?;
    let hits = within(policy, "dense", ports.dense.nearest(reader, &vector, policy.lane_limit)).await?;
    Ok((vector, hits))
}
