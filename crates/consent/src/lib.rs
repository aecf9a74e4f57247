//! Consent: what needs a person's yes, the rules that answer in their place, and how it is asked. Design: `docs/design/consent.md`.
//!
//! A call that would do more than it may puts a [`Question`] to somebody behind [`Consent`]. The person's own [`Rules`] are about
//! [`ProposedEffects`]; the strictest that matches wins. [`draft`](draft()) makes the rule that would answer a question for good. A [`PauseClock`] lets the
//! limits of time rest while a person thinks.
//!
//! *Architecture invariant*: nothing is run or asked here, and nobody's yes is made up: whoever implements [`Consent`] answers for a person.
//!
//! ```
//! use artoo_consent::{Rule, Rules};
//! use artoo_shell_effects::{OnDisk, Permission, Place, effects_of};
//! use artoo_types::EffectKind;
//!
//! let home = std::path::Path::new("/home/ada");
//! let rule = Rule {
//!     decision: Permission::Deny,
//!     effects: [EffectKind::Deletes].into(),
//!     programs: vec![],
//!     paths: vec!["~/photos/**".into()],
//!     reason: "there is no other copy".into(),
//!     matches: vec!["rm ~/photos/a.jpg".into()],
//!     spares: vec!["rm ~/drafts/a.jpg".into()],
//! };
//! let rules = Rules::read("/home/ada/.config/artoo/policy.toml".into(), vec![rule], home)?;
//! let place = Place { home, working_folder: home, workspace: home, protected: &[], paths: &OnDisk };
//! let effects = effects_of("find photos -name '*.jpg' -exec rm {} +", place);
//! assert!(rules.ruling_of(&effects).is_some_and(|ruled| !ruled.allows()));
//! # Ok::<(), artoo_consent::RuleError>(())
//! ```

mod asked_about;
mod autorun;
mod known_sockets;
mod path_pattern;
mod pause_clock;
mod rule_draft;
mod rule_examples;
mod rule_near_miss;
mod rules;
mod secret_places;

use std::net::IpAddr;
use std::path::Path;

use artoo_types::{
    Approval, Effect, EffectKind, GitMoves, PreviewedChange, ProposedCommit, ProposedRule, ToolName,
};
use async_trait::async_trait;

pub use asked_about::{asked_about, programs_of, real, rest_of};
pub use autorun::{AskedBy, Autorun, Neighbours, NewEntry, ProgramFolders, autorun};
pub use known_sockets::{needs_socket, socket_effect, user_of_socket};
pub use pause_clock::{PauseClock, within};
pub use rule_draft::{Setting, draft};
pub use rules::{ProposedEffects, Rule, RuleError, Ruled, Rules, is_of_files};
pub use secret_places::{REPOSITORY, is_in_git, repository_of, secrets_in};

/// Who is asked before a call that does more than it may without consent.
///
/// # Contract
///
/// An answer is of a person, or follows from what a person said before; nobody there is a no. What was denied once is denied for
/// the rest of the run, by whatever command it is reached.
///
/// # Cancellation
///
/// The future of [`ask`](Self::ask) is dropped when the call is cancelled.
#[async_trait]
pub trait Consent: Send + Sync {
    /// Before which effects somebody is to be asked.
    fn approval(&self) -> Approval {
        Approval::Auto
    }

    /// Why one of these effects is out of the question, because it was denied before. Asks nobody.
    fn forbids(&self, proposed: ProposedEffects<'_>) -> Option<String> {
        let _ = proposed;
        None
    }

    /// The person's own rules.
    fn rules(&self) -> Rules {
        Rules::default()
    }

    /// Whether all of these effects were granted before, so that asking gives a yes at once and a trial would show nothing new.
    fn allows(&self, proposed: ProposedEffects<'_>) -> bool {
        let _ = proposed;
        false
    }

    /// Which words that neither the user nor artoo wrote lead a call that does this, and whose they are; `None` where none do.
    fn foreign_words(&self, proposed: ProposedEffects<'_>) -> Option<String> {
        let _ = proposed;
        None
    }

