//! The hostile server: as much of HTTP/1.1 as it takes to break it.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    call::Call,
    reply::{Act, Framing, Reply},
};
use crate::{Error, Result};

/// How often a thread that waits looks whether the server ends.
const LOOK: Duration = Duration::from_millis(50);
/// The longest wait for a client that does not read.
const UNREAD: Duration = Duration::from_secs(2);
/// The size of the largest request.
const MAX_REQUEST: usize = 64 * 1024 * 1024;

/// A server on a free port of the loopback interface. Dropping it ends all its threads.
#[derive(Debug)]
pub(super) struct Server {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

type Answer = dyn Fn(&Call) -> Reply + Send + Sync;

impl Server {
    /// Starts one that answers with the result of `answer`.
    ///
    /// # Errors
    /// There is no port.
    pub(super) fn start(answer: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> Result<Self> {
        let failed = |error: io::Error| Error::Other(format!("cannot listen on the loopback: {error}"));
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let stopped = Arc::new(AtomicBool::new(false));
        let (answer, stop): (Arc<Answer>, _) = (Arc::new(answer), Arc::clone(&stopped));
        let accepting = thread::spawn(move || accept(&listener, &answer, &stop));
        Ok(Self { address, stopped, accepting: Some(accepting) })
    }

    /// Its address.
    pub(super) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts. If that fails, it has ended by itself.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            // A panic of that thread was printed where it happened.
            let _ = accepting.join();
        }
    }
}

fn accept(listener: &TcpListener, answer: &Arc<Answer>, stopped: &Arc<AtomicBool>) {
    let mut serving: Vec<JoinHandle<()>> = Vec::new();
    while let Ok((stream, _)) = listener.accept() {
        if stopped.load(Ordering::Relaxed) {
            break;
        }
        serving.retain(|thread| !thread.is_finished());
        let (answer, stopped) = (Arc::clone(answer), Arc::clone(stopped));
        serving.push(thread::spawn(move || {
            let mut connection = Connection { stream, stopped: &stopped, unread: Vec::new() };
            // The client left, or the server ends: neither is a failure here.
            let _ = connection.serve(&answer);
        }));
    }
    for thread in serving {
        // A panic of that thread was printed where it happened.
        let _ = thread.join();
    }
}

struct Connection<'a> {
    stream: TcpStream,
    stopped: &'a AtomicBool,
    unread: Vec<u8>,
}

