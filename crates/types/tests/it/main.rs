//! The wire formats of the vocabulary: golden messages, golden schemas, envelopes, laws.

mod envelope;
mod golden;
mod laws;
mod samples;
mod schemas;
mod store;
