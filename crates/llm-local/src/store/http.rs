//! Resumable download of a file over HTTP.

use std::time::Duration;

use reqwest::header::{CONTENT_RANGE, RANGE};
use reqwest::{Client, Response, StatusCode};

use super::error::StoreError;
use super::partial_file::Gathering;
use super::pull::PullOptions;

/// Maximum consecutive attempts without progress.
const MAX_EMPTY: u32 = 3;

/// A client with the timeouts of the options.
pub(crate) fn client(options: &PullOptions) -> Result<Client, StoreError> {
    let mut builder =
        Client::builder().connect_timeout(options.connect_timeout).read_timeout(options.idle_timeout);
    if !options.system_proxy {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|source| StoreError::Network { url: "any server".to_owned(), source })
}

/// Appends the rest of the file at `url`.
pub(crate) async fn fetch(client: &Client, url: &str, into: &mut Gathering<'_>) -> Result<(), StoreError> {
    let mut empty = 0;
    while !into.is_complete() {
        let before = into.len();
        let outcome = attempt(client, url, into).await;
        into.stop_if_cancelled()?;
        if into.is_complete() {
            return Ok(());
        }
        let brought = into.len() > before;
        match outcome {
            // A connection that broke after some progress is retried.
            Err(StoreError::Network { .. }) | Ok(()) if brought => empty = 0,
            Ok(()) => empty += 1,
            Err(error) => return Err(error),
        }
        if empty >= MAX_EMPTY {
            return Err(StoreError::Dropped { url: url.to_owned(), times: empty });
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

async fn attempt(client: &Client, url: &str, into: &mut Gathering<'_>) -> Result<(), StoreError> {
    let failed = |source| StoreError::Network { url: url.to_owned(), source };
    let mut request = client.get(url);
    if into.len() > 0 {
        request = request.header(RANGE, format!("bytes={}-", into.len()));
    }
    let cancel = into.cancel.clone();
    let response = tokio::select! {
        response = request.send() => response.map_err(failed)?,
        () = cancel.cancelled() => return into.stop_if_cancelled(),
    };
    let mut response = place(response, url, into)?;
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

/// Makes sure that the response continues at the file's end.
fn place(response: Response, url: &str, into: &mut Gathering<'_>) -> Result<Response, StoreError> {
    let status = response.status();
    match status {
        StatusCode::OK => into.cut(0)?,
        StatusCode::PARTIAL_CONTENT => {
            let start = response.headers().get(CONTENT_RANGE).and_then(|value| value.to_str().ok());
            let start = start.and_then(|value| value.strip_prefix("bytes ")?.split('-').next()?.parse().ok());
            if start != Some(into.len()) {
                let problem = "it sent another part than was asked for".to_owned();
                return Err(StoreError::WrongBytes { origin: url.to_owned(), problem });
            }
        }
        _ => return Err(StoreError::Status { url: url.to_owned(), status: status.as_u16() }),
    }
    if let Some(length) = response.content_length() {
        let total = into.len() + length;
        if total != into.size() {
            let problem = format!("it has {total} bytes instead of {}", into.size());
            return Err(StoreError::WrongBytes { origin: url.to_owned(), problem });
        }
    }
    Ok(response)
}
