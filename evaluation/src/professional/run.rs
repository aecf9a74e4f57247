//! One run of artoo over the home of a task, with the hand-played model.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    home,
    plain::Plain,
    results::{Played, by_role, found},
    task::{Delivered, Task},
};
use crate::{
    Error, Result,
    by_hand::{Asked, Match},
    command::{Program, Served},
    eval::outcome,
    files,
};

/// The programs that commands may need, and no more: further programs of a machine would appear in prompts.
const PROGRAMS: [&str; 48] = [
    "awk",
    "basename",
    "bash",
    "cat",
    "chmod",
    "cmp",
    "comm",
    "cp",
    "cut",
    "date",
    "diff",
    "dirname",
    "env",
    "expr",
    "false",
    "file",
    "find",
    "git",
    "grep",
    "head",
    "iconv",
    "join",
    "ln",
    "ls",
    "mkdir",
    "mktemp",
    "mv",
    "od",
    "paste",
    "printf",
    "python3",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "sh",
    "sha256sum",
    "sort",
    "stat",
    "tail",
    "tee",
    "test",
    "touch",
    "tr",
    "true",
    "uniq",
    "wc",
    "xargs",
];
/// Programs that a machine may lack.
const SPARE: [&str; 2] = ["file", "iconv"];

/// The roles that call a model with their addresses, by which the server knows which one asks. Planner and judge of the
/// whole have the executor's: only the same model may continue its conversation.
const ROLES: [(&str, &str); 5] = [
    ("perceiver", "perceiver"),
    ("planner", "executor"),
    ("executor", "executor"),
    ("agent_validator", "agent_validator"),
    ("meta_validator", "executor"),
];

/// The profile of the hand-played model.
const PROFILE: &str = "[models.by-hand]
context_tokens = 200000
output_tokens = 16000
tool_calling = \"native\"
images = false
reasoning = false
guided = false
";

/// The person's home in questions and answers.
const NEUTRAL: &str = "/home/mara";

/// The programs of all runs.
pub(super) struct Bench {
    /// The artoo binary.
    pub artoo: PathBuf,
    /// The server of the hand-played model.
    pub server: PathBuf,
    /// Where runs are made and recorded; not inside a git repository, which commands would find.
    pub place: PathBuf,
}

/// A home with a person's request, and a server that answers.
struct Scene {
    person: PathBuf,
    environment: Vec<(String, String)>,
    /// The record of the server's questions.
    record: PathBuf,
    server: Served,
}

/// The source of answers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source<'a> {
    /// A folder with hand-written answers.
    Folder(&'a Path),
    /// A cassette.
    Cassette(&'a Path),
}

/// What this machine lacks for the tasks.
pub(super) fn missing() -> Option<&'static str> {
    let is_there = |name: &&str| SPARE.contains(name) || program(name).is_some();
    PROGRAMS.into_iter().find(|name| !is_there(name))
}

fn program(name: &str) -> Option<PathBuf> {
    ["/bin", "/usr/bin"].iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists())
}

impl Bench {
    /// Creates the home of a task and starts the server of its model.
    fn scene(&self, task: &Task, source: Source<'_>) -> Result<Scene> {
        let place = self.place.join(task.name);
        files::remove_folder(&place)?;
        let person = place.join("mara");
        let environment = environment(&place, &person);
        link_programs(&place.join("programs"))?;
        home::make(task, &person, &environment)?;
        let record = place.join("asked.json");
        let server = self.server(source, &record, &person)?;
        files::write(person.join(".config/artoo/config.toml"), configuration(server.line()))?;
        Ok(Scene { person, environment, record, server })
    }

    /// A person's view of a run, from its cassette.
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub(super) fn shown(&self, task: &Task, source: Source<'_>) -> Result<String> {
        let scene = self.scene(task, source)?;
        let output = self.artoo(task, &scene, &[]).output()?;
        let both = format!("{}{}", output.stderr, output.stdout);
        let home = scene.person.display().to_string();
        Ok(both.replace(&home, NEUTRAL))
    }

