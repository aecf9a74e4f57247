//! Local web server that records its requests.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// An answer: status, headers, body. A body of `None` never arrives.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Body,
}

pub(crate) enum Body {
    Whole(Vec<u8>),
    /// The same byte without end.
    Endless,
    /// No response, not even a status.
    Silence,
}

impl Answer {
    pub(crate) fn page(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type", content_type.to_owned())],
            body: Body::Whole(body.into()),
        }
    }

    pub(crate) fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Body::Whole(b"refused".to_vec()) }
    }

    pub(crate) fn redirect(to: impl Into<String>) -> Self {
        Self { status: 302, headers: vec![("location", to.into())], body: Body::Whole(Vec::new()) }
    }
}

/// The received requests, each with its request line and headers.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers by path and query until the test ends.
    pub(crate) async fn start(ip: &str, answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((ip.parse::<IpAddr>().unwrap(), 0)).await.unwrap();
        let server = Self { address: listener.local_addr().unwrap(), seen: Arc::default() };
        let seen = Arc::clone(&server.seen);
        let answer: Handler = Arc::new(answer);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&seen), Arc::clone(&answer)));
            }
        });
        server
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(stream: TcpStream, seen: Arc<Mutex<Vec<String>>>, answer: Handler) {
    let mut stream = BufReader::new(stream);
    let mut request = String::new();
    while let Ok(1..) = stream.read_line(&mut request).await {
        if request.ends_with("\r\n\r\n") {
            break;
        }
    }
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    seen.lock().unwrap().push(request);
    let Answer { status, headers, body } = answer(&path);
    let mut head = format!("HTTP/1.1 {status} Whatever\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    match body {
        Body::Silence => std::future::pending().await,
        Body::Whole(body) => {
            head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
            let _ = stream.write_all(&[head.into_bytes(), body].concat()).await;
            let _ = stream.shutdown().await;
        }
        Body::Endless => {
            head.push_str("\r\n");
            let _ = stream.write_all(head.as_bytes()).await;
            while stream.write_all(&[b'x'; 4096]).await.is_ok() {}
        }
    }
}

type Handler = Arc<dyn Fn(&str) -> Answer + Send + Sync>;
