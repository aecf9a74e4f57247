//! Examples at the end of each help text. A test runs every line of them.

/// `artoo --help`.
pub(super) const ARTOO: &str = "\
Examples:
  artoo setup
  artoo run \"How many .txt files are in docs, and which is the largest?\"
  artoo \"How many .txt files are in docs?\"
  artoo runs
  artoo diff
  artoo undo --dry-run
  artoo doctor

A single word is a command, never a request: `artoo run WORD` asks it.

Exit codes:
  0    accept: every criterion met, with evidence
  1    internal or provider failure
  2    usage or configuration
  3    partial: close enough, some criteria unmet; or an answer from the
       model's knowledge, which nobody checked; or a result that was not
       judged, or is not the JSON of the schema (in --json: success)
  4    abandon: partial results and the reason; or a limit is spent
  5    consent was needed and not given
  6    you have to answer a question first
  124  --timeout
  129  the terminal was closed
  130  interrupted: Ctrl+C, SIGINT
  131  SIGQUIT
  143  SIGTERM";

/// `artoo run --help`.
pub(super) const RUN: &str = "\
Examples:
  artoo run \"How many .txt files are in docs?\"
  echo \"Which file in docs is the largest?\" | artoo run
  artoo run --json \"List the files in docs\"
  artoo run --plan \"Write a list of the files in docs to list.txt\"
  artoo run --yes overwrites \"Sort the lines of todo.txt\"
  artoo run --sandbox read-only --time-budget 2m \"Sum the numbers in sales.csv\"
  artoo run --detach \"Count the lines of every file in docs\"
  artoo run -C docs \"How many .txt files are here?\"
  artoo run --base-url http://localhost:11434 -m qwen3 \"List docs\"";

/// `artoo sandbox --help`.
pub(super) const SANDBOX: &str = "\
Examples:
  artoo sandbox 'ls docs | wc -l'
  artoo sandbox 'sort sales.csv > sorted.csv'
  artoo sandbox --yes deletes 'rm -f sorted.csv'
  artoo sandbox -- sort -n sales.csv
  artoo sandbox -C docs -- ls -l
  artoo sandbox --json 'date +%A'

Exit codes: those of the command, 128 and the signal that ended it, and
  1    the command could not be started
  2    usage or configuration
  5    it was refused: consent was needed and not given
  124  --timeout
  129, 130, 131, 143  ended by a signal: terminal closed, Ctrl+C, SIGQUIT, SIGTERM";

/// `artoo undo --help`.
pub(super) const UNDO: &str = "\
Examples:
  artoo undo --dry-run
  artoo undo last --dry-run --json

The same as `artoo runs undo`.";

/// `artoo diff --help`.
pub(super) const DIFF: &str = "\
Examples:
  artoo diff
  artoo diff last --json

The same as `artoo runs diff`.";

/// `artoo explain --help`.
pub(super) const EXPLAIN: &str = "\
Examples:
  artoo explain
  artoo explain -v
  artoo explain last --json

The same as `artoo runs explain`.";

/// `artoo stop --help`.
pub(super) const STOP: &str = "\
Examples:
  artoo stop
  artoo stop last

The same as `artoo runs stop`.";

/// `artoo resume --help`.
pub(super) const RESUME: &str = "\
Examples:
  artoo resume
  artoo resume last

A run that was cut off is begun again as by `artoo runs resume`. To ask the next request of a conversation at once:
artoo run --continue \"REQUEST\"";

/// `artoo setup --help`.
pub(super) const SETUP: &str = "\
Examples:
  artoo setup
  artoo setup --yes";

/// `artoo model --help`.
pub(super) const MODEL: &str = "\
Examples:
  artoo models
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
  artoo runs
  artoo runs list --limit 5
  artoo runs show last
  artoo runs show last --json
  artoo runs explain last
  artoo runs explain last --json
  artoo runs diff last
  artoo runs attach last
  artoo runs stop last
  artoo runs what-if last -c controller.alpha=0.9
  artoo runs what-if last --profile spec-v0.8 --json
  artoo runs undo last --dry-run
  artoo runs delete last --yes
  artoo runs prune --older 30d --dry-run";

/// `artoo runs delete --help`.
pub(super) const RUNS_DELETE: &str = "\
Examples:
  artoo runs delete last --dry-run
  artoo runs delete last --yes";

/// `artoo runs prune --help`.
pub(super) const RUNS_PRUNE: &str = "\
Examples:
  artoo runs prune --older 30d --dry-run
  artoo runs prune --older 365d --yes";

/// `artoo sessions --help`.
pub(super) const SESSIONS: &str = "\
Examples:
  artoo sessions
  artoo session show last
  artoo sessions rename last \"the accounts of March\"
  artoo sessions export last --output march.md
  artoo sessions list --json
  artoo run --continue \"and how many of them are empty?\"
  artoo sessions delete last";

/// `artoo memory --help`.
pub(super) const MEMORY: &str = "\
Examples:
  artoo memory
  artoo memory list
  artoo memory why \"How many .txt files are in docs?\"
  artoo memory remember \"Reports lie in ~/reports\" --for \"sum up the report\"";

/// `artoo memory stats --help`.
pub(super) const MEMORY_STATS: &str = "\
Examples:
  artoo memory stats
  artoo memory stats --json";

/// `artoo memory list --help`.
pub(super) const MEMORY_LIST: &str = "\
Examples:
  artoo memory list
  artoo memory list --level C
  artoo memory list --space tool:shell --limit 5
  artoo memory list --text \"count files\" --json";

