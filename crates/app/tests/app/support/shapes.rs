//! The text of a reply without what differs from run to run, byte for byte otherwise.

/// The text without the values of request ids and times.
pub fn without_times(text: &str) -> String {
    let text = without(text, "\"request_id\":", ',');
    let text = without(&text, "\"generation_time_ms\":", ',');
    without(&text, "\"timings_ms\":", ']')
}

/// The text without the values of generations.
pub fn without_generation(text: &str) -> String {
    without(text, "\"generation\":", ',')
}

fn without(text: &str, key: &str, end: char) -> String {
    let mut parts = text.split(key);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(key);
        kept.push_str(part.split_once(end).map_or("", |(_, rest)| rest));
    }
    kept
}
