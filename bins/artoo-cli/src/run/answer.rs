//! Answers to an approval question: which ones are offered, and how the user's line is parsed.

use std::collections::BTreeSet;
use std::path::Path;

use artoo_consent::on_file;
use artoo_types::{ApprovalRequested, ApprovalScope, Effect, EffectKind};

/// The offered answers besides yes and no: those with a wider scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    /// What a yes for the run covers, in words.
    run: Option<&'static str>,
    /// What a yes for the folder covers, in words.
    folder: Option<&'static str>,
    /// Whether a rule can express the call.
    rule: bool,
}

impl Offer {
    /// The answers offered with this question.
    pub(super) fn of(asked: &ApprovalRequested) -> Self {
        let kinds = |scope: ApprovalScope| {
            let covered = asked.effects.iter().filter(move |effect| scope.covers(effect.kind));
            covered.map(|effect| effect.kind).collect::<BTreeSet<EffectKind>>()
        };
        let goes = asked.effects.iter().any(|effect| effect.kind == EffectKind::Deletes);
        let run = match (kinds(ApprovalScope::Run).is_empty(), goes) {
            (true, _) => None,
            (false, true) => Some("all but the deletions, in this run"),
            (false, false) => Some("the same, in this run"),
        };
        // A yes for a folder is none to what a program runs by itself.
        let autoruns = asked.changes.iter().filter(|change| change.autorun.is_some());
        let autoruns: BTreeSet<&Path> = autoruns.map(|change| change.path.as_path()).collect();
        let is_autorun = |effect: &Effect| on_file(effect).is_some_and(|path| autoruns.contains(path));
        let covers = |effect: &Effect| ApprovalScope::Folder.covers(effect.kind) && !is_autorun(effect);
        let in_folders = asked.effects.iter().filter(|effect| covers(effect));
        let in_folders = in_folders.filter_map(|effect| Some((effect.kind, on_file(effect)?.parent()?)));
        let (kinds, folders): (BTreeSet<EffectKind>, BTreeSet<&Path>) = in_folders.unzip();
        let folder = match (
            kinds.contains(&EffectKind::Overwrites),
            kinds.contains(&EffectKind::Creates),
            folders.len() > 1,
        ) {
            (false, false, _) => None,
            (true, false, false) => Some("edits in this folder, in this run"),
            (true, false, true) => Some("edits in these folders, in this run"),
            (false, true, false) => Some("new files in this folder, in this run"),
            (false, true, true) => Some("new files in these folders, in this run"),
            (true, true, false) => Some("edits and new files in this folder, in this run"),
            (true, true, true) => Some("edits and new files in these folders, in this run"),
        };
        Self { run, folder, rule: asked.always.is_some() }
    }

    /// Whether a yes with this scope is offered.
    pub(super) fn takes(self, scope: ApprovalScope) -> bool {
        match scope {
            ApprovalScope::Once => true,
            ApprovalScope::Run => self.run.is_some(),
            ApprovalScope::Folder => self.folder.is_some(),
            ApprovalScope::Always => self.rule,
        }
    }

    /// The prompt that lists the answers.
    pub(super) fn prompt(self) -> String {
        let run = self.run.map(|covers| format!("r: {covers}"));
        let folder = self.folder.map(|covers| format!("f: {covers}"));
        let rule = self.rule.then(|| "a: always, by a rule".to_owned());
        let offered = [Some("y: yes, once".to_owned()), run, folder, Some("d: details".to_owned()), rule];
        let offered: Vec<String> = offered.into_iter().flatten().collect();
        format!("{}   N: no   s: stop the run   or say what to do instead > ", offered.join("   "))
    }
}

/// Whether the answer is an explicit yes; an empty line, the end of the input and anything else are a no.
pub(crate) fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// Whether a line ends the run at a question that is answered in words: no words of a language do.
pub(super) fn ends_the_run(line: &str) -> bool {
    line.trim() == "/stop"
}

/// A parsed answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// Yes, with this scope; always means a rule.
    Yes(ApprovalScope),
    No,
    /// Show the details first.
    Details,
    /// End the run.
    Stop,
    /// No, and do this instead.
    Instead(String),
}

/// A shorter text, in bytes, is taken for a typing mistake, which is a no.
const SHORTEST_WORDS: usize = 8;

