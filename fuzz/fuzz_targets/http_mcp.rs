//! Bodies of the Model Context Protocol: every one is answered, and what is answered is JSON-RPC or a problem.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vouch_fuzz::service::post;

fuzz_target!(|body: &[u8]| {
    let told = post("/mcp", body);
    if told.status == 200 && told.media.starts_with("application/json") {
        let reply = told.json();
        assert_eq!(reply["jsonrpc"], "2.0", "{reply}");
        assert!(reply.get("result").is_some() != reply.get("error").is_some(), "{reply}");
    }
});
