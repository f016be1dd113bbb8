//! A concept as it was told → the same with every list in order and nothing in it twice.

use vouch_domain::concept::Concept;

pub(super) fn in_order(mut concept: Concept) -> Concept {
    order(&mut concept.schemes);
    order(&mut concept.labels);
    order(&mut concept.definitions);
    order(&mut concept.scope_notes);
    order(&mut concept.notations);
    order(&mut concept.broader);
    order(&mut concept.narrower);
    order(&mut concept.related);
    concept
}

fn order<T: Ord>(list: &mut Vec<T>) {
    list.sort();
    list.dedup();
}
