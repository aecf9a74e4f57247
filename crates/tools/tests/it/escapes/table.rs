//! The table of escapes: attempts to get out of the sandbox, and the world that each of them needs.
//!
//! `world.py` makes what lies outside of an attack, as another process of the same user, and tells what has come through. The attack
//! itself is a script. It learns from variables (`LC_AT_...`, which every command may have) where its target is, so no word of the
//! command names it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{FdFlags, fcntl_setfd};
use serde_json::Value;

/// The search path for programs.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

const WORLD: &str = include_str!("world.py");
const PRELUDE: &str = include_str!("prelude.py");

/// Each mechanism with its rows.
pub(crate) const MECHANISMS: [(&str, &str); 11] = [
    ("sockets", include_str!("sockets.tsv")),
    ("descriptors", include_str!("descriptors.tsv")),
    ("mounts", include_str!("mounts.tsv")),
    ("processes", include_str!("processes.tsv")),
    ("files", include_str!("files.tsv")),
    (LIMITS, include_str!("limits.tsv")),
    ("ipc", include_str!("ipc.tsv")),
    ("terminals", include_str!("terminals.tsv")),
    (LATER, include_str!("later.tsv")),
    ("late-secrets", include_str!("late-secrets.tsv")),
    (INSTRUCTIONS, include_str!("instructions.tsv")),
];

/// What uses up the machine: one of them runs at a time, since a bound is watched from time to time.
pub(crate) const LIMITS: &str = "limits";
/// Files that somebody runs later, which a yes may make.
pub(crate) const LATER: &str = "later";
/// Files that artoo reads into a prompt: the attack plants one without artoo, and artoo must not read it.
pub(crate) const INSTRUCTIONS: &str = "instructions";

/// What an attack prints first, so that one which did not run is told from one which was held.
pub(crate) const BEGAN: &str = "began-42";

/// Longer than any attack takes.
const LONG: Duration = Duration::from_secs(30);

/// One attempt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) id: &'static str,
    pub(crate) mechanism: &'static str,
    pub(crate) world: &'static str,
    needs: &'static str,
    pub(crate) what: &'static str,
    language: &'static str,
    text: &'static str,
}

impl Row {
    /// All rows.
    pub(crate) fn all() -> Vec<Self> {
        let lines = MECHANISMS.into_iter().flat_map(|(mechanism, table)| {
            let lines = table.lines().filter(|line| !line.starts_with("# "));
            lines.map(move |line| (mechanism, line))
        });
        lines.map(|(mechanism, line)| Self::read(mechanism, line)).collect()
    }

    fn read(mechanism: &'static str, line: &'static str) -> Self {
        let parts: Vec<&str> = line.split('\t').collect();
        let [id, world, needs, what, language, text] = parts[..] else { panic!("not a row: {line}") };
        Self { id, mechanism, world, needs, what, language, text }
    }

    /// The attack as shell text.
    pub(crate) fn command(&self) -> String {
        let text = self.text.replace('⏎', "\n");
        let attack = match self.language {
            "sh" => text,
            "py" => format!("python3 - <<'ATTACK'\n{PRELUDE}\n{text}\nATTACK"),
            other => panic!("{}: no such language: {other}", self.id),
        };
        format!("echo began-$((40 + 2))\n{attack}\n")
    }

    /// What the machine or the user lacks for this row; programs and the words of [`probe`].
    pub(crate) fn lacks(&self) -> Option<&'static str> {
        let needed = ["python3"].into_iter().chain(self.needs.split(' ')).filter(|need| *need != "-");
        needed.into_iter().find(|need| !is_there(need))
    }
}

/// The rows that can run here, and how many each missing thing excludes.
pub(crate) fn runnable() -> (Vec<Row>, BTreeMap<&'static str, usize>) {
    let (mut here, mut missing) = (Vec::new(), BTreeMap::new());
    for row in Row::all() {
        match row.lacks() {
            None => here.push(row),
            Some(lacked) => *missing.entry(lacked).or_default() += 1,
        }
    }
    (here, missing)
}

