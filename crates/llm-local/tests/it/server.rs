//! A local web server with scripted misbehaviour.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// The response to one request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Serve everything, or the requested Range.
    Serve,
    /// Serve everything, ignoring the Range.
    IgnoreRange,
    /// Send this many bytes of the body, then drop the connection.
    DropAfter(usize),
    /// Send this many bytes of the body, then nothing more.
    StallAfter(usize),
    /// Answer with this status.
    Status(u16),
    /// Redirect to this address.
    Redirect(String),
    /// Send this many bytes of another version of the file, tagged "old", then drop the connection.
    OldThenDrop(usize),
    /// Serve the file, tagged "new": the whole, if a range of another version is asked for.
    Tagged,
    /// The same, but never look at the version that a range is asked of.
    TaggedUnconditional,
}

/// A running server.
pub(crate) struct Server {
    pub(crate) address: String,
    /// The Range of each request so far.
    pub(crate) ranges: Arc<Mutex<Vec<Option<u64>>>>,
}

impl Server {
    /// Serves `body`; each request performs the next act, the last one repeats.
    pub(crate) async fn start(body: Vec<u8>, acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let ranges = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&ranges);
        let turn = Arc::new(AtomicUsize::new(0));
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let (body, acts, seen, turn) =
                    (body.clone(), acts.clone(), Arc::clone(&seen), Arc::clone(&turn));
                tokio::spawn(async move {
                    let mut request = Vec::new();
                    let mut buffer = [0; 1024];
                    while !request.windows(4).any(|w| w == b"\r\n\r\n") {
                        match socket.read(&mut buffer).await {
                            Ok(0) | Err(_) => return,
                            Ok(n) => request.extend_from_slice(&buffer[..n]),
                        }
                    }
                    let request = String::from_utf8_lossy(&request).to_lowercase();
                    let start =
                        request.split("range: bytes=").nth(1).and_then(|r| r.split('-').next()?.parse().ok());
                    seen.lock().unwrap().push(start);
                    let of_version = request.split("if-range: ").nth(1).and_then(|rest| rest.lines().next());
                    let is_of_another = of_version.is_some_and(|version| version != "\"new\"");
                    let act = acts[turn.fetch_add(1, Ordering::SeqCst).min(acts.len() - 1)].clone();
                    let start = start.filter(|_| !(is_of_another && matches!(act, Act::Tagged)));
                    let _ = respond(&mut socket, &body, start, act).await;
                });
            }
        });
        Self { address, ranges }
    }
}

async fn respond(
    socket: &mut tokio::net::TcpStream,
    body: &[u8],
    start: Option<u64>,
    act: Act,
) -> std::io::Result<()> {
    let from = match &act {
        Act::IgnoreRange | Act::OldThenDrop(_) => 0,
        Act::Serve
        | Act::DropAfter(_)
        | Act::StallAfter(_)
        | Act::Status(_)
        | Act::Redirect(_)
        | Act::Tagged
        | Act::TaggedUnconditional => start.unwrap_or(0) as usize,
    };
    let old: Vec<u8> = body.iter().map(|byte| !byte).collect();
    let body = if matches!(act, Act::OldThenDrop(_)) { &old } else { body };
    let rest = body.get(from..).unwrap_or_default();
    let mut head = if from > 0 {
        format!("HTTP/1.1 206 Partial\r\ncontent-range: bytes {from}-{}/{}\r\n", body.len() - 1, body.len())
    } else {
        "HTTP/1.1 200 OK\r\n".to_owned()
    };
    head.push_str(match act {
        Act::OldThenDrop(_) => "etag: \"old\"\r\n",
        Act::Tagged | Act::TaggedUnconditional => "etag: \"new\"\r\n",
        Act::Serve
        | Act::IgnoreRange
        | Act::DropAfter(_)
        | Act::StallAfter(_)
        | Act::Status(_)
        | Act::Redirect(_) => "",
    });
    head.push_str(&format!("connection: close\r\ncontent-length: {}\r\n\r\n", rest.len()));
    let (sent, then) = match act {
        Act::Serve | Act::IgnoreRange | Act::Tagged | Act::TaggedUnconditional => (rest.len(), false),
        Act::DropAfter(n) | Act::OldThenDrop(n) => (n.min(rest.len()), false),
        Act::StallAfter(n) => (n.min(rest.len()), true),
        Act::Status(code) => {
            let head = format!("HTTP/1.1 {code} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            return socket.write_all(head.as_bytes()).await;
        }
        Act::Redirect(to) => {
            let head = format!(
                "HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
            return socket.write_all(head.as_bytes()).await;
        }
    };
    socket.write_all(head.as_bytes()).await?;
    socket.write_all(&rest[..sent]).await?;
    socket.flush().await?;
    if then {
        // Until the client gives up.
        let _ = socket.read(&mut [0; 1]).await;
    }
    Ok(())
}