impl Connection<'_> {
    fn serve(&mut self, answer: &Arc<Answer>) -> io::Result<()> {
        self.stream.set_read_timeout(Some(LOOK))?;
        self.stream.set_write_timeout(Some(UNREAD))?;
        self.stream.set_nodelay(true)?;
        while let Some(call) = self.call()? {
            if !self.reply(&answer(&call))? {
                break;
            }
        }
        Ok(())
    }

    /// The next request; `None` if the client has left or the server ends.
    fn call(&mut self) -> io::Result<Option<Call>> {
        let malformed = |what: &'static str| io::Error::new(ErrorKind::InvalidData, what);
        let end = loop {
            if let Some(at) = self.unread.windows(4).position(|window| window == b"\r\n\r\n") {
                break at.saturating_add(4);
            }
            if !self.read()? {
                return Ok(None);
            }
        };
        let rest = self.unread.split_off(end);
        let head = String::from_utf8_lossy(&std::mem::replace(&mut self.unread, rest)).into_owned();
        let path = head.split(' ').nth(1).ok_or_else(|| malformed("no request line"))?.to_owned();
        let length = head.lines().filter_map(|line| line.split_once(':'));
        let length = length
            .filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            .find_map(|(_, value)| value.trim().parse::<usize>().ok())
            .unwrap_or_default();
        if length > MAX_REQUEST {
            return Err(malformed("the body is too large"));
        }
        while self.unread.len() < length {
            if !self.read()? {
                return Ok(None);
            }
        }
        let next = self.unread.split_off(length);
        let body = std::mem::replace(&mut self.unread, next);
        Ok(Some(Call { path, bytes: body.len(), body: serde_json::from_slice(&body).unwrap_or(Value::Null) }))
    }

    /// Reads something; false if the client has left or the server ends.
    fn read(&mut self) -> io::Result<bool> {
        let mut bytes = [0_u8; 16 * 1024];
        while !self.stopped.load(Ordering::Relaxed) {
            match self.stream.read(&mut bytes) {
                Ok(0) => return Ok(false),
                Ok(read) => {
                    self.unread.extend(bytes.iter().take(read));
                    return Ok(true);
                }
                Err(error) if is_of_time(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    /// Carries a reply out; false if the connection is to be closed.
    fn reply(&mut self, reply: &Reply) -> io::Result<bool> {
        let mut head = head(reply);
        for act in &reply.acts {
            match act {
                Act::Send(bytes) => {
                    let mut message = std::mem::take(&mut head);
                    message.extend(framed(reply.framing, bytes));
                    self.stream.write_all(&message)?;
                }
                Act::Wait(pause) => {
                    if !self.stays(*pause)? {
                        return Ok(false);
                    }
                }
                Act::Forever { bytes, every } => {
                    self.stream.write_all(&std::mem::take(&mut head))?;
                    while self.stays(*every)? {
                        self.stream.write_all(&framed(reply.framing, bytes))?;
                    }
                    return Ok(false);
                }
                Act::Stall => {
                    self.stream.write_all(&std::mem::take(&mut head))?;
                    while self.stays(Duration::from_secs(1))? {}
                    return Ok(false);
                }
                Act::Close => return Ok(false),
            }
        }
        match reply.framing {
            Framing::Chunked => {
                head.extend(b"0\r\n\r\n");
                self.stream.write_all(&head)?;
                Ok(true)
            }
            Framing::Length(length) => {
                self.stream.write_all(&head)?;
                let sent: usize = reply
                    .acts
                    .iter()
                    .map(|act| match act {
                        Act::Send(bytes) => bytes.len(),
                        Act::Wait(_) | Act::Forever { .. } | Act::Stall | Act::Close => 0,
                    })
                    .sum();
                Ok(sent == length)
            }
            Framing::Close | Framing::Bare => Ok(false),
        }
    }

    /// Waits; false once the client has left or the server ends.
    fn stays(&mut self, pause: Duration) -> io::Result<bool> {
        let until = Instant::now() + pause;
        let mut bytes = [0_u8; 1024];
        loop {
            if self.stopped.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(true);
            }
            self.stream.set_read_timeout(Some(left.min(LOOK).max(Duration::from_millis(1))))?;
            let read = self.stream.read(&mut bytes);
            self.stream.set_read_timeout(Some(LOOK))?;
            match read {
                Ok(0) => return Ok(false),
                Ok(read) => self.unread.extend(bytes.iter().take(read)),
                Err(error) if is_of_time(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn is_of_time(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn head(reply: &Reply) -> Vec<u8> {
    let framing = match reply.framing {
        Framing::Chunked => "transfer-encoding: chunked\r\n".to_owned(),
        Framing::Length(length) => format!("content-length: {length}\r\n"),
        Framing::Close => "connection: close\r\n".to_owned(),
        Framing::Bare => return Vec::new(),
    };
    let headers: String = reply.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {} Soak\r\n{headers}{framing}\r\n", reply.status).into_bytes()
}

fn framed(framing: Framing, bytes: &[u8]) -> Vec<u8> {
    match framing {
        Framing::Chunked => {
            let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
            chunk.extend(bytes);
            chunk.extend(b"\r\n");
            chunk
        }
        Framing::Length(_) | Framing::Close | Framing::Bare => bytes.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a client gets of this reply until the server has no more to say.
    fn got(reply: Reply) -> String {
        let server = Server::start(move |_| reply.clone()).unwrap();
        let mut client = TcpStream::connect(server.address).unwrap();
        client.write_all(b"POST /x HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}").unwrap();
        client.shutdown(std::net::Shutdown::Write).unwrap();
        let mut got = Vec::new();
        client.read_to_end(&mut got).unwrap();
        String::from_utf8_lossy(&got).into_owned()
    }

    #[test]
    fn each_framing_is_sent_as_it_is_said() {
        let whole = got(Reply::body(429, "text/plain", "later").header("retry-after", "1"));
        assert_eq!(
            whole,
            "HTTP/1.1 429 Soak\r\ncontent-type: text/plain\r\nretry-after: 1\r\ncontent-length: 5\r\n\r\nlater"
        );
        let chunks = got(Reply::stream(vec![Act::Send(b"ab".to_vec()), Act::Send(b"c".to_vec())]));
        assert!(chunks.ends_with("\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"), "{chunks}");
        assert_eq!(got(Reply::bare("noise")), "noise");
        let cut = got(Reply::stream(vec![Act::Send(b"ab".to_vec()), Act::Close]));
        assert!(cut.ends_with("2\r\nab\r\n"), "{cut}");
    }

    #[test]
    fn a_server_that_stalls_ends_when_it_is_dropped() {
        let server = Server::start(|_| Reply::stream(vec![Act::Stall])).unwrap();
        let mut client = TcpStream::connect(server.address).unwrap();
        client.write_all(b"POST /x HTTP/1.1\r\ncontent-length: 0\r\n\r\n").unwrap();
        let mut head = [0_u8; 15];
        client.read_exact(&mut head).unwrap();
        drop(server);
        assert_eq!(&head, b"HTTP/1.1 200 So");
        assert!(client.read_to_end(&mut Vec::new()).is_ok(), "the connection ends");
    }
}