/// `artoo memory show --help`.
pub(super) const MEMORY_SHOW: &str = "\
Examples:
  artoo memory show 0197a3b2
  artoo memory show 0197a3b2 --json";

/// `artoo memory why --help`.
pub(super) const MEMORY_WHY: &str = "\
Examples:
  artoo memory why last
  artoo memory why \"How many .txt files are in docs?\"";

/// `artoo memory forecast --help`.
pub(super) const MEMORY_FORECAST: &str = "\
Examples:
  artoo memory forecast \"How many .txt files are in docs?\"
  artoo memory forecast --days 365 --json \"Which file is the largest?\"";

/// `artoo memory remember --help`.
pub(super) const MEMORY_REMEMBER: &str = "\
Examples:
  artoo memory remember \"Count files with find, not with ls\"
  artoo memory remember \"Reports lie in ~/reports\" --for \"sum up the report\"
  artoo memory remember --never \"Sort in place\" --for \"sort sales.csv\"
  artoo memory remember --law \"Answer in English\"
  artoo memory remember --law \"Never touch my photos\" --block-changes ~/Photos\n\
\n\
A law that names a path or a program can be enforced. At a terminal you are asked how. Elsewhere changes of\n\
the path are blocked, and a program is not refused. Forgetting the law lifts it.";

/// `artoo memory forget --help`.
pub(super) const MEMORY_FORGET: &str = "\
Examples:
  artoo memory forget 0197a3b2
  artoo memory forget \"sort sales.csv\"";

/// `artoo memory export --help`.
pub(super) const MEMORY_EXPORT: &str = "\
Examples:
  artoo memory export
  artoo memory export --output memory.jsonl";

/// `artoo memory import --help`.
pub(super) const MEMORY_IMPORT: &str = "\
Examples:
  artoo memory import memory.jsonl
  artoo memory export | artoo memory import -";

/// `artoo memory rebuild --help`.
pub(super) const MEMORY_REBUILD: &str = "\
Examples:
  artoo memory rebuild";

/// `artoo memory verify --help`.
pub(super) const MEMORY_VERIFY: &str = "\
Examples:
  artoo memory verify
  artoo memory verify --json";

/// `artoo memory dream --help`.
pub(super) const MEMORY_DREAM: &str = "\
Examples:
  artoo memory dream
  artoo memory dream --no-model";

/// `artoo memory log --help`.
pub(super) const MEMORY_LOG: &str = "\
Examples:
  artoo memory log
  artoo memory log --limit 5 --json";

/// `artoo audit verify --help`.
pub(super) const AUDIT_VERIFY: &str = "\
Exit codes:
  0  the log is whole, and every run on record is in it
  1  a line was changed, removed or added, or a run on record is missing
  3  the log is truncated: its end was cut, and nothing before it was changed";

/// `artoo audit --help`.
pub(super) const AUDIT: &str = "\
Examples:
  artoo audit
  artoo audit report --since 24h --json
  artoo audit tail -n 50
  artoo audit tail --follow
  artoo audit verify";

/// `artoo policy --help`.
pub(super) const POLICY: &str = "\
Examples:
  artoo policy check 'find . -name \"*.log\" -delete'
  artoo policy check --json 'sort sales.csv > sorted.csv'
  artoo policies";

/// `artoo config --help`.
pub(super) const CONFIG: &str = "\
Examples:
  artoo config
  artoo config path
  artoo config schema
  artoo config schema --events";

/// `artoo acp --help`.
pub(super) const ACP: &str = "\
Examples:
  artoo acp < /dev/null

An editor starts it and speaks with it on standard input and output; what it
logs is on standard error. How to set up yours: docs/editors.md";

/// `artoo mcp --help`.
pub(super) const MCP: &str = "\
Examples:
  artoo mcp
  artoo mcp serve < /dev/null

A program of a server runs confined: it reads what you may read but keys and
passwords, writes only in the folders that you give it, and has no network
unless you grant it. More: docs/mcp.md";

/// `artoo mcp add --help`.
pub(super) const MCP_ADD: &str = "\
How it is used:
  artoo mcp add time -- mcp-server-time
  artoo mcp add notes --folder ~/notes -- mcp-server-filesystem ~/notes
  artoo mcp add hub --url https://example.org/mcp --header 'Authorization: Bearer ${HUB_TOKEN}'";

/// `artoo mcp list --help`.
pub(super) const MCP_LIST: &str = "\
Examples:
  artoo mcp list
  artoo mcp list --json";

/// `artoo mcp serve --help`.
pub(super) const MCP_SERVE: &str = "\
Examples:
  artoo mcp serve < /dev/null
  artoo mcp serve --folder . < /dev/null

A client is told to start `artoo mcp serve`. It gets the tools run_task, answer,
undo, explain, list_runs, show_run and recall.";

/// `artoo completions --help`.
pub(super) const COMPLETIONS: &str = "\
Examples:
  artoo completions bash
  artoo completions fish

How to install it:
  bash  artoo completions bash > ~/.local/share/bash-completion/completions/artoo
  zsh   artoo completions zsh > ~/.zfunc/_artoo
        with `fpath=(~/.zfunc $fpath)` before `compinit` in ~/.zshrc
  fish  artoo completions fish > ~/.config/fish/completions/artoo.fish
The folder has to be there (mkdir -p), and a new shell reads the script.";

/// `artoo man --help`.
pub(super) const MAN: &str = "\
Examples:
  artoo man
  artoo man > artoo.1";

/// `artoo help --help`.
pub(super) const HELP: &str = "\
Examples:
  artoo help
  artoo help runs undo";

/// `artoo version --help`.
pub(super) const VERSION: &str = "\
Examples:
  artoo version";
