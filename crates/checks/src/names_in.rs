//! Which names a text may have, told quickly: thousands of entries of a folder are asked about, and a few are named.

/// Texts in which names are looked for, whatever the case of their letters.
pub(crate) struct NamesIn {
    texts: Vec<String>,
    /// The ASCII characters that a text has.
    ascii: [bool; 128],
}

impl NamesIn {
    pub(crate) fn of(texts: &[&str]) -> Self {
        let texts: Vec<String> = texts.iter().map(|text| folded(text)).collect();
        let mut ascii = [false; 128];
        for byte in texts.iter().flat_map(|text| text.bytes()) {
            if let Some(known) = ascii.get_mut(usize::from(byte)) {
                *known = true;
            }
        }
        Self { texts, ascii }
    }

    /// Whether a text has these letters in this order, at any place in it. Where none has, no text names it.
    pub(crate) fn may_have(&self, name: &str) -> bool {
        // Most names have a character that no text has, and are not folded.
        let folded_byte = |byte: u8| {
            if byte.is_ascii() && char::from(byte).is_whitespace() { b' ' } else { byte.to_ascii_lowercase() }
        };
        let is_known = |byte: u8| self.ascii.get(usize::from(folded_byte(byte))).copied().unwrap_or(true);
        name.bytes().all(is_known) && {
            let name = folded(name);
            self.texts.iter().any(|text| text.contains(&name))
        }
    }
}

/// A text in which letters that differ in case, or by their place in a word, are the same, and white space is one blank.
fn folded(text: &str) -> String {
    let same = |c| if c == 'ς' { 'σ' } else { c };
    let (mut folded, mut is_blank) = (String::with_capacity(text.len()), false);
    for c in text.chars() {
        let was_blank = std::mem::replace(&mut is_blank, c.is_whitespace());
        match (was_blank, is_blank) {
            (_, false) => folded.extend(c.to_lowercase().map(same)),
            (false, true) => folded.push(' '),
            (true, true) => {}
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_count_whatever_their_case() {
        let names = NamesIn::of(&["Read PLAN.md", "und ΟΔΟΣ.txt, \u{212a}.csv, 会议\u{3000}\n记录.txt"]);
        for name in [
            "plan.md",
            "Plan.MD",
            "οδος.txt",
            "ΟΔΟΣ.TXT",
            "k.csv",
            "K.csv",
            "an.m",
            "会议 记录.txt",
            "und\tοδος.txt",
        ] {
            assert!(names.may_have(name), "{name}");
        }
        for name in ["plan.txt", "plan2.md", "читать", "plan.md und"] {
            assert!(!names.may_have(name), "{name}");
        }
    }
}
