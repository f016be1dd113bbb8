//! Clients that have closed their side of the connection are answered to the last byte, however slowly they take it.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::time::Duration;

use axum::{Router, routing::get};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
    time::{sleep, timeout},
};
use vouch_server::connections::{Limits, serve};

/// Far more than the buffers of two sockets hold.
const BYTES: usize = 16 << 20;
const SECONDS_60: Duration = Duration::from_secs(60);

const LIMITS: Limits = Limits {
    connections_max: 10,
    connections_per_address: 10,
    head_timeout: SECONDS_60,
    client_timeout: Duration::from_secs(2),
    half_closed: SECONDS_60,
    shutdown: Duration::from_secs(1),
};

/// A connection that takes little at once, to a server of one large page.
async fn connected() -> TcpStream {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let router = Router::new().route("/large", get(|| async { "x".repeat(BYTES) }));
    tokio::spawn(serve(listener, router, LIMITS, std::future::pending()));
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(8 << 10).expect("a small buffer");
    socket.connect(address).await.expect("a connection")
}

#[tokio::test]
async fn a_large_reply_to_a_half_closed_client_is_not_cut_off() {
    for head in ["", "Connection: close\r\n"] {
        let mut stream = connected().await;
        let asked = format!("GET /large HTTP/1.1\r\nHost: a\r\n{head}\r\n");
        stream.write_all(asked.as_bytes()).await.expect("someone to ask");
        stream.shutdown().await.expect("half of it is closed");
        let (mut taken, mut piece) = (0, vec![0; 256 << 10]);
        let taking = async {
            loop {
                match stream.read(&mut piece).await.expect("a reply that is not cut off") {
                    0 => break,
                    count => taken += count,
                }
                // The server has to wait for the client again and again.
                if taken < BYTES / 64 {
                    sleep(Duration::from_millis(20)).await;
                }
            }
        };
        timeout(SECONDS_60, taking).await.expect("an end");
        assert!(taken > BYTES, "{head:?}: {taken} bytes of {BYTES}");
    }
}

#[tokio::test]
async fn a_half_closed_client_that_takes_nothing_is_hung_up_on() {
    let mut stream = connected().await;
    stream.write_all(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("someone to ask");
    stream.shutdown().await.expect("half of it is closed");
    sleep(LIMITS.client_timeout * 2).await;
    let mut reply = Vec::new();
    let _ = timeout(SECONDS_60, stream.read_to_end(&mut reply)).await.expect("an end");
    assert!(reply.len() < BYTES, "the server still waits for somebody to listen");
}
