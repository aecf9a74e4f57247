//! Local server of the simulated model of `cargo xtask learn`. Prints its address, and serves until its
//! standard input is closed.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the address is its output")]

use std::io::Read;

use artoo_llm_http::doubles::{MockServer, Reply};

fn main() -> std::process::ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime.and_then(|runtime| runtime.block_on(serve())) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("simulated: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

async fn serve() -> std::io::Result<()> {
    // Without counts, so that artoo estimates the tokens of prompts that differ in length.
    let server = MockServer::start(|call| {
        Reply::text_without_usage(artoo_evaluation::learn::model::answer(&call.body))
    })
    .await?;
    println!("{}", server.base_url());
    // The parent process may die in any way.
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}
