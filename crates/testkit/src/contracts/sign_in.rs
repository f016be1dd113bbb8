//! What every sign-in must do: give whoever began it a token that is accepted, once, and nobody else one.

use std::sync::Arc;

use vouch_domain::ports::{Authenticator, SignIn, SignInOutcome, SignInProof, SignInRefusal};

/// How many people come back in all.
pub const PROOFS: usize = 6;

/// What the person of this number brings.
#[must_use]
pub fn proof(number: usize) -> SignInProof {
    SignInProof {
        code: format!("code-{number}"),
        verifier: format!("verifier-{number}").repeat(5),
        return_address: "http://127.0.0.1:8080/".to_owned(),
        nonce: Some(format!("nonce-{number}")),
    }
}

/// A sign-in that knows `PROOFS` people by what they bring.
pub struct Cast {
    /// Signs people in.
    pub sign_in: Arc<dyn SignIn>,
    /// Accepts the tokens.
    pub authenticator: Arc<dyn Authenticator>,
    /// The moment.
    pub now_ms: u64,
}

/// Runs every clause.
pub async fn check(cast: &Cast) {
    people_are_sent_somewhere(cast).await;
    nobody_else_is_given_a_token(cast).await;
    who_began_it_is_given_an_accepted_token_once(cast).await;
}

async fn people_are_sent_somewhere(cast: &Cast) {
    let offer = cast.sign_in.offer(cast.now_ms).await.expect("a place");
    assert!(offer.address.starts_with("https://") || offer.address.starts_with("http://"), "{offer:?}");
    assert!(!offer.client_id.is_empty() && !offer.scope.is_empty(), "{offer:?}");
}

async fn nobody_else_is_given_a_token(cast: &Cast) {
    let own = proof(0);
    for (what, refusal, wrong) in [
        ("code", SignInRefusal::Code, SignInProof { code: "made-up".to_owned(), ..own.clone() }),
        ("verifier", SignInRefusal::Code, SignInProof { verifier: proof(9).verifier, ..proof(1) }),
        ("address", SignInRefusal::Code, SignInProof { return_address: "https://a.example/".to_owned(), ..proof(2) }),
        ("nonce", SignInRefusal::OtherSignIn, SignInProof { nonce: proof(9).nonce, ..proof(3) }),
        ("code of somebody else", SignInRefusal::Code, SignInProof { code: proof(4).code, ..own }),
    ] {
        assert!(outcome(cast, &wrong).await == SignInOutcome::Refused(refusal), "another {what}");
    }
}

async fn who_began_it_is_given_an_accepted_token_once(cast: &Cast) {
    let own = proof(PROOFS - 1);
    let token = match outcome(cast, &own).await {
        SignInOutcome::Token { token, .. } => Some(token),
        SignInOutcome::Refused(_) => None,
    };
    let token = token.expect("a token for who began it");
    let caller = cast.authenticator.authenticate(&token, cast.now_ms).await.expect("an answer");
    assert!(caller.is_some(), "the token is not accepted");
    let again = outcome(cast, &own).await;
    assert!(again == SignInOutcome::Refused(SignInRefusal::Code), "a code is good once");
}

async fn outcome(cast: &Cast, proof: &SignInProof) -> SignInOutcome {
    cast.sign_in.exchange(proof, cast.now_ms).await.expect("an answer")
}
