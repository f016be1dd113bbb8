//! What every authenticator must do: know its bearers until their end, and nobody else.

use std::sync::Arc;

use vouch_domain::{Caller, ports::Authenticator};

/// An authenticator, and somebody it knows.
pub struct Cast {
    /// Knows the bearer.
    pub authenticator: Arc<dyn Authenticator>,
    /// What the bearer shows.
    pub secret: String,
    /// Who they are.
    pub caller: Caller,
    /// The first moment at which they are nobody.
    pub ends_ms: u64,
}

/// Runs every clause.
pub async fn check(cast: &Cast) {
    assert!(cast.authenticator.is_required().await.expect("an answer"), "it knows somebody");
    the_bearer_is_known_until_the_end_and_not_a_moment_longer(cast).await;
    nobody_else_is_known(cast).await;
    no_failure_repeats_what_was_shown(cast).await;
}

async fn the_bearer_is_known_until_the_end_and_not_a_moment_longer(cast: &Cast) {
    let Cast { authenticator, secret, caller, ends_ms } = cast;
    for _ in 0..2 {
        let known = authenticator.authenticate(secret, ends_ms - 1).await.expect("an answer");
        assert_eq!(known.as_ref(), Some(caller));
    }
    assert_eq!(authenticator.authenticate(secret, *ends_ms).await.expect("an answer"), None);
    assert_eq!(authenticator.authenticate(secret, u64::from(u32::MAX) * 2_000).await.expect("an answer"), None);
    assert!(!caller.id.contains(secret.as_str()));
}

async fn nobody_else_is_known(cast: &Cast) {
    for stranger in strangers(&cast.secret) {
        let known = cast.authenticator.authenticate(&stranger, cast.ends_ms - 1).await.expect("an answer");
        assert_eq!(known, None, "{stranger:.300}");
    }
}

async fn no_failure_repeats_what_was_shown(cast: &Cast) {
    for shown in strangers(&cast.secret).iter().chain([&cast.secret]).filter(|shown| shown.len() > 20) {
        if let Err(error) = cast.authenticator.authenticate(shown, cast.ends_ms - 1).await {
            assert!(!format!("{error} {error:?}").contains(shown.as_str()), "{error}");
        }
    }
}

/// Everything that is nearly the secret, and much that is not.
fn strangers(secret: &str) -> Vec<String> {
    let mut all = vec![
        String::new(),
        " ".to_owned(),
        "\0".to_owned(),
        "%".to_owned(),
        "' OR 1=1 --".to_owned(),
        "..".to_owned(),
        "x".repeat(1 << 20),
        format!("{secret}{secret}"),
        format!("{secret} "),
        format!(" {secret}"),
        format!("{secret}\0"),
        secret.chars().rev().collect(),
        secret.to_uppercase(),
    ];
    for at in (0..secret.len()).step_by((secret.len() / 40).max(1)) {
        all.push(secret.chars().take(at).collect());
        all.push(secret.chars().skip(at + 1).collect());
        // One letter is another one.
        let changed = |(place, letter): (usize, char)| match (place == at, letter) {
            (true, 'a') => 'b',
            (true, _) => 'a',
            (false, letter) => letter,
        };
        all.push(secret.chars().enumerate().map(changed).collect());
    }
    all.retain(|stranger| stranger != secret);
    all
}
