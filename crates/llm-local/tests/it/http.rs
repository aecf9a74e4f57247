//! Downloads of a model over HTTP.

use std::path::Path;
use std::time::Duration;

use artoo_llm_local::store::{
    CatalogueEntry, CommandFailure, ModelState, ModelStore, PullOptions, Pulled, RunCommand, Source,
    StoreError,
};
use async_trait::async_trait;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use crate::server::{Act, Server};

/// A command runner without programs.
pub(crate) struct NoCommands;

#[async_trait]
impl RunCommand for NoCommands {
    async fn run(&self, _: &str, _: &[String], _: &Path) -> Result<(), CommandFailure> {
        Err(CommandFailure::NotFound)
    }
}

/// Half a million bytes that do not repeat.
pub(crate) fn body() -> Vec<u8> {
    (0..500_000u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).step_by(4).collect()
}

/// The catalogue entry for these bytes.
pub(crate) fn entry(bytes: &[u8]) -> CatalogueEntry {
    CatalogueEntry {
        name: "small",
        file: "small.gguf",
        size: bytes.len() as u64,
        memory: 0,
        sha256: Box::leak(hex::encode(Sha256::digest(bytes)).into_boxed_str()),
        licence: "MIT",
        repository: "owner/small",
        packages: None,
    }
}

pub(crate) fn options(sources: Vec<Source>) -> PullOptions {
    PullOptions {
        sources,
        idle_timeout: Duration::from_millis(300),
        system_proxy: false,
        ..PullOptions::default()
    }
}

async fn pull(store: &ModelStore, sources: Vec<Source>) -> Result<Pulled, StoreError> {
    let token = CancellationToken::new();
    store.pull(&entry(&body()), &options(sources), &NoCommands, &mut |_| {}, &token).await
}

/// Pulls from a server that performs these acts; the folder is empty before.
async fn pull_acts(acts: Vec<Act>) -> (Result<Pulled, StoreError>, Vec<Option<u64>>, tempfile::TempDir) {
    let server = Server::start(body(), acts).await;
    let folder = tempfile::tempdir().unwrap();
    let store = ModelStore::new(folder.path());
    let result = pull(&store, vec![Source::Hub { base: server.address.clone() }]).await;
    let ranges = server.ranges.lock().unwrap().clone();
    (result, ranges, folder)
}

