//! The dense lane: the passages nearest to every rewrite's vector.

use futures::future::try_join_all;
use vouch_domain::{PortError, Reader};

use super::{Lane, LaneFindings, with_timeout};
use crate::{
    breaker::as_one_request,
    policy::RetrievePolicy,
    retrieve::{Probe, RetrievePorts},
};

pub(in crate::retrieve) async fn dense(
    probe: &Probe,
    reader: &Reader,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
    rewrites_max: usize,
) -> LaneFindings {
    let vectors = match probe.vectors() {
        Ok(vectors) => vectors,
        Err(error) => {
            let again = PortError::new(error.port, error.fault, error.sentence.clone());
            return LaneFindings::failed(Lane::Dense, again);
        }
    };
    let searches =
        vectors.iter().take(rewrites_max).map(|vector| ports.dense.nearest(reader, vector, policy.lane_limit));
    // Its server is not asked for ever where it falls silent: being late counts like any other failure.
    match as_one_request(with_timeout(policy, "dense", try_join_all(searches))).await {
        Ok(lists) => LaneFindings::found(Lane::Dense, lists, Vec::new()),
        Err(error) => LaneFindings::failed(Lane::Dense, error),
    }
}
