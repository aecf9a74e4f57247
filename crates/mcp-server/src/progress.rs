//! Progress of a call: clients end calls of which they hear nothing.

use std::sync::atomic::{AtomicU64, Ordering};

use artoo_runtime::events::{Event, Line};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use rmcp::task_manager::TaskContext;

/// Who is told how far a run is.
pub(crate) enum Progress {
    /// A client that waits for the call, and has asked for progress.
    Call {
        /// The client.
        peer: Peer<RoleServer>,
        /// What it calls the request.
        token: ProgressToken,
        /// How often it was told.
        told: AtomicU64,
    },
    /// Whoever looks at a task.
    Task(TaskContext),
    /// Nobody.
    Nobody,
}

impl Progress {
    /// Tells that the run is still there, and what it does.
    pub(crate) async fn tell(&self, message: &str) {
        match self {
            Self::Call { peer, token, told } => {
                let count = told.fetch_add(1, Ordering::Relaxed).saturating_add(1);
                // Counts are far below what a float can hold.
                let progress = u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
                let told = ProgressNotificationParam::new(token.clone(), progress).with_message(message);
                // A client that is gone needs no progress.
                let _ = peer.notify_progress(told).await;
            }
            Self::Task(context) => context.set_status_message(message),
            Self::Nobody => {}
        }
    }
}

/// What an event says about the progress of a run; `None` for most.
pub(crate) fn message(line: &Line) -> Option<String> {
    if let Event::PlanProposed { subtasks, .. } = &line.event {
        Some(format!("planned {} steps", subtasks.len()))
    } else if let Event::SubTaskStarted { intent, .. } = &line.event {
        Some(intent.clone())
    } else if let Event::ToolStarted { tool, .. } = &line.event {
        Some(format!("runs {tool}"))
    } else if let Event::RoundScored { .. } = &line.event {
        Some("judged a round".to_owned())
    } else {
        None
    }
}
