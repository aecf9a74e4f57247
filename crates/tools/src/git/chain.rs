//! The steps of a run in one repository, and what taking them back changes there.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use artoo_snapshot::Hindrance;

use super::carry_out::IndexLock;
use super::moves::record::{KeptFile, MovedReference};
use super::problem::CommitProblem;
use super::record::Places;
use super::repository::{Repository, STAGED, branch_name, digest_of, digest_of_staged};
use super::runner::{Call, Git};
use super::scratch::copy_if_there;
use super::steps::Step;
use super::take_back::CommitTakenBack;
use crate::ToolError;

/// The steps, and where everything goes back to.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) repository: Repository,
    pub(super) told: Vec<CommitTakenBack>,
    references: Vec<Reference>,
    /// What is checked out and staged, if the steps concern it.
    tree: Option<WorkingTree>,
    files: Vec<KeptFile>,
}

/// What goes back of the working tree.
#[derive(Debug)]
struct WorkingTree {
    /// What `HEAD` holds now, and held before the first step.
    head: (String, String),
    /// The name under which the first index is kept; `None` where there was none.
    index: Option<String>,
}

/// A reference that goes back.
#[derive(Debug)]
struct Reference {
    name: String,
    now: Option<String>,
    before: Option<String>,
}

impl Chain {
    /// The inner error has everything that is in the way.
    pub(super) async fn look(
        places: Places,
        steps: Vec<Step>,
        git: &Git,
    ) -> Result<Result<Self, Vec<Hindrance>>, ToolError> {
        let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return Ok(Err(Vec::new())) };
        let repository = Repository::at(places);
        let mut obstacles = BTreeSet::new();
        let concerns_tree = steps.iter().any(Step::is_of_working_tree);
        if concerns_tree {
            obstacles.extend(of_working_tree(&steps, (first, last), &repository, git).await?);
        }
        let head = (repository.head()?, first.head.0.clone());
        let references = references(&steps, &repository, git).await?;
        obstacles.extend(references.iter().filter_map(|found| found.as_ref().err().cloned()));
        let references: Vec<Reference> = references.into_iter().flatten().collect();
        let files = files(&steps, &references, &repository)?;
        obstacles.extend(files.iter().filter_map(|found| found.as_ref().err().cloned()));
        if references.iter().any(|one| one.now != one.before) {
            let made: BTreeSet<&str> = steps.iter().flat_map(|step| &step.made).map(String::as_str).collect();
            let holders = holders(&repository, &made, &references, git).await?;
            obstacles.extend(holders.into_iter().map(|by| Hindrance::BuiltOn { by }));
        }
        let goes = |name: &str| references.iter().any(|one| one.name == name && one.now != one.before);
        if !concerns_tree && head.0.strip_prefix("ref: ").is_some_and(goes) {
            obstacles.insert(Hindrance::BuiltOn { by: "HEAD".to_owned() });
        }
        if let Some((_, tree)) = repository.checked_out_elsewhere(goes) {
            obstacles.insert(Hindrance::BuiltOn { by: format!("the working tree {tree}") });
        }
        if !obstacles.is_empty() {
            return Ok(Err(obstacles.into_iter().collect()));
        }
        let (files, index) = (files.into_iter().flatten().collect(), first.index.clone());
        let tree = concerns_tree.then_some(WorkingTree { head, index });
        let told = steps.into_iter().map(|step| step.told).collect();
        Ok(Ok(Self { repository, told, references, tree, files }))
    }

    /// Takes the steps back. What is back already stays.
    pub(super) async fn take_back(&self, git: &Git, folder: &Path) -> Result<(), ToolError> {
        let repository = &self.repository;
        let failed = |source| ToolError::Io {
            action: "restore the state of",
            path: repository.top.display().to_string(),
            source,
        };
        let lock = IndexLock::take(&repository.index)?;
        if let Some(kept) = self.tree.as_ref().and_then(|tree| tree.index.as_ref()) {
            lock.fill(&folder.join(kept)).map_err(failed)?;
        }
        if let Some(WorkingTree { head: (now, before), .. }) = &self.tree
            && now != before
        {
            let head = IndexLock::take(&repository.own.join("HEAD"))?;
            head.write(format!("{before}\n").as_bytes())
                .and_then(|()| head.put_in_place())
                .map_err(failed)?;
        }
        self.move_references(git, folder).await?;
        for file in &self.files {
            restore(&repository.own, folder, file).map_err(failed)?;
        }
        match self.tree.as_ref().map(|tree| &tree.index) {
            None => Ok(()),
            Some(Some(_)) => lock.put_in_place().map_err(failed),
            Some(None) => match fs::remove_file(&repository.index) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
                Ok(()) | Err(_) => Ok(()),
            },
        }
    }

    /// Moves all references in one step of git, each from where it is.
    async fn move_references(&self, git: &Git, folder: &Path) -> Result<(), ToolError> {
        let line = |one: &Reference| match (&one.now, &one.before) {
            (now, before) if now == before => None,
            (Some(now), Some(before)) => Some(format!("update {} {before} {now}\n", one.name)),
            (Some(now), None) => Some(format!("delete {} {now}\n", one.name)),
            (None, Some(before)) => Some(format!("create {} {before}\n", one.name)),
            (None, None) => None,
        };
        let lines: String = self.references.iter().filter_map(line).collect();
        if lines.is_empty() {
            return Ok(());
        }
        let list = folder.join("taken-back");
        fs::write(&list, lines).map_err(|source| ToolError::Io {
            action: "write",
            path: list.display().to_string(),
            source,
        })?;
        let mut call = self.repository.writing(["update-ref", "-m", "artoo: taken back", "--stdin"]);
        call.variables.push(("GIT_COMMITTER_NAME", OsString::from("artoo")));
        call.variables.push(("GIT_COMMITTER_EMAIL", OsString::from("artoo@localhost")));
        git.call(Call { input: Some(&list), ..call }).await?.done("move the branch back").map(drop)
    }
}