/// Python that fails where the machine or the user cannot do something.
fn probe(word: &str) -> Option<&'static str> {
    Some(match word {
        "root" => "assert os.geteuid() == 0",
        "userns" => "subprocess.run(['unshare', '-Urm', 'true'], check=True)",
        "io_uring" => "call('io_uring_setup', 4, (ctypes.c_uint32 * 30)())",
        "mptcp" => "socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)",
        "af_alg" => "socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET).bind(('hash', 'sha256'))",
        "perf" => {
            "call('perf_event_open', struct.pack('IIQQQQQ', 1, 112, 1, 0, 0, 0, 0x60) + bytes(64), 0, -1, -1, 0)"
        }
        "bpf" => {
            "assert os.geteuid() == 0 or open('/proc/sys/kernel/unprivileged_bpf_disabled').read().strip() == '0'"
        }
        "keys" => "open('/proc/keys')",
        "tiocsti" => {
            "name = '/proc/sys/dev/tty/legacy_tiocsti'\nassert not os.path.exists(name) or open(name).read().strip() == '1'"
        }
        "processors" => "assert len(os.sched_getaffinity(0)) > 1",
        "open-files" => "assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] > 17100",
        "shm-handles" => {
            "call('name_to_handle_at', -100, b'/dev/shm', ctypes.create_string_buffer(struct.pack('II', 128, 0) + bytes(128), 136), ctypes.byref(ctypes.c_int()), 0)"
        }
        "fchmodat2" => {
            "try: call('fchmodat2', -100, b'/', -1, -1)\nexcept OSError as e: assert e.errno != 38"
        }
        "setxattrat" => {
            "try: call('setxattrat', -1, b'', 0, 0, 0, 0)\nexcept OSError as e: assert e.errno != 38"
        }
        _ => return None,
    })
}

fn is_there(need: &'static str) -> bool {
    static KNOWN: LazyLock<Mutex<BTreeMap<&'static str, bool>>> = LazyLock::new(Mutex::default);
    if let Some(known) = KNOWN.lock().unwrap().get(need) {
        return *known;
    }
    let found = match probe(need) {
        Some(code) => {
            let mut python = program("python3");
            python.args(["-c", &format!("{PRELUDE}\n{code}")]).stdout(Stdio::null()).stderr(Stdio::null());
            python.status().unwrap().success()
        }
        None => PATH.split(':').any(|folder| Path::new(folder).join(need).exists()),
    };
    KNOWN.lock().unwrap().insert(need, found);
    found
}

/// A program outside of artoo.
#[expect(
    clippy::disallowed_methods,
    reason = "the sandbox crate starts commands of runs; what runs here is what they must not reach"
)]
fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    command.env("PATH", PATH).stdin(Stdio::null());
    command
}

/// The world of one attempt. It ends when it is dropped.
pub(crate) struct World {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// What no attack may get.
    secret: String,
    /// What an attack prints the other way round to show that it got through.
    sign: String,
    variables: BTreeMap<String, String>,
    /// Open in this process and in all that it starts, as artoo's starter may leave it.
    _left_open: Vec<OwnedFd>,
}

