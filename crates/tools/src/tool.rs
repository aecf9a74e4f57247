//! What a tool is.

use artoo_types::{Arguments, CallEnding, CallFailure, Excerpt, FileChange, OutputRecord, ToolName};
use async_trait::async_trait;
use serde_json::Value;

use crate::{ToolContext, ToolError};

/// Something that a step of a plan can do.
///
/// # Contract
///
/// [`name`](Self::name), [`summary`](Self::summary), [`excerpt`](Self::excerpt), [`arguments`](Self::arguments) and what it says of its kind are
/// constant for the life of the value. [`call`](Self::call) is called by the [`Toolbox`](crate::Toolbox) alone, from many tasks at once, with
/// arguments that a model wrote: it checks them itself and names the one that is wrong. Paths, variables, limits and
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
    /// The name by which plans and prompts call it.
    fn name(&self) -> ToolName;

    /// One line for the prompt: what it does and when to prefer it.
    fn summary(&self) -> &str;

    /// What kind of thing it does. By it a tool is offered or not; one that does not say counts as the strictest kind.
    fn effect(&self) -> ToolEffect {
        ToolEffect::Unknown
    }

    /// Whether its output may stand as an answer word for word. Not where it is a listing or a report to be read.
    fn output_is_answer(&self) -> bool {
        true
    }

    /// Which part of its output is shown where that is too long for a prompt.
    fn excerpt(&self) -> Excerpt {
        Excerpt::HeadTail
    }

    /// Whether it can be called where nothing of it may last: it heeds [`ToolContext::trial_only`], or only reads. One that cannot is not
    /// called then.
    fn can_be_tried(&self) -> bool {
        match self.effect() {
            ToolEffect::Reads | ToolEffect::Network => true,
            ToolEffect::Creates
            | ToolEffect::Edits
            | ToolEffect::Runs
            | ToolEffect::Apps
            | ToolEffect::Unknown => false,
        }
    }

    /// The JSON Schema of its arguments: an object with `additionalProperties: false`, a `description` for each, and a
    /// `maxLength` for each text, so that a small model cannot go on for ever.
    fn arguments(&self) -> Value;

    /// Does it. See the trait for what this may and may not do.
    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport;
}

/// What kind of thing a tool does.
///
/// ```
/// use artoo_tools::{ReadFile, Tool, ToolEffect};
///
/// assert_eq!(ReadFile.effect(), ToolEffect::Reads);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolEffect {
    /// It looks at files, outside of protected places.
    Reads,
    /// It creates files, and changes what was there before only with consent.
    Creates,
    /// It changes files, with consent where they were there before, and shows what stands in them.
    Edits,
    /// It runs what a model wrote, under the kernel's rules.
    Runs,
    /// It tells machines elsewhere what a model wrote, and brings their words in.
    Network,
    /// It acts in the user's apps, where no rules of artoo reach.
    Apps,
    /// It may do anything.
    Unknown,
}

/// What a tool says about one call.
#[derive(Debug)]
pub struct ToolReport {
    /// How the call ended.
    pub ending: CallEnding,
    /// Why it counts as failed; `None` is success.
    pub failure: Option<CallFailure>,
    /// What it put out: also of a failed call, as far as it got.
    pub output: Captured,
    /// What a command wrote to standard error; nothing for tools without one.
    pub stderr: Captured,
    /// Files that it created or changed.
    pub files: Vec<FileChange>,
}

/// An output on its way into the record.
#[derive(Debug, Default)]
pub enum Captured {
    /// There is none.
    #[default]
    Nothing,
    /// All of it. The toolbox puts it into the evidence store.
    Bytes(Vec<u8>),
    /// It lies in the evidence store already: see [`EvidenceWriter::finish`](crate::EvidenceWriter::finish).
    Stored(OutputRecord),
    /// A picture, for a model that sees it. The record shows what it is, and the evidence store holds its bytes.
    Picture {
        /// For example `image/png`.
        media_type: String,
        /// The picture.
        bytes: Vec<u8>,
    },
    /// All of it, and it is the text of somebody elsewhere: prompts say whose.
    Foreign {
        /// The address that it is from.
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
        }
    }
}

impl From<ToolError> for ToolReport {
    fn from(error: ToolError) -> Self {
        Self::failed(error.ending(), error.failure())
    }
}
