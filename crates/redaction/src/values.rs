//! Values that are known to be secret, wherever they stand.

use crate::kind::Kind;

/// The known values.
#[derive(Clone, Default)]
pub(crate) struct Values {
    /// The longest first, so that a value is taken whole where it begins with another one.
    values: Vec<Vec<u8>>,
    /// With which bytes one begins.
    first: Vec<u8>,
}

impl Values {
    /// One more. What is empty, or stands in a mark itself, is an ordinary word.
    pub(crate) fn add(&mut self, value: &str) {
        let is_word = Kind::ALL.iter().any(|kind| kind.mark().contains(value));
        let value = value.as_bytes().to_vec();
        let Some(first) = value.first().copied() else { return };
        if is_word || self.values.contains(&value) {
            return;
        }
        if !self.first.contains(&first) {
            self.first.push(first);
        }
        self.values.push(value);
        self.values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether one is in the text.
    pub(crate) fn is_in(&self, text: &[u8]) -> bool {
        self.values.iter().any(|value| memchr::memmem::find(text, value).is_some())
    }

    /// Takes them out of `text` into `out`. Gives back how much of the text is done with: less than all of it only where the
    /// end may be the beginning of a value and more is to come. `changed` is set where one was found.
    pub(crate) fn mask(&self, text: &[u8], more: bool, out: &mut Vec<u8>, changed: &mut bool) -> usize {
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let Some(skip) = rest.iter().position(|byte| self.first.contains(byte)) else {
                out.extend_from_slice(rest);
                return text.len();
            };
            let (before, rest) = rest.split_at(skip);
            out.extend_from_slice(before);
            at += skip;
            if more && self.values.iter().any(|value| value.len() > rest.len() && value.starts_with(rest)) {
                return at;
            }
            match self.values.iter().find(|value| rest.starts_with(value)) {
                Some(value) => {
                    out.extend_from_slice(Kind::Secret.mark().as_bytes());
                    *changed = true;
                    at += value.len();
                }
                None => {
                    out.extend(rest.first());
                    at += 1;
                }
            }
        }
        text.len()
    }
}
