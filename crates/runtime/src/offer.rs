//! Which answers are offered to a question about effects.

use std::collections::BTreeSet;
use std::path::Path;

use artoo_consent::on_file;
use artoo_types::{ApprovalRequested, ApprovalScope, Effect, EffectKind};

/// The answers that a front end offers to a question about effects, besides yes and no: those with a wider scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What a yes for the run covers, in words; none where it covers nothing.
    pub run: Option<&'static str>,
    /// What a yes for the folder covers, in words; none where it covers nothing.
    pub folder: Option<&'static str>,
    /// Whether a rule can express the call.
    pub rule: bool,
}

impl Offer {
    /// The answers offered with this question.
    pub fn of(asked: &ApprovalRequested) -> Self {
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
    pub fn takes(self, scope: ApprovalScope) -> bool {
        match scope {
            ApprovalScope::Once => true,
            ApprovalScope::Run => self.run.is_some(),
            ApprovalScope::Folder => self.folder.is_some(),
            ApprovalScope::Always => self.rule,
        }
    }
}

#[cfg(test)]
mod tests {
    use artoo_types::{CallId, PreviewedChange, PreviewedKind, ProposedRule, SubTaskId, ToolName};

    use super::*;

    fn asked(effects: &[(EffectKind, &str)]) -> ApprovalRequested {
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
            always: None,
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
        let by_rule = ApprovalRequested { always: Some(rule), ..asked(&[(Deletes, "/a/b")]) };
        assert_eq!(Offer::of(&by_rule), Offer { run: None, folder: None, rule: true });
        let same = Some("the same, in this run");
        let rows: [(&[(EffectKind, &str)], _, _); 7] = [
            (&[(Deletes, "/a/b")], None, None),
            (&[(Overwrites, "/a/b")], same, Some("edits in this folder, in this run")),
            (
                &[(Overwrites, "/a/b"), (Creates, "/a/c"), (Deletes, "/d")],
                Some("all but the deletions, in this run"),
                Some("edits and new files in this folder, in this run"),
            ),
            (
                &[(Overwrites, "/a/b"), (Overwrites, "/c/b")],
                same,
                Some("edits in these folders, in this run"),
            ),
            (&[(Creates, "/a/b")], same, Some("new files in this folder, in this run")),
            (&[(Overwrites, "*.txt")], same, None),
            (&[(Network, "example.org")], same, None),
        ];
        for (effects, run, folder) in rows {
            assert_eq!(Offer::of(&asked(effects)), Offer { run, folder, rule: false }, "{effects:?}");
        }
    }

    #[test]
    fn a_scope_is_taken_where_it_covers_something() {
        use EffectKind::{Creates, Overwrites};
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
        let alone = ApprovalRequested { changes: vec![autorun], ..asked(&[(Creates, "/a/b")]) };
        assert!(
            !Offer::of(&alone).takes(ApprovalScope::Folder) && Offer::of(&alone).takes(ApprovalScope::Run)
        );
        let offer = Offer::of(&asked(&[(Overwrites, "*.txt")]));
        let taken = [ApprovalScope::Once, ApprovalScope::Run, ApprovalScope::Folder, ApprovalScope::Always];
        assert_eq!(taken.map(|scope| offer.takes(scope)), [true, true, false, false]);
    }
}
