//! Probes at startup which tools work on this machine and which of them the user granted.

use std::path::PathBuf;
use std::sync::Arc;

use artoo_types::{ToolKind, ToolName};

use crate::{
    AppleScript, EditFile, GitCommit, Glob, Grep, LookAtJob, Mdfind, ReadEvidence, ReadFile, Shell,
    Shortcuts, Tool, ToolEffect, Toolbox, WriteFile, shell_program,
};

/// What tools may do beyond files and confined commands. Nothing, by default.
#[derive(Clone, Default)]
pub struct Grants {
    /// Access to other machines; `None` means no.
    pub web: Option<WebGrant>,
    /// Control of the user's apps.
    pub apps: bool,
    /// Whether `mdfind` is offered; `None` offers it if there is an index.
    pub mdfind: Option<bool>,
}

/// The tools that read the web: `artoo-web` has such.
#[derive(Clone)]
pub struct WebGrant {
    /// Finds pages.
    pub search: Arc<dyn Tool>,
    /// How it works, for example the engine that it asks.
    pub how: String,
    /// Reads a page.
    pub fetch: Arc<dyn Tool>,
}

/// A tool and its availability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolStatus {
    /// Its name.
    pub name: ToolName,
    /// The kind of its effects.
    pub effect: ToolEffect,
    /// Its availability.
    pub state: ToolState,
}

/// The availability of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolState {
    /// The tool is offered.
    Offered {
        /// How it works on this machine, for example the index that it queries; may be empty.
        how: String,
    },
    /// The tool would work, but the user has not granted it.
    NotGranted {
        /// How to grant it.
        remedy: String,
    },
    /// This machine lacks a requirement.
    Absent {
        /// What is missing.
        missing: String,
        /// How to provide it.
        remedy: String,
    },
}

/// The result of a probe.
#[derive(Debug, Clone)]
pub struct Probed {
    /// The offered tools, in the order of the specification.
    pub toolbox: Toolbox,
    /// All tools, in the same order.
    pub tools: Vec<ToolStatus>,
}

impl Toolbox {
    /// Probes the tools that work on this machine and that the user granted. Programs are searched in these
    /// folders.
    /// ```
    /// use artoo_tools::{Grants, Toolbox};
    ///
    /// let probed = Toolbox::probe(&["/usr/bin".into(), "/bin".into()], &Grants::default());
    /// assert_eq!(probed.tools.len(), 14);
    /// assert!(probed.toolbox.get(&artoo_types::ToolName::new("fetch")).is_none());
    /// ```
    pub fn probe(search_path: &[PathBuf], grants: &Grants) -> Probed {
        let mut probed = Probed { toolbox: Self::new(), tools: Vec::new() };
        probed.mdfind(Mdfind::probe(search_path), grants.mdfind);
        probed.offer(Glob, "");
        probed.offer(Grep, "");
        probed.offer(ReadFile, "");
        probed.offer(ReadEvidence, "");
        probed.offer(WriteFile, "");
        probed.offer(EditFile, "");
        match GitCommit::probe(search_path) {
            Some(tool) => {
                let how = tool.program().display().to_string();
                probed.offer(tool, how);
            }
            None => probed.leave_out(
                ToolKind::GitCommit,
                ToolEffect::Edits,
                ToolState::Absent {
                    missing: "there is no git that only the system could have put there".to_owned(),
                    remedy: "install git as a package of the system".to_owned(),
                },
            ),
        }
        probed.app(ToolKind::AppleScript, "osascript", AppleScript::probe(search_path), grants.apps);
        probed.app(ToolKind::Shortcuts, "shortcuts", Shortcuts::probe(search_path), grants.apps);
        match shell_program(search_path) {
            Some(path) => {
                probed.offer(Shell, path.display().to_string());
                probed.offer(LookAtJob, "");
            }
            None => {
                for tool in [ToolKind::Shell, ToolKind::Job] {
                    probed.leave_out(
                        tool,
                        ToolEffect::Runs,
                        ToolState::Absent {
                            missing: "there is neither bash nor sh".to_owned(),
                            remedy: "install bash, or correct PATH".to_owned(),
                        },
                    );
                }
            }
        }
        match &grants.web {
            Some(WebGrant { search, how, fetch }) => {
                probed.offer_shared(Arc::clone(search), how);
                probed.offer_shared(Arc::clone(fetch), "");
            }
            None => {
                for tool in [ToolKind::Search, ToolKind::Fetch] {
                    probed.leave_out(
                        tool,
                        ToolEffect::Network,
                        ToolState::NotGranted {
                            remedy: "set `tools.web = true` to let runs read the web".to_owned(),
                        },
                    );
                }
            }
        }
        probed
    }
}

