//! The `Tool` trait and the report of a call.

use artoo_types::{
    Arguments, BuildFolder, CallEnding, CallFailure, Excerpt, FileChange, OutputRecord, ToolName, Untried,
};
use async_trait::async_trait;
use serde_json::Value;

use crate::{ToolContext, ToolError};

/// Something that a step of a plan can do.
///
/// # Contract
///
/// [`name`](Self::name), [`summary`](Self::summary), [`description`](Self::description), [`excerpt`](Self::excerpt), [`arguments`](Self::arguments) and what it says of its kind are
/// constant for the life of the value. [`call`](Self::call) is called by the [`Toolbox`](crate::Toolbox) alone, from many tasks at once, with
/// arguments that a model wrote, coerced to its schema where they can mean only one thing: it checks them itself and names the one that is wrong. Paths, variables, limits and
/// the time come from the context and from nowhere else.
///
/// # Cancellation
///
/// `call` ends soon after `cx.cancel` is cancelled, and takes everything that it started with it. The toolbox drops
/// the future of a tool that does not. Blocking work belongs on `spawn_blocking` and looks at the token now and then.
///
/// # Errors
///
/// There is no error type: a failure is a [`ToolReport`] with a [`CallFailure`] in it, so that partial output is never
/// lost. `ToolError::into()` makes one.
///
/// # What an implementation must not do
///
/// Change or delete what existed before the run without a yes of the context's [`Consent`](artoo_consent::Consent), act outside the machine, or
/// ask anybody in another way; put more than it was
/// asked for into the output, which may become the answer word for word; panic, block the async thread, or keep state
/// between runs.
///
/// # Example
///
/// ```
/// use artoo_tools::{Tool, ToolContext, ToolReport};
/// use artoo_types::{Arguments, ToolName};
///
/// /// Says what time it is.
/// struct Now;
///
/// #[async_trait::async_trait]
/// impl Tool for Now {
///     fn name(&self) -> ToolName {
///         ToolName::new("now")
///     }
///     fn summary(&self) -> &str {
///         "local date and time"
///     }
///     fn arguments(&self) -> serde_json::Value {
///         serde_json::json!({ "type": "object", "properties": {}, "additionalProperties": false })
///     }
///     async fn call(&self, _: &Arguments, cx: &ToolContext) -> ToolReport {
///         ToolReport::text(cx.time.now().to_rfc3339())
///     }
/// }
/// ```
#[async_trait]
pub trait Tool: Send + Sync {
    /// The name used in plans and prompts.
    fn name(&self) -> ToolName;

    /// One line for lists of tools: what the tool does and when to prefer it.
    fn summary(&self) -> &str;

    /// What a model that can call it is told of it; by default the summary.
    fn description(&self) -> &str {
        self.summary()
    }

    /// What its caller has to know that holds in this run alone. It stands beside the step, so that the description stays
    /// the same in every run and prompts that begin with it can be cached.
    fn in_this_run(&self) -> Option<String> {
        None
    }

    /// The kind of its effects, which decides whether it is offered. The default is the strictest kind.
    fn effect(&self) -> ToolEffect {
        ToolEffect::Unknown
    }

    /// Whether its output may serve verbatim as an answer. Not for a listing or a report.
    fn output_is_answer(&self) -> bool {
        true
    }

    /// Which part of its output is shown if it is too long for a prompt.
    fn excerpt(&self) -> Excerpt {
        Excerpt::HeadTail
    }

    /// Whether it can be called if no change may last: it respects [`ToolContext::trial_only`], or only
    /// reads. Any other tool is not called then.
    fn can_be_tried(&self) -> bool {
        match self.effect() {
            ToolEffect::Reads | ToolEffect::Network | ToolEffect::Server(ServerReach::Nothing) => true,
            ToolEffect::Creates
            | ToolEffect::Edits
            | ToolEffect::Runs
            | ToolEffect::Apps
            | ToolEffect::Server(ServerReach::Folders | ServerReach::Elsewhere)
            | ToolEffect::Unknown => false,
        }
    }

    /// The JSON Schema of its arguments: an object with `additionalProperties: false`, a `description` for
    /// each, and a `maxLength` for each string, so that a small model cannot generate without end.
    fn arguments(&self) -> Value;

