//! Terminal colours for light and dark surroundings.

use std::fmt::Write;

use super::Colour;

/// Background, foreground, and the sixteen colours for light surroundings. Each is readable on the first.
const LIGHT: [&str; 18] = [
    "#fbfbfa", "#24292f", "#24292f", "#b3261e", "#1a7f37", "#8a5a00", "#0b5fc0", "#8250df", "#0f6f79",
    "#424a53", "#57606a", "#cf222e", "#2a7d3f", "#7d5200", "#0969da", "#8250df", "#1b7c83", "#57606a",
];
/// The same for dark surroundings.
const DARK: [&str; 18] = [
    "#16191d", "#d8dee4", "#6e7681", "#ff7b72", "#56d364", "#e3b341", "#79b8ff", "#d2a8ff", "#56d4dd",
    "#b1bac4", "#8b949e", "#ffa198", "#7ee787", "#f2cc60", "#a5d6ff", "#e2c5ff", "#b3f0ff", "#f0f6fc",
];
/// The component levels of the 216-colour cube.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The CSS rules that name the colours: `back`, `fore` and the numbers.
pub(super) fn rules() -> String {
    let named = |colours: &[&str; 18]| -> String {
        let names = ["back".to_owned(), "fore".to_owned()].into_iter().chain((0..16).map(|n| n.to_string()));
        names.zip(colours).fold(String::new(), |mut text, (name, colour)| {
            let _ = write!(text, "--{}:{colour};", variable(&name));
            text
        })
    };
    format!("svg{{{}}}@media(prefers-color-scheme:dark){{svg{{{}}}}}", named(&LIGHT), named(&DARK))
}

/// A colour's form in the picture, or `otherwise` if there is none.
pub(super) fn said(colour: Option<Colour>, otherwise: &str) -> String {
    match colour {
        None => format!("var(--{otherwise})"),
        Some(Colour::Indexed(number @ 0..16)) => format!("var(--{})", variable(&number.to_string())),
        Some(Colour::Indexed(number @ 16..232)) => {
            let number = number.saturating_sub(16);
            let level = |part: u8| LEVELS.get(usize::from(part % 6)).copied().unwrap_or_default();
            rgb(level(number / 36), level(number / 6), level(number))
        }
        Some(Colour::Indexed(number @ 232..)) => {
            let grey = number.saturating_sub(232).saturating_mul(10).saturating_add(8);
            rgb(grey, grey, grey)
        }
        Some(Colour::Rgb(red, green, blue)) => rgb(red, green, blue),
    }
}

fn variable(name: &str) -> String {
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("c{name}") } else { name.to_owned() }
}

fn rgb(red: u8, green: u8, blue: u8) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_is_said() {
        let table = [
            (None, "var(--fore)"),
            (Some(Colour::Indexed(1)), "var(--c1)"),
            (Some(Colour::Indexed(16)), "#000000"),
            (Some(Colour::Indexed(196)), "#ff0000"),
            (Some(Colour::Indexed(231)), "#ffffff"),
            (Some(Colour::Indexed(255)), "#eeeeee"),
            (Some(Colour::Rgb(1, 2, 255)), "#0102ff"),
        ];
        for (colour, expected) in table {
            assert_eq!(said(colour, "fore"), expected, "{colour:?}");
        }
        for name in ["--back:", "--fore:", "--c0:", "--c15:"] {
            assert_eq!(rules().matches(name).count(), 2, "{name}");
        }
    }

    /// The contrast that WCAG 2 requires for text: 4.5 to 1. The black of a dark terminal is for backgrounds.
    #[test]
    fn what_is_in_front_can_be_read() {
        let light = |colour: &str| {
            let part = |at: usize| {
                let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
                if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
        };
        for (name, colours) in [("light", LIGHT), ("dark", DARK)] {
            let back = light(colours[0]);
            for (at, colour) in
                colours.iter().enumerate().skip(1).filter(|(at, _)| !(name == "dark" && *at == 2))
            {
                let (more, less) = (light(colour).max(back), light(colour).min(back));
                let contrast = (more + 0.05) / (less + 0.05);
                assert!(contrast >= 4.5, "{name} {at} {colour}: {contrast:.2}");
            }
        }
    }
}