    /// Whether the answer may be a rule that holds for later runs, too: a person is there, and the words of the call are not of others.
    fn takes_rules(&self) -> bool {
        false
    }

    /// Asks, and waits for the answer.
    async fn ask(&self, question: Question) -> Answer;

    /// Asks for words that only the person has, for somebody who is named in the question: a server of tools. `None` if nobody is
    /// there, or they say nothing.
    async fn ask_words(&self, question: String) -> Option<String> {
        let _ = question;
        None
    }
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Which tool would act.
    pub tool: ToolName,
    /// The command, or what stands for one.
    pub command: String,
    /// The programs that it is known to start.
    pub programs: Vec<String>,
    /// The effects that need consent.
    pub effects: Vec<Effect>,
    /// Its effects that need none.
    pub free: Vec<Effect>,
    /// What a preview found; empty where there was none.
    pub changes: Vec<PreviewedChange>,
    /// The commit that would be made, if one would.
    pub commit: Option<ProposedCommit>,
    /// What would move in a git repository, if anything would.
    pub moves: Option<Box<GitMoves>>,
    /// The name of the rule that asks.
    pub rule: String,
    /// That rule in words.
    pub reason: String,
    /// What of it could not be undone, and that a yes cannot be taken back; `None` where all of it can, as far as is known.
    pub beyond_undo: Option<String>,
    /// The rule that the answer *always* would make. [`draft`](draft()) makes it.
    pub always: Option<ProposedRule>,
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It may be done.
    Yes,
    /// It may not.
    No {
        /// Who says so, and why.
        reason: String,
    },
    /// It may not, and the person says what to do instead.
    Instead {
        /// In their words.
        words: String,
    },
}

/// Nobody is there: every answer is no.
///
/// ```
/// use artoo_consent::{Consent, Nobody};
///
/// assert_eq!(Nobody.forbids(Default::default()), None);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

#[async_trait]
impl Consent for Nobody {
    async fn ask(&self, _: Question) -> Answer {
        Answer::No { reason: "nobody is there to be asked".to_owned() }
    }
}

/// The person's rules answer, and nobody else: what they do not allow is a no.
#[derive(Clone, Debug, Default)]
pub struct RulesAlone(pub Rules);

#[async_trait]
impl Consent for RulesAlone {
    fn rules(&self) -> Rules {
        self.0.clone()
    }

    async fn ask(&self, question: Question) -> Answer {
        Nobody.ask(question).await
    }
}

impl Question {
    /// What would be done.
    pub fn proposed(&self) -> ProposedEffects<'_> {
        ProposedEffects {
            programs: &self.programs,
            effects: &self.effects,
            free: &self.free,
            beyond_undo: self.beyond_undo.is_some(),
            autorun: self.changes.iter().any(|change| change.autorun.is_some()),
        }
    }
}

impl<'a> From<&'a [Effect]> for ProposedEffects<'a> {
    /// Effects that need consent, of no known program.
    fn from(effects: &'a [Effect]) -> Self {
        Self { effects, ..Self::default() }
    }
}

impl<'a, const N: usize> From<&'a [Effect; N]> for ProposedEffects<'a> {
    fn from(effects: &'a [Effect; N]) -> Self {
        effects.as_slice().into()
    }
}

impl<'a> From<&'a Vec<Effect>> for ProposedEffects<'a> {
    fn from(effects: &'a Vec<Effect>) -> Self {
        effects.as_slice().into()
    }
}

/// The path of an effect on a file, where it is known.
pub fn on_file(effect: &Effect) -> Option<&Path> {
    match effect.kind {
        EffectKind::Creates | EffectKind::Overwrites | EffectKind::Deletes => {
            Some(Path::new(&effect.what)).filter(|path| path.is_absolute())
        }
        EffectKind::Commits
        | EffectKind::Network
        | EffectKind::OutsideMachine
        | EffectKind::Privilege
        | EffectKind::Unknown => None,
    }
}

