//! Slash commands of the REPL: those that change the conversation, and the program's own subcommands.

use std::ffi::OsString;
use std::path::PathBuf;

use artoo_types::Approval;

use tokio::runtime::Runtime;

use super::diff;
use super::servers;
use super::state::State;
use crate::args::{self, Parsed};
use crate::commands::sessions::save;
use crate::dispatch::{Context, dispatch, styled};
use crate::error::CommandError;
use crate::suggest::nearest;

/// A parsed slash command.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Slash {
    Help,
    /// Arguments of a subcommand of the program.
    Command(Vec<String>),
    /// A subcommand about a run; by default the last run of this session.
    AboutRun(&'static str, Vec<String>),
    Model(String),
    Cost,
    Diff,
    Plan(bool),
    Approval(Approval),
    Folder(PathBuf),
    New,
    Resume(String),
    Save(PathBuf),
    /// A subcommand about a background run; by default one of this conversation.
    InBackground(&'static str, Vec<String>),
    /// A request to run in the background.
    Background(String),
    /// The servers of tools, and those that run.
    Servers,
    /// A prompt of a server: its name, the prompt's, and its arguments.
    Prompt(String, String, Vec<String>),
    Exit,
}

/// What follows a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Then {
    GoOn,
    Leave,
    /// A request, which a prompt of a server is.
    Request(String),
}

/// The commands as help lists them: name, arguments, description.
pub(super) const TABLE: &[(&str, &str, &str)] = &[
    ("help", "", "this page"),
    ("model", "[NAME | list | pull]", "work with another model; without a name, list the embedded ones"),
    ("setup", "", "choose a model: a server, a key, or the embedded one"),
    ("plan", "on | off", "show each plan and ask before anything of it runs"),
    ("approval", "auto | ask | never", "before which effects to ask"),
    ("cwd", "FOLDER", "work in another folder, in a session of its own"),
    ("cost", "", "what this session has cost"),
    ("runs", "[list | ...]", "past runs"),
    ("bg", "REQUEST", "work on a request in the background"),
    ("attach", "[RUN]", "look at a run in the background, and answer it; without one, the one that asks"),
    ("stop", "[RUN]", "end a run in the background"),
    ("show", "[RUN]", "what a run did; without one, the last of this session"),
    ("explain", "[RUN]", "why a run went as it did"),
    ("undo", "[RUN] [--dry-run]", "take back what a run did to files"),
    ("diff", "", "what this session changed"),
    ("audit", "[report | verify]", "the auditor's report"),
    ("memory", "[stats | why TEXT | ...]", "what was learned"),
    ("policy", "rules | check 'COMMAND' | ...", "your rules of consent"),
    ("mcp", "[list | add | test | ...]", "servers of tools, and whether they run"),
    ("sessions", "[list | show | rename | ...]", "conversations"),
    ("new", "", "begin another session"),
    ("resume", "SESSION", "go on with another session"),
    ("save", "FILE", "write this session as Markdown"),
    ("config", "show", "the configuration"),
    ("doctor", "", "what works on this machine"),
    ("exit", "", "leave; so does Ctrl+D"),
];

