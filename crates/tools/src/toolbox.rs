//! `Toolbox`: finds tools, calls them, and records the result.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use artoo_consent::within;
use artoo_types::{
    Arguments, CallId, Excerpt, Foreign, OutputRecord, ToolCall, ToolKind, ToolName, Trust, place_of,
    printable,
};
use futures_util::FutureExt;
use tokio::time::sleep;

use crate::coercion::coerced;
use crate::private_keys;
use crate::shell_failure;
use crate::suggestion::better_tool;
use crate::{
    Captured, EditFile, Glob, Grep, LookAtJob, ReadEvidence, ReadFile, ServerReach, Shell, Tool, ToolContext,
    ToolEffect, ToolError, ToolReport, WriteFile,
};

/// Grace period for a tool to notice a cancellation before its future is dropped.
const NOTICE: Duration = Duration::from_secs(5);

/// The tools of a run. Cheap to clone.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
}

impl Toolbox {
    /// An empty toolbox.
    pub fn new() -> Self {
        Self::default()
    }

    /// The tools that need no grant and no program, plus `shell` with `job`: the most specific first.
    pub fn standard() -> Self {
        let reads = Self::new().with(Glob).with(Grep).with(ReadFile).with(ReadEvidence);
        reads.with(WriteFile).with(EditFile).with(Shell).with(LookAtJob)
    }

    /// The toolbox with one more tool. A tool of the same name is replaced in place.
    /// ```
    /// use artoo_tools::{Glob, Toolbox};
    ///
    /// assert_eq!(Toolbox::new().with(Glob).with(Glob).tools().count(), 1);
    /// ```
    #[must_use]
    pub fn with(self, tool: impl Tool + 'static) -> Self {
        self.with_shared(Arc::new(tool))
    }

    /// The same with one that others have, too.
    #[must_use]
    pub fn with_shared(mut self, tool: Arc<dyn Tool>) -> Self {
        match self.tools.iter_mut().find(|old| old.name() == tool.name()) {
            Some(old) => *old = tool,
            None => self.tools.push(tool),
        }
        self
    }

    /// The toolbox without this tool of artoo's own.
    #[must_use]
    pub fn without(mut self, kind: ToolKind) -> Self {
        self.tools.retain(|tool| !tool.name().is(kind));
        self
    }

    /// The tools, in the order in which they are offered.
    pub fn tools(&self) -> impl Iterator<Item = &dyn Tool> {
        self.tools.iter().map(AsRef::as_ref)
    }

    /// The tool of this name.
    pub fn get(&self, name: &ToolName) -> Option<&dyn Tool> {
        self.tools().find(|tool| tool.name() == *name)
    }

    /// The arguments of a call, coerced to the tool's schema where they can mean only one thing.
    /// ```
    /// use artoo_tools::Toolbox;
    /// use artoo_types::{Arguments, ToolName};
    ///
    /// let given: Arguments = [("path".into(), "a".into()), ("first_line".into(), "2".into())].into_iter().collect();
    /// let coerced = Toolbox::standard().coerced(&ToolName::new("read_file"), given);
    /// assert_eq!(coerced["first_line"], 2);
    /// ```
    pub fn coerced(&self, name: &ToolName, arguments: Arguments) -> Arguments {
        match self.get(name) {
            Some(tool) => taken(tool, arguments).0,
            None => arguments,
        }
    }

