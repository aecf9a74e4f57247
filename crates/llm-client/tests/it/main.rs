//! The crate as its users see it: only through its public items.

mod sessions;
