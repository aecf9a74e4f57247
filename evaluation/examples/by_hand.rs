//! Local server of the hand-played model of `cargo xtask eval --model by-hand`. Prints its address, and
//! serves until its standard input is closed.
//!
//! Its arguments: the file for the record, `play FOLDER` or `replay CASSETTE`, then pairs of a path and its
//! replacement.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the address is its output")]

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use artoo_evaluation::by_hand::{Cassette, Folder, Places, Server};
use artoo_llm_client::estimate_tokens;
use artoo_llm_http::doubles::{MockServer, Reply};

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // A question without an answer blocks its thread for a moment.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let served = server(&arguments).map_err(|error| error.to_string()).and_then(|server| {
        runtime.and_then(|runtime| runtime.block_on(serve(server))).map_err(|error| error.to_string())
    });
    match served {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("by_hand: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn server(arguments: &[String]) -> xtask::Result<Server> {
    let usage = || xtask::Error::Other("by_hand RECORD play|replay PLACE [PATH NEUTRAL]...".to_owned());
    let [record, manner, place, pairs @ ..] = arguments else { return Err(usage()) };
    let server = match manner.as_str() {
        "play" => {
            let folder = Folder::at(place);
            Server::of(folder.read()?, estimate_tokens).asking(folder)
        }
        "replay" => Server::of(Cassette::read(Path::new(place))?, estimate_tokens),
        _ => return Err(usage()),
    };
    let pairs = pairs.chunks_exact(2).filter_map(|pair| pair.first().zip(pair.last()));
    let places = pairs.fold(Places::default(), |places, (real, neutral)| places.with(real, neutral));
    Ok(server.recording(record.into()).hiding(places))
}

async fn serve(server: Server) -> std::io::Result<()> {
    let server = Arc::new(server);
    let mock = MockServer::start(move |call| {
        let reply = tokio::task::block_in_place(|| server.reply(&call.path, &call.body));
        let whole = Reply::body(reply.content_type, reply.body.into_bytes());
        if reply.status == 200 {
            whole
        } else {
            Reply::status(reply.status, "this question has no answer yet")
        }
    })
    .await?;
    println!("{}", mock.base_url());
    // The parent process may die in any way.
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}