impl Slash {
    /// Parses the text after the slash.
    ///
    /// # Errors
    /// The command is unknown, or its arguments are invalid.
    pub(super) fn of(text: &str) -> Result<Self, CommandError> {
        // The request is not split into words, so its quotes stay.
        if let Some(request) = text.strip_prefix("bg ").map(str::trim).filter(|request| !request.is_empty()) {
            return Ok(Self::Background(request.to_owned()));
        }
        let words = shlex::split(text).ok_or_else(|| {
            CommandError::usage("a quote in the command is not closed").hint("close it, or leave it out")
        })?;
        let mut words = words.into_iter();
        let name = words.next().unwrap_or_default();
        let rest: Vec<String> = words.collect();
        let one = || match rest.as_slice() {
            [one] => Ok(one.clone()),
            _ => Err(usage(&name)),
        };
        let command = |first: &[&str], otherwise: &[&str]| {
            let words = if rest.is_empty() {
                otherwise.iter().map(|word| (*word).to_owned()).collect()
            } else {
                rest.clone()
            };
            Self::Command(first.iter().map(|word| (*word).to_owned()).chain(words).collect())
        };
        Ok(match name.as_str() {
            "help" | "?" => Self::Help,
            "exit" | "quit" => Self::Exit,
            "new" => Self::New,
            "cost" => Self::Cost,
            "diff" => Self::Diff,
            "plan" => match one()?.as_str() {
                "on" => Self::Plan(true),
                "off" => Self::Plan(false),
                _ => return Err(usage(&name)),
            },
            "approval" => Self::Approval(one()?.parse().map_err(|_| usage(&name))?),
            "cwd" => Self::Folder(one()?.into()),
            "resume" => Self::Resume(one()?),
            "save" => Self::Save(one()?.into()),
            "model" => match rest.first().map(String::as_str) {
                None | Some("list" | "pull" | "path" | "remove") => command(&["model"], &["list"]),
                Some(_) => Self::Model(one()?),
            },
            "setup" => command(&["setup"], &[]),
            "show" => Self::AboutRun("show", rest),
            "explain" => Self::AboutRun("explain", rest),
            "undo" => Self::AboutRun("undo", rest),
            "bg" => return Err(usage(&name)),
            "attach" => Self::InBackground("attach", rest),
            "stop" => Self::InBackground("stop", rest),
            "runs" => command(&["runs"], &["list"]),
            "sessions" => command(&["sessions"], &["list"]),
            "audit" => command(&["audit"], &["report"]),
            "memory" => command(&["memory"], &["stats"]),
            "policy" => command(&["policy"], &["rules"]),
            "mcp" if rest.is_empty() => Self::Servers,
            "mcp" => command(&["mcp"], &[]),
            "config" => command(&["config"], &["show"]),
            "doctor" => command(&["doctor"], &[]),
            _ => match name.split_once(':') {
                Some((server, prompt)) if !server.is_empty() && !prompt.is_empty() => {
                    Self::Prompt(server.to_owned(), prompt.to_owned(), rest)
                }
                Some(_) | None => return Err(unknown(&name)),
            },
        })
    }

    /// The command for a line that is only the name of a command; `None` for any other line. Help and the end are
    /// given at once; for the others an error names the command.
    pub(super) fn without_slash(line: &str) -> Option<Result<Self, CommandError>> {
        let word = line.to_ascii_lowercase();
        match word.as_str() {
            "help" | "?" => Some(Ok(Self::Help)),
            "exit" | "quit" => Some(Ok(Self::Exit)),
            word => TABLE.iter().find(|(name, ..)| *name == word).map(|(name, follows, _)| {
                let command = format!("/{name} {follows}");
                Err(CommandError::usage(format!("`{name}` alone is no request"))
                    .hint(format!("the command: {}; to ask it as a request: > {name}", command.trim_end())))
            }),
        }
    }
}

fn usage(name: &str) -> CommandError {
    let follows = TABLE.iter().find(|(known, ..)| *known == name).map_or("", |(_, follows, _)| follows);
    CommandError::usage(format!("/{name} takes: {follows}")).hint("all commands: /help")
}

fn unknown(name: &str) -> CommandError {
    let error = CommandError::usage(format!("there is no command /{name}"));
    match nearest(name, TABLE.iter().map(|(known, ..)| *known)) {
        Some(near) => error.hint(format!("did you mean /{near}? all commands: /help")),
        None => error
            .hint("all commands: /help; a request that begins with a slash: put a blank before it in quotes"),
    }
}

