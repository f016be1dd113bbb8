//! The map beside the weights, from this embedder's cosines to the scale the gates read.

use serde::Deserialize;
use vouch_domain::RelevanceMap;

#[derive(Deserialize)]
struct Stored {
    knots: Vec<(f32, f32)>,
}

/// The map a JSON text holds; none if it holds none.
#[must_use]
pub fn read(json: &str) -> Option<RelevanceMap> {
    let stored: Stored = serde_json::from_str(json).ok()?;
    RelevanceMap::from_knots(stored.knots)
}
