//! A database that keeps its connections and says nothing, as where a network drops what is sent: servers go on answering.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use vouch_testkit::postgres::Postgres;

use super::{LEAVE, PATIENCE, Server, asked, database, place, run, wait_for};

/// A database server all of whose processes stand still, until this is dropped.
struct Silence {
    processes: Vec<String>,
}

impl Silence {
    fn of(postgres: &Postgres) -> Self {
        let noted = std::fs::read_to_string(postgres.folder().join("postmaster.pid")).expect("it runs");
        let first = noted.lines().next().expect("its first process").to_owned();
        // Standing still, it begins no further process.
        signal("-STOP", std::slice::from_ref(&first));
        let listed = Command::new("pgrep").args(["-P", &first]).output().expect("pgrep");
        let mut processes = vec![first];
        processes.extend(String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned));
        signal("-STOP", &processes);
        Self { processes }
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        signal("-CONT", &self.processes);
    }
}

/// A process may have ended meanwhile, which is no failure.
fn signal(name: &str, processes: &[String]) {
    let _ = Command::new("kill").arg(name).args(processes).output();
}

#[test]
fn while_the_database_says_nothing_a_server_answers_and_stays_ready() {
    let Some(postgres) = database() else { return };
    let writer = place(&postgres);
    writer.write("docs/leave.md", LEAVE);
    run(&writer, &["ingest", "docs"]);
    let key = run(&writer, &["key", "add", "laptop"]);
    let server = Server::over(place(&postgres));
    let question = "How many days of annual leave do staff have?";
    wait_for(&server, question, "26 days", key.trim());
    let silence = Silence::of(&postgres);
    assert!(silence.processes.len() > 1, "the server's own connections have processes");
    let began = Instant::now();
    loop {
        let ready = server.get("/readyz");
        assert_eq!(ready.status, 200, "questions are answered: {}", ready.body);
        let reply = asked(&server, question, key.trim());
        assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains("26 days")), "{reply}");
        let dependencies = ready.json()["dependencies"].as_array().expect("dependencies").clone();
        if dependencies.iter().any(|one| one["name"] == "database" && one["state"] == "down") {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "nothing was noticed");
        std::thread::sleep(Duration::from_millis(200));
    }
    let reply = asked(&server, question, key.trim());
    assert!(reply["notices"].to_string().contains("the server's copy of"), "{reply}");
}
