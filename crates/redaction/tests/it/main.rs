//! What is a secret, what is none, and the laws that hold for every text.

mod forms;
mod json;
mod laws;
mod private_keys;
