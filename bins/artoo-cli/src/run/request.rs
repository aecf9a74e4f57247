//! Reads the request from the command line or from standard input.

use std::io::{self, Read};

use crate::error::CommandError;
use crate::terminal::Streams;

/// More than any model reads. A mistake such as `artoo run < film.mp4`
/// fails here instead of filling the memory.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The text of the request. `-`, or no argument if standard input is not a terminal, reads standard input.
pub(super) fn read(
    given: Option<&str>,
    streams: Streams,
    stdin: &mut dyn Read,
) -> Result<String, CommandError> {
    let text = match given {
        Some("-") => from(stdin)?,
        Some(text) => text.to_owned(),
        None if !streams.stdin => from(stdin)?,
        None => return Err(CommandError::usage("there is no request").hint(EXAMPLE)),
    };
    if text.trim().is_empty() {
        return Err(CommandError::usage("the request is empty").hint(EXAMPLE));
    }
    Ok(text.trim().to_owned())
}

const EXAMPLE: &str = "say what to do: artoo run \"How many .txt files are in docs?\"";

fn from(stdin: &mut dyn Read) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    match stdin.take(MAX_BYTES + 1).read_to_end(&mut bytes) {
        Ok(_) => {}
        // A closed standard input is an error on some systems; it is treated as empty.
        Err(error) if error.raw_os_error() == Some(BAD_DESCRIPTOR) => {}
        Err(error) => return Err(unreadable(error)),
    }
    if bytes.len() as u64 > MAX_BYTES {
        return Err(CommandError::usage("the request on standard input is longer than 16 MiB")
            .hint("put the data into a file, and name the file in the request"));
    }
    String::from_utf8(bytes).map_err(|_| {
        CommandError::usage("the request on standard input is not UTF-8 text")
            .hint("convert it, for example with iconv")
    })
}

/// `EBADF`.
const BAD_DESCRIPTOR: i32 = 9;

fn unreadable(error: io::Error) -> CommandError {
    CommandError::failed("cannot read the request from standard input").because(error).hint(EXAMPLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_comes_from_where_it_is() {
        let check = |given: Option<&str>, terminal: bool, stdin: &[u8], expected: Result<&str, &str>| {
            let streams = Streams { stdin: terminal, ..Streams::default() };
            let found = read(given, streams, &mut &*stdin).map_err(|error| error.to_string());
            assert_eq!(found.as_deref().map_err(String::as_str), expected);
        };
        check(Some("数 files"), true, b"", Ok("数 files"));
        check(Some("-"), true, b" typed \n", Ok("typed"));
        check(None, false, b"piped", Ok("piped"));
        check(Some("given"), false, b"ignored", Ok("given"));
        check(None, true, b"", Err("there is no request"));
        check(Some(" \n"), true, b"", Err("the request is empty"));
        check(None, false, b"", Err("the request is empty"));
        check(None, false, b"\xff", Err("the request on standard input is not UTF-8 text"));
        let long = vec![b'a'; 16 * 1024 * 1024 + 1];
        check(None, false, &long, Err("the request on standard input is longer than 16 MiB"));
    }
}
