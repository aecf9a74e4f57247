//! Immutable sorted table of keys and values in one file.
//! ```text
//! file    = magic 8 | version u32 | block ... | top index (a block) | footer
//! block   = row ... | crc32 u32, over the block's offset and its rows
//! row     = key length u16 | value length u32 | key | value
//! footer  = rows u64 | sequence u64 | chain 32 | top offset u64 | top length u32
//!         | sha256 of all before it | crc32 of the footer | version u32 | magic 8
//! ```
//!
//! Data blocks hold about 4 KiB of rows; a larger value has a block of its own. An index block holds, for
//! each data block before it, its last key and its position; the top index does the same for index blocks. So
//! opening reads two small pieces, and a lookup at most three blocks. All numbers are little-endian.

mod error;
mod format;
mod reader;
mod scan;
mod writer;

pub use error::{Part, TableError};
pub use reader::Table;
pub use scan::{Row, Scan};
pub use writer::Writer;
