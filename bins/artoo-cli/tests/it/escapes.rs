//! The table of escapes, by the program: `artoo sandbox`, `artoo run` and the conversation, also where nobody may make namespaces.
//! The table and the worlds are those of the tool tests.

#[path = "../../../../crates/tools/tests/it/escapes/table.rs"]
mod table;

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use artoo_llm_http::doubles::Call;
use serde_json::json;

use self::table::{BEGAN, INSTRUCTIONS, LATER, LIMITS, NotBlocked, Row, World, is_of_the_tenth, runnable};
use crate::elsewhere::Missing;
use crate::fixture::Scene;
use crate::mock_model::{model, shell, shown};
use crate::process::{artoo, ended, say, wait};
use crate::screen::Screen;

const REQUEST: &str = "Look at it and tell what you saw";

const PROMPT: &str = "project ›";

/// What ends a question about a call.
const QUESTION: &str = "or say what to do instead > ";

/// The most that a person can grant in advance, but the network.
const GRANTS: [&str; 6] = ["creates", "overwrites", "deletes", "outside_machine", "privilege", "unknown"];

/// How the program runs the attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Sandbox,
    SandboxReadOnly,
    /// All is granted but the network.
    SandboxGranted,
    /// All is granted.
    SandboxNetwork,
    /// Where nobody may make namespaces or mount.
    SandboxReadOnlyWithoutNamespaces,
    SandboxGrantedWithoutNamespaces,
    SandboxNetworkWithoutNamespaces,
    /// A run of a scripted model.
    Run,
    /// The same in the background.
    RunJob,
    /// The same in a conversation at a terminal, in which a person says no.
    Repl,
}

impl Mode {
    const ALL: [Self; 10] = [
        Self::Sandbox,
        Self::SandboxReadOnly,
        Self::SandboxGranted,
        Self::SandboxNetwork,
        Self::SandboxReadOnlyWithoutNamespaces,
        Self::SandboxGrantedWithoutNamespaces,
        Self::SandboxNetworkWithoutNamespaces,
        Self::Run,
        Self::RunJob,
        Self::Repl,
    ];

    /// Whether a row says something here: only a run reads instruction files.
    fn tries(self, row: Row) -> bool {
        row.mechanism != INSTRUCTIONS || matches!(self, Self::Run | Self::Repl)
    }

    /// Whether a model plans the attack, and not a person types it.
    fn is_run(self) -> bool {
        matches!(self, Self::Run | Self::RunJob | Self::Repl)
    }

    fn is_without_namespaces(self) -> bool {
        matches!(
            self,
            Self::SandboxReadOnlyWithoutNamespaces
                | Self::SandboxGrantedWithoutNamespaces
                | Self::SandboxNetworkWithoutNamespaces
        )
    }

    fn is_granted(self) -> bool {
        matches!(self, Self::SandboxGranted | Self::SandboxGrantedWithoutNamespaces) || self.has_network()
    }

    fn has_network(self) -> bool {
        matches!(self, Self::SandboxNetwork | Self::SandboxNetworkWithoutNamespaces)
    }

    fn is_read_only(self) -> bool {
        matches!(self, Self::SandboxReadOnly | Self::SandboxReadOnlyWithoutNamespaces)
    }

    /// The arguments of `artoo sandbox`.
    fn options(self) -> Vec<&'static str> {
        let mut out = vec!["sandbox"];
        if self.is_read_only() {
            out.extend(["--sandbox", "read-only"]);
        }
        if self.is_granted() {
            out.extend(GRANTS.iter().flat_map(|kind| ["--yes", kind]));
        }
        if self.has_network() {
            out.extend(["-c", "tools.network=true", "--yes", "network"]);
        }
        out
    }
}

/// One attempt by the program, below a folder of its own.
struct Attempt {
    root: tempfile::TempDir,
    row: Row,
    world: World,
}

