//! State of a conversation: session, model, folder and permissions for the next request.

use std::cell::Cell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use artoo_redaction::Redactor;
use artoo_runtime::runs;
use artoo_runtime::sessions::{Session, Sessions, TurnEnd};
use artoo_types::{RunId, SessionId};
use tokio::runtime::Runtime;

use super::attached_files::attached;
use super::background::Background;
use super::type_ahead::{After, TypeAhead};
use crate::args::{RunArgs, SandboxArgs};
use crate::commands::Loaded;
use crate::commands::sessions::find;
use crate::config::Given;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::machine::expand_home;
use crate::run::{
    self, Begun, Connected, DETACHED, Done, Front, Keyboard, Periodic, Wanted, begin, explained, from_stdin,
};
use crate::servers::RunningServers;
use crate::signals::{ContinueSignal, Signals, Standing};
use crate::terminal::neutral_line;
use crate::view::{counted, seconds, short_id};

/// The conversation.
pub(super) struct State {
    /// The arguments of each run, as `artoo run` would get them.
    pub(super) args: RunArgs,
    /// The folder that it began in.
    folder: PathBuf,
    /// The last run of this session.
    pub(super) last_run: Option<RunId>,
    /// The background runs that it started.
    pub(super) background: Background,
    /// Whether the program was stopped and goes on.
    pub(super) continued: ContinueSignal,
    /// Which reports of the auditor were told; made with the first prompt.
    periodic: Option<Periodic>,
    wanted: Wanted,
    standing: Standing,
    connected: Option<Connected>,
    artoo: run::Standing,
    /// The servers of tools that its requests have started.
    pub(super) servers: RunningServers,
    /// The model's name, cached until `refresh`.
    model: Cell<Option<String>>,
}

impl State {
    /// The initial state, as the options say.
    ///
    /// # Errors
    /// There is no folder to work in.
    pub(super) fn new(
        context: &Context<'_>,
        mut args: RunArgs,
        standing: Standing,
        continued: ContinueSignal,
    ) -> Result<Self, CommandError> {
        let wanted = Wanted::by(&args);
        // The conversation keeps its folder even if a later request continues a session of another one.
        let cwd = args.permissions.cwd.as_deref();
        args.permissions.cwd = cwd.map(|folder| context.folders.whole(folder)).transpose()?;
        let folder = match &args.permissions.cwd {
            Some(folder) => folder.clone(),
            None => context.folders.current()?.to_owned(),
        };
        (args.go_on, args.session) = (false, None);
        let background = Background::default();
        let artoo = run::Standing::default();
        Ok(Self {
            args,
            folder,
            last_run: None,
            background,
            continued,
            periodic: None,
            wanted,
            standing,
            connected: None,
            artoo,
            servers: RunningServers::default(),
            model: Cell::new(None),
        })
    }

    /// Tells what periodic reports of the auditor found since the last prompt. Those of a run are told with it.
    pub(super) fn tell_periodic(&mut self, context: &mut Context<'_>) {
        if self.periodic.is_none() {
            let loaded = Loaded::load(context, Given::default()).ok();
            self.periodic = loaded.map(|loaded| Periodic::from_here(&loaded.settings.data_dir));
        }
        if let Some(periodic) = &mut self.periodic {
            periodic.tell(context.terminal);
        }
    }

    /// The folder that requests work in.
    pub(super) fn folder(&self) -> &Path {
        self.args.permissions.cwd.as_deref().unwrap_or(&self.folder)
    }

    /// The name of the model, or `None` if none is usable.
    pub(super) fn model(&self, context: &mut Context<'_>) -> Option<String> {
        if let Some(known) = self.model.take() {
            self.model.set(Some(known.clone()));
            return Some(known);
        }
        let given = run::given(&self.args).ok()?;
        let mut loaded = Loaded::load(context, given).ok()?;
        let models = loaded.models(context).ok()?;
        let name = models.distinct().first().map(|choice| choice.model.clone());
        self.model.set(name.clone());
        name
    }

    /// Invalidates what the prompt caches.
    pub(super) fn refresh(&self) {
        self.model.set(None);
    }

    /// The id of the session, if it has started.
    pub(super) fn session_id(&self) -> Option<SessionId> {
        match &self.wanted {
            Wanted::Known(id) => Some(*id),
            Wanted::None | Wanted::New | Wanted::Newest | Wanted::Named(_) => None,
        }
    }

    /// Prints the greeting before the first prompt.
    pub(super) fn greet(&self, context: &mut Context<'_>) {
        context.terminal.note(&format!(
            "artoo {} in {}. /help says what there is; Ctrl+D leaves.",
            env!("CARGO_PKG_VERSION"),
            neutral_line(&self.folder().display().to_string())
        ));
        if self.model(context).is_none() {
            context.terminal.warning("no model is set up");
            context.terminal.hint("choose one: /setup, or name one: /model NAME");
        }
    }

