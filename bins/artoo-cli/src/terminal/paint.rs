//! Colours and text styles as ANSI sequences.

use anstyle::{AnsiColor, Effects};

/// Role of a piece of text, shown by its style. The words carry the meaning without colour, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// A met criterion, an accepted run.
    Good,
    /// A failure.
    Bad,
    /// Needs attention: unmet criteria, warnings, a change of direction.
    Notice,
    /// Less important.
    Faint,
    /// More important.
    Strong,
    /// Emphasized.
    Emphasis,
    /// Code.
    Code,
    /// Unstyled.
    Plain,
}

/// Applies styles if colour is on; otherwise returns the text unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paint {
    colour: bool,
}

impl Paint {
    /// Creates a painter with or without colour.
    pub(crate) const fn new(colour: bool) -> Self {
        Self { colour }
    }

    /// The text in a style.
    pub(crate) fn text(self, style: Style, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        let style = match style {
            Style::Good => anstyle::Style::new().fg_color(Some(AnsiColor::Green.into())),
            Style::Bad => anstyle::Style::new().fg_color(Some(AnsiColor::Red.into())),
            Style::Notice => anstyle::Style::new().fg_color(Some(AnsiColor::Yellow.into())),
            Style::Faint => anstyle::Style::new().effects(Effects::DIMMED),
            Style::Strong => anstyle::Style::new().effects(Effects::BOLD),
            Style::Emphasis => anstyle::Style::new().effects(Effects::ITALIC),
            Style::Code => anstyle::Style::new().fg_color(Some(AnsiColor::Cyan.into())),
            Style::Plain => return text.to_owned(),
        };
        format!("{style}{text}{style:#}")
    }
}