    /// Calls a tool, with arguments that are coerced to its schema where they can mean only one thing. Every outcome becomes a
    /// record: an unknown tool, wrong arguments, a refusal, a timeout, a cancellation, a panic. It never returns an error and
    /// never hangs: a tool that exceeds
    /// `cx.limits.call_time`, or that ignores cancellation for five seconds, is abandoned.
    /// ```
    /// # async fn example(cx: artoo_tools::ToolContext, call_id: artoo_types::CallId) {
    /// use artoo_tools::Toolbox;
    /// use artoo_types::{Arguments, ToolName};
    ///
    /// let arguments: Arguments = [("command".into(), "ls".into())].into_iter().collect();
    /// let call = Toolbox::standard().call(call_id, &ToolName::new("shell"), arguments, &cx).await;
    /// println!("{}", call.output.shown);
    /// # }
    /// ```
    pub async fn call(
        &self,
        call_id: CallId,
        name: &ToolName,
        arguments: Arguments,
        cx: &ToolContext,
    ) -> ToolCall {
        let (started_at, begin, rested) = (cx.time.now(), Instant::now(), cx.pauses.total());
        if !cx.build_rules.knows_user() {
            let context = cx.clone();
            // If this panics, less counts as build output.
            let _ = tokio::task::spawn_blocking(move || context.build_rules.learn_of_user(&context)).await;
        }
        let (arguments, misfit) = match self.get(name) {
            Some(tool) => taken(tool, arguments),
            None => (arguments, None),
        };
        let report = match (self.get(name), misfit) {
            (_, Some(misfit)) => misfit.into(),
            (Some(tool), None) if cx.trial_only && !tool.can_be_tried() => {
                ToolError::Unconfirmed { came: format!("`{name}` was not called, for it cannot be tried") }
                    .into()
            }
            (Some(tool), None) => {
                // Before the call, whose output is passed on while it comes.
                private_keys::learn(&arguments, cx).await;
                bounded(tool, &arguments, cx).await
            }
            (None, None) => self.unknown(name).into(),
        };
        // And after a command, which may have made one.
        if self.get(name).is_some_and(|tool| tool.effect() == ToolEffect::Runs) {
            private_keys::learn(&arguments, cx).await;
        }
        if self.get(name).is_some_and(|tool| acts_unseen(tool.effect())) {
            cx.build_rules.lose_track();
        }
        let ToolReport { ending, mut failure, output, stderr, files, build_output, untried } = report;
        if !files.is_empty() {
            let (seen, files) = (cx.seen.clone(), files.clone());
            // If this panics, the next write is needlessly refused once.
            let _ = tokio::task::spawn_blocking(move || seen.note_changes(&files)).await;
        }
        let excerpt = self.get(name).map_or(Excerpt::HeadTail, Tool::excerpt);
        let (output, output_error) = record(output, excerpt, cx);
        let (stderr, stderr_error) = record(stderr, Excerpt::HeadTail, cx);
        if let (None, Some(error)) = (&failure, output_error.or(stderr_error)) {
            failure = Some(error.failure());
        }
        if let Some((failure, better)) = failure.as_mut().zip(better_tool(name, &arguments, self)) {
            let hint = failure.hint.take().map(|hint| format!("{hint}; ")).unwrap_or_default();
            failure.hint = Some(format!("{hint}{better}"));
        }
        let says_something = output.bytes > 0 || stderr.bytes > 0 || failure.is_some();
        let lacked = shell_failure::lacked(name, &arguments, &stderr.shown, cx);
        let foreign = self.get(name).and_then(|tool| foreign(tool.effect())).filter(|_| says_something);
        ToolCall {
            call_id,
            tool: name.clone(),
            arguments,
            ending,
            failure,
            output,
            stderr,
            files,
            build_output,
            trust: Trust { foreign, tainted: None },
            held: None,
            lacked,
            untried,
            started_at,
            duration_ms: {
                // Time spent waiting for a person does not count.
                let took = begin.elapsed().saturating_sub(cx.pauses.total().saturating_sub(rested));
                u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
            },
        }
    }

    fn unknown(&self, name: &ToolName) -> ToolError {
        let known: Vec<_> = self.tools().map(|tool| tool.name().to_string()).collect();
        ToolError::UnknownTool { name: name.clone(), known: known.join(", ") }
    }
}

impl std::fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.tools().map(|tool| tool.name())).finish()
    }
}

async fn bounded(tool: &dyn Tool, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
    if cx.cancel.is_cancelled() {
        return ToolError::Cancelled.into();
    }
    let limit = cx.limits.call_time;
    let call = within(limit, &cx.pauses, AssertUnwindSafe(tool.call(arguments, cx)).catch_unwind());
    let ignored = async {
        cx.cancel.cancelled().await;
        sleep(NOTICE).await;
    };
    tokio::select! {
        done = call => match done {
            Some(Ok(report)) => report,
            Some(Err(panic)) => ToolError::Panicked { tool: tool.name(), message: message(panic.as_ref()) }.into(),
            None => ToolError::TimedOut { tool: tool.name(), after: limit }.into(),
        },
        () = ignored => ToolError::Cancelled.into(),
    }
}

