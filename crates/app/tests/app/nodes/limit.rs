//! What a caller may ask of all servers on one database together.

use super::{LEAVE, Server, database, place, run};

#[test]
fn a_caller_has_one_limit_over_all_servers() {
    let Some(postgres) = database() else { return };
    let writer = place(&postgres);
    writer.write("docs/leave.md", LEAVE);
    run(&writer, &["ingest", "docs"]);
    let keys: Vec<String> =
        (0..5).map(|at| run(&writer, &["key", "add", &format!("script-{at}"), "--per-minute", "4"])).collect();
    let servers = [Server::over(place(&postgres)), Server::over(place(&postgres))];
    let ask = |key: &String| -> Vec<u16> {
        let bearer = format!("Authorization: Bearer {}\r\n", key.trim());
        (0..10).map(|round| servers[round % 2].get_with("/v1/me", &bearer).status).collect()
    };
    // Each server by itself would grant four, which makes eight. A server that the database keeps waiting counts alone meanwhile, and a
    // request comes back every fifteen seconds: what that grants on a busy machine is no reason to fail, unless it is so every time.
    let mut seen = Vec::new();
    let is_shared = keys.iter().any(|key| {
        let statuses = ask(key);
        let granted = statuses.iter().filter(|status| **status == 200).count();
        let is_one = (4..=6).contains(&granted) && statuses.contains(&429);
        seen.push(statuses);
        is_one
    });
    assert!(is_shared, "{seen:?}");
}