/// What is in the way of checking out and staging what was.
async fn of_working_tree(
    steps: &[Step],
    (first, last): (&Step, &Step),
    repository: &Repository,
    git: &Git,
) -> Result<BTreeSet<Hindrance>, ToolError> {
    let files = steps.iter().flat_map(|step| &step.files);
    let notes: BTreeSet<&str> = files.filter_map(|file| file.below.split('/').next()).collect();
    repository.refuse_work(|name| notes.contains(name))?;
    let mut obstacles = BTreeSet::new();
    let head = repository.head()?;
    let is_head = [&first.head.0, &last.head.0, &last.head.1].contains(&&head);
    if !is_head || !follow(steps, |step| &step.head) {
        if !head.starts_with("ref: ") && last.head.1.starts_with("ref: ") {
            return Err(CommitProblem::Detached.into());
        }
        obstacles.insert(moved(&last.head.1));
    }
    let staged = digest_of_staged(git, repository.reading(STAGED)).await?;
    let is_staged = [&first.staged.0, &last.staged.0, &last.staged.1].contains(&&staged);
    if !is_staged || !follow(steps, |step| &step.staged) {
        obstacles.insert(Hindrance::StagedSince);
    }
    Ok(obstacles)
}

/// Whether each step began with what the one before it left.
fn follow<'a>(steps: &'a [Step], of: impl Fn(&'a Step) -> &'a (String, String)) -> bool {
    steps.iter().zip(steps.iter().skip(1)).all(|(one, next)| of(one).1 == of(next).0)
}

fn moved(head: &str) -> Hindrance {
    Hindrance::Moved { branch: branch_name(head.strip_prefix("ref: ").unwrap_or(head)).to_owned() }
}

