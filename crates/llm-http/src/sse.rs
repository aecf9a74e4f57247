//! Incremental parser of server-sent events.

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// The `event` field; empty if there was none.
    pub(crate) name: String,
    /// The `data` fields, joined by line feeds.
    pub(crate) data: String,
}

/// A tolerant parser: lines may end in LF, CR LF or CR; a byte order mark, comments, unknown fields and a
/// missing space after the colon are accepted; invalid UTF-8 becomes U+FFFD. An event without data is
/// ignored.
///
/// It buffers at most the unfinished line and event; the caller bounds the bytes it feeds.
#[derive(Debug, Default)]
pub(crate) struct SseParser {
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    after_cr: bool,
    started: bool,
}

impl SseParser {
    /// Takes the next piece and appends the events that it completes to `events`.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], events: &mut Vec<Event>) {
        // The LF of a CR LF that was cut in two.
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, rest) = bytes.split_at(end);
            self.line.extend_from_slice(line);
            bytes = match rest {
                [b'\r', b'\n', rest @ ..] | [b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [_, rest @ ..] => rest,
                [] => &[],
            };
            self.end_line(events);
        }
        self.line.extend_from_slice(bytes);
    }

    /// Ends the stream. A missing last empty line, or even last line end, is tolerated: the rest is taken for
    /// a line and an event. Only the reader of the event can tell whether it is whole.
    pub(crate) fn finish(mut self, events: &mut Vec<Event>) {
        if !self.line.is_empty() {
            self.end_line(events);
        }
        self.dispatch(events);
    }

    fn end_line(&mut self, events: &mut Vec<Event>) {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let mut line = text.as_ref();
        if !std::mem::replace(&mut self.started, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(events);
        } else {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "data" => {
                    if std::mem::replace(&mut self.has_data, true) {
                        self.event.data.push('\n');
                    }
                    self.event.data.push_str(value);
                }
                "event" => value.clone_into(&mut self.event.name),
                _ => {} // a comment, `id`, `retry`, or something yet to be invented
            }
        }
        // Keeps the allocation for the next line.
        drop(text);
        self.line = bytes;
        self.line.clear();
    }

    fn dispatch(&mut self, events: &mut Vec<Event>) {
        let event = std::mem::take(&mut self.event);
        if std::mem::take(&mut self.has_data) {
            events.push(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(pieces: &[&[u8]]) -> Vec<Event> {
        let (mut parser, mut events) = (SseParser::default(), Vec::new());
        for piece in pieces {
            parser.feed(piece, &mut events);
        }
        parser.finish(&mut events);
        events
    }

    fn check(text: &str, expected: &[(&str, &str)]) {
        let expected: Vec<Event> = expected
            .iter()
            .map(|(name, data)| Event { name: (*name).to_owned(), data: (*data).to_owned() })
            .collect();
        assert_eq!(parse(&[text.as_bytes()]), expected, "{text:?}");
    }

    #[test]
    fn table() {
        check("", &[]);
        check("data: a\n\ndata: b\n\n", &[("", "a"), ("", "b")]);
        check("data:a\r\n\r\ndata:  b\r\rdata:c\n\n", &[("", "a"), ("", " b"), ("", "c")]);
        check("event: ping\ndata: {}\n\nevent: lonely\n\ndata: x\n\n", &[("ping", "{}"), ("", "x")]);
        check(": comment\n\n:\n\nid: 7\nretry: 9\nfoo\ndata: a\ndata\ndata: b\n\n", &[("", "a\n\nb")]);
        check("\u{feff}data: a\n\n", &[("", "a")]);
        check("data: no end", &[("", "no end")]);
        check("data: no empty line\n", &[("", "no empty line")]);
        check("data: 文件 🙂\n\n", &[("", "文件 🙂")]);
        check("data:\n\n", &[("", "")]);
    }

    #[test]
    fn invalid_utf8_is_replaced_and_split_utf8_is_not() {
        assert_eq!(parse(&[b"data: a\xff\xfeb\n\n"])[0].data, "a\u{fffd}\u{fffd}b");
        assert_eq!(parse(&[b"data: \xf0\x9f", b"\x99\x82\n", b"\n"])[0].data, "🙂");
        assert_eq!(parse(&[b"data: a\r", b"\n\r", b"\ndata: b\r", b"\rdata: c"]).len(), 3);
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_events(
            lines in prop::collection::vec("(data: ?|event: ?|:|id:|)[a-z🙂 ]{0,6}(\n|\r\n|\r|\n\n|\r\n\r\n|\r\r)", 0..12),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let text = lines.concat();
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut start = 0;
            for cut in cuts {
                pieces.push(&bytes[start..cut]);
                start = cut;
            }
            pieces.push(&bytes[start..]);
            prop_assert_eq!(parse(&pieces), parse(&[bytes]));
        }

        #[test]
        fn never_panics(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..10)) {
            let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            parse(&pieces);
        }
    }
}