impl Probed {
    fn offer(&mut self, tool: impl Tool + 'static, how: impl Into<String>) {
        self.offer_shared(Arc::new(tool), how);
    }

    fn offer_shared(&mut self, tool: Arc<dyn Tool>, how: impl Into<String>) {
        let state = ToolState::Offered { how: how.into() };
        self.tools.push(ToolStatus { name: tool.name(), effect: tool.effect(), state });
        self.toolbox = std::mem::take(&mut self.toolbox).with_shared(tool);
    }

    fn leave_out(&mut self, tool: ToolKind, effect: ToolEffect, state: ToolState) {
        self.tools.push(ToolStatus { name: tool.into(), effect, state });
    }

    fn mdfind(&mut self, tool: Mdfind, wish: Option<bool>) {
        match (wish, tool.index()) {
            (None | Some(true), Some(index)) => self.offer(tool, index),
            (Some(true), None) => self.offer(tool, "by walking"),
            (Some(false), _) => self.leave_out(
                ToolKind::Mdfind,
                ToolEffect::Reads,
                ToolState::NotGranted {
                    remedy: "set `tools.mdfind = true`, or take it out of the configuration".to_owned(),
                },
            ),
            (None, None) => self.leave_out(
                ToolKind::Mdfind,
                ToolEffect::Reads,
                ToolState::Absent {
                    missing: "there is no index of files that can be read without the rights of a group"
                        .to_owned(),
                    remedy: "set `tools.mdfind = true` to let it walk".to_owned(),
                },
            ),
        }
    }

    fn app(&mut self, kind: ToolKind, program: &str, tool: Option<impl Tool + 'static>, granted: bool) {
        let state = match (tool, granted) {
            (Some(tool), true) => return self.offer(tool, ""),
            (Some(_), false) => ToolState::NotGranted {
                remedy: "set `tools.apps = true` to let runs act in your apps".to_owned(),
            },
            (None, _) => ToolState::Absent {
                missing: format!("there is no {program}"),
                remedy: "it comes with macOS; other systems have none".to_owned(),
            },
        };
        self.leave_out(kind, ToolEffect::Apps, state);
    }
}

impl std::fmt::Debug for Grants {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grants")
            .field("web", &self.web.is_some())
            .field("apps", &self.apps)
            .field("mdfind", &self.mdfind)
            .finish()
    }
}

impl std::fmt::Debug for WebGrant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebGrant").field("how", &self.how).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SystemProgram;

    #[test]
    fn what_is_there_is_offered_if_it_is_granted() {
        let program = SystemProgram::vouched_for("/usr/bin/osascript".into());
        let state = |granted| {
            let mut probed = Probed { toolbox: Toolbox::new(), tools: Vec::new() };
            probed.app(ToolKind::AppleScript, "osascript", Some(AppleScript::with(program.clone())), granted);
            let offered = probed.toolbox.get(&ToolName::new("applescript")).is_some();
            (offered, probed.tools.remove(0).state)
        };
        assert_eq!(state(true), (true, ToolState::Offered { how: String::new() }));
        let remedy = "set `tools.apps = true` to let runs act in your apps".to_owned();
        assert_eq!(state(false), (false, ToolState::NotGranted { remedy }));
    }

    #[test]
    fn an_index_is_offered_unless_it_is_switched_off() {
        let names = |wish| {
            let mut probed = Probed { toolbox: Toolbox::new(), tools: Vec::new() };
            probed.mdfind(Mdfind::with_plocate(SystemProgram::vouched_for("/usr/bin/plocate".into())), wish);
            probed.toolbox.tools().map(|tool| tool.name().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(None), ["mdfind"]);
        assert_eq!(names(Some(false)), [""; 0]);
    }
}
