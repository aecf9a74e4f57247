//! Detection of preview support on this machine.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{ChangeKind, NoPreview, Preview, PreviewError, Staging, preview_unasked, trial_record};
use crate::{
    Capture, Confinement, Ending, Invocation, SandboxMode, Support, probe, room_for_files, room_for_threads,
};

const PATIENCE: Duration = Duration::from_secs(10);
/// What a trial starts: a thread for blocking work, one that watches the command, and the command with its first process.
const THREADS: usize = 4;
/// What it opens at a time, with the files of the runtime.
const FILES: usize = 16;

/// What is known of previews on this machine.
#[derive(Debug)]
struct Answers {
    /// A success, and a kernel that cannot confine, hold for the whole machine.
    machine: Option<Result<(), NoPreview>>,
    /// A place where the trial failed says nothing of another one.
    refused: BTreeMap<PathBuf, NoPreview>,
    /// The record from which the answer was taken, instead of a trial.
    record: Option<PathBuf>,
}

static ANSWERS: Mutex<Answers> =
    Mutex::new(Answers { machine: None, refused: BTreeMap::new(), record: None });

/// See [`Preview::supported_as_recorded`]. Whoever asks during a trial waits for its answer.
pub(super) fn supported(place: &Path, record: Option<&Path>) -> Result<(), NoPreview> {
    ANSWERS.lock().unwrap_or_else(PoisonError::into_inner).supported(place, record, try_out)
}

/// Layers could not be laid. An answer that was only recorded is dropped with its record, so that the next call makes a trial.
pub(super) fn failed() {
    ANSWERS.lock().unwrap_or_else(PoisonError::into_inner).distrust();
}

impl Answers {
    fn supported(
        &mut self,
        place: &Path,
        record: Option<&Path>,
        trial: impl FnOnce(&Path) -> Result<(), NoPreview>,
    ) -> Result<(), NoPreview> {
        if let Some(known) = &self.machine {
            return known.clone();
        }
        if let Some(reason) = self.refused.get(place) {
            return Err(reason.clone());
        }
        // The kernel's rules themselves are tried in every process.
        if let (Some(record), Support::Enforced { .. }) = (record, probe())
            && trial_record::holds(record, place)
        {
            self.record = Some(record.to_owned());
            return self.machine.insert(Ok(())).clone();
        }
        match trial(place) {
            Err(reason @ NoPreview::Refused { .. }) => {
                self.refused.insert(place.to_owned(), reason.clone());
                Err(reason)
            }
            found => {
                if let (Ok(()), Some(record)) = (&found, record) {
                    trial_record::keep(record, place);
                }
                self.machine.insert(found).clone()
            }
        }
    }

    fn distrust(&mut self) {
        if let Some(record) = self.record.take() {
            trial_record::discard(&record);
            self.machine = None;
        }
    }
}

fn try_out(place: &Path) -> Result<(), NoPreview> {
    match probe() {
        Support::Missing(reason) => return Err(NoPreview::NoConfinement(reason)),
        Support::Enforced { .. } => {}
    }
    let place = place.to_owned();
    // On a separate thread, because the caller may be in an async runtime.
    let trial = thread::Builder::new().spawn(move || trial(&place)).map_err(|error| refused(&error))?;
    trial.join().unwrap_or_else(|_| Err(refused(&"the trial thread died")))
}

/// Lets a shell remove a file and create another one, and compares the preview's report.
fn trial(place: &Path) -> Result<(), NoPreview> {
    // A folder of its own: several trials may run at the same time.
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = place.join(format!("preview-trial-{}-{number}", rustix::process::getpid()));
    let root = folder.join("root");
    let was_there = place.exists();
    let made = DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&root)
        .and_then(|()| fs::write(root.join("old"), "old"));
    let tried = made.map_err(|error| refused(&error)).and_then(|()| {
        // Where no thread or file can be had, the runtime panics.
        room_for_files(FILES).and_then(|()| room_for_threads(THREADS)).map_err(|error| refused(&error))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.map_err(|error| refused(&error))?.block_on(trial_in(&folder, &root))
    });
    // If something is left, the next trial with this process id finds it and works all the same.
    let _ = fs::remove_dir_all(&folder);
    if !was_there {
        let _ = fs::remove_dir(place);
    }
    tried
}

