//! What the user has granted in advance, as a sentence of a prompt.

use std::collections::BTreeSet;

use artoo_types::EffectKind;

/// The sentence about these grants, with a blank before it; empty if all of them are for effects that are `free` anyway.
/// ```
/// use artoo_llm_client::granted_in_advance;
/// use artoo_types::EffectKind;
///
/// let granted = [EffectKind::Creates, EffectKind::Deletes].into();
/// assert_eq!(granted_in_advance(&granted, &[EffectKind::Creates]), " Granted in advance: deletes.");
/// assert_eq!(granted_in_advance(&granted, &EffectKind::ALL), "");
/// ```
pub fn granted_in_advance(granted: &BTreeSet<EffectKind>, free: &[EffectKind]) -> String {
    let names: Vec<&str> =
        granted.iter().filter(|kind| !free.contains(kind)).map(|kind| kind.name()).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(" Granted in advance: {}.", names.join(", ")),
    }
}