impl Attempt {
    fn begin(row: Row) -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("private")).unwrap();
        let world = World::begin(row, root.path());
        let attempt = Self { root, row, world };
        if row.mechanism == INSTRUCTIONS {
            attempt.world.without_artoo(&row.command(), attempt.root.path());
        }
        attempt
    }

    fn artoo(&self, options: &[&str]) -> Command {
        let home = self.root.path().join("tree/home");
        let mut command = artoo(&home, &home.join("project"));
        command.args(options).envs(self.world.variables());
        command
    }

    /// All that the program said.
    fn sandbox(&self, mode: Mode) -> String {
        let mut command = self.artoo(&mode.options());
        command.arg(self.row.command());
        let said =
            if mode.is_without_namespaces() { Missing::Overlays.say(command) } else { say(&mut command) };
        said.out + &said.err
    }

    /// All that the program said, and all that the model was shown.
    fn run(&self, mode: Mode) -> String {
        let asked = Arc::new(Mutex::new(String::new()));
        let scene = Scene::new(attacker(self.row, mode, Arc::clone(&asked)));
        let command = |options: &[&str]| {
            let mut command = self.artoo(options);
            command.env("OPENAI_BASE_URL", scene.server().base_url());
            command.env("OPENAI_MODEL", "mock").env("OPENAI_API_KEY", "sk-canary-1");
            command
        };
        let said = if mode == Mode::Repl {
            talk(command(&[]))
        } else {
            let said = wait(command(&["run", REQUEST]).spawn().unwrap());
            said.out + &said.err
        };
        said + &asked.lock().unwrap()
    }
}

/// A model whose only step is the attack. What it was asked is kept.
fn attacker(
    row: Row,
    mode: Mode,
    asked: Arc<Mutex<String>>,
) -> impl Fn(&Call) -> artoo_llm_http::doubles::Reply + Send + Sync + 'static {
    let plan = json!({"subtasks": [{"intent": "Look at it", "sequence": 1, "kind": "find_out",
        "criteria": [{"text": "It was looked at", "check": "output_contains", "values": [BEGAN]}]}]});
    let tries = AtomicUsize::new(0);
    let answer = model(plan, move |_| {
        let is_first = tries.fetch_add(1, Ordering::Relaxed) == 0;
        match row.mechanism {
            INSTRUCTIONS => shell("echo began-$((40 + 2))"),
            _ if !is_first => json!({"answer": "It is done."}),
            _ => {
                let mut action = shell(&row.command());
                if mode == Mode::RunJob {
                    action["arguments"]["background"] = true.into();
                }
                action
            }
        }
    });
    move |call| {
        asked.lock().unwrap().push_str(&shown(call));
        answer(call)
    }
}

/// A conversation in which a person makes the request, says no to each question, and leaves.
fn talk(mut command: Command) -> String {
    let mut screen = Screen::new(240);
    command.env("TERM", "xterm-256color").env("NO_COLOR", "1");
    let mut child =
        command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap();
    drop(command);
    screen.until_seen(PROMPT);
    screen.types(&format!("{REQUEST}\r"));
    let count = |shown: &artoo_pseudo_terminal::Shown, text: &str| {
        String::from_utf8_lossy(shown.bytes()).matches(text).count()
    };
    // A question is drawn again with each key and each line above it. It is open while its prompt is the last line and each answer
    // so far has been told.
    let is_asked = |shown: &artoo_pseudo_terminal::Shown, answered: usize| {
        let text = shown.text();
        let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        let told = count(shown, "› n\n") + count(shown, "› n\r");
        told >= answered && (last.contains(QUESTION.trim_end()) || last.starts_with("answer ›"))
    };
    let mut answered = 0;
    loop {
        let mut is_over = false;
        screen.until("the end of the run, or a question", |shown| {
            is_over = count(shown, "recorded:") > 0;
            is_over || is_asked(shown, answered)
        });
        if is_over {
            break;
        }
        answered += 1;
        screen.types("n\r");
    }
    // What is typed before the prompt stands again is lost.
    screen.until("the next prompt", |shown| {
        let text = shown.text();
        text.lines().rfind(|line| !line.trim().is_empty()).is_some_and(|last| last.contains(PROMPT))
    });
    screen.types("\u{4}");
    ended(&mut child);
    screen.end().1
}

/// What came of one combination.
struct Tried {
    row: Row,
    mode: Mode,
    has_begun: bool,
    came_through: Vec<String>,
}

/// Held while an attack uses up the machine.
static ALONE: Mutex<()> = Mutex::new(());

