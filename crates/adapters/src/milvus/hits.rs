//! What Milvus replies to a search → passages and how far they are.

use vouch_domain::{Fault, PassageKey, PortError};

use super::{client::PORT, messages::SearchResultData};

/// What a search found. A reply that cannot be one of this search fails: taken for what it is, it would be a lane without hits, or one
/// of as many as it likes.
pub(super) fn read_hits(found: Option<SearchResultData>, limit: usize) -> Result<Vec<(f32, PassageKey)>, PortError> {
    let found = found.ok_or_else(|| unfit("it returned no results"))?;
    let keys = found.ids.unwrap_or_default().int_id.unwrap_or_default().data;
    if keys.len() > limit {
        return Err(unfit("it returned more results than were requested"));
    }
    if keys.len() != found.scores.len() || found.scores.iter().any(|distance| !distance.is_finite()) {
        return Err(unfit("its results have no distances"));
    }
    let keys = keys
        .into_iter()
        .map(|key| u64::try_from(key).map(PassageKey).map_err(|_| unfit("it returned a row without a passage")));
    found.scores.into_iter().zip(keys).map(|(distance, key)| Ok((distance, key?))).collect()
}

/// What is nearer than the last of a list that was cut; all of one that was not.
pub(super) fn nearer_than_the_cut(found: Vec<(f32, PassageKey)>, limit: usize) -> Vec<PassageKey> {
    let cut = found.last().filter(|_| found.len() >= limit).map(|(distance, _)| *distance);
    found.into_iter().filter(|(distance, _)| cut.is_none_or(|cut| *distance < cut)).map(|(_, key)| key).collect()
}

/// A reply that makes no sense.
pub(super) fn unfit(what: &str) -> PortError {
    PortError::new(PORT, Fault::Internal, format!("Milvus did not reply as it should: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::milvus::messages::{Ids, LongArray};

    #[test]
    fn of_passages_that_are_equally_near_at_the_cut_all_are_left_out() {
        let found = |distances: &[f32]| -> Vec<(f32, PassageKey)> {
            distances.iter().zip(1..).map(|(distance, key)| (*distance, PassageKey(key))).collect()
        };
        let keys = |distances: &[f32], limit| nearer_than_the_cut(found(distances), limit).len();
        assert_eq!(keys(&[1.0, 2.0, 3.0, 3.0], 4), 2);
        assert_eq!(keys(&[1.0, 2.0, 3.0, 3.0], 5), 4);
        assert_eq!(keys(&[3.0, 3.0], 2), 0);
        assert_eq!(keys(&[], 2), 0);
    }
    #[test]
    fn a_reply_that_is_none_of_the_search_fails() {
        let reply = |keys: &[i64], scores: &[f32]| {
            let ids = Some(Ids { int_id: Some(LongArray { data: keys.to_vec() }) });
            read_hits(Some(SearchResultData { scores: scores.to_vec(), ids }), 2)
        };
        assert_eq!(reply(&[7, 8], &[1.0, 2.0]).expect("hits"), [(1.0, PassageKey(7)), (2.0, PassageKey(8))]);
        assert_eq!(reply(&[], &[]).expect("nothing was near"), []);
        let unfit: [(&[i64], &[f32]); 4] =
            [(&[7, 8], &[1.0]), (&[7, 8, 9], &[1.0, 1.0, 1.0]), (&[7], &[f32::NAN]), (&[-1], &[1.0])];
        for (keys, scores) in unfit {
            assert!(reply(keys, scores).is_err(), "{keys:?} {scores:?}");
        }
        assert!(read_hits(None, 2).is_err());
    }
}