/// Whether an effect on the network names this machine itself: `localhost`, or an address of its loopback. What cannot be read for
/// sure names another one.
pub fn names_this_machine(effect: &Effect) -> bool {
    let after_scheme = effect.what.split_once("://").map_or(effect.what.as_str(), |(_, rest)| rest);
    let authority = after_scheme.split(['/', '?', '#']).next().unwrap_or_default();
    // What stands before `@` is a name of a user, whatever it looks like.
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    let host = match place.strip_prefix('[') {
        Some(address) => address.split_once(']').map_or("", |(address, _)| address),
        None if place.matches(':').count() == 1 => place.split_once(':').map_or(place, |(host, _)| host),
        None => place,
    };
    effect.kind == EffectKind::Network
        && (host.eq_ignore_ascii_case("localhost")
            || host.parse::<IpAddr>().is_ok_and(|host| host.is_loopback()))
}

/// Whether an effect is what a command may do beyond all that its words name: it comes from none of them.
pub fn is_unnamed(effect: &Effect) -> bool {
    effect.kind == EffectKind::Unknown && effect.word.is_empty()
}

/// The first effects in words, for a record of one line.
pub fn in_words(effects: &[Effect]) -> String {
    const NAMED: usize = 3;
    let mut words: Vec<String> = effects.iter().take(NAMED).map(told).collect();
    match effects.len().saturating_sub(NAMED) {
        0 => {}
        more => words.push(format!("and {more} more")),
    }
    words.join(", ")
}

fn told(effect: &Effect) -> String {
    let what = &effect.what;
    match effect.kind {
        EffectKind::Creates => format!("make {what}"),
        EffectKind::Overwrites => format!("change {what}"),
        EffectKind::Deletes => format!("delete {what}"),
        EffectKind::Commits => format!("commit to {what}"),
        EffectKind::Network if names_this_machine(effect) => format!("connect to this machine: {what}"),
        EffectKind::Network => format!("ask other machines: {what}"),
        EffectKind::OutsideMachine => format!("act on other machines: {what}"),
        EffectKind::Privilege => format!("use the rights of somebody else: {what}"),
        EffectKind::Unknown if is_unnamed(effect) => "do more than its words show".to_owned(),
        EffectKind::Unknown => format!("run {what} (its effects cannot be known)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(kind: EffectKind, what: &str, word: &str) -> Effect {
        Effect { kind, what: what.to_owned(), word: word.to_owned(), why: String::new() }
    }

    #[test]
    fn only_the_loopback_is_this_machine() {
        let is_it = |what: &str| names_this_machine(&effect(EffectKind::Network, what, "curl"));
        for what in [
            "http://127.0.0.1:8123/a?b#c",
            "127.0.0.1",
            "127.9.9.9:1",
            "http://[::1]:80/",
            "::1",
            "LOCALHOST:80",
            "ftp://ada:secret@localhost/x",
        ] {
            assert!(is_it(what), "{what}");
        }
        for what in [
            "",
            "example.org",
            "http://127.0.0.1.example.org/",
            "http://127.0.0.1@example.org/",
            "http://127.0.0.1:80@example.org/",
            "http://localhost\\@example.org/",
            "http://127.0.0.1 http://example.org",
            "localhost.example.org",
            "//localhost",
            "example.org/localhost",
            "0.0.0.0",
            "[::1",
        ] {
            assert!(!is_it(what), "{what}");
        }
        assert!(!names_this_machine(&effect(EffectKind::OutsideMachine, "localhost", "ssh")));
    }

    #[test]
    fn effects_in_words_name_no_number_of_a_command() {
        let rest = effect(EffectKind::Unknown, "the command ce9e1598", "");
        let script = effect(EffectKind::Unknown, "./after.sh", "./after.sh");
        let near = effect(EffectKind::Network, "http://127.0.0.1:8123", "curl");
        assert_eq!(
            in_words(&[rest, script, near]),
            "do more than its words show, run ./after.sh (its effects cannot be known), connect to this machine: http://127.0.0.1:8123"
        );
        let many = vec![effect(EffectKind::Deletes, "/a", "rm"); 5];
        assert_eq!(in_words(&many), "delete /a, delete /a, delete /a, and 2 more");
    }
}
