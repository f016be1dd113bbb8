//! The address of a running Vouch → its figures as it tells them, or why it does not.

use std::time::Duration;

use vouch_domain::{Fault, PortError};

use crate::model_server::{Access, Allowance, Connection, Deadlines, ServerAddress};

const PORT: &str = "server";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
const TIMEOUT: Duration = Duration::from_secs(10);
const BYTES_MAX: usize = 16 << 20;

/// Fetches a path of a running server, with the key if there is one.
///
/// # Errors
/// Fails with `Unavailable` where no server answers, with `Held` where it wants another key, and otherwise where it says
/// something else than an answer.
pub async fn fetch(url: &str, path: &str, key: &str) -> Result<String, PortError> {
    let address = ServerAddress::parse(PORT, url, "http://127.0.0.1:8080")?;
    let access = Access { kind: "server", address, key, connect_timeout: CONNECT_TIMEOUT };
    let connection = Connection::new(PORT, access)?;
    let allowance = Allowance { deadlines: Deadlines::whole(TIMEOUT), bytes_max: BYTES_MAX };
    let absent = |error: vouch_domain::ModelError| PortError::new(PORT, Fault::Unavailable, error.to_string());
    let reply = connection.get(path, allowance).await.map_err(absent)?;
    match reply.accepted().await {
        Ok(reply) => reply.text().await.map_err(absent),
        Err(refused) => {
            let status = refused.status.map(|status| status.as_u16());
            let (fault, what) = match status {
                Some(401 | 403) => (Fault::Held, "needs a monitor key".to_owned()),
                Some(status) => (Fault::Internal, format!("answered with status {status}")),
                None => (Fault::Internal, "did not answer".to_owned()),
            };
            Err(PortError::new(PORT, fault, connection.server().sentence(what)))
        }
    }
}
