use std::io::Read;

use super::*;

fn start(
    program: &str,
    arguments: &[&str],
    environment: &[(&str, &str)],
) -> io::Result<(String, ExitStatus)> {
    let arguments: Vec<OsString> = arguments.iter().map(Into::into).collect();
    let environment = environment.iter().map(|(name, value)| (name.into(), value.into())).collect();
    let start = Start {
        program: OsStr::new(program),
        arguments: &arguments,
        folder: Path::new("/"),
        environment: &environment,
        input: Input::Nothing,
        limits: &[],
        memory_group: None,
        namespace: None,
        rules: None,
    };
    let (child, mut streams) = spawn(&start).map_err(|error| match error {
        NotStarted::Program(error) | NotStarted::Namespace(error) | NotStarted::Rules(error) => error,
    })?;
    let mut text = String::new();
    streams.stdout.read_to_string(&mut text)?;
    Ok((text, child.reap()?))
}

#[test]
fn a_program_gets_its_arguments_its_variables_and_its_folder() {
    let (text, status) =
        start("/bin/sh", &["-c", "echo $1 $NAME $PWD; exit 7", "sh", "a b"], &[("NAME", "ü=x")]).unwrap();
    assert_eq!((text.as_str(), status.code()), ("a b ü=x /\n", Some(7)));
}

#[test]
fn a_name_is_looked_up_in_the_path_that_is_given() {
    assert_eq!(start("sh", &["-c", "echo found"], &[]).unwrap().0, "found\n");
    assert_eq!(start("sh", &["-c", "echo found"], &[("PATH", "/nonexistent:/bin")]).unwrap().0, "found\n");
    let error = start("sh", &[], &[("PATH", "/nonexistent")]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[test]
fn what_may_not_be_executed_is_denied() {
    assert_eq!(start("/etc/passwd", &[], &[]).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    assert_eq!(
        start("passwd", &[], &[("PATH", "/etc:/nonexistent")]).unwrap_err().kind(),
        io::ErrorKind::PermissionDenied
    );
    assert_eq!(start("/bin/s\0h", &[], &[]).unwrap_err().kind(), io::ErrorKind::InvalidInput);
}

#[test]
fn a_failed_start_leaves_no_process_behind() {
    // On a separate thread: the kernel lists its children apart from those of other tests.
    std::thread::spawn(|| {
        let error = start("/nonexistent", &[], &[]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let children = std::fs::read_to_string("/proc/thread-self/children");
        assert_eq!(children.unwrap_or_default(), "");
    })
    .join()
    .unwrap();
}

/// A second descriptor for the pipes of one command would block the reader of another one.
#[test]
fn what_waits_for_a_program_holds_no_file_of_this_process() {
    let (arguments, environment) = (["300".into()], BTreeMap::new());
    let start = Start {
        program: OsStr::new("/bin/sleep"),
        arguments: &arguments,
        folder: Path::new("/"),
        environment: &environment,
        input: Input::Nothing,
        limits: &[],
        memory_group: None,
        namespace: None,
        rules: None,
    };
    let (child, _streams) = spawn(&start).map_err(|_| "not started").unwrap();
    let held = std::fs::read_dir(format!("/proc/{}/fd", child.pid)).unwrap();
    // The pipe on which it reported.
    assert_eq!(held.count(), 1);
}

/// Rust programs ignore SIGPIPE, and signals are blocked around the start: neither may be inherited.
#[test]
fn signals_have_their_usual_effect() {
    let (text, _) = start("cat", &["/proc/self/status"], &[]).unwrap();
    let bits = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        u64::from_str_radix(line.split_whitespace().nth(1).unwrap(), 16).unwrap()
    };
    // 32 and 33 are reserved by libc, which lets no program change them.
    let ignored = bits("SigIgn:") & !(0b11 << 31);
    assert_eq!((bits("SigBlk:"), ignored, bits("SigCgt:")), (0, 0, 0), "{text}");
}

#[test]
fn the_starting_thread_gets_its_signals_back() {
    let mask = || {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        status.lines().find(|line| line.starts_with("SigBlk")).unwrap().to_owned()
    };
    let before = mask();
    start("true", &[], &[]).unwrap();
    assert_eq!(mask(), before);
}
