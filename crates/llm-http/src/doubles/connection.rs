//! One connection of the mock server: just enough HTTP/1.1.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::doubles::reply::Content;
use crate::doubles::server::Shared;
use crate::doubles::wire::answer;
use crate::doubles::{Call, Reply, Step};

/// Maximum request size.
const MAX_REQUEST: usize = 64 * 1024 * 1024;

/// Serves requests until the client disconnects or a reply closes the connection.
pub(super) async fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    let mut buffer = Vec::new();
    while let Some(call) = read_call(&mut stream, &mut buffer).await? {
        let (call, reply) = shared.answer(call);
        if let Some(delay) = reply.before {
            // A client that disconnects meanwhile is noticed at once.
            tokio::select! {
                () = tokio::time::sleep(delay) => {}
                () = gone(&mut stream) => return Ok(()),
            }
        }
        if !write_reply(&mut stream, &call, &reply).await? {
            return Ok(());
        }
    }
    Ok(())
}

/// The next request, or `None` if the client has disconnected between two.
async fn read_call(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<Option<Call>> {
    let malformed = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let head_end = loop {
        if let Some(at) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if buffer.len() > MAX_REQUEST || stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    };
    let rest = buffer.split_off(head_end);
    let head =
        String::from_utf8(std::mem::replace(buffer, rest)).map_err(|_| malformed("the head is not text"))?;
    let mut lines = head.lines();
    let path =
        lines.next().and_then(|line| line.split(' ').nth(1)).ok_or_else(|| malformed("no request line"))?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(Ok(0), |(_, value)| value.parse());
    let length: usize = length.map_err(|_| malformed("no usable content-length"))?;
    if length > MAX_REQUEST {
        return Err(malformed("the body is too large"));
    }
    while buffer.len() < length {
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
    let next = buffer.split_off(length);
    let body = serde_json::from_slice(&std::mem::replace(buffer, next)).unwrap_or(Value::Null);
    Ok(Some(Call { ordinal: 0, path: path.to_owned(), headers, body }))
}

/// Writes a reply. False if the connection is to be closed.
async fn write_reply(stream: &mut TcpStream, call: &Call, reply: &Reply) -> io::Result<bool> {
    match &reply.content {
        Content::Answer(said) => {
            let (content_type, body) = answer(call, said);
            let extra = format!("content-type: {content_type}\r\ncontent-length: {}\r\n", body.len());
            let mut message = head(reply, &extra).into_bytes();
            message.extend_from_slice(body.as_bytes());
            stream.write_all(&message).await?;
            Ok(true)
        }
        Content::Whole(body) => {
            let mut message = head(reply, &format!("content-length: {}\r\n", body.len())).into_bytes();
            message.extend_from_slice(body);
            stream.write_all(&message).await?;
            Ok(true)
        }
        Content::Steps(steps) => write_steps(stream, reply, steps).await,
    }
}

async fn write_steps(stream: &mut TcpStream, reply: &Reply, steps: &[Step]) -> io::Result<bool> {
    let mut head = Some(head(reply, "transfer-encoding: chunked\r\n"));
    for step in steps {
        match step {
            Step::Head => stream.write_all(head.take().unwrap_or_default().as_bytes()).await?,
            Step::Send(bytes) => {
                let mut message = head.take().unwrap_or_default().into_bytes();
                message.extend_from_slice(format!("{:x}\r\n", bytes.len()).as_bytes());
                message.extend_from_slice(bytes);
                message.extend_from_slice(b"\r\n");
                stream.write_all(&message).await?;
            }
            Step::Wait(delay) => tokio::time::sleep(*delay).await,
            Step::Gate(gate) => {
                tokio::select! {
                    () = gate.notified() => {}
                    () = gone(stream) => return Ok(false),
                }
            }
            Step::Stall => {
                gone(stream).await;
                return Ok(false);
            }
            Step::Drop => return Ok(false),
        }
    }
    stream.write_all(format!("{}0\r\n\r\n", head.unwrap_or_default()).as_bytes()).await?;
    Ok(true)
}

fn head(reply: &Reply, extra: &str) -> String {
    let headers: String = reply.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {} Mock\r\n{headers}{extra}\r\n", reply.status)
}

/// Returns when the client has closed its side. A client waiting for a response sends nothing.
async fn gone(stream: &mut TcpStream) {
    let mut byte = [0_u8; 1];
    while matches!(stream.read(&mut byte).await, Ok(read) if read > 0) {}
}
