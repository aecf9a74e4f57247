//! One run's part: which hostility, when, and what the run may do. All of it follows from the seed and the number of the run.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use serde_json::json;

use super::{
    call::{Call, Role, Wire},
    hostile::{self, Answer, Does, Kind},
    model::{Judge, Model, Planner, Task},
    reply::Reply,
};
use crate::rng::Draw;

/// How many of a hundred answers that are sound otherwise are of another kind.
const NOISE: u64 = 4;

/// The part of a run.
#[derive(Clone, Debug)]
pub(super) struct Play {
    /// The seed of the soak.
    pub seed: u64,
    /// The number of the run.
    pub number: u64,
    /// The kind that is tried.
    pub kind: &'static Kind,
    /// The wire format.
    pub wire: Wire,
    /// The model's name, by which artoo knows how it calls tools.
    pub name: &'static str,
    /// What the sound server would say.
    pub model: Model,
    /// Whose answers are hostile.
    pub whose: Whose,
    /// How often they are.
    pub often: Often,
    /// Whether all kinds of effects are granted.
    pub is_granted: bool,
    /// Further options of the run.
    pub options: Vec<String>,
    /// The call of the model with which a signal comes.
    pub signal_at: usize,
}

/// Whose answers are hostile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// Everybody's.
    All,
    /// The planner's.
    Planner,
    /// The executor's.
    Executor,
    /// The judges'.
    Judges,
    /// All but the planner's.
    BehindThePlan,
}

/// How often answers are hostile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Often {
    /// The first.
    Once,
    /// A third of them.
    Sometimes,
    /// Each.
    Always,
}

/// Models of chat completions: three that call tools, one that nobody knows, and a weak one. Both of these are told of tools in the prompt.
const CHAT: [&str; 5] = ["gpt-4-test", "gpt-4-test", "Qwen3-32B", "soak", "qwen2.5-coder:1.5b"];
/// Models of Messages.
const MESSAGES: [&str; 3] = ["claude-sonnet-4-5", "soak", "qwen2.5-coder:1.5b"];

/// A limit that a run is given, or none.
const LIMITS: [&[&str]; 8] = [
    &[],
    &[],
    &["--max-tokens", "20000"],
    &["--time-budget", "5s"],
    &["--max-replans", "1"],
    &["--max-cost", "0.05", "-c", "prices.NAME.prompt=1", "-c", "prices.NAME.completion=4"],
    &["--strict"],
    &["--no-memory"],
];

impl Play {
    /// The part with this number.
    pub(super) fn of(seed: u64, number: u64) -> Self {
        // Each kind once before any comes again, in another order each time.
        let mut order: Vec<&'static Kind> = hostile::all().collect();
        let count = order.len() as u64;
        Draw::new(mixed(seed, number.checked_div(count).unwrap_or_default())).shuffle(&mut order);
        let at = usize::try_from(number.checked_rem(count).unwrap_or_default()).unwrap_or_default();
        let kind = order.get(at).copied().unwrap_or(&FIRST);
        Self::with(kind, seed, number)
    }

    /// The part with this number, if it is of this kind.
    fn with(kind: &'static Kind, seed: u64, number: u64) -> Self {
        let mut draw = Draw::new(mixed(seed, number) ^ 0x50AC);
        let (mut wire, mut model) = (
            if draw.below(4) == 0 { Wire::Messages } else { Wire::Chat },
            Model { task: task(&mut draw), judge: Judge::Satisfied, planner: Planner::Plain },
        );
        let mut whose = match draw.below(8) {
            0..=2 => Whose::All,
            3 => Whose::Planner,
            4 | 5 => Whose::Executor,
            6 => Whose::Judges,
            _ => Whose::BehindThePlan,
        };
        let often = match draw.below(10) {
            0..=3 => Often::Once,
            4..=6 => Often::Sometimes,
            _ => Often::Always,
        };
        match kind.does {
            Does::Answers(on, _) => {
                wire = on.wire().unwrap_or(wire);
                if on.needs_calls() {
                    whose = Whose::Executor;
                }
            }
            Does::Asks(task) => model.task = task,
            Does::Judges(judge) => model.judge = judge,
            Does::Plans(planner) => model.planner = planner,
            Does::Nothing | Does::Signals(_) => {}
        }
        let names = match wire {
            Wire::Chat => CHAT.as_slice(),
            Wire::Messages => MESSAGES.as_slice(),
        };
        // The first calls tools itself; the last is weak, and no sound model of this script.
        let among = match kind.does {
            Does::Answers(on, _) if on.needs_calls() => 1,
            Does::Nothing => names.len().saturating_sub(1),
            Does::Answers(..) | Does::Asks(_) | Does::Judges(_) | Does::Plans(_) | Does::Signals(_) => {
                names.len()
            }
        };
        let name = draw.one_of(names.get(..among).unwrap_or(names));
        let is_sound = matches!(kind.does, Does::Nothing);
        let limit = draw.one_of(&LIMITS);
        let options: &[&str] = if is_sound { &[] } else { limit };
        Self {
            seed,
            number,
            kind,
            wire,
            name,
            model,
            whose,
            often,
            is_granted: draw.below(2) == 0 || is_sound,
            options: options.iter().map(|option| option.replace("NAME", &format!("{name:?}"))).collect(),
            signal_at: usize::try_from(draw.between(1, 4)).unwrap_or(1),
        }
    }

