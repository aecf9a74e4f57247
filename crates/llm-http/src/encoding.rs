//! Unpacks a body that a server packed although nobody asked it to.

use std::io::{self, Write};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// The reader of one body.
pub(crate) struct Unpacker {
    declared: Option<String>,
    state: State,
}

enum State {
    /// Fewer than two bytes have come, by which packed ones are known.
    Undecided(Vec<u8>),
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Zlib(Box<ZlibDecoder<Vec<u8>>>),
    Deflate(Box<DeflateDecoder<Vec<u8>>>),
}

/// Why a body cannot be unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UnpackError {
    /// In a way that is not known here.
    Unknown(String),
    /// It is damaged.
    Damaged(String),
}

impl Unpacker {
    /// `declared` is the `content-encoding` of the response.
    pub(crate) fn new(declared: Option<&str>) -> Self {
        let declared = declared.map(|name| name.trim().to_ascii_lowercase());
        let declared = declared.filter(|name| !name.is_empty() && name != "identity");
        Self { declared, state: State::Undecided(Vec::new()) }
    }

    /// Takes the next piece; gives what is readable so far, at most `most` bytes and what one more kibibyte
    /// unpacks to.
    pub(crate) fn feed(&mut self, piece: &[u8], most: usize) -> Result<Vec<u8>, UnpackError> {
        let begun;
        let piece = match &mut self.state {
            State::Undecided(seen) => {
                seen.extend_from_slice(piece);
                begun = std::mem::take(seen);
                let [first, second, ..] = begun.as_slice() else {
                    self.state = State::Undecided(begun);
                    return Ok(Vec::new());
                };
                self.state = self.decided(*first, *second)?;
                begun.as_slice()
            }
            State::Plain | State::Gzip(_) | State::Zlib(_) | State::Deflate(_) => piece,
        };
        match &mut self.state {
            State::Undecided(_) | State::Plain => Ok(piece.to_vec()),
            State::Gzip(decoder) => unpacked(decoder.as_mut(), MultiGzDecoder::get_mut, piece, most),
            State::Zlib(decoder) => unpacked(decoder.as_mut(), ZlibDecoder::get_mut, piece, most),
            State::Deflate(decoder) => unpacked(decoder.as_mut(), DeflateDecoder::get_mut, piece, most),
        }
    }

    /// What is left at the end.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        match &mut self.state {
            State::Undecided(seen) => std::mem::take(seen),
            State::Plain | State::Gzip(_) | State::Zlib(_) | State::Deflate(_) => Vec::new(),
        }
    }

    /// By the first bytes, since servers declare what they do not do, and do what they do not declare. No text
    /// begins like a packed body.
    fn decided(&self, first: u8, second: u8) -> Result<State, UnpackError> {
        let is_zlib = first & 0x0f == 8 && u16::from_be_bytes([first, second]).is_multiple_of(31);
        let is_zstd = (first, second) == (0x28, 0xb5);
        Ok(match (self.declared.as_deref(), (first, second)) {
            (_, (0x1f, 0x8b)) => State::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))),
            (Some("deflate"), _) if is_zlib => State::Zlib(Box::new(ZlibDecoder::new(Vec::new()))),
            (Some("deflate"), begin) if !is_answer(begin) => {
                State::Deflate(Box::new(DeflateDecoder::new(Vec::new())))
            }
            (Some(name @ "br"), begin) if !is_answer(begin) => {
                return Err(UnpackError::Unknown(name.to_owned()));
            }
            (declared, _) if is_zstd => {
                return Err(UnpackError::Unknown(declared.unwrap_or("zstd").to_owned()));
            }
            (Some(_) | None, _) => State::Plain,
        })
    }
}

/// Whether a body with these first bytes is JSON, an event stream or a page. Asked for `deflate` and `br` only,
/// which have no magic bytes.
fn is_answer((first, second): (u8, u8)) -> bool {
    let is_field = matches!([first, second], [b'd', b'a'] | [b'e', b'v'] | [b'i', b'd'] | [b'r', b'e']);
    is_field || first.is_ascii_whitespace() || matches!(first, b'{' | b'[' | b'<' | b':' | b'"' | 0xef)
}

fn unpacked<W: Write>(
    decoder: &mut W,
    inner: impl Fn(&mut W) -> &mut Vec<u8>,
    piece: &[u8],
    most: usize,
) -> Result<Vec<u8>, UnpackError> {
    /// A kibibyte unpacks to a mebibyte at most.
    const STEP: usize = 1024;
    let damaged = |error: io::Error| UnpackError::Damaged(error.to_string());
    for part in piece.chunks(STEP) {
        decoder.write_all(part).map_err(damaged)?;
        decoder.flush().map_err(damaged)?;
        if inner(decoder).len() > most {
            break;
        }
    }
    Ok(std::mem::take(inner(decoder)))
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    }

    fn zlib(text: &[u8]) -> Vec<u8> {
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    }

    fn deflate(text: &[u8]) -> Vec<u8> {
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::default());
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    }

    fn read(declared: Option<&str>, body: &[u8], size: usize) -> Result<Vec<u8>, UnpackError> {
        let mut unpacker = Unpacker::new(declared);
        let mut text = Vec::new();
        for piece in body.chunks(size.max(1)) {
            text.extend(unpacker.feed(piece, usize::MAX)?);
        }
        text.extend(unpacker.finish());
        Ok(text)
    }

    proptest! {
        #[test]
        fn however_it_is_packed_and_cut(text in "[{\"a-z\n]{0,300}", size in 1_usize..50) {
            let text = text.as_bytes();
            prop_assert_eq!(read(None, text, size).unwrap(), text);
            prop_assert_eq!(read(Some("identity"), text, size).unwrap(), text);
            prop_assert_eq!(read(Some("gzip"), text, size).unwrap(), text, "declared, and not done");
            prop_assert_eq!(read(Some("gzip"), &gzip(text), size).unwrap(), text);
            prop_assert_eq!(read(None, &gzip(text), size).unwrap(), text, "done, and not declared");
            prop_assert_eq!(read(Some("deflate"), &zlib(text), size).unwrap(), text);
        }

        #[test]
        fn never_panics(declared in "(gzip|deflate|br|)", body in prop::collection::vec(any::<u8>(), 0..100), size in 1_usize..9) {
            let _ = read(Some(&declared), &body, size);
        }
    }

    #[test]
    fn a_bare_deflate_stream_and_what_is_not_known() {
        let text = b"data: {\"choices\": [{\"delta\": {\"content\": \"three\"}}]}\n\n".repeat(9);
        assert_eq!(read(Some("deflate"), &deflate(&text), 7).unwrap(), text);
        assert_eq!(read(Some("br"), b"\x1b\x03\x00\xf8", 4), Err(UnpackError::Unknown("br".into())));
        let mut broken = gzip(&text);
        // A kind of block that there is not.
        broken[10] = 0b111;
        assert!(matches!(read(Some("gzip"), &broken, 100), Err(UnpackError::Damaged(_))));
    }

    #[test]
    fn a_small_body_cannot_fill_the_memory() {
        let bomb = gzip(&vec![b'a'; 50_000_000]);
        let mut unpacker = Unpacker::new(None);
        let text = unpacker.feed(&bomb, 10_000).unwrap();
        assert!(text.len() < 3_000_000, "{}", text.len());
    }
}
