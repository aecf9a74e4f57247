//! Extracts readable text from HTML.

use reqwest::Url;

use super::markup::{Piece, Tag, pieces};

/// Elements without readable content, or with navigation only.
const LEFT_OUT: [&str; 12] = [
    "script", "style", "template", "noscript", "svg", "iframe", "object", "canvas", "select", "button",
    "nav", "dialog",
];
/// Elements where a page's content begins. They end an unclosed skipped element.
const CONTENT: [&str; 4] = ["main", "article", "h1", "body"];
/// Elements that begin a line, and those surrounded by empty lines.
const LINES: [&str; 14] = [
    "div",
    "li",
    "tr",
    "dt",
    "dd",
    "option",
    "figcaption",
    "caption",
    "summary",
    "legend",
    "label",
    "address",
    "br",
    "hr",
];
const PARAGRAPHS: [&str; 20] = [
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "dl",
    "table",
    "pre",
    "blockquote",
    "section",
    "article",
    "main",
    "header",
    "footer",
    "aside",
    "figure",
];

/// The text of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PageText {
    pub(crate) title: String,
    pub(crate) text: String,
}

/// The title and the text of a page; with `base`, link addresses follow the links.
pub(crate) fn page_text(html: &str, base: Option<&Url>) -> PageText {
    let mut reader = Reader { base, ..Reader::default() };
    for piece in pieces(html) {
        match piece {
            Piece::Open(tag) => reader.open(&tag),
            Piece::Close(name) => reader.close(&name),
            Piece::Text(text) => reader.text(&text),
        }
    }
    PageText { title: joined(&reader.title), text: reader.page.text.trim_end().to_owned() }
}

#[derive(Debug, Default)]
struct Reader<'a> {
    base: Option<&'a Url>,
    page: Lines,
    title: String,
    in_title: bool,
    in_pre: bool,
    /// The skipped element, and its nesting depth.
    left_out: Option<(String, usize)>,
    /// The address of the open link.
    link: Option<String>,
}

impl Reader<'_> {
    fn open(&mut self, tag: &Tag) {
        let name = tag.name.as_str();
        if let Some((left_out, depth)) = &mut self.left_out {
            if left_out == name {
                *depth += 1;
            }
            if !CONTENT.contains(&name) {
                return;
            }
            self.left_out = None;
        }
        match name {
            "title" if self.title.is_empty() => self.in_title = true,
            _ if LEFT_OUT.contains(&name) => self.left_out = Some((name.to_owned(), 1)),
            "td" | "th" => self.page.cell(),
            "a" => {
                let target =
                    tag.attribute("href").zip(self.base).and_then(|(href, base)| base.join(href).ok());
                self.link = target.filter(|url| matches!(url.scheme(), "http" | "https")).map(String::from);
            }
            "img" => {
                if let Some(words) = tag.attribute("alt").filter(|words| !words.trim().is_empty()) {
                    self.page.words(&format!("[{}]", joined(words)));
                }
            }
            _ => self.edge(name),
        }
        match name {
            "li" => self.page.words("- "),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.page.words("# "),
            "pre" => self.in_pre = true,
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if let Some((left_out, depth)) = &mut self.left_out {
            if left_out == name {
                *depth -= 1;
                if *depth == 0 {
                    self.left_out = None;
                }
            }
            return;
        }
        match name {
            "title" => self.in_title = false,
            "pre" => self.in_pre = false,
            "a" => {
                if let Some(link) = self.link.take() {
                    self.page.words(&format!(" <{link}>"));
                }
            }
            _ => {}
        }
        self.edge(name);
    }

    fn text(&mut self, text: &str) {
        if self.in_title {
            self.title.push_str(text);
        } else if self.left_out.is_some() {
        } else if self.in_pre {
            self.page.as_it_is(text);
        } else {
            self.page.words(text);
        }
    }

    fn edge(&mut self, name: &str) {
        if PARAGRAPHS.contains(&name) {
            self.page.gap(2);
        } else if LINES.contains(&name) {
            self.page.gap(1);
        }
    }
}

/// Collects text with normalised spaces and empty lines.
#[derive(Debug, Default)]
struct Lines {
    text: String,
    /// Line breaks due before the next word.
    due: usize,
    /// A space is due before the next word.
    blank: bool,
}