    /// Works on a request while the input line is active below the view.
    pub(super) fn work(
        &mut self,
        context: &mut Context<'_>,
        threads: &Runtime,
        text: String,
    ) -> Result<After, CommandError> {
        self.while_typing(context, |state, context, keyboard| state.request(context, threads, text, keyboard))
    }

    /// Runs a shell command of the user; its output is passed to the next request.
    pub(super) fn command_while_typing(
        &mut self,
        context: &mut Context<'_>,
        threads: &Runtime,
        command: &str,
    ) -> Result<After, CommandError> {
        self.while_typing(context, |state, context, keyboard| {
            state.command(context, threads, command, keyboard)
        })
    }

    /// Runs `work` while the input line is active.
    fn while_typing(
        &mut self,
        context: &mut Context<'_>,
        work: impl FnOnce(&mut Self, &mut Context<'_>, Arc<dyn Keyboard>) -> Result<Done, CommandError>,
    ) -> Result<After, CommandError> {
        let typing = TypeAhead::begin(context.terminal);
        let keyboard: Arc<dyn Keyboard> = match &typing {
            Ok(typing) => typing.keyboard(),
            // If the terminal cannot be read key by key, questions are answered from standard input.
            Err(_) => from_stdin(),
        };
        let done = work(self, context, keyboard);
        self.periodic.iter_mut().for_each(Periodic::skip);
        let mut after = typing.map(TypeAhead::end).unwrap_or_default();
        let unused = done?.unused;
        // Text that came too late for the run is offered as the next request.
        if after.draft.is_empty() && after.next.is_empty() {
            after.draft = unused.join("\n");
        }
        Ok(after)
    }

    /// Closes the artoo of the conversation, so that memory and audit log are free for a command. The next request
    /// opens another.
    pub(super) fn rest(&mut self, threads: &Runtime) {
        threads.block_on(self.artoo.close());
    }

    /// Works on a request of the session.
    pub(super) fn request(
        &mut self,
        context: &mut Context<'_>,
        threads: &Runtime,
        text: String,
        keyboard: Arc<dyn Keyboard>,
    ) -> Result<Done, CommandError> {
        let folder = self.folder().to_owned();
        self.standing.begins();
        let signals = Signals::Standing(self.standing.clone());
        let front = Front {
            signals,
            keyboard,
            connected: &mut self.connected,
            standing: Some(&mut self.artoo),
            servers: &mut self.servers,
        };
        let done = attached(&text, &folder)
            .and_then(|text| run::work(context, &self.args, (text, &self.wanted), threads, front, |_| {}));
        self.over(done)
    }

    /// Runs a shell command as part of the session.
    pub(super) fn command(
        &mut self,
        context: &mut Context<'_>,
        threads: &Runtime,
        command: &str,
        keyboard: Arc<dyn Keyboard>,
    ) -> Result<Done, CommandError> {
        let permissions = self.args.permissions.clone();
        let args = SandboxArgs::of_text(command, permissions, self.args.timeout);
        self.standing.begins();
        let signals = Signals::Standing(self.standing.clone());
        let done = run::carried_out(context, &args, &self.wanted, threads, (signals, keyboard));
        let done = self.over(done)?;
        if done.exit != Exit::OK {
            context.terminal.note(&format!("exit status {}", done.exit.code()));
        }
        Ok(done)
    }

    /// Records the result.
    fn over(&mut self, done: Result<Done, CommandError>) -> Result<Done, CommandError> {
        self.standing.over();
        let done = done?;
        self.last_run = Some(done.run_id);
        if let Some(session) = done.session {
            self.wanted = Wanted::Known(session);
        }
        Ok(done)
    }

    /// Starts a request in a process of its own, with the settings of this session.
    pub(super) fn begin_in_background(
        &mut self,
        context: &mut Context<'_>,
        text: &str,
    ) -> Result<(), CommandError> {
        let text = attached(text, self.folder())?;
        let words = self.words(self.folder(), &text);
        // If nothing was started, `begin` has already printed the reason.
        if let Begun::Run(id) = begin(context, &words, false)? {
            let data_dir = Loaded::load(context, Given::default())?.settings.data_dir;
            let short = short_id(&id);
            context
                .terminal
                .note(&format!("works in the background: {short}; /attach it, /stop it, or see /runs"));
            self.background.add(short, &runs::folder(&data_dir).join(id));
        }
        Ok(())
    }

    /// The equivalent command line.
    fn words(&self, folder: &Path, text: &str) -> Vec<OsString> {
        let args = &self.args;
        let mut words: Vec<OsString> = vec!["run".into(), DETACHED.into(), "--cwd".into(), folder.into()];
        let mut option = |name: &str, value: Option<OsString>| {
            words.extend(value.into_iter().flat_map(|value| [name.into(), value]));
        };
        option("--session", self.session_id().map(|id| id.to_string().into()));
        option("--model", args.model.as_ref().map(OsString::from));
        option("--base-url", args.base_url.as_ref().map(OsString::from));
        option("--workspace", args.permissions.workspace.as_ref().map(OsString::from));
        option("--sandbox", args.permissions.sandbox.map(|mode| mode.as_str().into()));
        option("--approval", Some(args.permissions.approval.name().into()));
        for kind in &args.permissions.yes {
            option("--yes", Some(kind.name().into()));
        }
        if args.plan {
            words.push("--plan".into());
        }
        words.extend(["--".into(), text.into()]);
        words
    }

    /// Switches the model for the following requests.
    pub(super) fn use_model(&mut self, context: &mut Context<'_>, name: &str) -> Result<(), CommandError> {
        let before = self.args.model.replace(name.to_owned());
        let usable = run::given(&self.args)
            .and_then(|given| Loaded::load(context, given))
            .and_then(|mut loaded| loaded.models(context));
        if let Err(error) = usable {
            self.args.model = before;
            return Err(error);
        }
        self.refresh();
        context.terminal.note(&format!("model: {name}"));
        Ok(())
    }

    /// Changes the folder. The session belongs to the old folder, so a new session begins.
    pub(super) fn go_to(&mut self, context: &mut Context<'_>, folder: &Path) -> Result<(), CommandError> {
        let named = self.folder().join(expand_home(folder, &context.folders.home));
        let real = named.canonicalize().and_then(|path| {
            if path.is_dir() { Ok(path) } else { Err(std::io::ErrorKind::NotADirectory.into()) }
        });
        let real = real.map_err(|error| {
            CommandError::usage(format!("{} cannot be worked in", named.display()))
                .because(error)
                .hint("name a folder that exists")
        })?;
        context.terminal.note(&format!("folder: {}; the next request begins a session", real.display()));
        self.args.permissions.cwd = Some(real);
        self.begin_anew();
        Ok(())
    }

    /// Begins a new session with the next request.
    pub(super) fn begin_anew(&mut self) {
        self.wanted = Wanted::New;
        self.last_run = None;
    }

    /// Continues another session, in its folder.
    pub(super) fn resume(&mut self, context: &mut Context<'_>, part: &str) -> Result<(), CommandError> {
        let session = find(&sessions(context)?, part)?;
        if !session.folder.is_dir() {
            return Err(CommandError::usage(format!("its folder {} is gone", session.folder.display()))
                .hint("read it: /sessions show ID"));
        }
        context.terminal.note(&format!(
            "session {:?} of {}, in {}",
            neutral_line(session.title()),
            counted(session.turns.len() as u64, "turn", "turns"),
            session.folder.display()
        ));
        self.last_run = session.turns.last().map(|turn| turn.run_id);
        self.args.permissions.cwd = Some(session.folder.clone());
        self.wanted = Wanted::Known(session.id);
        Ok(())
    }

    /// The session as stored on disk.
    pub(super) fn session(&self, context: &mut Context<'_>) -> Result<Session, CommandError> {
        let id = self
            .session_id()
            .ok_or_else(|| CommandError::usage("this session is empty").hint("ask something first"))?;
        sessions(context)?.read(id).map_err(explained)
    }

    /// Prints what the session has cost.
    pub(super) fn tell_cost(&self, context: &mut Context<'_>) -> Result<(), CommandError> {
        let session = self.session(context)?;
        let ends = || session.turns.iter().filter_map(|turn| turn.end.as_ref());
        let tokens: u64 = ends().map(|end| end.tokens).sum();
        let took = Duration::from_millis(ends().map(|end| end.elapsed_ms).sum());
        let mut row = format!(
            "{}, {tokens} tokens, {} of work",
            counted(session.turns.len() as u64, "turn", "turns"),
            seconds(took)
        );
        if let Some(money) = money(ends()) {
            row.push_str(&format!(", {}", neutral_line(&money)));
        }
        context.terminal.data(&format!("{row}\n"))?;
        for dreamt in self.artoo.dreamt() {
            let tokens = dreamt.prompt_tokens.saturating_add(dreamt.completion_tokens);
            let calls = counted(dreamt.calls, "model call", "model calls");
            let cost = dreamt.cost.map(|cost| format!(", {:.4} {}", cost.amount.units(), cost.currency));
            let row = format!("and memory's rules: {calls}, {tokens} tokens{}", cost.unwrap_or_default());
            context.terminal.data(&format!("{}\n", neutral_line(row.trim_end())))?;
        }
        Ok(())
    }
}

/// The total price, if every turn has one and all are in one currency.
fn money<'a>(ends: impl Iterator<Item = &'a TurnEnd>) -> Option<String> {
    let mut sum = 0.0;
    let mut currency = None;
    for end in ends {
        let cost = end.cost.as_ref()?;
        if *currency.get_or_insert(&cost.currency) != &cost.currency {
            return None;
        }
        sum += cost.amount.units();
    }
    currency.map(|currency| format!("{sum:.4} {currency}").trim_end().to_owned())
}

/// The session store of the data folder.
pub(super) fn sessions(context: &mut Context<'_>) -> Result<Sessions, CommandError> {
    let data_dir = Loaded::load(context, Given::default())?.settings.data_dir;
    Ok(Sessions::new(&data_dir, Redactor::new()))
}
