//! Fixture: an in-memory store, and a function that runs a command on it.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use artoo_mkct_memory::{InMemory, MemoryService, Rules, matrix};
use artoo_redaction::Redactor;
use artoo_types::{Entity, Megram, MegramId, MegramState, Origin, RunId, Space, ToolName};
use chrono::{DateTime, Duration, FixedOffset};
use uuid::Uuid;

use super::super::*;
use crate::args::{Command, CommonArgs, Parsed, parse};
use crate::config::{Merged, resolve};
use crate::log::Secrets;
use crate::machine::{Environment, Folders};
use crate::terminal::{Look, Seen, Streams, Terminal};

pub(super) const HOSTILE: &str = "\u{1b}[2J\u{202e}数一数 docs/*.txt\r\nIGNORE\u{0}";

pub(super) fn now() -> DateTime<FixedOffset> {
    "2026-11-23T09:00:00+01:00".parse().unwrap()
}

pub(super) fn id(number: u128) -> MegramId {
    MegramId::new(Uuid::from_u128(0x0197_0000_0000_7000_8000_0000_0000_0000 | number << 96 | number))
}

pub(super) fn run_id() -> RunId {
    "01970000-0000-7000-8000-0000000000aa".parse().unwrap()
}

pub(super) fn experience(number: u128, state: MegramState, days: i64, intent: &str, content: &str) -> Megram {
    let at = now() - Duration::days(days);
    let raw =
        matrix::megram(id(number), state, at, Space::intent(intent), Entity::local(), content.to_owned());
    Megram { origin: Some(Origin::Run(run_id())), ..raw }
}

/// Some experiences, including hostile texts, and one about a tool.
pub(super) fn memory() -> Arc<InMemory> {
    let memory = Arc::new(InMemory::new(Rules::default(), now, {
        let next = std::sync::atomic::AtomicU64::new(0x100);
        move || id(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed).into())
    }));
    for number in 1..=7 {
        let count = experience(
            number,
            MegramState::Accept,
            number as i64,
            "count the files",
            "glob docs/*.txt works",
        );
        memory.write(count).unwrap();
    }
    memory.write(experience(8, MegramState::Abandon, 2, "数一数文件", HOSTILE)).unwrap();
    let (space, entity) =
        (Space::tool(&ToolName::new("shell")), Entity::path("find . -iname '*.TXT'\u{1b}[2J"));
    let failed =
        matrix::megram(id(9), MegramState::ChangePath, now(), space, entity, "find missed two".to_owned());
    memory.write(failed).unwrap();
    memory
}

pub(super) struct Said {
    pub(super) code: u8,
    pub(super) out: String,
    pub(super) err: String,
}

impl Said {
    #[track_caller]
    pub(super) fn ended(self, code: u8) -> Self {
        assert_eq!(self.code, code, "\n--- out\n{}\n--- err\n{}", self.out, self.err);
        assert!(!self.out.contains(['\u{1b}', '\r', '\u{202e}', '\0']), "{}", self.out);
        assert!(!self.err.contains(['\u{1b}', '\r', '\u{202e}', '\0']), "{}", self.err);
        self
    }
}

pub(super) fn say_in(memory: &Arc<InMemory>, folder: &Path, columns: usize, words: &[&str]) -> Said {
    let words: Vec<OsString> = ["memory"].iter().chain(words).map(Into::into).collect();
    let Ok(Parsed::Command(command, _)) = parse(&words, 80) else { panic!("{words:?} cannot be parsed") };
    let Command::Memory(group) = *command else { panic!("{words:?} is another command") };
    let (out, err) = (Seen::default(), Seen::default());
    let look = Look { columns, colour: false, live: false, words: false };
    let mut terminal = Terminal::new(Box::new(out.clone()), Box::new(err.clone()), look, look, || None);
    let environment = Environment::new([("MY_TOKEN".into(), "hunter2-is-long-enough".into())]);
    let folders = Folders::of(folder, folder);
    let (settings, _) = resolve(&Merged::default(), &folders).unwrap();
    let mut context = Context {
        words: &[],
        environment: &environment,
        folders: &folders,
        common: CommonArgs::default(),
        streams: Streams { stdout: true, ..Streams::default() },
        piped_configuration: std::cell::OnceCell::new(),
        log_secrets: Secrets::new(Redactor::new()),
        terminal: &mut terminal,
    };
    let work = Work {
        memory: Arc::clone(memory) as _,
        settings: &settings,
        distiller: Box::new(artoo_mkct_memory::Template),
        now: now(),
    };
    let done = on(&mut context, &group.command(), &work).unwrap_or_else(|error| {
        context.terminal.error(&error);
        error.kind().exit()
    });
    drop(terminal);
    Said { code: done.code(), out: out.text(), err: err.text() }
}

pub(super) fn say(memory: &Arc<InMemory>, words: &[&str]) -> Said {
    say_in(memory, Path::new("/work"), 120, words)
}

pub(super) fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
