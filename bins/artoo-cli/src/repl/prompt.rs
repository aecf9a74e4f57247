//! The prompt: the folder on the left; model, session and permissions of the next request on the right.

use std::borrow::Cow;

use artoo_types::Approval;
use reedline::{Color, Prompt, PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus, PromptViMode};

use crate::terminal::{clip, neutral_line, width};

/// The rendered prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    left: String,
    right: String,
}

/// The values that the prompt shows.
pub(super) struct Said<'a> {
    /// The folder, shortened.
    pub(super) folder: String,
    /// The model.
    pub(super) model: Option<&'a str>,
    /// Short form of the session id.
    pub(super) session: Option<String>,
    /// Whether plans are shown before they run.
    pub(super) plan: bool,
    /// The effects that need approval.
    pub(super) approval: Approval,
    /// The permissions granted in advance.
    pub(super) granted: Vec<&'static str>,
}

impl Line {
    /// Lays out the prompt for a terminal of `columns`. In a narrow one the right side
    /// is empty, to leave room for the request.
    pub(super) fn of(said: Said<'_>, columns: usize) -> Self {
        let left = format!("{} ", fitted(&neutral_line(&said.folder), columns / 3));
        let mut right = vec![neutral_line(said.model.unwrap_or("no model"))];
        right.extend(said.session);
        if said.plan {
            right.push("plan".to_owned());
        }
        if said.approval != Approval::Auto {
            right.push(format!("approval {}", said.approval.name()));
        }
        if !said.granted.is_empty() {
            right.push(format!("granted: {}", said.granted.join(", ")));
        }
        let right = if columns < 60 { String::new() } else { clip(&right.join(" · "), columns / 2) };
        Self { left, right }
    }
}

/// Shortens a folder to `columns`. The last component is kept for as long as possible.
fn fitted(folder: &str, columns: usize) -> String {
    match folder.rsplit_once('/') {
        Some((_, name)) if width(folder) > columns && !name.is_empty() => clip(&format!("…/{name}"), columns),
        Some(_) | None => clip(folder, columns),
    }
}

impl Prompt for Line {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        self.left.as_str().into()
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        self.right.as_str().into()
    }

    fn render_prompt_indicator(&self, mode: PromptEditMode) -> Cow<'_, str> {
        let is_command = matches!(mode, PromptEditMode::Vi(PromptViMode::Normal | PromptViMode::Visual));
        if is_command { ": ".into() } else { "› ".into() }
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        "  ".into()
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let failed = match search.status {
            PromptHistorySearchStatus::Passing => "",
            PromptHistorySearchStatus::Failing => ", not found",
        };
        format!("(search{failed}: {}) ", search.term).into()
    }

    fn get_prompt_color(&self) -> Color {
        Color::Default
    }

    fn get_indicator_color(&self) -> Color {
        Color::Default
    }

    fn get_prompt_multiline_color(&self) -> Color {
        Color::Default
    }

    fn get_prompt_right_color(&self) -> Color {
        Color::DarkGray
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_says_what_a_request_would_be_given() {
        let said = || Said {
            folder: "~/dokumentit".to_owned(),
            model: Some("qwen3"),
            session: Some("9ab2".to_owned()),
            plan: true,
            approval: Approval::Ask,
            granted: vec!["overwrites"],
        };
        let wide = Line::of(said(), 200);
        assert_eq!(wide.left, "~/dokumentit ");
        assert_eq!(wide.right, "qwen3 · 9ab2 · plan · approval ask · granted: overwrites");
        assert_eq!(Line::of(Said { folder: "/srv/data/työ".to_owned(), ..said() }, 20).left, "…/työ ");
        let narrow = Line::of(said(), 20);
        assert_eq!((narrow.left.as_str(), narrow.right.as_str()), ("…/dok… ", ""));
    }
}
