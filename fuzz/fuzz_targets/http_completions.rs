//! Bodies of OpenAI's protocol: a completion whose words are the document's or a refusal, a stream that ends as such, or an
//! error in that protocol's shape.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vouch_fuzz::service::post;

fuzz_target!(|body: &[u8]| {
    let told = post("/v1/chat/completions", body);
    if told.media.starts_with("text/event-stream") {
        assert!(told.text.ends_with("data: [DONE]\n\n"), "a stream without its end: {:?}", told.text);
        for event in told.text.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]") {
            assert!(serde_json::from_str::<serde_json::Value>(event).is_ok(), "{event:?}");
        }
    } else if told.status == 200 {
        let reply = told.json();
        assert!(reply["choices"][0]["message"]["content"].is_string(), "{reply}");
    } else {
        let reply = told.json();
        assert!(reply["error"]["message"].is_string(), "{reply}");
    }
});
