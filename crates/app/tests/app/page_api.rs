//! The page and the API: whatever the API offers is used by the page or told in the guide, and the page asks for nothing else.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::server::Server;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of every file of a folder.
fn texts(folder: &str) -> String {
    let files = std::fs::read_dir(root().join(folder)).into_iter().flatten().flatten();
    files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).collect()
}

/// The paths of the API, without what stands for names in them.
fn paths(server: &Server) -> Vec<String> {
    let described = server.get("/openapi.json").json();
    let paths = described.get("paths").and_then(Value::as_object);
    paths.into_iter().flatten().map(|(path, _)| path.split("/{").next().unwrap_or_default().to_owned()).collect()
}

/// Every path below `/v1/` that a text names, up to a sign that no path has.
fn named(text: &str) -> Vec<String> {
    let ends = |sign: char| !(sign.is_ascii_lowercase() || sign == '/' || sign == '-');
    let rests = text.split("/v1/").skip(1);
    rests.map(|rest| format!("/v1/{}", rest.split(ends).next().unwrap_or_default().trim_end_matches('/'))).collect()
}

#[test]
fn all_of_the_api_is_used_by_the_page_or_told_in_the_guide_and_the_page_uses_nothing_else() {
    let server = Server::start("");
    let (page, guide) = (texts("crates/server/web"), texts("docs/guide"));
    let paths = paths(&server);
    assert!(paths.len() > 20, "{paths:?}");
    let untold: Vec<&String> = paths.iter().filter(|path| !page.contains(*path) && !guide.contains(*path)).collect();
    assert!(untold.is_empty(), "neither used nor told: {untold:?}");
    let asked = named(&page);
    assert!(asked.len() > 15, "{asked:?}");
    let private: Vec<&String> = asked.iter().filter(|path| !paths.contains(path)).collect();
    assert!(private.is_empty(), "the page asks for what the API does not offer: {private:?}");
}