/// The only reason why nothing was installed.
fn only_reason(result: Result<Pulled, StoreError>) -> StoreError {
    match result {
        Err(StoreError::NoSource { mut tried }) if tried.len() == 1 => tried.remove(0).1,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn everything_at_once() {
    let (result, ranges, folder) = pull_acts(vec![Act::Serve]).await;
    let pulled = result.unwrap();
    assert_eq!(std::fs::read(&pulled.path).unwrap(), body());
    assert!(pulled.source.unwrap().ends_with("/owner/small/resolve/main/small.gguf"));
    assert_eq!(ranges, [None]);
    let store = ModelStore::new(folder.path());
    assert_eq!(store.state(&entry(&body())).unwrap(), ModelState::Installed { path: pulled.path });
    // The second pull sends no request.
    assert!(pull(&store, vec![]).await.unwrap().source.is_none());
}

#[tokio::test]
async fn a_dropped_connection_goes_on_where_it_broke() {
    let (result, ranges, _folder) =
        pull_acts(vec![Act::DropAfter(100_000), Act::DropAfter(200_000), Act::Serve]).await;
    assert_eq!(std::fs::read(result.unwrap().path).unwrap(), body());
    assert_eq!(ranges, [None, Some(100_000), Some(300_000)]);
}

#[tokio::test]
async fn a_server_without_ranges_starts_again() {
    let (result, _, _folder) = pull_acts(vec![Act::DropAfter(100_000), Act::IgnoreRange]).await;
    assert_eq!(std::fs::read(result.unwrap().path).unwrap(), body());
}

/// Bytes of two versions would only be noticed by the hash, after the whole download.
#[tokio::test]
async fn a_file_that_changes_in_the_middle_is_fetched_from_its_beginning() {
    let (result, ranges, _folder) = pull_acts(vec![Act::OldThenDrop(100_000), Act::Tagged]).await;
    assert_eq!(std::fs::read(result.unwrap().path).unwrap(), body());
    assert_eq!(ranges, [None, Some(100_000)]);
    // A server that looks at no version sends the rest of the new file: it is not taken.
    let (result, ranges, _folder) =
        pull_acts(vec![Act::OldThenDrop(100_000), Act::TaggedUnconditional]).await;
    assert_eq!(std::fs::read(result.unwrap().path).unwrap(), body());
    assert_eq!(ranges, [None, Some(100_000), None]);
}

/// Nothing is known of the version of what an earlier process received.
#[tokio::test]
async fn what_an_earlier_download_left_of_another_version_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let store = ModelStore::new(folder.path());
    let old: Vec<u8> = body().iter().take(100_000).map(|byte| !byte).collect();
    std::fs::write(folder.path().join("small.gguf.partial"), old).unwrap();
    let server = Server::start(body(), vec![Act::Serve]).await;
    let pulled = pull(&store, vec![Source::Url(server.address.clone())]).await.unwrap();
    assert_eq!(std::fs::read(pulled.path).unwrap(), body());
    assert_eq!(*server.ranges.lock().unwrap(), [Some(100_000), None]);
}

#[tokio::test]
async fn a_range_that_a_server_does_not_have_is_asked_for_no_more() {
    let (result, ranges, _folder) =
        pull_acts(vec![Act::DropAfter(100_000), Act::Status(416), Act::Serve]).await;
    assert_eq!(std::fs::read(result.unwrap().path).unwrap(), body());
    assert_eq!(ranges, [None, Some(100_000), None]);
}

#[tokio::test]
async fn a_server_that_breaks_in_the_middle_costs_nothing_of_what_came() {
    let server =
        Server::start(body(), vec![Act::DropAfter(100_000), Act::Status(500), Act::Status(500), Act::Serve])
            .await;
    let folder = tempfile::tempdir().unwrap();
    let store = ModelStore::new(folder.path());
    let sources = || vec![Source::Url(server.address.clone())];
    for _ in 0..2 {
        let reason = only_reason(pull(&store, sources()).await);
        assert!(matches!(reason, StoreError::Status { status: 500, .. }), "{reason}");
        assert_eq!(store.state(&entry(&body())).unwrap(), ModelState::Partial { bytes: 100_000 });
    }
    pull(&store, sources()).await.unwrap();
    assert_eq!(*server.ranges.lock().unwrap(), [None, Some(100_000), Some(100_000), Some(100_000)]);
}

/// Another source may have the right file.
#[tokio::test]
async fn a_file_of_another_length_costs_nothing_of_what_came() {
    let folder = tempfile::tempdir().unwrap();
    let store = ModelStore::new(folder.path());
    std::fs::write(folder.path().join("small.gguf.partial"), &body()[..70_000]).unwrap();
    let short = Server::start(body()[..80_000].to_vec(), vec![Act::IgnoreRange]).await;
    let whole = Server::start(body(), vec![Act::Serve]).await;
    let sources = vec![Source::Url(short.address.clone()), Source::Url(whole.address.clone())];
    pull(&store, sources).await.unwrap();
    assert_eq!(*whole.ranges.lock().unwrap(), [Some(70_000)]);
}

#[tokio::test]
async fn a_stall_is_like_a_drop() {
    let (result, ranges, _folder) = pull_acts(vec![Act::StallAfter(50_000), Act::Serve]).await;
    assert_eq!(std::fs::read(result.unwrap().path).unwrap(), body());
    assert_eq!(ranges, [None, Some(50_000)]);
}

#[tokio::test]
async fn a_server_that_was_silent_once_is_asked_again() {
    let (result, ranges, _folder) =
        pull_acts(vec![Act::DropAfter(50_000), Act::StallAfter(0), Act::Serve]).await;
    assert_eq!(std::fs::read(result.unwrap().path).unwrap(), body());
    assert_eq!(ranges, [None, Some(50_000), Some(50_000)]);
}

#[tokio::test]
async fn a_server_that_brings_nothing_is_given_up() {
    let (result, ranges, _folder) = pull_acts(vec![Act::DropAfter(0)]).await;
    assert!(matches!(only_reason(result), StoreError::Network { .. } | StoreError::Dropped { .. }));
    assert!(ranges.len() <= 3, "{ranges:?}");
}

#[tokio::test]
async fn a_missing_file_and_a_broken_server() {
    for code in [404, 500] {
        let (result, _, _folder) = pull_acts(vec![Act::Status(code)]).await;
        let reason = only_reason(result);
        assert!(matches!(reason, StoreError::Status { status, .. } if status == code), "{reason}");
    }
}

#[tokio::test]
async fn redirects_are_followed() {
    let target = Server::start(body(), vec![Act::Serve]).await;
    let (result, _, _folder) = pull_acts(vec![Act::Redirect(format!("{}/elsewhere", target.address))]).await;
    assert_eq!(std::fs::read(result.unwrap().path).unwrap(), body());
}

#[tokio::test]
async fn wrong_bytes_are_never_installed() {
    let mut wrong = body();
    wrong[123_456] ^= 1;
    let server = Server::start(wrong, vec![Act::Serve]).await;
    let folder = tempfile::tempdir().unwrap();
    let store = ModelStore::new(folder.path());
    let reason = only_reason(pull(&store, vec![Source::Url(server.address.clone())]).await);
    assert!(reason.to_string().contains("SHA-256"), "{reason}");
    assert_eq!(store.state(&entry(&body())).unwrap(), ModelState::Absent);

    let short = Server::start(body()[..1000].to_vec(), vec![Act::Serve]).await;
    let reason = only_reason(pull(&store, vec![Source::Url(short.address.clone())]).await);
    assert!(matches!(reason, StoreError::WrongBytes { .. }), "{reason}");
}

#[tokio::test]
async fn the_next_source_goes_on_where_the_last_one_failed() {
    let broken = Server::start(body(), vec![Act::DropAfter(70_000), Act::Status(503)]).await;
    let whole = Server::start(body(), vec![Act::Serve]).await;
    let folder = tempfile::tempdir().unwrap();
    let store = ModelStore::new(folder.path());
    let sources =
        vec![Source::Packages, Source::Url(broken.address.clone()), Source::Url(whole.address.clone())];
    let pulled = pull(&store, sources).await.unwrap();
    assert_eq!(pulled.failed.len(), 2);
    assert_eq!(*whole.ranges.lock().unwrap(), [Some(70_000)]);
}

#[tokio::test]
async fn a_file_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine");
    std::fs::write(&file, body()).unwrap();
    let store = ModelStore::new(folder.path().join("models"));
    let sources = vec![Source::File(folder.path().join("missing")), Source::File(file)];
    let pulled = pull(&store, sources).await.unwrap();
    assert_eq!(pulled.failed.len(), 1);
    assert_eq!(std::fs::read(pulled.path).unwrap(), body());
}