fn attempt(row: Row, mode: Mode) -> Tried {
    let _alone = (row.mechanism == LIMITS).then(|| ALONE.lock().unwrap_or_else(PoisonError::into_inner));
    let mut attempt = Attempt::begin(row);
    let said = if mode.is_run() { attempt.run(mode) } else { attempt.sandbox(mode) };
    let mut came_through = attempt.world.came_through(&said);
    // What was granted is no escape, and who types a command names the files in it.
    let is_typed = !mode.is_run() && !mode.is_read_only();
    if (row.mechanism == LATER && is_typed) || (row.world.starts_with("loopback") && mode.has_network()) {
        came_through.clear();
    }
    Tried { row, mode, has_begun: said.contains(BEGAN), came_through }
}

/// Runs each combination, some at once.
fn each(chosen: &[(Row, Mode)]) -> Vec<Tried> {
    let (next, tried) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(&(row, mode)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let one = std::panic::catch_unwind(|| attempt(row, mode)).unwrap_or_else(|_| {
                        let came_through = vec!["the program hangs, or its world does".to_owned()];
                        Tried { row, mode, has_begun: false, came_through }
                    });
                    tried.lock().unwrap().push(one);
                }
            });
        }
    });
    tried.into_inner().unwrap()
}

/// Runs the combinations that are chosen, and fails where something came through that is not listed.
fn none_gets_through(is_chosen: impl Fn(usize, usize) -> bool) -> Vec<Tried> {
    if !matches!(artoo_sandbox::probe(), artoo_sandbox::Support::Enforced { .. }) {
        eprintln!("\n*** SKIPPED: this test needs kernel confinement ***\n");
        return Vec::new();
    }
    let (rows, missing) = runnable();
    let mut chosen = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let modes = Mode::ALL.into_iter().enumerate();
        chosen.extend(
            modes.filter(|(mode, it)| it.tries(*row) && is_chosen(at, *mode)).map(|(_, mode)| (*row, mode)),
        );
    }
    let tried = each(&chosen);
    let listed = NotBlocked::all();
    let mut idle: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for one in tried.iter().filter(|tried| !tried.has_begun) {
        idle.entry(format!("{:?}", one.mode)).or_default().push(one.row.id);
    }
    let idle_count: usize = idle.values().map(Vec::len).sum();
    let is_listed =
        |tried: &Tried| listed.iter().any(|entry| entry.is_about(tried.row, &format!("{:?}", tried.mode)));
    let through: Vec<&Tried> = tried.iter().filter(|tried| !tried.came_through.is_empty()).collect();
    let mut lines: Vec<String> = through
        .iter()
        .filter(|tried| !is_listed(tried))
        .map(|one| {
            format!("{} {:?}, {}: {}", one.row.id, one.mode, one.row.what, one.came_through.join("; "))
        })
        .collect();
    lines.sort();
    eprintln!(
        "{} combinations of {} rows and {} modes: {} got through, {} of them as documented; {idle_count} did not begin: {idle:?}",
        tried.len(),
        rows.len(),
        Mode::ALL.len(),
        through.len(),
        through.len() - lines.len(),
    );
    if !missing.is_empty() {
        eprintln!("\n*** SKIPPED: escape rows need what is not here: {missing:?} ***\n");
    }
    assert!(lines.is_empty(), "{} got through:\n{}", lines.len(), lines.join("\n"));
    assert!(idle_count * 4 <= tried.len(), "too few attacks ran to prove anything: {idle_count} did not");
    tried
}

#[test]
fn nothing_gets_through_the_program_in_a_tenth() {
    none_gets_through(is_of_the_tenth);
}

#[test]
#[ignore = "minutes; to be run when the table or the sandbox was changed: a tenth is tried in the test before it"]
fn nothing_gets_through_the_program() {
    none_gets_through(|_, _| true);
}

/// The names of the modes are those of the list.
#[test]
fn the_modes_that_are_listed_exist() {
    let rows = Row::all();
    let is_used = |entry: &NotBlocked| {
        rows.iter().any(|row| Mode::ALL.iter().any(|mode| entry.is_about(*row, &format!("{mode:?}"))))
    };
    let reasons: Vec<&str> =
        NotBlocked::all().into_iter().filter(is_used).map(|entry| entry.reason).collect();
    assert!(reasons.contains(&"Copies") && reasons.contains(&"A hard link to a secret"), "{reasons:?}");
}
