//! Capabilities of an output stream: width, colour, redrawing, screen reader mode.

use crate::machine::Environment;

/// How to write to a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Width of a line in columns.
    pub(crate) columns: usize,
    /// Whether colours may be used. They never carry meaning alone.
    pub(crate) colour: bool,
    /// Whether the last line may be rewritten; needs a terminal that can move its cursor.
    pub(crate) live: bool,
    /// Whether a screen reader is used: nothing is redrawn, and marks are words.
    pub(crate) words: bool,
}

/// Which streams are terminals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Streams {
    /// Standard input.
    pub(crate) stdin: bool,
    /// Standard output.
    pub(crate) stdout: bool,
    /// Standard error.
    pub(crate) stderr: bool,
}

/// A line in a pipe or file is not cut to a terminal's width, but is still limited.
const PIPE_COLUMNS: usize = 200;
/// Assumed width of a terminal that does not report one.
const USUAL_COLUMNS: usize = 80;

impl Look {
    /// The same in screen reader mode.
    pub(crate) const fn spoken(self) -> Self {
        Self { live: false, words: true, ..self }
    }

    /// The look of a stream. `columns` is the width that the terminal reports.
    pub(crate) fn of(terminal: bool, columns: Option<usize>, environment: &Environment) -> Self {
        if !terminal {
            return Self { columns: PIPE_COLUMNS, colour: false, live: false, words: false };
        }
        let told =
            columns.or_else(|| environment.text("COLUMNS")?.parse().ok()).filter(|columns| *columns > 0);
        let dumb = environment.text("TERM").is_none_or(|term| term == "dumb");
        Self {
            columns: told.unwrap_or(USUAL_COLUMNS),
            colour: !dumb && environment.raw("NO_COLOR").is_none(),
            live: !dumb,
            words: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_look_follows_terminal_and_variables() {
        let check = |terminal, columns, variables: &[(&str, &str)], expected: (usize, bool, bool)| {
            let environment =
                Environment::new(variables.iter().map(|(name, value)| ((*name).into(), (*value).into())));
            let look = Look::of(terminal, columns, &environment);
            assert_eq!((look.columns, look.colour, look.live), expected, "{variables:?}");
        };
        check(true, Some(20), &[("TERM", "xterm")], (20, true, true));
        check(true, None, &[("TERM", "xterm"), ("COLUMNS", "33")], (33, true, true));
        check(true, Some(0), &[("TERM", "xterm")], (80, true, true));
        check(true, Some(80), &[("TERM", "xterm"), ("NO_COLOR", "1")], (80, false, true));
        check(true, Some(80), &[("TERM", "dumb")], (80, false, false));
        check(true, Some(80), &[], (80, false, false));
        check(false, Some(20), &[("TERM", "xterm")], (200, false, false));
    }
}
