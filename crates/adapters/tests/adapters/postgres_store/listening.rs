//! Word of changes over a connection that hangs.

use super::{
    between::{Between, Fate, wait_until},
    database,
    nodes::PATIENCE,
    server,
};

#[test]
fn a_listener_gives_a_server_up_that_takes_a_connection_and_says_nothing() {
    let Some(server) = server() else { return };
    let direct = server.database();
    let between = Between::new(server, |_: &[u8]| Fate::Passed);
    let opened = database(&between.settings(server, &direct));
    between.close();
    let before = between.connections();
    let listener = opened.listen();
    wait_until("it connects again", || between.connections() > before + 1);
    between.open();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    assert!(runtime.block_on(listener.wait(PATIENCE)), "it listens");
}
