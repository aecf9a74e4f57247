//! Permission and folder options, shared by `artoo run` and `artoo sandbox`.

use std::path::PathBuf;

use artoo_sandbox::SandboxMode;
use artoo_types::{Approval, EffectKind};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A kind of effect as it is written on the command line, with hyphens. Its name with underscores, as in files, is understood too.
fn effect(kind: EffectKind) -> PossibleValue {
    PossibleValue::new(kind.name().replace('_', "-")).alias(kind.name())
}

/// What may be done, and where.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PermissionArgs {
    /// Before which effects to ask: `auto`, `ask`, `never`
    ///
    /// `auto` asks before what cannot be taken back or cannot be known, `ask` before new files too, `never` takes no for an answer at
    /// once. Without a terminal, or with `--json` or `--quiet`, the answer is no, and the run ends with exit code 5 where it cannot
    /// do without.
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true, help_heading = "Permissions",
          value_parser = PossibleValuesParser::new(Approval::ALL.map(Approval::name))
              .try_map(|word| word.parse::<Approval>()))]
    pub(crate) approval: Approval,
    /// Grant a kind of effect in advance
    ///
    /// May be given several times.
    #[arg(long, value_name = "KIND", help_heading = "Permissions",
          value_parser = PossibleValuesParser::new(EffectKind::ALL.map(effect))
              .try_map(|word| word.replace('-', "_").parse::<EffectKind>()))]
    pub(crate) yes: Vec<EffectKind>,
    /// What commands may change
    #[arg(long, value_name = "MODE", help_heading = "Permissions",
          value_parser = PossibleValuesParser::new(["read-only", "workspace-write", "full-access"])
              .try_map(|word| word.parse::<SandboxMode>()))]
    pub(crate) sandbox: Option<SandboxMode>,

    /// Where generated files go [default: ~/artoo_workspace]
    #[arg(long, value_name = "DIR", help_heading = "Folders", hide_short_help = true)]
    pub(crate) workspace: Option<PathBuf>,
    /// Work in this folder instead of the current one
    #[arg(short = 'C', long, value_name = "DIR", help_heading = "Folders")]
    pub(crate) cwd: Option<PathBuf>,
}
