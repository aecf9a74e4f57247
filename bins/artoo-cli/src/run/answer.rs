//! Answers to an approval question: how they are listed, and how the user's line is parsed.

use artoo_runtime::Offer;
use artoo_types::ApprovalScope;

use crate::terminal::width;

/// Between two answers on one line.
const GAP: &str = "   ";

/// The prompt that lists the answers on offer. No choice is divided where it fits into a line of the terminal.
pub(super) fn prompt(offer: Offer, columns: usize) -> String {
    let Offer { run, folder, rule } = offer;
    let run = run.map(|covers| format!("r: {covers}"));
    let folder = folder.map(|covers| format!("f: {covers}"));
    let fixed = |choice: &str| Some(choice.to_owned());
    let rule = if rule { fixed("a: always, by a rule") } else { None };
    let (no, stop) = (fixed("N: no"), fixed("s: stop the run"));
    let (yes, details, words) =
        (fixed("y: yes, once"), fixed("d: details"), fixed("or say what to do instead > "));
    let choices = [yes, run, folder, details, rule, no, stop, words].into_iter().flatten();
    let (mut text, mut used) = (String::new(), 0);
    for choice in choices {
        let wanted = width(&choice);
        let gap = match used {
            0 => "",
            // The last column stays free: some terminals wrap when it is filled.
            used if used + GAP.len() + wanted < columns => GAP,
            _ => "\n",
        };
        used = if gap == GAP { used + GAP.len() + wanted } else { wanted };
        text.push_str(gap);
        text.push_str(&choice);
    }
    text
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
    use artoo_types::{ApprovalRequested, CallId, Effect, EffectKind, ProposedRule, SubTaskId, ToolName};

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
        .map(|asked| prompt(Offer::of(asked), 400))
        .collect();
        insta::assert_snapshot!(prompts.join("\n"));
    }

    #[test]
    fn a_choice_is_not_divided() {
        let widest = asked(&[(EffectKind::Overwrites, "/a/b"), (EffectKind::Creates, "/a/c")], None);
        let offer = Offer { rule: true, ..Offer::of(&widest) };
        for columns in [80, 60, 40] {
            let text = prompt(offer, columns);
            let rows: Vec<&str> = text.split('\n').collect();
            let whole = prompt(offer, 400);
            assert_eq!(rows.join(GAP), whole);
            assert!(rows.iter().all(|row| !row.contains(GAP) || width(row) < columns), "{text}");
        }
        insta::assert_snapshot!(prompt(offer, 60));
    }
}
