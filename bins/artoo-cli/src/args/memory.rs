//! Arguments of `artoo memory`.

use std::path::PathBuf;

use artoo_types::Level;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

use super::examples;

/// What can be done with memory.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Count what is in memory, and say where it is kept
    #[command(after_help = examples::MEMORY_STATS)]
    Stats(JsonArgs),
    /// List what is in memory, the newest first
    #[command(alias = "ls", after_help = examples::MEMORY_LIST)]
    List(ListArgs),
    /// Show everything of one entry: what it says, and where it comes from
    #[command(after_help = examples::MEMORY_SHOW)]
    Show {
        /// The entry's id, or its beginning
        id: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Say what memory had to do with a run, or would say to a request
    #[command(after_help = examples::MEMORY_WHY)]
    Why {
        /// A run's id, its beginning or end, or `last`; or the words of a request
        #[arg(value_name = "RUN-OR-TEXT")]
        about: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Show what would be recalled for a request, and how that fades
    #[command(after_help = examples::MEMORY_FORECAST)]
    Forecast {
        /// The words of a request
        request: String,
        /// How far to look ahead
        #[arg(long, value_name = "N", default_value_t = 60,
              value_parser = clap::value_parser!(u32).range(1..=i64::from(artoo_mkct_memory::forecast::MAX_DAYS)))]
        days: u32,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Tell memory a rule of yours
    ///
    /// It fades only when experience speaks against it.
    #[command(after_help = examples::MEMORY_REMEMBER)]
    Remember(RememberArgs),
    /// Take entries out of memory for good
    #[command(aliases = ["delete", "remove", "rm"], after_help = examples::MEMORY_FORGET)]
    Forget {
        /// An entry's id or its beginning; or words, for what is like them
        #[arg(value_name = "ID-OR-TEXT")]
        what: String,
        /// Ask nothing
        #[arg(long, short)]
        yes: bool,
        /// Print one JSON object; asks nothing, so it needs `--yes`
        #[arg(long, requires = "yes")]
        json: bool,
    },
    /// Write memory as JSON lines
    #[command(after_help = examples::MEMORY_EXPORT)]
    Export {
        /// Into a new file, instead of standard output
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Take in an export
    ///
    /// What is in it counts as somebody's experience: rules and laws come in as experiences, too.
    #[command(after_help = examples::MEMORY_IMPORT)]
    Import {
        /// The file; `-` is standard input
        file: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Build the index anew from the journal
    #[command(after_help = examples::MEMORY_REBUILD)]
    Rebuild(JsonArgs),
    /// Read everything that memory has on disk and compare it
    #[command(after_help = examples::MEMORY_VERIFY)]
    Verify(JsonArgs),
    /// Let the Dreamer look through memory now
    ///
    /// What is worn out is forgotten, what has proven itself becomes a rule.
    #[command(after_help = examples::MEMORY_DREAM)]
    Dream {
        /// Let code write the words of new rules, not the model of the configuration
        #[arg(long)]
        no_model: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// List what the Dreamer changed, the newest first
    #[command(after_help = examples::MEMORY_LOG)]
    Log {
        /// Print one JSON object per cycle
        #[arg(long)]
        json: bool,
        /// The most cycles to list
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
    },
}

/// A command that can print JSON, and nothing else.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct JsonArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `artoo memory list`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ListArgs {
    /// Of this level alone: M (experience), K (knowledge), C (rule), T (law)
    #[arg(long, value_name = "LEVEL", ignore_case = true,
          value_parser = PossibleValuesParser::new(["M", "K", "C", "T"]).map(|word| level(&word)))]
    pub(crate) level: Option<Level>,
    /// Whose space begins like this, for example `tool:shell`
    #[arg(long, value_name = "SPACE")]
    pub(crate) space: Option<String>,
    /// That are like these words, the most similar first
    #[arg(long, value_name = "WORDS")]
    pub(crate) text: Option<String>,
    /// The most entries to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Print one JSON object per entry
    #[arg(long)]
    pub(crate) json: bool,
}

fn level(word: &str) -> Level {
    match word.to_ascii_uppercase().as_str() {
        "K" => Level::K,
        "C" => Level::C,
        "T" => Level::T,
        // The value parser accepts nothing else.
        _ => Level::M,
    }
}

/// `artoo memory remember`.
#[derive(Clone, Debug, Args)]
pub(crate) struct RememberArgs {
    /// What to remember
    pub(crate) text: String,
    /// For requests like this one [default: like the text itself]
    #[arg(long = "for", value_name = "REQUEST")]
    pub(crate) request: Option<String>,
    /// As something that must not be done
    #[arg(long)]
    pub(crate) never: bool,
    /// As a law: it is said before every plan, and nothing wears it out
    #[arg(long, conflicts_with_all = ["request", "never"])]
    pub(crate) law: bool,
    /// Let no run change anything at this path; may be given several times
    #[arg(long, value_name = "PATH", requires = "law")]
    pub(crate) block_changes: Vec<PathBuf>,
    /// Let no run read or change anything at this path; may be given several times
    #[arg(long, value_name = "PATH", requires = "law")]
    pub(crate) block_access: Vec<PathBuf>,
    /// Refuse every command that starts this program; may be given several times
    #[arg(long, value_name = "NAME", requires = "law")]
    pub(crate) block_program: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
