//! Wire protocol between a process and the owner: a length, a version, and a message.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::journal::Encoded;

/// The protocol version. A message of another version is not answered.
const VERSION: u8 = 2;
/// Maximum message length: a batch may exceed its limit by one event.
const MOST: usize = 16 << 20;

/// A request to the owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Request {
    /// Commit these events. Each has its time of writing, in ms, and its encoded line.
    Commit(Vec<(i64, Vec<u8>)>),
    /// Erase the content under these numbers.
    Erase(Vec<u64>),
}

/// The owner's response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Response {
    /// Done, this many times.
    Done(u64),
    /// Refused.
    Refused(String),
}

impl Request {
    pub(super) fn commit(lines: &[Encoded]) -> Self {
        Self::Commit(lines.iter().map(|line| (line.written_at_ms, line.line.clone())).collect())
    }
}

/// Writes a message.
pub(super) fn send<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    let body = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(body.len() + 1).map_err(io::Error::other)?;
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.push(VERSION);
    bytes.extend_from_slice(&body);
    to.write_all(&bytes)
}

/// Reads a message. `None` if the other side closed, or if `over` says so; `over` is called at every read
/// timeout of the stream.
pub(super) fn receive<T: DeserializeOwned>(
    from: &mut impl Read,
    over: impl Fn() -> bool,
) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    if !fill(from, &mut length, &over)? {
        return Ok(None);
    }
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length == 0 || length > MOST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; length];
    if !fill(from, &mut bytes, &over)? {
        return Ok(None);
    }
    match bytes.split_first() {
        Some((&VERSION, body)) => postcard::from_bytes(body).map(Some).map_err(io::Error::other),
        _ => Err(io::Error::other("it speaks another version of the protocol")),
    }
}

fn fill(from: &mut impl Read, into: &mut [u8], over: &impl Fn() -> bool) -> io::Result<bool> {
    let mut filled = 0;
    while let Some(rest) = into.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match from.read(rest) {
            Ok(0) => return Ok(false),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A read timeout without data.
            Err(error) if [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut].contains(&error.kind()) => {
                if over() {
                    return Ok(false);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}