async fn trial_in(folder: &Path, root: &Path) -> Result<(), NoPreview> {
    let invocation = Invocation {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), "rm old && echo new > new".into()],
        folder: root.to_owned(),
        environment: BTreeMap::from([("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())]),
        timeout: PATIENCE,
        keep: 1024,
    };
    let confinement = Confinement::new(SandboxMode::WorkspaceWrite, folder.join("tmp"));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
    let roots = [root.to_owned()];
    let store = folder.join("store");
    let cancel = CancellationToken::new();
    let preview =
        preview_unasked(&invocation, &confinement, (&roots, &Staging::default()), &store, capture, &cancel)
            .await;
    let preview = preview.map_err(|error| refused(&words(&error)))?;
    let said = String::from_utf8_lossy(&err);
    is_right(&preview).then_some(()).ok_or_else(|| {
        refused(&format!(
            "a trial ended with {:?} and told something else than it did {}",
            preview.outcome.ending,
            said.trim()
        ))
    })
}

fn is_right(preview: &Preview) -> bool {
    let kinds: Vec<ChangeKind> = preview.changes.iter().map(|change| change.kind).collect();
    preview.outcome.ending == Ending::Exited(0) && kinds == [ChangeKind::Created, ChangeKind::Deleted]
}

/// An error with the chain of its sources.
fn words(error: &PreviewError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(deeper) = source {
        text = format!("{text}: {deeper}");
        source = deeper.source();
    }
    text
}

fn refused(answer: &dyn ToString) -> NoPreview {
    NoPreview::Refused { answer: answer.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_no_layer_can_lie_the_reason_is_told_and_nothing_is_left() {
        let Err(NoPreview::Refused { answer }) = try_out(Path::new("/proc/nowhere")) else {
            // Not a skip: if previews are missing for another reason, that reason is reported.
            assert!(try_out(Path::new("/proc/nowhere")).is_err());
            return;
        };
        assert!(!answer.is_empty());
        let place = tempfile::tempdir().unwrap();
        if let Err(reason) = try_out(place.path()) {
            artoo_test_needs::skip(artoo_test_needs::Ability::Overlays, reason);
        }
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    /// An outside user's first store was a wrong one, and there were no previews until the program was started anew.
    #[test]
    fn lesson_a_place_where_previews_fail_says_nothing_of_another() {
        let good = tempfile::tempdir().unwrap();
        let _ = supported(Path::new("/proc/nowhere"), None);
        assert_eq!(supported(good.path(), None).is_ok(), try_out(good.path()).is_ok());
    }

    fn fresh() -> Answers {
        Answers { machine: None, refused: BTreeMap::new(), record: None }
    }

    #[test]
    fn one_trial_serves_a_process_and_a_success_the_next_one() {
        if let Support::Missing(reason) = probe() {
            artoo_test_needs::skip(artoo_test_needs::Ability::Landlock, reason);
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("record");
        let trials = std::cell::Cell::new(0);
        let ask = |answers: &mut Answers, place: &str, answer: Result<(), NoPreview>| {
            answers.supported(&folder.path().join(place), Some(&record), |_| {
                trials.set(trials.get() + 1);
                answer
            })
        };
        let mut first = fresh();
        assert!(ask(&mut first, "bad", Err(refused(&"no layers"))).is_err());
        assert!(!record.exists(), "a failure is not recorded");
        assert!(ask(&mut first, "bad", Ok(())).is_err() && ask(&mut first, "good", Ok(())).is_ok());
        assert!(ask(&mut first, "another", Ok(())).is_ok());
        assert_eq!(trials.get(), 2);
        let mut second = fresh();
        assert!(ask(&mut second, "good", Err(refused(&"not asked"))).is_ok());
        assert_eq!(trials.get(), 2);
        // A layer fails in spite of the record.
        second.distrust();
        assert!(!record.exists());
        assert!(ask(&mut second, "good", Err(refused(&"no layers any more"))).is_err());
        assert_eq!(trials.get(), 3);
        first.distrust();
        assert!(ask(&mut first, "good", Err(refused(&"not asked"))).is_ok(), "its own trial stands");
    }

    /// Observed in a run: two steps that began together tried the machine in the same folder, and one of them was told that nothing can be
    /// tried here.
    #[test]
    fn lesson_trials_at_the_same_time_do_not_disturb_each_other() {
        let place = tempfile::tempdir().unwrap();
        let alone = try_out(place.path()).is_ok();
        let tried = |_| {
            thread::spawn({
                let place = place.path().to_owned();
                move || (0..4).map(|_| try_out(&place)).collect::<Vec<_>>()
            })
        };
        let all: Vec<_> = (0..6).map(tried).collect();
        let told: Vec<_> = all.into_iter().flat_map(|one| one.join().unwrap()).collect();
        assert!(told.iter().all(|one| one.is_ok() == alone), "{told:?}");
    }
}