/// The arguments, coerced to the tool's schema where they can mean only one thing; or unchanged, with the reason why the call
/// is refused.
fn taken(tool: &dyn Tool, arguments: Arguments) -> (Arguments, Option<ToolError>) {
    match coerced(arguments.clone(), &tool.arguments(), &tool.name(), tool.file_content()) {
        Ok(arguments) => (arguments, None),
        Err(error) => (arguments, Some(error)),
    }
}

/// Whether a tool of this kind may change files that its report does not name.
fn acts_unseen(effect: ToolEffect) -> bool {
    match effect {
        ToolEffect::Apps | ToolEffect::Server(ServerReach::Elsewhere) | ToolEffect::Unknown => true,
        ToolEffect::Reads
        | ToolEffect::Creates
        | ToolEffect::Edits
        | ToolEffect::Runs
        | ToolEffect::Network
        | ToolEffect::Server(ServerReach::Nothing | ServerReach::Folders) => false,
    }
}

/// The source of foreign words in the output of a tool of this kind.
fn foreign(effect: ToolEffect) -> Option<Foreign> {
    match effect {
        ToolEffect::Reads | ToolEffect::Edits => Some(Foreign::File),
        // Its output is the path and size of what it wrote, both of which it was given.
        ToolEffect::Creates => None,
        ToolEffect::Runs => Some(Foreign::Command),
        ToolEffect::Network => Some(Foreign::Web),
        ToolEffect::Apps => Some(Foreign::App),
        ToolEffect::Server(_) => Some(Foreign::Server),
        ToolEffect::Unknown => Some(Foreign::Unknown),
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// Stores an output as evidence. One that cannot be stored is shown anyway, and counted as dropped.
fn record(output: Captured, excerpt: Excerpt, cx: &ToolContext) -> (OutputRecord, Option<ToolError>) {
    let (origin, bytes) = match output {
        Captured::Nothing => return (OutputRecord::default(), None),
        Captured::Stored(record) => return (record, None),
        Captured::Bytes(bytes) => (None, bytes),
        Captured::Foreign { origin, bytes } => (Some(origin), bytes),
        Captured::Picture { media_type, bytes } => return picture(media_type, &bytes, cx),
    };
    let shown =
        |place: &str| excerpt.of(&printable(&String::from_utf8_lossy(&bytes)), cx.limits.shown, place);
    match cx.evidence.record(&bytes, cx.limits.shown) {
        Ok(record) => match (excerpt, record.evidence.as_ref().map(place_of)) {
            (Excerpt::Head, Some(place)) => (OutputRecord { origin, shown: shown(&place), ..record }, None),
            // The store already shows it in this form.
            (Excerpt::HeadTail | Excerpt::Head, _) => (OutputRecord { origin, ..record }, None),
        },
        Err(source) => {
            let total = bytes.len() as u64;
            let shown = shown("kept nowhere");
            let record =
                OutputRecord { shown, bytes: total, dropped_bytes: total, origin, ..OutputRecord::default() };
            (record, Some(ToolError::Evidence { folder: cx.evidence.folder().to_owned(), source }))
        }
    }
}

/// Stores a picture as evidence: the record names it, and a viewer takes it from the store.
fn picture(media_type: String, bytes: &[u8], cx: &ToolContext) -> (OutputRecord, Option<ToolError>) {
    let total = bytes.len() as u64;
    let shown = format!("[a picture: {media_type}, {total} bytes]\n");
    match cx.evidence.put(bytes) {
        Ok(id) => {
            let kept = OutputRecord { shown, bytes: total, evidence: Some(id), ..OutputRecord::default() };
            (OutputRecord { media_type: Some(media_type), ..kept }, None)
        }
        Err(source) => {
            let lost = OutputRecord { shown, bytes: total, dropped_bytes: total, ..OutputRecord::default() };
            (lost, Some(ToolError::Evidence { folder: cx.evidence.folder().to_owned(), source }))
        }
    }
}
