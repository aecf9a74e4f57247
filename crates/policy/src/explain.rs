//! What a run would do with a command.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use artoo_consent::{Rules, RulesAlone};
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
    /// What the user allows commands to change.
    pub mode: SandboxMode,
    /// Whether commands may use the network.
    pub network: Network,
    /// The user's variables.
    pub environment: BTreeMap<OsString, OsString>,
}

/// What a run would do with a command, by the run's own functions: how it would begin, which rule is about it, and what its words say. Nothing
/// of it is run, and what it would change shows only when it is tried. Blocks.
pub fn explain(command: &str, situation: Situation, rules: Rules) -> Outlook {
    let Situation {
        working_folder,
        workspace,
        home,
        run_folder,
        layer_stores,
        protected,
        mode,
        network,
        environment,
    } = situation;
    let folders = RunFolders { working_folder, workspace, home, private_tmp: run_folder.join("tmp") };
    let context = ToolContext {
        protected: protected.into(),
        mode,
        network,
        environment,
        layer_stores,
        consent: Arc::new(RulesAlone(rules)),
        ..ToolContext::new(folders, EvidenceStore::unmade(run_folder.join("evidence")))
    };
    outlook(command, &context)
}

#[cfg(test)]
mod tests {
    use artoo_tools::Step;

    use super::*;

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
            mode: SandboxMode::WorkspaceWrite,
            network: Network::Denied,
            environment: BTreeMap::new(),
            home: home.clone(),
        };
        let rules = crate::read(&file, &home).unwrap();
        let told = explain("rm a.txt", situation.clone(), rules.clone());
        assert_eq!((told.step, told.refusal), (Step::Refuse, Some("rule 1 of policy.toml: kept".to_owned())));
        assert_eq!(explain("ls", situation, rules).step, Step::Read);
        assert!(home.join("a.txt").exists() && !home.join("run").exists());
    }
}
