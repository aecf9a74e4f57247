//! The last line that a running command has put out.

use artoo_types::settled;

/// The longest line that is kept, in bytes.
const MOST: usize = 400;

/// Follows the output of one command, in whatever pieces it comes.
#[derive(Clone, Debug, Default)]
pub(super) struct LastLine {
    /// The line that is not ended.
    open: String,
    /// The last one that is not blank.
    last: String,
}

impl LastLine {
    /// A further piece. A carriage return ends a line too: progress bars are drawn with it.
    pub(super) fn push(&mut self, text: &str) {
        for (number, piece) in text.split(['\n', '\r']).enumerate() {
            if number > 0 {
                self.open.clear();
            }
            if self.open.len() < MOST {
                self.open.push_str(piece);
            }
            if !self.open.trim().is_empty() {
                self.last.clone_from(&self.open);
            }
        }
    }

    /// The line as a terminal shows it; `None` if there is none yet.
    pub(super) fn text(&self) -> Option<String> {
        let text = settled(&self.last).text;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_found_however_the_output_is_cut() {
        let last = |pieces: &[&str]| {
            let mut line = LastLine::default();
            pieces.iter().for_each(|piece| line.push(piece));
            line.text().unwrap_or_default()
        };
        assert_eq!(last(&[]), "");
        assert_eq!(last(&["\n \n"]), "");
        assert_eq!(last(&["Compiling a\nComp", "iling b\n"]), "Compiling b");
        assert_eq!(last(&["10 %\r20 %\r", "30 %"]), "30 %");
        assert_eq!(last(&["\u{1b}[32mok\u{1b}[0m\n\n"]), "ok");
        assert!(last(&[&"x".repeat(300), &"y".repeat(300), "z"]).len() <= 600);
    }
}
