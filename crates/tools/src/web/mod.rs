//! Web access: the address rule, the HTTP client, and page text extraction.

pub(crate) mod address;
pub(crate) mod brave;
pub(crate) mod charset;
pub(crate) mod client;
pub(crate) mod dns;
pub(crate) mod duckduckgo;
pub(crate) mod fetch;
pub(crate) mod markup;
pub(crate) mod page_text;
pub(crate) mod search;