    /// The options of `artoo run`.
    pub(super) fn arguments(&self) -> Vec<String> {
        let grants = ["creates", "overwrites", "deletes", "unknown"].into_iter();
        let grants =
            grants.filter(|_| self.is_granted).flat_map(|kind| ["--yes".to_owned(), kind.to_owned()]);
        self.options.iter().cloned().chain(grants).collect()
    }

    /// Whether this answer is hostile.
    fn is_hostile(&self, role: Role, ordinal: usize, draw: &mut Draw) -> bool {
        let theirs = match self.whose {
            Whose::All => true,
            Whose::Planner => role == Role::Plan,
            Whose::Executor => role == Role::Action,
            Whose::Judges => role.judges(),
            Whose::BehindThePlan => role != Role::Plan,
        };
        let now = match self.often {
            Often::Once => ordinal == 0,
            Often::Sometimes => draw.below(3) == 0,
            Often::Always => true,
        };
        theirs && now
    }
}

/// What stands in for a kind where there is none.
static FIRST: Kind = Kind { name: "none", group: hostile::Group::Sound, does: Does::Nothing };

fn task(draw: &mut Draw) -> Task {
    match draw.below(6) {
        0 => Task::Read,
        1 => Task::Write,
        2 => Task::Edit,
        3 => Task::Append,
        4 => Task::Three,
        _ => Task::Count,
    }
}

/// Two numbers as one seed.
pub(super) fn mixed(one: u64, other: u64) -> u64 {
    one.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(other.wrapping_mul(0xD1B5_4A32_D192_ED03))
}

/// A call that the server got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Exchange {
    /// Who asked.
    pub role: Role,
    /// The kind of the answer; none if it was sound.
    pub kind: Option<&'static str>,
    /// The size of the request.
    pub bytes: usize,
}

/// The server's side of a run.
#[derive(Debug)]
pub(super) struct Stage {
    play: Play,
    seen: Mutex<Vec<Exchange>>,
}

impl Stage {
    /// One for this part.
    pub(super) fn new(play: Play) -> Self {
        Self { play, seen: Mutex::default() }
    }

    /// What was asked so far.
    pub(super) fn seen(&self) -> Vec<Exchange> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The answer to a request.
    pub(super) fn answer(&self, call: &Call) -> Reply {
        if call.path.ends_with("/models") {
            return Reply::json(200, &json!({"object": "list", "data": [{"id": self.play.name}]}));
        }
        let role = call.role();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let number = seen.len();
        let ordinal = seen.iter().filter(|seen| seen.role == role).count();
        let play = &self.play;
        let place = Role::ALL.iter().position(|one| *one == role).unwrap_or_default();
        // By role and its ordinal, since roles ask at the same time.
        let seed = mixed(mixed(play.seed, play.number), mixed(place as u64, ordinal as u64));
        let mut draw = Draw::new(seed);
        let said = play.model.says(call, number);
        let fitting = |kind: &'static Kind| match kind.does {
            Does::Answers(on, does) if on.fits(play.wire, &said) => Some((kind.name, does)),
            Does::Answers(..)
            | Does::Nothing
            | Does::Asks(_)
            | Does::Judges(_)
            | Does::Plans(_)
            | Does::Signals(_) => None,
        };
        let mut chosen = None;
        if play.is_hostile(role, ordinal, &mut draw) {
            chosen = fitting(play.kind);
        } else if draw.below(100) < NOISE && !matches!(play.kind.does, Does::Nothing) {
            let at = usize::try_from(draw.below(hostile::all().count() as u64)).unwrap_or_default();
            chosen = hostile::all().nth(at).and_then(fitting);
        }
        seen.push(Exchange { role, kind: chosen.map(|(name, _)| name), bytes: call.bytes });
        drop(seen);
        let mut answer = Answer::new(call, number, play.wire, said, draw);
        match chosen {
            Some((_, does)) => does(&mut answer),
            None => answer.stream.reply(),
        }
    }
}

/// The calls of a run by role, as a line: what a person reads beside a finding.
pub(super) fn told(seen: &[Exchange]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for Exchange { role, kind, .. } in seen {
        let name = match kind {
            Some(kind) => format!("{role:?} ({kind})"),
            None => format!("{role:?}"),
        };
        *counts.entry(name).or_default() += 1;
    }
    counts.iter().map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_same_number_is_the_same_part() {
        let shown = |seed| (0..300).map(|number| format!("{:?}", Play::of(seed, number))).collect::<Vec<_>>();
        assert_eq!(shown(1), shown(1));
        assert_ne!(shown(1), shown(2));
    }

    #[test]
    fn each_kind_is_tried_before_any_comes_again() {
        let count = hostile::all().count();
        let names: BTreeSet<&str> = (0..count as u64).map(|number| Play::of(9, number).kind.name).collect();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn a_hostile_answer_is_on_record() {
        let always = (0..).map(|number| Play::of(3, number)).find(|play| {
            play.kind.name == "key-revoked"
                && play.whose == Whose::BehindThePlan
                && play.often == Often::Always
        });
        let stage = Stage::new(always.unwrap());
        let call = |name: &str| Call {
            path: "/v1/chat/completions".into(),
            bytes: 10,
            body: json!({"response_format": {"json_schema": {"name": name}}, "messages": []}),
        };
        assert_eq!(stage.answer(&call("parts")).status, 401);
        stage.answer(&call("plan"));
        let seen = stage.seen();
        assert_eq!((seen[0].role, seen[0].kind), (Role::Parts, Some("key-revoked")));
        assert!(seen[1].kind != Some("key-revoked"));
        assert!(told(&seen).starts_with("1 Parts (key-revoked), 1 Plan"), "{}", told(&seen));
    }
}