#[tokio::test]
async fn a_stopped_pull_keeps_what_it_has() {
    let server = Server::start(body(), vec![Act::StallAfter(90_000), Act::Serve]).await;
    let folder = tempfile::tempdir().unwrap();
    let store = ModelStore::new(folder.path());
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let sources = vec![Source::Url(server.address.clone())];
    let mut patient = options(sources.clone());
    patient.idle_timeout = Duration::from_secs(60);
    let mut progress = |p: artoo_llm_local::store::Progress| {
        if p.done >= 90_000 {
            stop.cancel();
        }
    };
    let result = store.pull(&entry(&body()), &patient, &NoCommands, &mut progress, &cancel).await;
    assert!(matches!(result, Err(StoreError::Cancelled { bytes: 90_000 })), "{result:?}");
    assert_eq!(store.state(&entry(&body())).unwrap(), ModelState::Partial { bytes: 90_000 });
    pull(&store, sources).await.unwrap();
    assert_eq!(server.ranges.lock().unwrap()[1], Some(90_000));
}

#[tokio::test]
async fn two_at_once_do_not_mix() {
    let server = Server::start(body(), vec![Act::StallAfter(10_000), Act::Serve]).await;
    let folder = tempfile::tempdir().unwrap();
    let store = ModelStore::new(folder.path());
    let (first, second) = tokio::join!(pull(&store, vec![Source::Url(server.address.clone())]), async {
        // The first one holds the lock once the server has received its request.
        while server.ranges.lock().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        pull(&store, vec![Source::Url(server.address.clone())]).await
    });
    assert!(matches!(second, Err(StoreError::Busy { .. })), "{second:?}");
    first.unwrap();
}

#[tokio::test]
async fn a_changed_file_is_noticed_and_replaced() {
    let (result, _, folder) = pull_acts(vec![Act::Serve]).await;
    let path = result.unwrap().path;
    let mut wrong = body();
    wrong[7] ^= 1;
    std::fs::write(&path, wrong).unwrap();
    let store = ModelStore::new(folder.path());
    assert!(matches!(store.state(&entry(&body())).unwrap(), ModelState::Corrupt { .. }));
    let server = Server::start(body(), vec![Act::Serve]).await;
    pull(&store, vec![Source::Url(server.address.clone())]).await.unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), body());
    assert!(store.remove(&entry(&body())).unwrap() >= 500_000);
    assert_eq!(store.state(&entry(&body())).unwrap(), ModelState::Absent);
}
