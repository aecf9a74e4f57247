//! What a run would do with a command.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Block, Policy};
use artoo_consent::RulesAlone;
use artoo_sandbox::{Network, SandboxMode};
use artoo_tools::{EvidenceStore, Outlook, RunFolders, ToolContext, outlook};

/// Where a command would be run, and under what.
#[derive(Clone, Debug)]
pub struct Situation {
    /// Where it would run. Absolute.
    pub working_folder: PathBuf,
    /// Where generated files go. Absolute.
    pub workspace: PathBuf,
    /// What `~` means. Absolute.
    pub home: PathBuf,
    /// Where the run would keep its own files; nothing is made there. Absolute.
    pub run_folder: PathBuf,
    /// Where the layers of a trial may lie. Absolute, and there.
    pub layer_stores: Vec<PathBuf>,
    /// What no tool may read or write, besides keys, passwords and tokens in the home.
    pub protected: Vec<PathBuf>,
    /// The sockets of other programs that the user named.
    pub sockets: Vec<PathBuf>,
    /// What the user allows commands to change.
    pub mode: SandboxMode,
    /// Whether commands may use the network.
    pub network: Network,
    /// The user's variables.
    pub environment: BTreeMap<OsString, OsString>,
}

/// What a run would do with a command, by the run's own functions: how it would begin, which rule is about it, and what its words say. Nothing
/// of it is run, and what it would change shows only when it is tried. Blocks.
pub fn explain(command: &str, situation: Situation, policy: Policy) -> Outlook {
    let Situation {
        working_folder,
        workspace,
        home,
        run_folder,
        layer_stores,
        mut protected,
        sockets,
        mode,
        network,
        environment,
    } = situation;
    protected.extend(policy.blocked(Block::Access).map(Path::to_owned));
    let read_only: Vec<PathBuf> = policy.blocked(Block::Changes).map(Path::to_owned).collect();
    let folders = RunFolders { working_folder, workspace, home, private_tmp: run_folder.join("tmp") };
    let context = ToolContext {
        protected: protected.into(),
        read_only: read_only.into(),
        sockets: sockets.into(),
        mode,
        network,
        environment,
        layer_stores,
        consent: Arc::new(RulesAlone(policy.rules)),
        ..ToolContext::new(folders, EvidenceStore::unmade(run_folder.join("evidence")))
    };
    outlook(command, &context)
}

#[cfg(test)]
mod tests {
    use artoo_tools::Step;

    use super::*;
    use crate::Enforcement;

    #[test]
    fn a_rule_that_denies_refuses_and_nothing_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let file = home.join("policy.toml");
        std::fs::write(
            &file,
            "[[rule]]\ndecision = \"deny\"\neffects = [\"deletes\"]\nreason = \"kept\"\n\
             matches = [\"rm ~/a.txt\"]\nspares = [\"ls\"]\n",
        )
        .unwrap();
        std::fs::write(home.join("a.txt"), "mine").unwrap();
        let situation = Situation {
            working_folder: home.clone(),
            workspace: home.join("workspace"),
            run_folder: home.join("run"),
            layer_stores: Vec::new(),
            protected: vec![file.clone()],
            sockets: Vec::new(),
            mode: SandboxMode::WorkspaceWrite,
            network: Network::Denied,
            environment: BTreeMap::new(),
            home: home.clone(),
        };
        let policy = crate::read(&file, &home).unwrap();
        let told = explain("rm a.txt", situation.clone(), policy.clone());
        assert_eq!((told.step, told.refusal), (Step::Refuse, Some("rule 1 of policy.toml: kept".to_owned())));
        assert_eq!(explain("ls", situation, policy).step, Step::Read);
        assert!(home.join("a.txt").exists() && !home.join("run").exists());
    }

    /// A place that stays as it is, one that is closed, and a program that no run starts.
    #[test]
    fn what_enforces_a_law_refuses() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let file = home.join("policy.toml");
        let place = |name: &str, block| Enforcement::Place { path: home.join(name), block };
        for (law, enforcement) in [
            ("1", place("Photos", Block::Changes)),
            ("2", place("Letters", Block::Access)),
            ("3", Enforcement::Program("git".to_owned())),
        ] {
            crate::enforce(&file, &home, (law, "as I said"), &enforcement).unwrap();
        }
        let refusal = |command: &str| {
            let situation = Situation {
                working_folder: home.clone(),
                workspace: home.join("workspace"),
                run_folder: home.join("run"),
                layer_stores: Vec::new(),
                protected: vec![file.clone()],
                sockets: Vec::new(),
                mode: SandboxMode::WorkspaceWrite,
                network: Network::Denied,
                environment: BTreeMap::new(),
                home: home.clone(),
            };
            explain(command, situation, crate::read(&file, &home).unwrap()).refusal
        };
        for (command, is_refused) in [
            ("rm Photos/a.jpg", true),
            ("cat Photos/a.jpg", false),
            ("cat Letters/a.txt", true),
            ("rm -r Letters", true),
            ("git status", true),
            ("/usr/bin/git log", true),
            ("echo git", false),
            ("rm other.txt", false),
        ] {
            assert_eq!(refusal(command).is_some(), is_refused, "{command}: {:?}", refusal(command));
        }
    }
}
