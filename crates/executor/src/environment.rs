//! What a step may do where it runs, as its model is told.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use artoo_llm_client::inline;
use artoo_types::{Approval, Constraints, EffectKind};

/// What the calls of a run may do, and who can be asked. Data for a prompt: nothing is granted by it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// Where commands may write.
    pub writes: Writes,
    /// Whether commands may use the network.
    pub network: bool,
    /// Before which effects the user is asked.
    pub approval: Approval,
    /// Kinds of effects that the user has granted in advance.
    pub granted: BTreeSet<EffectKind>,
    /// Whether the user is there to be asked.
    pub person_present: bool,
    /// What the user stated about place and time.
    pub constraints: Constraints,
}

/// Where commands may write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writes {
    /// To temporary files alone.
    Nowhere,
    /// To the working folder, the workspace and temporary files.
    #[default]
    GivenFolders,
    /// Wherever the user may.
    Everywhere,
}

impl Environment {
    /// The block of a prompt, with the programs that a command can start.
    pub(crate) fn block(&self, programs: &[String]) -> String {
        let mut text = "Environment:\n".to_owned();
        for sentence in [self.writing(), self.consent(), self.networking(), self.user()] {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "- {sentence}");
        }
        if let Some(scope) = &self.constraints.scope {
            let _ =
                writeln!(text, "- Nothing outside of {} may be changed: the user said so.", inline(scope));
        }
        if let Some(deadline) = self.constraints.deadline {
            let _ = writeln!(text, "- It must be done by {}.", deadline.format("%Y-%m-%d %H:%M"));
        }
        if !programs.is_empty() {
            let _ = writeln!(text, "- Programs: {}", inline(&programs.join(", ")));
        }
        text
    }

    fn writing(&self) -> String {
        match self.writes {
            Writes::Nowhere => "Commands may write to $TMPDIR only.",
            Writes::GivenFolders => "Commands may write below the working folder, $WORKSPACE and $TMPDIR.",
            Writes::Everywhere => "Commands may write wherever the user may.",
        }
        .to_owned()
    }

    fn consent(&self) -> String {
        let free = match self.approval {
            Approval::Ask => "Everything but reading needs consent",
            Approval::Auto | Approval::Never => {
                "New files need no consent. Changes to what was there before this run need it"
            }
        };
        let who = match (self.approval, self.person_present) {
            (Approval::Never, _) | (_, false) => {
                "nobody is asked, so they are refused unless a rule allows them"
            }
            (Approval::Ask | Approval::Auto, true) => "the user sees each change first and decides",
        };
        let granted: Vec<&str> = self.granted.iter().map(|kind| kind.name()).collect();
        let granted = if granted.is_empty() {
            String::new()
        } else {
            format!(" Granted in advance: {}.", granted.join(", "))
        };
        format!("{free}: {who}.{granted}")
    }

    fn networking(&self) -> String {
        let words = if self.network { "Commands may use the network." } else { "Commands have no network." };
        words.to_owned()
    }

    fn user(&self) -> String {
        let words = if self.person_present {
            "The user is there and can be asked: give up with \"needs_person\" and a question."
        } else {
            "The user is not there: nobody can be asked."
        };
        words.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_says_what_holds() {
        let usual = Environment { person_present: true, ..Environment::default() };
        insta::assert_snapshot!(usual.block(&["bash".to_owned(), "python3".to_owned()]), @r#"
        Environment:
        - Commands may write below the working folder, $WORKSPACE and $TMPDIR.
        - New files need no consent. Changes to what was there before this run need it: the user sees each change first and decides.
        - Commands have no network.
        - The user is there and can be asked: give up with "needs_person" and a question.
        - Programs: bash, python3
        "#);
        let alone = Environment {
            writes: Writes::Nowhere,
            network: true,
            approval: Approval::Ask,
            granted: [EffectKind::Deletes].into(),
            person_present: false,
            constraints: Constraints {
                scope: Some("docs".to_owned()),
                deadline: Some(chrono::DateTime::UNIX_EPOCH.fixed_offset()),
            },
        };
        insta::assert_snapshot!(alone.block(&[]), @r"
        Environment:
        - Commands may write to $TMPDIR only.
        - Everything but reading needs consent: nobody is asked, so they are refused unless a rule allows them. Granted in advance: deletes.
        - Commands may use the network.
        - The user is not there: nobody can be asked.
        - Nothing outside of docs may be changed: the user said so.
        - It must be done by 1970-01-01 00:00.
        ");
    }
}
