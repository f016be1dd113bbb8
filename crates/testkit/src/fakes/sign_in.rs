//! People who sign in, in memory.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use vouch_domain::{
    Fault, PortError,
    ports::{SignIn, SignInOffer, SignInOutcome, SignInProof, SignInRefusal},
};

/// Knows the codes it was told of; each is good once.
#[derive(Default)]
pub struct FakeSignIn {
    codes: Mutex<BTreeMap<String, (SignInProof, String)>>,
    is_down: bool,
}

impl FakeSignIn {
    /// One that cannot be asked.
    #[must_use]
    pub fn down() -> Self {
        Self { is_down: true, ..Self::default() }
    }

    /// The same, with a token for whoever brings exactly this.
    #[must_use]
    pub fn knowing(self, proof: SignInProof, token: &str) -> Self {
        let known = (proof.clone(), token.to_owned());
        self.codes.lock().unwrap_or_else(PoisonError::into_inner).insert(proof.code, known);
        self
    }

    fn up(&self) -> Result<(), PortError> {
        match self.is_down {
            true => Err(PortError::new("sign-in", Fault::Unavailable, "nobody can sign in")),
            false => Ok(()),
        }
    }
}

#[async_trait]
impl SignIn for FakeSignIn {
    async fn offer(&self, _: u64) -> Result<SignInOffer, PortError> {
        self.up()?;
        let [address, client_id, scope] = ["https://login.example/authorize", "vouch", "openid"].map(str::to_owned);
        Ok(SignInOffer { address, client_id, scope })
    }

    async fn exchange(&self, proof: &SignInProof, _: u64) -> Result<SignInOutcome, PortError> {
        self.up()?;
        let refused = |why: SignInRefusal| Ok(SignInOutcome::Refused(why));
        let known = self.codes.lock().unwrap_or_else(PoisonError::into_inner).remove(&proof.code);
        let Some((expected, token)) = known else { return refused(SignInRefusal::Code) };
        if (&expected.verifier, &expected.return_address) != (&proof.verifier, &proof.return_address) {
            return refused(SignInRefusal::Code);
        }
        if proof.nonce.is_some() && proof.nonce != expected.nonce {
            return refused(SignInRefusal::OtherSignIn);
        }
        Ok(SignInOutcome::Token { token, lifetime: None })
    }
}