/// Where each reference is and goes, or that somebody else moved it.
async fn references(
    steps: &[Step],
    repository: &Repository,
    git: &Git,
) -> Result<Vec<Result<Reference, Hindrance>>, ToolError> {
    let mut by_name: BTreeMap<&str, Vec<&MovedReference>> = BTreeMap::new();
    for one in steps.iter().flat_map(|step| &step.references) {
        by_name.entry(&one.name).or_default().push(one);
    }
    let mut found = Vec::new();
    for (name, moves) in by_name {
        let (Some(first), Some(last)) = (moves.first(), moves.last()) else { continue };
        let now = repository.resolved(git, name).await?;
        let does_follow = moves.iter().zip(moves.iter().skip(1)).all(|(one, next)| one.after == next.before);
        let is_known = [&first.before, &last.before, &last.after].contains(&&now);
        found.push(match does_follow && is_known {
            true => Ok(Reference { name: name.to_owned(), now, before: first.before.clone() }),
            false => Err(moved(name)),
        });
    }
    Ok(found)
}

/// Which files go back, or that somebody else changed one.
fn files(
    steps: &[Step],
    references: &[Reference],
    repository: &Repository,
) -> Result<Vec<Result<KeptFile, Hindrance>>, ToolError> {
    let mut by_path: BTreeMap<&str, Vec<&KeptFile>> = BTreeMap::new();
    for file in steps.iter().flat_map(|step| &step.files) {
        by_path.entry(&file.below).or_default().push(file);
    }
    let mut found = Vec::new();
    for (below, files) in by_path {
        let (Some(first), Some(last)) = (files.first(), files.last()) else { continue };
        let now = digest_of(&repository.own.join(below))?.map(hex::encode);
        // git writes a line into the log of a reference that goes back.
        let is_back = |name: &str| references.iter().any(|one| one.name == name && one.now == one.before);
        let is_log = below.strip_prefix("logs/").is_some_and(is_back);
        let is_known = [&first.digests.0, &last.digests.0, &last.digests.1].contains(&&now);
        found.push(if is_known || is_log { Ok((*first).clone()) } else { Err(Hindrance::ChangedSince) });
    }
    Ok(found)
}

/// Puts a file back as it was, or takes it away.
fn restore(own: &Path, folder: &Path, file: &KeptFile) -> io::Result<()> {
    let path = own.join(&file.below);
    let Some(parent) = path.parent() else { return Ok(()) };
    let Some(kept) = &file.kept else {
        if let Err(error) = fs::remove_file(&path)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(error);
        }
        if parent != own {
            // A folder of notes goes with its last one; one that holds more stays.
            let _ = fs::remove_dir(parent);
        }
        return Ok(());
    };
    fs::create_dir_all(parent)?;
    let mut temporary = OsString::from(&path);
    temporary.push(".artoo");
    copy_if_there(&folder.join(kept), Path::new(&temporary))?;
    fs::rename(&temporary, &path)
}

/// What holds one of the commits besides the references that go back: other branches, tags, what was sent to or fetched from
/// elsewhere, a stash, and what other working trees have checked out without a branch.
async fn holders(
    repository: &Repository,
    made: &BTreeSet<&str>,
    references: &[Reference],
    git: &Git,
) -> Result<Vec<String>, ToolError> {
    const DOING: &str = "look for what holds the commit";
    if made.is_empty() {
        return Ok(Vec::new());
    }
    let containing = made.iter().map(|commit| format!("--contains={commit}"));
    let refs = git.call(repository.reading(["for-each-ref", "--format=%(refname)"]).with(containing)).await?;
    let refs = refs.line(DOING)?;
    let goes_back = |name: &str| references.iter().any(|one| one.name == name);
    let mut holders: Vec<String> =
        refs.lines().filter(|name| !name.is_empty() && !goes_back(name)).map(str::to_owned).collect();
    let trees = git.call(repository.reading(["worktree", "list", "--porcelain", "-z"])).await?.line(DOING)?;
    for tree in trees.split("\0\0") {
        let field = |name: &str| tree.split('\0').find_map(|line| line.strip_prefix(name)).map(str::trim);
        let (Some(path), Some(head), Some(_)) = (field("worktree "), field("HEAD "), field("detached"))
        else {
            continue;
        };
        if Path::new(path) == repository.top {
            continue;
        }
        for commit in made {
            let call = repository.reading(["merge-base", "--is-ancestor"]).with([*commit, head]);
            if git.call(call).await?.is_done() {
                holders.push(format!("the working tree {path}"));
                break;
            }
        }
    }
    Ok(holders)
}