impl Said {
    /// Parses an answer. Only exact letters and words are a yes; anything else is
    /// a no, including the end of the input.
    pub(super) fn of(answer: &str) -> Self {
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" => Self::Yes(ApprovalScope::Once),
            "r" | "run" => Self::Yes(ApprovalScope::Run),
            "f" | "folder" => Self::Yes(ApprovalScope::Folder),
            "a" | "always" => Self::Yes(ApprovalScope::Always),
            "d" | "details" => Self::Details,
            "s" | "stop" => Self::Stop,
            words if words.len() < SHORTEST_WORDS => Self::No,
            _ => Self::Instead(answer.trim().to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use artoo_types::{CallId, PreviewedChange, PreviewedKind, ProposedRule, SubTaskId, ToolName};

    use super::*;

    #[test]
    fn only_a_yes_is_a_yes() {
        assert!(["y", "Y", " yes ", "YES"].into_iter().all(is_yes));
        assert!(!["", "n", "no", "yes but", "ye", "yy", "0", "是的"].into_iter().any(is_yes));
    }

    #[test]
    fn only_these_words_allow_an_effect() {
        use ApprovalScope::{Always, Folder, Once, Run};
        let said = [
            ("y", Once),
            (" YES ", Once),
            ("r", Run),
            ("run", Run),
            ("F", Folder),
            ("folder", Folder),
            ("a", Always),
            (" ALWAYS ", Always),
        ];
        for (answer, scope) in said {
            assert_eq!(Said::of(answer), Said::Yes(scope), "{answer}");
        }
        for answer in ["", "n", "no", "never", "ye", "yy", "y?", "yes!", "rf", "aa", "always!", "dd", "q"] {
            assert_eq!(Said::of(answer), Said::No, "{answer}");
        }
        assert_eq!((Said::of("d"), Said::of(" Details\n")), (Said::Details, Said::Details));
        assert_eq!((Said::of("s"), Said::of(" STOP ")), (Said::Stop, Said::Stop));
        assert!(ends_the_run(" /stop\n") && !ends_the_run("stop") && !ends_the_run("/stop it"));
        for answer in ["yes but not now", "Write it to new.txt", "写到 new.txt"] {
            assert_eq!(Said::of(&format!(" {answer}\n")), Said::Instead(answer.to_owned()));
        }
    }

    fn asked(effects: &[(EffectKind, &str)], always: Option<ProposedRule>) -> ApprovalRequested {
        let effect = |(kind, what): &(EffectKind, &str)| Effect {
            kind: *kind,
            what: (*what).to_owned(),
            word: String::new(),
            why: String::new(),
        };
        ApprovalRequested {
            subtask_id: SubTaskId::new(uuid::Uuid::nil()),
            call_id: CallId::new(uuid::Uuid::nil()),
            tool: ToolName::new("shell"),
            command: String::new(),
            effects: effects.iter().map(effect).collect(),
            changes: Vec::new(),
            commit: None,
            moves: None,
            rule: String::new(),
            reason: String::new(),
            person: true,
            always,
            because: Vec::new(),
        }
    }

    #[test]
    fn what_covers_nothing_is_not_offered() {
        use EffectKind::{Creates, Deletes, Network, Overwrites};
        let rule = ProposedRule {
            effects: [Deletes].into(),
            programs: Vec::new(),
            paths: Vec::new(),
            matches: Vec::new(),
            spares: Vec::new(),
        };
        let prompts: Vec<String> = [
            asked(&[(Deletes, "/a/b")], None),
            asked(&[(Deletes, "/a/b")], Some(rule)),
            asked(&[(Overwrites, "/a/b")], None),
            asked(&[(Overwrites, "/a/b"), (Creates, "/a/c"), (Deletes, "/d")], None),
            asked(&[(Overwrites, "/a/b"), (Overwrites, "/c/b")], None),
            asked(&[(Creates, "/a/b")], None),
            asked(&[(Overwrites, "*.txt")], None),
            asked(&[(Network, "example.org")], None),
        ]
        .iter()
        .map(|asked| Offer::of(asked).prompt())
        .collect();
        insta::assert_snapshot!(prompts.join("\n"));
        // Who agrees to new files in a folder has not agreed to one that a program runs by itself.
        let autorun = PreviewedChange {
            path: "/a/b".into(),
            change: PreviewedKind::Created,
            from: None,
            bytes_before: None,
            bytes_after: None,
            mode_before: None,
            mode_after: None,
            diff: None,
            autorun: Some("this file will be run by make".to_owned()),
            build_output: None,
        };
        let alone = ApprovalRequested { changes: vec![autorun], ..asked(&[(Creates, "/a/b")], None) };
        assert!(
            !Offer::of(&alone).takes(ApprovalScope::Folder) && Offer::of(&alone).takes(ApprovalScope::Run)
        );
        let offer = Offer::of(&asked(&[(Overwrites, "*.txt")], None));
        let taken = [ApprovalScope::Once, ApprovalScope::Run, ApprovalScope::Folder, ApprovalScope::Always];
        assert_eq!(taken.map(|scope| offer.takes(scope)), [true, true, false, false]);
    }
}
