//! The answer *always* to an approval question: shows the proposed rule and adds it to `policy.toml`.

use std::path::PathBuf;

use artoo_consent::Rule;
use artoo_types::ProposedRule;

use crate::config;
use crate::dispatch::Context;
use crate::error::CommandError;
use crate::terminal::{exact, neutral_line};

/// The file that rules are added to.
pub(super) struct PolicyFile {
    /// Its path; the file need not exist.
    pub(super) path: PathBuf,
    /// The user's home folder.
    pub(super) home: PathBuf,
}

impl PolicyFile {
    /// The lines that show the rule as it would be written. Neutral.
    pub(super) fn offer(&self, rule: &ProposedRule) -> Vec<String> {
        let head = format!("this rule would be added to {}:", neutral_line(&self.path.display().to_string()));
        let text = artoo_policy::rule_text(&Rule::allowing(rule.clone(), "(what you type next)".to_owned()));
        let lines = text.trim().split('\n').map(|line| format!("  {}", exact(line)));
        std::iter::once(head).chain(lines).collect()
    }

    /// Adds the rule to the file and returns a message about it. Blocks.
    ///
    /// # Errors
    ///
    /// Nothing was written, and why.
    pub(super) fn add(&self, rule: &ProposedRule, reason: &str) -> Result<String, CommandError> {
        let rule = Rule::allowing(rule.clone(), reason.to_owned());
        let number = artoo_policy::add(&self.path, &self.home, &rule)?;
        let path = neutral_line(&self.path.display().to_string());
        Ok(format!("rule {number} was added to {path}; whoever edits that file takes it back"))
    }
}

/// Adds a rule to the user's own rules, for a front end that has shown it.
///
/// # Errors
///
/// Nothing was written, and why.
pub(crate) fn remember(context: &Context<'_>, rule: &ProposedRule, reason: &str) -> Result<(), CommandError> {
    let home = context.folders.home.clone();
    let path = config::policy_path(context.environment, &home);
    PolicyFile { path, home }.add(rule, reason).map(drop)
}

#[cfg(test)]
mod tests {
    use artoo_types::EffectKind;

    use super::*;

    #[test]
    fn the_rule_is_shown_as_it_would_be_written_and_acts_on_no_terminal() {
        let file = PolicyFile { path: "/home/ada/\u{1b}[2J/policy.toml".into(), home: "/home/ada".into() };
        let rule = ProposedRule {
            effects: [EffectKind::Deletes, EffectKind::Overwrites].into(),
            programs: vec!["mv".to_owned(), "rm".to_owned()],
            paths: vec!["~/a\u{202e}b".to_owned()],
            matches: vec!["mv '~/a\u{202e}b' x\nrm \u{1b}[31m".to_owned()],
            spares: vec!["mv y x".to_owned()],
        };
        insta::assert_snapshot!(file.offer(&rule).join("\n"));
    }
}
