//! `cargo xtask screencast`: records a conversation at a terminal as an animated picture.
//!
//! The example `terminal` plays it: the real program at a pseudo-terminal, with a scripted model. This module
//! draws it.

mod colours;
mod recording;
mod svg;

pub use recording::{Colour, Frame, Recording, Span, Style};
pub use svg::drawn;

use crate::{
    Error, Result, cli,
    command::Program,
    files,
    terminal::{say, step},
    verify::{self, Build},
};

/// The caption above the picture.
const CAPTION: &str = "artoo at a terminal, recorded by cargo xtask screencast · the model is scripted";

/// What is played, with the words for the example, and the file of its picture.
const PLAYS: [(&[&str], &[&str], &str); 3] = [
    (&["play", "letters"], &[], "screencast.svg"),
    (&["play", "developer"], &[], "developer.svg"),
    (&["play", "developer"], &["-v"], "developer-v.svg"),
];

/// Plays each conversation and draws it.
///
/// # Errors
/// A build fails, or a conversation takes another course.
pub fn run(options: &cli::Screencast) -> Result<()> {
    let artoo = match &options.binary {
        Some(binary) => binary.clone(),
        None => step("build artoo", || verify::artoo(Build::Release))?,
    };
    let terminal = step("build the terminal", || verify::example("terminal", Build::Tested))?;
    for (play, words, file) in PLAYS {
        let played = || Program::new(&terminal, play).args([&artoo]).args(words).text();
        let printed = step(file, played)?;
        let recording: Recording = serde_json::from_str(&printed).map_err(|error| {
            Error::Other(format!("the terminal printed something else than a recording: {error}"))
        })?;
        let (picture, out) = (drawn(&recording, CAPTION), options.out.join(file));
        files::write(files::root().join(&out), &picture)?;
        say(format!("{}: {} frames, {} bytes", out.display(), recording.frames.len(), picture.len()));
    }
    Ok(())
}
