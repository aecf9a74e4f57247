//! What a step may do where it runs, as its model is told.

use std::fmt::Write as _;

use artoo_llm_client::{granted_in_advance, inline};
use artoo_types::{Approval, CommandNetwork, Constraints, EffectKind, Workplace, Writes};

use crate::User;

/// What the calls of a run may do, and who can be asked. Data for a prompt: nothing is granted by it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// What the commands may do.
    pub workplace: Workplace,
    /// Before which effects the user is asked.
    pub approval: Approval,
    /// Whether the user is there to be asked.
    pub person_present: bool,
    /// What the user stated about place and time.
    pub constraints: Constraints,
}

impl Environment {
    /// The block of a prompt, with the programs that a command can start.
    pub(crate) fn block(&self, programs: &[String]) -> String {
        let mut text = "Environment:\n".to_owned();
        for sentence in [self.writing(), self.consent(), self.networking(), self.asking()] {
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
        match self.workplace.writes {
            Writes::Nowhere => "Commands may write to $TMPDIR only.",
            Writes::GivenFolders => "Commands may write below the working folder, $WORKSPACE and $TMPDIR.",
            Writes::Everywhere => "Commands may write wherever the user may.",
        }
        .to_owned()
    }

    fn consent(&self) -> String {
        let new_files =
            "New files need no consent. Changing or deleting what was there before this run needs it";
        let (words, free): (_, &[EffectKind]) = match self.approval {
            Approval::Ask => ("Everything except reading needs consent", &[]),
            Approval::Auto | Approval::Never => (new_files, &[EffectKind::Creates]),
        };
        let who = match self.user() {
            User::Absent => "nobody is asked, so it is refused unless a rule allows it",
            User::Present => "the user sees each change first and decides",
        };
        format!("{words}: {who}.{}", granted_in_advance(&self.workplace.granted, free))
    }

    fn networking(&self) -> String {
        match self.workplace.network {
            CommandNetwork::Nothing => "Commands have no network.",
            CommandNetwork::OwnLoopback => {
                "Commands and jobs share a loopback of this run (127.0.0.1, ::1), so a command reaches a server that runs as a job. They reach no other network."
            }
            CommandNetwork::Machine => "Commands may use the network.",
        }
        .to_owned()
    }

    fn asking(&self) -> String {
        let words = match self.user() {
            User::Present => "The user is there and can be asked.",
            User::Absent => "Nobody can be asked in this run.",
        };
        words.to_owned()
    }

    /// Whether a question reaches somebody.
    pub fn user(&self) -> User {
        match (self.approval, self.person_present) {
            (Approval::Ask | Approval::Auto, true) => User::Present,
            (Approval::Never, _) | (Approval::Ask | Approval::Auto, false) => User::Absent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_says_what_holds() {
        let usual = Environment { person_present: true, ..Environment::default() };
        insta::assert_snapshot!(usual.block(&["bash".to_owned(), "python3".to_owned()]), @r"
        Environment:
        - Commands may write below the working folder, $WORKSPACE and $TMPDIR.
        - New files need no consent. Changing or deleting what was there before this run needs it: the user sees each change first and decides.
        - Commands have no network.
        - The user is there and can be asked.
        - Programs: bash, python3
        ");
        let served = Environment {
            workplace: Workplace { network: CommandNetwork::OwnLoopback, ..Workplace::default() },
            ..usual
        };
        insta::assert_snapshot!(served.networking(), @"Commands and jobs share a loopback of this run (127.0.0.1, ::1), so a command reaches a server that runs as a job. They reach no other network.");
        let alone = Environment {
            workplace: Workplace {
                writes: Writes::Nowhere,
                network: CommandNetwork::Machine,
                granted: [EffectKind::Deletes].into(),
            },
            approval: Approval::Ask,
            person_present: false,
            constraints: Constraints {
                scope: Some("docs".to_owned()),
                deadline: Some(chrono::DateTime::UNIX_EPOCH.fixed_offset()),
            },
        };
        insta::assert_snapshot!(alone.block(&[]), @r"
        Environment:
        - Commands may write to $TMPDIR only.
        - Everything except reading needs consent: nobody is asked, so it is refused unless a rule allows it. Granted in advance: deletes.
        - Commands may use the network.
        - Nobody can be asked in this run.
        - Nothing outside of docs may be changed: the user said so.
        - It must be done by 1970-01-01 00:00.
        ");
    }
}
