//! Draws a recording as SVG, without scripts and embedded fonts.
//!
//! The frames are stacked like those of a film strip, which moves behind a window. A line that is in many
//! frames is drawn once and reused. Without animation the last frame is shown.

use std::{collections::BTreeMap, fmt::Write};

use super::{Frame, Recording, Span, colours};

/// The size of a cell, in hundredths of a unit: integers are written the same on every machine.
const CELL: u32 = 840;
const LINE: u32 = 1800;
/// The baseline of a line's text.
const BASE: u32 = 1350;
const MARGIN: u32 = 1600;
/// The height of the caption.
const TOP: u32 = 3800;

/// The picture. The content of its lines is always escaped.
pub fn drawn(recording: &Recording, caption: &str) -> String {
    let (wide, high) = (u32::from(recording.columns) * CELL, u32::from(recording.rows) * LINE);
    let (whole_wide, whole_high) = (units(wide + 2 * MARGIN), units(high + TOP + MARGIN));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {whole_wide} {whole_high}\" width=\"{whole_wide}\" \
         height=\"{whole_high}\" role=\"img\" xml:space=\"preserve\">\n<title>{caption}</title>\n<style>{}{}</style>\n\
         <rect width=\"{whole_wide}\" height=\"{whole_high}\" rx=\"8\" fill=\"var(--back)\" stroke=\"var(--c8)\"/>\n\
         <text class=\"caption\" x=\"{}\" y=\"24\">{caption}</text>\n",
        colours::rules(),
        rules(&recording.frames, high),
        units(MARGIN),
        caption = escaped(caption),
    );
    let lines = Lines::of(&recording.frames);
    text.push_str("<defs>\n");
    for (number, line) in lines.in_order().into_iter().enumerate() {
        let _ = writeln!(text, "<g id=\"l{number}\">{}</g>", line.iter().map(span).collect::<String>());
    }
    let _ = writeln!(
        text,
        "</defs>\n<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><g class=\"film\">",
        units(MARGIN),
        units(TOP),
        units(wide),
        units(high)
    );
    for (at, frame) in (0_u32..).zip(&recording.frames) {
        text.push_str(&lines.frame(frame, at * high));
    }
    text.push_str("</g></svg>\n</svg>\n");
    text
}

/// Each distinct line of all frames, with its number.
struct Lines<'a>(BTreeMap<&'a [Span], usize>);

impl<'a> Lines<'a> {
    fn of(frames: &'a [Frame]) -> Self {
        let mut numbers = BTreeMap::new();
        for line in frames.iter().flat_map(|frame| &frame.lines).filter(|line| !line.is_empty()) {
            let next = numbers.len();
            numbers.entry(line.as_slice()).or_insert(next);
        }
        Self(numbers)
    }

    fn in_order(&self) -> Vec<&'a [Span]> {
        let mut lines: Vec<(usize, &[Span])> = self.0.iter().map(|(line, number)| (*number, *line)).collect();
        lines.sort_unstable_by_key(|(number, _)| *number);
        lines.into_iter().map(|(_, line)| line).collect()
    }

    /// A frame at this offset on the film strip.
    fn frame(&self, frame: &Frame, top: u32) -> String {
        let mut text = String::from("<g>");
        if let Some((row, column)) = frame.cursor {
            let (x, y) = (u32::from(column) * CELL, top + u32::from(row) * LINE);
            let _ = write!(
                text,
                "<rect class=\"cursor\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                units(x),
                units(y),
                units(CELL),
                units(LINE)
            );
        }
        for (row, line) in (0_u32..).zip(&frame.lines) {
            if let Some(number) = self.0.get(line.as_slice()) {
                let _ = write!(text, "<use href=\"#l{number}\" y=\"{}\"/>", units(top + row * LINE));
            }
        }
        text.push_str("</g>\n");
        text
    }
}

/// The CSS rules for style and animation.
fn rules(frames: &[Frame], high: u32) -> String {
    let whole: u64 = frames.iter().map(|frame| u64::from(frame.milliseconds)).sum::<u64>().max(1);
    let at_rest = |frame: usize| format!("transform:translateY(-{}px)", units(high * frame as u32));
    let last = frames.len().saturating_sub(1);
    let mut text = format!(
        "text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;white-space:pre;fill:var(--fore)}}\
         .caption{{font-size:12px;fill:var(--c8)}}.cursor{{fill:var(--fore);opacity:.4}}\
         .b{{font-weight:bold}}.d{{opacity:.7}}.i{{font-style:italic}}.u{{text-decoration:underline}}\
         .film{{{};animation:film {}s step-end infinite}}\
         @media(prefers-reduced-motion:reduce){{.film{{animation:none}}}}@keyframes film{{",
        at_rest(last),
        thousandths(whole)
    );
    let mut passed: u64 = 0;
    for (at, frame) in frames.iter().enumerate() {
        // In hundred-thousandths, so that a percentage has three digits.
        let share = passed * 100_000 / whole;
        let _ = write!(text, "{}%{{{}}}", thousandths(share), at_rest(at));
        passed += u64::from(frame.milliseconds);
    }
    let _ = write!(text, "100%{{{}}}}}", at_rest(last));
    text
}

/// A text in its columns, in any font of the reader.
fn span(span: &Span) -> String {
    let style = &span.style;
    let (x, wide) = (units(u32::from(span.column) * CELL), units(u32::from(span.columns) * CELL));
    let (front, behind) = if style.inverse {
        (Some(colours::said(style.background, "back")), Some(colours::said(style.colour, "fore")))
    } else {
        let said = |colour| colours::said(Some(colour), "fore");
        (style.colour.map(said), style.background.map(said))
    };
    let mut text = String::new();
    if let Some(fill) = behind {
        let _ = write!(text, "<rect x=\"{x}\" width=\"{wide}\" height=\"{}\" fill=\"{fill}\"/>", units(LINE));
    }
    if span.text.trim().is_empty() && !style.underline {
        return text;
    }
    let classes = [(style.bold, "b"), (style.dim, "d"), (style.italic, "i"), (style.underline, "u")];
    let classes: Vec<&str> = classes.into_iter().filter_map(|(is, name)| is.then_some(name)).collect();
    let class = if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) };
    // A CSS rule overrides an attribute, so the fill is a style.
    let fill = front.map(|colour| format!(" style=\"fill:{colour}\""));
    let _ = write!(
        text,
        "<text{class}{} x=\"{x}\" y=\"{}\" textLength=\"{wide}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>",
        fill.unwrap_or_default(),
        units(BASE),
        escaped(&span.text)
    );
    text
}

/// Hundredths as units.
fn units(hundredths: u32) -> String {
    decimal(u64::from(hundredths), 100)
}

fn thousandths(number: u64) -> String {
    decimal(number, 1000)
}

/// A number divided by a power of ten, without trailing zeros.
fn decimal(number: u64, power: u64) -> String {
    let (whole, rest) = (number / power, number % power);
    let digits = power.ilog10() as usize;
    let rest = format!("{rest:0digits$}");
    match rest.trim_end_matches('0') {
        "" => whole.to_string(),
        rest => format!("{whole}.{rest}"),
    }
}

/// Escapes a text for XML. Characters that XML cannot represent become replacement characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
#[path = "svg_tests.rs"]
mod tests;
