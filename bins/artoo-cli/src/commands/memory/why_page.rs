//! Page of `artoo memory why`: the recalled entries and how they were used.

use artoo_runtime::explain::HeldCall;
use artoo_types::{
    Experience, Law, Megram, MegramId, MemoryReply, PairMemory, Polarity, RecallReason, RunId, SopRecord,
};

use super::pages::day;
use super::why::{Asked, RunMemory};
use crate::terminal::{clip, neutral_line};
use crate::view::{advice, counted, megram, memory_held};

/// What memory would recall for a request.
pub(super) fn of_request(request: &str, reply: &MemoryReply, columns: usize) -> String {
    let mut page = Page { text: String::new(), columns };
    page.line(0, &format!("request: {request}"));
    page.reply(reply, &|_| "");
    page.text
}

/// What memory contributed to a run.
pub(super) fn of_run(run_id: RunId, found: &RunMemory, columns: usize) -> String {
    let mut page = Page { text: String::new(), columns };
    page.line(0, &format!("run {run_id}: {}", found.request));
    if found.questions.is_empty() {
        page.line(0, "memory was not asked");
    }
    for asked in &found.questions {
        page.asked(asked);
    }
    if !found.learned.is_empty() {
        page.line(0, &format!("learned: {}", counted(found.learned.len() as u64, "entry", "entries")));
    }
    for Megram { id, space, entity, state, sigma, content, .. } in &found.learned {
        page.line(1, &format!("{id}  {} {sigma:+.1}  ({space}, {entity})", megram(*state)));
        page.line(2, content);
    }
    page.text
}

struct Page {
    text: String,
    columns: usize,
}

impl Page {
    fn line(&mut self, depth: usize, text: &str) {
        let indent = depth * 2;
        let line = clip(&neutral_line(text), self.columns.saturating_sub(indent));
        self.text.push_str(&format!("{}{line}\n", " ".repeat(indent)));
    }

    fn asked(&mut self, asked: &Asked) {
        self.line(
            0,
            &match asked.round {
                Some(round) => format!("before plan {round}"),
                None => "before a plan that was not made".to_owned(),
            },
        );
        let Some(reply) = &asked.reply else {
            return self.line(1, "no answer is on record");
        };
        let memory = &asked.memory;
        self.reply(reply, &|id| match (memory.used.contains(&id), memory.ignored.contains(&id)) {
            (true, _) => "used: ",
            (false, true) => "left out: ",
            (false, false) => "",
        });
        for HeldCall { call, held } in &asked.held {
            self.line(1, &format!("{} {}", call.tool, call.target));
            self.line(2, &memory_held(held));
            for id in &held.because {
                self.line(2, &format!("artoo memory show {id}"));
            }
        }
    }

    /// The recalled entries; `mark` labels how an entry was used.
    fn reply(&mut self, reply: &MemoryReply, mark: &dyn Fn(MegramId) -> &'static str) {
        for known in &reply.recalled {
            self.known(known, mark);
        }
        for Law { id, content } in &reply.laws {
            self.line(0, &format!("{}your law {id}: {content}", mark(*id)));
        }
    }

    fn known(&mut self, known: &PairMemory, mark: &dyn Fn(MegramId) -> &'static str) {
        let PairMemory { pair, reason, potentials, sops, experiences } = known;
        let nothing = sops.is_empty() && experiences.is_empty();
        let said = if nothing {
            "nothing is known".to_owned()
        } else {
            format!(
                "{} (attention {:.2}, decision {:+.2})",
                advice(potentials.action),
                potentials.attention,
                potentials.decision
            )
        };
        self.line(0, &format!("{pair}: {said}"));
        match reason {
            RecallReason::Asked => {}
            RecallReason::Similar { score, shared } => {
                self.line(
                    1,
                    &format!("came because it is {:.0} % alike: {}", score * 100.0, shared.join(", ")),
                );
            }
        }
        for SopRecord { id, content, polarity, sources, .. } in sops {
            let kind = match polarity {
                Polarity::Practice => "practice",
                Polarity::Constraint => "never",
            };
            let behind = counted(sources.len() as u64, "experience", "experiences");
            self.line(1, &format!("{}{kind} {id}, {behind} behind it", mark(*id)));
            self.line(2, content);
        }
        for Experience { id, created_at, origin, state, content, strength, sigma } in experiences {
            let (mark, state, strength) = (mark(*id), megram(*state), strength * sigma + 0.0);
            self.line(1, &format!("{mark}{} {state} {strength:+.2} {id}", day(*created_at)));
            self.line(2, &super::entry_page::origin(*origin));
            self.line(2, content);
        }
    }
}