    /// The argument that is the content of a file, if one is. An object or a list in its place is taken as its JSON text.
    fn file_content(&self) -> Option<FileContent> {
        None
    }

    /// Performs the call. See the trait for what it may and may not do.
    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport;
}

/// The argument of a tool that is the content of a file.
/// ```
/// use artoo_tools::{Tool, WriteFile};
///
/// assert_eq!(WriteFile.file_content().map(|content| content.argument), Some("content"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileContent {
    /// The name of the argument.
    pub argument: &'static str,
    /// The name of the argument that is the path of the file, which says in which form its content is.
    pub path: &'static str,
}

/// The kind of a tool's effects.
/// ```
/// use artoo_tools::{ReadFile, Tool, ToolEffect};
///
/// assert_eq!(ReadFile.effect(), ToolEffect::Reads);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolEffect {
    /// Reads files outside of protected places.
    Reads,
    /// Creates files, and changes existing files only with consent.
    Creates,
    /// Changes files, existing ones with consent, and shows their content.
    Edits,
    /// Runs code that a model wrote, confined by the kernel.
    Runs,
    /// Sends words of a model to other machines, and returns theirs.
    Network,
    /// Acts in the user's apps, where artoo's rules do not apply.
    Apps,
    /// Asks a server of tools, a program of others that the user named.
    Server(ServerReach),
    /// May do anything.
    Unknown,
}

/// How far a server of tools reaches, as the kernel and the configuration hold it. What it says of itself is not looked at.
/// ```
/// use artoo_tools::ServerReach;
///
/// assert!(ServerReach::Nothing < ServerReach::Folders && ServerReach::Folders < ServerReach::Elsewhere);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ServerReach {
    /// It runs here and can change nothing but its own folder for temporary files, and has no network.
    Nothing,
    /// It runs here, may write in some folders, and has no network.
    Folders,
    /// It has a network, or runs on another machine.
    Elsewhere,
}

/// A tool's report of one call.
#[derive(Debug)]
pub struct ToolReport {
    /// How the call ended.
    pub ending: CallEnding,
    /// The failure; `None` on success.
    pub failure: Option<CallFailure>,
    /// The output; for a failed call, the output so far.
    pub output: Captured,
    /// A command's standard error; empty for tools without one.
    pub stderr: Captured,
    /// The files that it created or changed.
    pub files: Vec<FileChange>,
    /// The folders of build output in which it changed files that are not among these.
    pub build_output: Vec<BuildFolder>,
    /// Where it may have acted without a trial, if no trial of it can be made.
    pub untried: Option<Untried>,
}

/// An output before it is recorded.
#[derive(Debug, Default)]
pub enum Captured {
    /// No output.
    #[default]
    Nothing,
    /// The whole output. The toolbox stores it as evidence.
    Bytes(Vec<u8>),
    /// Already in the evidence store: see [`EvidenceWriter::finish`](crate::EvidenceWriter::finish).
    Stored(OutputRecord),
    /// A picture, for a model that accepts images. The record names its type, and the evidence store holds
    /// its bytes.
    Picture {
        /// For example `image/png`.
        media_type: String,
        /// The picture's bytes.
        bytes: Vec<u8>,
    },
    /// The whole output, from a foreign source, which prompts name.
    Foreign {
        /// The address of the source.
        origin: String,
        /// The text.
        bytes: Vec<u8>,
    },
}

impl ToolReport {
    /// A success with this text.
    ///
    /// ```
    /// assert!(artoo_tools::ToolReport::text("42").failure.is_none());
    /// ```
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            ending: CallEnding::Returned,
            failure: None,
            output: Captured::Bytes(text.into().into_bytes()),
            stderr: Captured::Nothing,
            files: Vec::new(),
            build_output: Vec::new(),
            untried: None,
        }
    }

    /// A failure without an output.
    pub fn failed(ending: CallEnding, failure: CallFailure) -> Self {
        Self {
            ending,
            failure: Some(failure),
            output: Captured::Nothing,
            stderr: Captured::Nothing,
            files: Vec::new(),
            build_output: Vec::new(),
            untried: None,
        }
    }
}

impl From<ToolError> for ToolReport {
    fn from(error: ToolError) -> Self {
        Self::failed(error.ending(), error.failure())
    }
}