impl Lines {
    fn gap(&mut self, lines: usize) {
        self.due = self.due.max(lines);
        self.blank = false;
    }

    fn cell(&mut self) {
        if self.due == 0 && !self.text.is_empty() {
            self.settle();
            self.text.push_str(" | ");
        }
    }

    fn words(&mut self, text: &str) {
        for (at, word) in text.split(is_blank).enumerate() {
            self.blank |= at > 0;
            if !word.is_empty() {
                self.settle();
                self.text.push_str(word);
            }
        }
    }

    fn as_it_is(&mut self, text: &str) {
        if !text.is_empty() {
            self.settle();
            self.text.push_str(text);
        }
    }

    /// Writes what is due.
    fn settle(&mut self) {
        if self.due > 0 && !self.text.is_empty() {
            let there = self.text.bytes().rev().take_while(|byte| *byte == b'\n').count();
            (there..self.due).for_each(|_| self.text.push('\n'));
        } else if self.blank && !self.text.is_empty() && !self.text.ends_with(is_blank) {
            self.text.push(' ');
        }
        (self.due, self.blank) = (0, false);
    }
}

/// HTML whitespace and the no-break space. Other Unicode spaces belong to the typography of their scripts.
fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{a0}'
}

/// A text on one line.
pub(crate) fn joined(text: &str) -> String {
    text.split(is_blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(html: &str) -> String {
        page_text(html, None).text
    }

    #[test]
    fn a_page_reads_as_it_looks() {
        let html = "<!DOCTYPE html><html><head><title>Ferry\n times</title><style>p { color: red }</style>\
            <script>if (a < b) { document.write('<p>no</p>') }</script></head><body>\
            <nav><ul><li><a href=/>Home</a></ul></nav>\
            <h1>Times</h1><p>The ferry&nbsp;leaves at\n  <b>10:15</b> &amp; 18:40.</p><!-- hidden -->\
            <table><tr><th>Day<th>First</tr><tr><td>Monday</td><td>7&colon;00</td></tr></table>\
            <ul><li>Dogs: yes</li><li>Cars: <a href='cars.html#x'>see here</a></li></ul>\
            <pre>a\n  b</pre><img src=x alt='A  boat'><p>End</body></html>";
        let read = page_text(html, Some(&Url::parse("https://ferry.example/times/").unwrap()));
        assert_eq!(read.title, "Ferry times");
        assert_eq!(
            read.text,
            "# Times\n\nThe ferry leaves at 10:15 & 18:40.\n\nDay | First\nMonday | 7:00\n\n- Dogs: yes\n\
             - Cars: see here <https://ferry.example/times/cars.html#x>\n\na\n  b\n\n[A boat]\n\nEnd"
        );
        assert!(!text(html).contains("cars.html"));
    }

    #[test]
    fn what_is_never_closed_does_not_swallow_the_page() {
        assert_eq!(text("<nav><a>x</a><main>the text</main>"), "the text");
        assert_eq!(text("<nav>a<nav>b</nav>c</nav>d"), "d");
        assert_eq!(text("a</p></nav></a>b"), "a\n\nb");
        assert_eq!(text("2 < 3 & 5 > 4"), "2 < 3 & 5 > 4");
        assert_eq!(text("<script>x"), "");
        assert_eq!(text(""), "");
    }

    proptest! {
        #[test]
        fn any_text_is_a_page(html in "(<|>|/|!|-|p|nav|script|pre|a|td|li|&|#|x|;|\"|=| |\n|é){0,60}") {
            let base = Url::parse("https://a.example/").unwrap();
            let read = page_text(&html, Some(&base));
            prop_assert!(!read.title.contains('\n'));
        }

        #[test]
        fn plain_words_stay(words in prop::collection::vec("[a-zé中]{1,8}", 1..20)) {
            prop_assert_eq!(text(&words.join(" \n ")), words.join(" "));
            let paragraphs: String = words.iter().map(|word| format!("<p>{word}</p>")).collect();
            prop_assert_eq!(text(&paragraphs), words.join("\n\n"));
        }
    }
}
