//! Scripts that a text is cut into words by.

/// Whether a letter is of a script in which no blank need stand between words: Thai, Lao, Khmer, kana, Han; and Hangul, where what
/// belongs to a word is written right behind it. Word segmentation yields single characters or long runs of them.
///
/// ```
/// use artoo_text::is_unspaced;
/// assert!("墨ก가".chars().all(is_unspaced));
/// assert!(!"aя٣".chars().any(is_unspaced));
/// ```
pub fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0EFF | 0x1780..=0x17FF | 0x2E80..=0x2FDF | 0x3040..=0x30FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}
