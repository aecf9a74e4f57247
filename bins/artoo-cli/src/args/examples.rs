//! The examples at the end of each help text. A test runs every line of them.

/// `artoo --help`.
pub(super) const ARTOO: &str = "\
Examples:
  artoo setup
  artoo run \"How many .txt files are in docs, and which is the largest?\"
  artoo \"How many .txt files are in docs?\"
  artoo doctor

Exit codes:
  0    accept: every criterion met, with evidence
  1    internal or provider failure
  2    usage or configuration
  3    success: close enough, some criteria unmet
  4    abandon: partial results and the reason
  5    consent was needed and not given
  124  --timeout
  129, 130, 131, 143  ended by a signal: terminal closed, Ctrl+C, SIGQUIT, SIGTERM";

/// `artoo run --help`.
pub(super) const RUN: &str = "\
Examples:
  artoo run \"How many .txt files are in docs?\"
  echo \"Which file in docs is the largest?\" | artoo run
  artoo run --json \"List the files in docs\"
  artoo run --plan \"Write a list of the files in docs to list.txt\"
  artoo run --yes overwrites \"Sort the lines of todo.txt\"
  artoo run --sandbox read-only --time-budget 2m \"Sum the numbers in sales.csv\"
  artoo run --base-url http://localhost:11434 --model qwen3 \"List docs\"";

/// `artoo setup --help`.
pub(super) const SETUP: &str = "\
Examples:
  artoo setup
  artoo setup --yes";

/// `artoo model --help`.
pub(super) const MODEL: &str = "\
Examples:
  artoo model list
  artoo model pull
  artoo model pull --from ~/Downloads/model.gguf
  artoo model path";

/// `artoo doctor --help`.
pub(super) const DOCTOR: &str = "\
Examples:
  artoo doctor
  artoo doctor --json";

/// `artoo runs --help`.
pub(super) const RUNS: &str = "\
Examples:
  artoo runs list
  artoo runs show last
  artoo runs show last --json
  artoo runs explain last
  artoo runs explain last --json
  artoo runs undo last --dry-run";

/// `artoo audit --help`.
pub(super) const AUDIT: &str = "\
Examples:
  artoo audit report
  artoo audit report --since 24h --json
  artoo audit verify";

/// `artoo policy --help`.
pub(super) const POLICY: &str = "\
Examples:
  artoo policy check 'find . -name \"*.log\" -delete'
  artoo policy check --json 'sort sales.csv > sorted.csv'
  artoo policy rules";

/// `artoo config --help`.
pub(super) const CONFIG: &str = "\
Examples:
  artoo config show
  artoo config path
  artoo config schema
  artoo config schema --events";

/// `artoo completions --help`.
pub(super) const COMPLETIONS: &str = "\
Examples:
  artoo completions bash
  artoo completions fish";
