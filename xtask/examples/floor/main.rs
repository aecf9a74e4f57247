//! The floor of `cargo xtask bench` as a program: runs one task against the server at the given address and prints the answer.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a measured program tells its answer, or why it failed"
)]

mod task;

fn main() -> std::process::ExitCode {
    let Some(url) = std::env::args().nth(1) else {
        eprintln!("usage: floor URL");
        return std::process::ExitCode::from(2);
    };
    let work = async {
        let client = task::client()?;
        task::run(&client, &url).await
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    match runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(work)) {
        Ok(answer) => {
            println!("{answer}");
            std::process::ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("floor: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}
