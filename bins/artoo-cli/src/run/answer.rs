//! Answers to an approval question: how they are listed, and how the user's line is parsed.

use artoo_runtime::Offer;
use artoo_types::ApprovalScope;

use crate::terminal::width;

/// Between two answers on one line.
const GAP: &str = "   ";

/// The prompt that lists the answers on offer. It breaks between two choices, never within one.
pub(super) fn prompt(offer: Offer, columns: usize) -> String {
    let mut choices = vec!["y: yes, once".to_owned()];
    choices.extend(offer.run.map(|covers| format!("r: {covers}")));
    choices.extend(offer.folder.map(|covers| format!("f: {covers}")));
    choices.push("d: details".to_owned());
    choices.extend(offer.rule.then(|| "a: always, by a rule".to_owned()));
    choices.extend(["N: no", "s: stop the run", "or say what to do instead > "].map(str::to_owned));
    let mut rows: Vec<String> = Vec::new();
    for choice in choices {
        match rows.last_mut() {
            // The last column stays free: some terminals wrap when it is filled.
            Some(row) if width(row) + width(GAP) + width(&choice) < columns => {
                row.push_str(GAP);
                row.push_str(&choice);
            }
            Some(_) | None => rows.push(choice),
        }
    }
    rows.join("\n")
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

    #[test]
    fn a_choice_is_not_divided() {
        let folder = Some("edits and new files in this folder, in this run");
        let offer = Offer { run: Some("the same, in this run"), folder, rule: true };
        for columns in [80, 60, 40] {
            let text = prompt(offer, columns);
            let rows: Vec<&str> = text.split('\n').collect();
            let whole = prompt(offer, 400);
            assert_eq!(rows.join(GAP), whole);
            assert!(rows.iter().all(|row| !row.contains(GAP) || width(row) < columns), "{text}");
        }
        insta::assert_snapshot!(prompt(offer, 60));
    }

    #[test]
    fn what_is_not_offered_is_not_listed() {
        let nothing = Offer { run: None, folder: None, rule: false };
        let listed = "y: yes, once   d: details   N: no   s: stop the run   or say what to do instead > ";
        assert_eq!(prompt(nothing, 400), listed);
        let rule = Offer { rule: true, ..nothing };
        assert_eq!(prompt(rule, 400), listed.replace("N: no", "a: always, by a rule   N: no"));
    }
}
