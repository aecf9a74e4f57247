//! Resumable download of a file over HTTP.

use std::time::Duration;

use reqwest::header::{CONTENT_RANGE, ETAG, HeaderValue, IF_RANGE, RANGE};
use reqwest::{Client, Response, StatusCode};

use super::error::StoreError;
use super::partial_file::Gathering;
use super::pull::PullOptions;

/// Maximum consecutive attempts without progress.
const MAX_EMPTY: u32 = 3;

/// A client with the timeouts of the options.
pub(crate) fn client(options: &PullOptions) -> Result<Client, StoreError> {
    let mut builder =
        artoo_tls::client().connect_timeout(options.connect_timeout).read_timeout(options.idle_timeout);
    if !options.system_proxy {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|source| StoreError::Network { url: "any server".to_owned(), source })
}

/// Appends the rest of the file at `url`.
pub(crate) async fn fetch(client: &Client, url: &str, into: &mut Gathering<'_>) -> Result<(), StoreError> {
    let (begun, mut empty, mut version) = (into.len(), 0, None);
    while !into.is_complete() {
        let before = into.len();
        let outcome = attempt(client, url, &mut version, into).await;
        into.stop_if_cancelled()?;
        if into.is_complete() {
            return Ok(());
        }
        let brought = into.len() > before;
        match outcome {
            // A connection that broke after some progress is retried.
            Err(StoreError::Network { .. }) | Ok(()) if brought => empty = 0,
            Ok(()) => empty += 1,
            // It has sent something before, so the connection may come back.
            Err(StoreError::Network { .. }) if into.len() > begun && empty + 1 < MAX_EMPTY => empty += 1,
            Err(error) => return Err(error),
        }
        if empty >= MAX_EMPTY {
            return Err(StoreError::Dropped { url: url.to_owned(), times: empty });
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

/// One request. `version` is the tag of the file that the bytes received in this download belong to.
async fn attempt(
    client: &Client,
    url: &str,
    version: &mut Option<HeaderValue>,
    into: &mut Gathering<'_>,
) -> Result<(), StoreError> {
    // The address stands in the message already.
    let failed =
        |source: reqwest::Error| StoreError::Network { url: url.to_owned(), source: source.without_url() };
    let mut request = client.get(url);
    if into.len() > 0 {
        request = request.header(RANGE, format!("bytes={}-", into.len()));
        // If the file has changed meanwhile, the server sends the whole of it.
        if let Some(version) = version.as_ref() {
            request = request.header(IF_RANGE, version);
        }
    }
    let cancel = into.cancel.clone();
    let response = tokio::select! {
        response = request.send() => response.map_err(failed)?,
        () = cancel.cancelled() => return into.stop_if_cancelled(),
    };
    let found = strong_tag(&response);
    let is_changed = version.is_some() && found.is_some() && *version != found;
    let is_past_the_end = response.status() == StatusCode::RANGE_NOT_SATISFIABLE && into.len() > 0;
    if is_past_the_end || (is_changed && response.status() == StatusCode::PARTIAL_CONTENT) {
        // What is there is of another file: the next request asks for the whole.
        *version = None;
        return into.cut(0);
    }
    let mut response = place(response, url, into)?;
    *version = found;
    loop {
        let chunk = tokio::select! {
            chunk = response.chunk() => chunk.map_err(failed)?,
            () = cancel.cancelled() => return into.stop_if_cancelled(),
        };
        match chunk {
            Some(bytes) => into.push(&bytes, url)?,
            None => return Ok(()),
        }
    }
}

/// The tag of the file's version, if equal tags mean equal bytes.
fn strong_tag(response: &Response) -> Option<HeaderValue> {
    let tag = response.headers().get(ETAG)?;
    (!tag.as_bytes().starts_with(b"W/")).then(|| tag.clone())
}

/// Makes sure that the response continues at the file's end, or is the whole file.
fn place(response: Response, url: &str, into: &mut Gathering<'_>) -> Result<Response, StoreError> {
    let status = response.status();
    let begin = match status {
        StatusCode::OK => 0,
        StatusCode::PARTIAL_CONTENT => {
            let start = response.headers().get(CONTENT_RANGE).and_then(|value| value.to_str().ok());
            let start = start.and_then(|value| value.strip_prefix("bytes ")?.split('-').next()?.parse().ok());
            if start != Some(into.len()) {
                let problem = "it sent another part than was asked for".to_owned();
                return Err(StoreError::WrongBytes { origin: url.to_owned(), problem });
            }
            into.len()
        }
        _ => return Err(StoreError::Status { url: url.to_owned(), status: status.as_u16() }),
    };
    if let Some(length) = response.content_length() {
        let total = begin.saturating_add(length);
        if total != into.size() {
            let problem = format!("it has {total} bytes instead of {}", into.size());
            return Err(StoreError::WrongBytes { origin: url.to_owned(), problem });
        }
    }
    // Only now: another source may go on with what a file of the wrong length does not replace.
    into.cut(begin)?;
    Ok(response)
}
