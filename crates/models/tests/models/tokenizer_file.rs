//! A model's own tokenizer counts what the model would read, and nothing else is taken for one.

use std::path::Path;

use vouch_domain::ports::TokenCounter;
use vouch_models::TokenizerFile;

fn beside(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

#[test]
fn tokens_are_counted_as_the_model_reads_them() {
    let counter = TokenizerFile::load(&beside("gte-small/tokenizer.json")).expect("a tokenizer");
    // Two signs of its own frame every text of this one.
    assert_eq!((counter.count(""), counter.count("leave"), counter.count("annual leave")), (2, 3, 4));
    let long = "leave ".repeat(2_000);
    assert_eq!(counter.count(&long), 2_002, "a long text is not cut to what the model could read");
}

#[test]
fn what_is_no_tokenizer_is_refused_with_its_path() {
    for name in ["gte-small/relevance.json", "gte-small/absent.json"] {
        let error = TokenizerFile::load(&beside(name)).err().expect("no tokenizer").to_string();
        assert!(error.contains(name.rsplit('/').next().unwrap_or_default()), "{error}");
    }
}