impl World {
    /// Sets up the world of a row below an empty folder.
    pub(crate) fn begin(row: Row, root: &Path) -> Self {
        let mut python = program("python3");
        python.args(["-c", WORLD, row.world]).arg(root).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = python.spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let (input, mut line) = (process.stdin.take(), String::new());
        output.read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("{}: its world did not come to be: {error}: {line:?}", row.id));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let field = |name: &str| told.get(name).unwrap();
        let left_open: Vec<OwnedFd> = field("inherit").as_array().unwrap().iter().map(left_open).collect();
        let mut variables = BTreeMap::new();
        for (name, value) in field("at").as_object().unwrap() {
            variables.insert(format!("LC_AT_{name}"), text(value));
        }
        for (number, end) in left_open.iter().enumerate() {
            variables.insert(format!("LC_AT_FD{number}"), end.as_raw_fd().to_string());
        }
        for (name, value) in field("environment").as_object().unwrap() {
            variables.insert(name.clone(), text(value));
        }
        let secret = text(field("secret"));
        let sign = format!("sign-{}", secret.trim_start_matches("canary-"));
        variables.insert("LC_AT_SIGN".to_owned(), sign.chars().rev().collect());
        let mut world = Self { process, input, output, secret, sign, variables, _left_open: left_open };
        assert_eq!(world.tells(), Vec::<String>::new());
        world
    }

    /// The variables of the user.
    pub(crate) fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// What came through: to the world since it began, and in what the attack said.
    pub(crate) fn came_through(&mut self, said: &str) -> Vec<String> {
        let mut out = self.tells();
        for (shown, what) in [(&self.secret, "the secret was shown"), (&self.sign, "the attack says so")] {
            if said.contains(shown) {
                out.push(what.to_owned());
            }
        }
        out
    }

    fn tells(&mut self) -> Vec<String> {
        self.input.as_mut().unwrap().write_all(b"tell\n").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        told.as_array().unwrap().iter().map(ToString::to_string).collect()
    }

    /// Runs shell text as the user would: what it said.
    pub(crate) fn without_artoo(&self, command: &str, root: &Path) -> String {
        let tmp = root.join("private/tmp");
        std::fs::create_dir_all(&tmp).unwrap();
        let mut bash = program("timeout");
        bash.args(["-k", "1", &LONG.as_secs().to_string(), "bash", "-c", command]);
        bash.env("HOME", root.join("tree/home")).env("TMPDIR", tmp).envs(&self.variables);
        bash.env("WORKSPACE", root.join("tree/home/artoo_workspace"));
        bash.current_dir(root.join("tree/home/project"));
        // Not by a pipe: a process that is left behind would keep it open.
        let said = root.join("private/said");
        let file = File::create(&said).unwrap();
        bash.stdout(file.try_clone().unwrap()).stderr(file);
        bash.status().unwrap();
        String::from_utf8_lossy(&std::fs::read(said).unwrap()).into_owned()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        drop(self.input.take());
        let begin = Instant::now();
        while self.process.try_wait().unwrap().is_none() && begin.elapsed() < LONG {
            std::thread::sleep(Duration::from_millis(2));
        }
        // Only needed where it did not end by itself.
        let _ = self.process.kill();
    }
}

/// Opens what the starter leaves open: without close-on-exec.
fn left_open(told: &Value) -> OwnedFd {
    let [kind, path] = [0, 1].map(|at| told.get(at).unwrap().as_str().unwrap());
    let opened = |flags: OFlags| open(path, flags, Mode::empty()).unwrap();
    let end = match kind {
        "read" => opened(OFlags::RDONLY | OFlags::NONBLOCK),
        "write" => opened(OFlags::WRONLY),
        "folder" => opened(OFlags::RDONLY | OFlags::DIRECTORY),
        "path" => opened(OFlags::PATH),
        "terminal" => opened(OFlags::RDWR | OFlags::NOCTTY),
        "connect" => UnixStream::connect(path).unwrap().into(),
        other => panic!("no such descriptor: {other}"),
    };
    fcntl_setfd(&end, FdFlags::empty()).unwrap();
    end
}

/// An attempt that the documents say is not blocked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NotBlocked {
    /// The rows, by their ids.
    rows: &'static str,
    /// The modes, by their names; `*` stands for any beginning of one.
    modes: &'static str,
    /// The words in bold of `docs/not-blocked.md` that say so, or the gap that `artoo doctor` names.
    pub(crate) reason: &'static str,
}

impl NotBlocked {
    pub(crate) fn all() -> Vec<Self> {
        let lines = include_str!("not-blocked.tsv").lines().filter(|line| !line.starts_with("# "));
        let of = |line: &'static str| {
            let parts: Vec<&str> = line.split('\t').collect();
            let [rows, modes, reason] = parts[..] else { panic!("not an entry: {line}") };
            Self { rows, modes, reason }
        };
        lines.map(of).collect()
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &'static str> {
        self.rows.split(' ')
    }

    pub(crate) fn is_about(&self, row: Row, mode: &str) -> bool {
        let is = |one: &str| one.strip_prefix('*').map_or(one == mode, |end| mode.ends_with(end));
        self.rows().any(|id| id == row.id) && self.modes.split(' ').any(is)
    }
}

/// A part of all combinations of rows and modes: a tenth, always the same, in which each row and each mode occurs.
pub(crate) fn is_of_the_tenth(row: usize, mode: usize) -> bool {
    (row + 3 * mode).is_multiple_of(10)
}