/// Runs a command.
///
/// # Errors
/// The command failed; the conversation continues.
pub(super) fn run(
    context: &mut Context<'_>,
    state: &mut State,
    threads: &Runtime,
    slash: &Slash,
) -> Result<Then, CommandError> {
    if let Slash::Command(words) = slash
        && let Some("memory" | "audit") = words.first().map(String::as_str)
    {
        // These commands read what artoo is about to write, and may need the memory for themselves.
        state.rest(threads);
    }
    match slash {
        Slash::Help => help(context)?,
        Slash::Exit => return Ok(Then::Leave),
        Slash::Background(text) => state.begin_in_background(context, text)?,
        Slash::Command(words) => of_the_program(context, state, words.clone())?,
        Slash::AboutRun(what, rest) => {
            let mut words = vec!["runs".to_owned(), (*what).to_owned()];
            if rest.iter().all(|word| word.starts_with('-')) {
                let last = state.last_run.ok_or_else(|| {
                    CommandError::usage("nothing was run in this session")
                        .hint("name a run: /runs lists them")
                })?;
                words.push(last.to_string());
            }
            words.extend(rest.iter().cloned());
            of_the_program(context, state, words)?;
        }
        Slash::InBackground(what, rest) => {
            let mut words = vec!["runs".to_owned(), (*what).to_owned()];
            match (rest.is_empty(), state.background.in_need()) {
                (false, _) => words.extend(rest.iter().cloned()),
                (true, Some(id)) => words.push(id),
                (true, None) => {
                    return Err(CommandError::usage("nothing of this conversation works in the background")
                        .hint("name a run: /runs lists them"));
                }
            }
            of_the_program(context, state, words)?;
        }
        Slash::Model(name) => state.use_model(context, name)?,
        Slash::Servers => {
            of_the_program(context, state, vec!["mcp".to_owned(), "list".to_owned()])?;
            servers::tell(context, state);
        }
        Slash::Prompt(server, prompt, arguments) => {
            return servers::prompt(context, state, threads, (server, prompt), arguments);
        }
        Slash::Cost => state.tell_cost(context)?,
        Slash::Diff => diff::show(context, state)?,
        Slash::Plan(on) => {
            state.args.plan = *on;
            context.terminal.note(if *on { "plans are shown before they run" } else { "plans run at once" });
        }
        Slash::Approval(approval) => {
            state.args.permissions.approval = *approval;
            context.terminal.note(&format!("approval: {}", approval.name()));
        }
        Slash::Folder(folder) => state.go_to(context, folder)?,
        Slash::New => {
            state.begin_anew();
            context.terminal.note("the next request begins a session");
        }
        Slash::Resume(part) => state.resume(context, part)?,
        Slash::Save(file) => {
            let session = state.session(context)?;
            save(&session, &context.folders.whole(file)?)?;
            context.terminal.note(&format!("written: {}", file.display()));
        }
    }
    Ok(Then::GoOn)
}

fn help(context: &mut Context<'_>) -> Result<(), CommandError> {
    let mut text = String::from(
        "Type a request in any language. Alt+Enter begins a new line, Tab completes, Ctrl+R searches.\n",
    );
    text.push_str("While a run works: what you type is its answer or a note to it; with a leading `>` it is the next request.\n");
    text.push_str(
        "@PATH names a file; Tab completes it. Ctrl+C ends the run; at an empty prompt twice, artoo.\n",
    );
    text.push_str(
        "! COMMAND runs a command of yours as a run would; the next request is told what it put out.\n\n",
    );
    let widest = TABLE.iter().map(|(name, follows, _)| name.len() + follows.len()).max().unwrap_or(0) + 1;
    let columns = context.terminal.data_look().columns;
    for (name, follows, does) in TABLE {
        let command = format!("{name} {follows}");
        let row = if columns < 80 {
            format!("  /{}\n      {does}\n", command.trim_end())
        } else {
            format!("  /{command:widest$}  {does}\n")
        };
        text.push_str(&row);
    }
    context.terminal.data(&text)
}

/// Runs the words as a command line of the program.
fn of_the_program(context: &mut Context<'_>, state: &State, words: Vec<String>) -> Result<(), CommandError> {
    let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    match args::parse(&words, context.terminal.data_look().columns)? {
        Parsed::Command(command, _) => {
            dispatch(context, *command)?;
        }
        Parsed::Text(text) => {
            let colour = context.terminal.data_look().colour;
            context.terminal.data(&styled(&text, colour))?;
        }
        Parsed::Mistake(text) => {
            let colour = context.terminal.look().colour;
            context.terminal.note(styled(&text, colour).trim_end());
        }
        // Unreachable: every slash command has at least one word.
        Parsed::Repl(..) => help(context)?,
    }
    // The command may have changed something that the prompt shows.
    state.refresh();
    Ok(())
}
