//! Colours, where they may be used.

use anstyle::{AnsiColor, Effects};

/// What a piece of text is, for the eye. The words say the same without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// A criterion met, a run accepted.
    Good,
    /// A failure.
    Bad,
    /// Something to look at: unmet criteria, warnings, a change of direction.
    Notice,
    /// Less important.
    Faint,
    /// More important.
    Strong,
    /// Stressed.
    Emphasis,
    /// Words for a machine.
    Code,
    /// Nothing of that.
    Plain,
}

/// Paints, or leaves text as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paint {
    colour: bool,
}

impl Paint {
    /// With or without colour.
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