    /// Runs a task from its beginning.
    ///
    /// # Errors
    /// The home cannot be created, or a program cannot be started. Whatever artoo does is a result.
    pub(super) fn run(&self, task: &Task, source: Source<'_>, is_sabotaged: bool) -> Result<Played> {
        let scene = self.scene(task, source)?;
        let before = home::read(&scene.person)?;
        let output = self.artoo(task, &scene, &["--json"]).output()?;
        let Scene { person, record, server, .. } = scene;
        drop(server);
        let kept = files::root().join("target/eval/professional").join(task.name);
        files::write(kept.join("events.jsonl"), &output.stdout)?;
        files::write(kept.join("stderr.txt"), &output.stderr)?;
        let after = home::read(&person)?;
        let asked: Vec<Asked> = if record.exists() {
            serde_json::from_str(&files::read(&record)?)
                .map_err(|error| Error::Content { path: record, reason: error.to_string() })?
        } else {
            Vec::new()
        };
        let ended = outcome::fold(&output.stdout);
        if ended.directive.is_empty() {
            let said = output.stderr.trim();
            return Err(Error::Other(format!(
                "{}: artoo ended without a result ({}): {said}",
                task.name, output.status
            )));
        }
        let lines = || output.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let answer =
            lines().filter(|line| is_of(line, "run.finished")).map(|line| told(&line)).collect::<String>();
        let delivered = Delivered { before: &before, after: &after, answer: &answer, home: &person };
        let (verdict, objections) = task.judge(Played::accepted(&ended.directive), &delivered);
        let asks = ["approval.requested", "clarification.requested", "plan_approval.requested"];
        Ok(Played {
            name: task.name.to_owned(),
            about: task.about.to_owned(),
            sabotaged: is_sabotaged,
            directive: ended.directive,
            exit: output.status.code(),
            verdict,
            objections,
            calls: u64::try_from(asked.len()).unwrap_or(u64::MAX),
            depth: asked.iter().map(|one| one.depth).max().unwrap_or_default(),
            roles: by_role(&asked),
            questions: lines().filter(|line| asks.iter().any(|kind| is_of(line, kind))).map(|_| 1).sum(),
            seconds: ended.seconds,
            reworded: found(&asked, Match::Reworded),
            open: found(&asked, Match::Open),
            repairs: asked.iter().filter(|one| one.is_repair).map(|_| 1).sum(),
            plain: Plain::of(&asked, tokens(task.request)),
            answer,
        })
    }

    fn server(&self, source: Source<'_>, record: &Path, person: &Path) -> Result<Served> {
        let (manner, place) = match source {
            Source::Folder(folder) => ("play", folder),
            Source::Cassette(cassette) => ("replay", cassette),
        };
        let arguments =
            [record.as_os_str(), manner.as_ref(), place.as_os_str(), person.as_os_str(), NEUTRAL.as_ref()];
        Program::new(&self.server, arguments).serve()
    }

    fn artoo(&self, task: &Task, scene: &Scene, options: &[&str]) -> Program {
        let grants = task.grants.iter().flat_map(|kind| ["--yes", kind]);
        let program = Program::new(&self.artoo, ["run", "--no-memory"])
            .args(options)
            .args(grants)
            .args(["--", task.request])
            .folder(scene.person.join(task.folder))
            .alone();
        scene.environment.iter().fold(program, |program, (name, value)| program.env(name, value))
    }
}

/// A clean environment, and a fixed search path.
fn environment(place: &Path, person: &Path) -> Vec<(String, String)> {
    let (home, path) = (person.display().to_string(), place.join("programs").display().to_string());
    let set =
        [("HOME", home.as_str()), ("PATH", &path), ("LANG", "C.UTF-8"), ("TZ", "UTC"), ("USER", "mara")];
    set.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
}

fn link_programs(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
    for (name, found) in PROGRAMS.iter().filter_map(|name| Some((name, program(name)?))) {
        let link = folder.join(name);
        std::os::unix::fs::symlink(found, &link).map_err(Error::file("link", link))?;
    }
    Ok(())
}

/// A configuration with the roles at their addresses of the server.
fn configuration(address: &str) -> String {
    let table = |name: &str, path: &str| {
        format!("[{name}]\nprovider = \"openai\"\nbase_url = \"{address}/{path}/v1\"\nmodel = \"by-hand\"\n")
    };
    // A brain is required, although each role has a model of its own.
    let roles = ROLES.map(|(role, path)| table(&format!("roles.{role}"), path));
    let tables: String = std::iter::once(table("brain", "executor")).chain(roles).collect();
    format!("{tables}{PROFILE}")
}

fn is_of(line: &Value, kind: &str) -> bool {
    line.get("type").and_then(Value::as_str) == Some(kind)
}

/// The text of a run's last event line.
fn told(line: &Value) -> String {
    let text = |name: &str| match line.get(name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    ["summary", "output", "error", "unmet"].map(text).join("\n").trim().to_owned()
}

/// artoo's token estimate for an ASCII text, which all requests are.
fn tokens(request: &str) -> u64 {
    u64::try_from(request.len().div_ceil(4)).unwrap_or(u64::MAX)
}
