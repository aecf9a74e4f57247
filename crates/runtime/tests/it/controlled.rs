//! The control socket: with one peer, two, and hostile ones; and a journal that is read while it is written.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    os::unix::{fs::PermissionsExt as _, net::UnixStream},
    path::Path,
    sync::Arc,
    time::Duration,
};

use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::{
    Artoo, Question, Run,
    control::{AnsweredAt, ControlError, Listening, Order, Peer, Said, listen},
    journal::{self, Follow, RunState},
    runs,
};
use artoo_types::{FaultKind, Message, MessageKind, Turn};
use serde_json::json;

use crate::fixture::{House, question, recorded, say};

/// An artoo whose run asks a question, counts the orders it receives, and listens.
fn asking(house: &House, answered_at: AnsweredAt) -> (Artoo, Run, Listening) {
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("perceiver").user_lacks("The user answered"),
                Answer::json(json!({"questions": ["docs or logs?"], "intent": ""})),
            )
            .always(
                Expect::purpose("perceiver").user_contains("The user answered: logs"),
                Answer::json(json!({"questions": [], "intent": "Count the logs"})),
            )
            .always(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::json(say("3"))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let mut request = house.request("count it");
    let turn = Turn::new("What is there?", "docs and logs");
    (request.turns, request.person_present) = (vec![turn], true);
    let run = artoo.start(request).unwrap();
    let listening = listen(&run, answered_at).unwrap();
    (artoo, run, listening)
}

/// Follows a journal until it contains this kind of message.
async fn until(folder: &Path, kind: MessageKind) -> Message {
    let mut follow = Follow::open(&folder.join(journal::FILE_NAME)).unwrap();
    loop {
        let read = follow.read_on().unwrap();
        assert_eq!(read.damage, None);
        if let Some(found) = read.envelopes.iter().find(|envelope| envelope.message.kind() == kind) {
            return found.message.as_ref().clone();
        }
        assert_ne!(read.state, RunState::Killed);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn refused(done: Result<(), ControlError>) -> String {
    match done {
        Err(ControlError::Refused { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_peers_the_first_answers_and_the_second_is_told() {
    let house = House::new();
    let (_artoo, run, _listening) = asking(&house, AnsweredAt::Socket);
    let folder = run.folder().to_owned();
    let mode = folder.join("control").symlink_metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let finished = tokio::spawn(run.finished());
    let asked = until(&folder, MessageKind::ClarificationRequested).await;
    assert_eq!(Question::of(&asked), Some(Question::Clarification { round: 1, subtask_id: None }));
    let row = runs::list(&house.data_folder()).unwrap().remove(0);
    assert_eq!((row.state, row.asking), (RunState::Running, true));

    let mut one = Peer::connect(&folder).await.unwrap();
    let (other, mut refusals) = Peer::connect(&folder).await.unwrap().into_answerer();
    let answer = |round, answer: &str| Order::Answer { round, answer: answer.to_owned() };
    assert_eq!(
        refused(one.tell(&answer(7, "docs")).await),
        "this answers another question than the one that is open"
    );
    one.tell(&Order::Note { text: "数 only once".to_owned() }).await.unwrap();
    assert_eq!(refused(one.tell(&Order::Note { text: " ".to_owned() }).await), "the note is empty");
    one.tell(&answer(1, "logs")).await.unwrap();
    other.answer(1, "docs".to_owned());
    let late = refusals.recv().await.unwrap().to_string();
    let known = ["somebody has answered this question already", "the run asks nothing now"];
    assert!(known.contains(&late.as_str()), "{late}");
    let seen = recorded(finished.await.unwrap(), &folder);
    let answers: Vec<&Message> =
        seen.messages().filter(|message| message.kind() == MessageKind::ClarificationAnswered).collect();
    assert!(matches!(answers[..], [Message::ClarificationAnswered(answered)] if answered.answer == "logs"));
    assert_eq!((seen.exit_code(), seen.count(MessageKind::PersonNote)), (0, 1));
    assert!(!runs::list(&house.data_folder()).unwrap().remove(0).asking);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_questions_are_answered_elsewhere_can_be_stopped() {
    let house = House::new();
    let (_artoo, run, listening) = asking(&house, AnsweredAt::Elsewhere);
    let folder = run.folder().to_owned();
    let finished = tokio::spawn(run.finished());
    until(&folder, MessageKind::ClarificationRequested).await;
    let mut peer = Peer::connect(&folder).await.unwrap();
    assert!(!peer.takes_answers());
    let order = Order::Answer { round: 1, answer: "logs".to_owned() };
    assert_eq!(refused(peer.tell(&order).await), "this run's questions are answered where it was started");
    peer.tell(&Order::Stop {}).await.unwrap();
    let seen = recorded(finished.await.unwrap(), &folder);
    assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Cancelled), 130));
    drop(listening);
    assert!(!folder.join("control").exists());
    assert!(matches!(Peer::connect(&folder).await, Err(ControlError::Unreachable { .. })));
}

/// Sends raw bytes and reads one line; `None` if the other end is closed.
fn told(stream: &mut BufReader<UnixStream>, bytes: &[u8]) -> Option<Said> {
    // A peer whose connection was closed cannot write either.
    let _ = stream.get_mut().write_all(bytes);
    let mut line = String::new();
    stream.read_line(&mut line).ok().filter(|count| *count > 0)?;
    Some(serde_json::from_str(&line).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_input_is_refused_and_hurts_nobody() {
    let house = House::new();
    let (_artoo, run, _listening) = asking(&house, AnsweredAt::Socket);
    let folder = run.folder().to_owned();
    let finished = tokio::spawn(run.finished());
    until(&folder, MessageKind::ClarificationRequested).await;
    let socket = folder.join("control");
    tokio::task::spawn_blocking(move || {
        let come = || BufReader::new(UnixStream::connect(&socket).unwrap());
        let is_refused =
            |said: Option<Said>, words: &str| matches!(said, Some(Said::Refused { reason }) if reason.contains(words));
        let mut peer = come();
        assert_eq!(told(&mut peer, b""), Some(Said::Ready { answers: true }));
        for line in [
            "\n",
            "{}\n",
            "[]\n",
            "\u{0}\n",
            "{\"order\":\"stop\",\"force\":true}\n",
            "{\"order\":\"allow_everything\"}\n",
            "{\"order\":\"note\"}\n",
            "{\"order\":\"effect\",\"decision\":{\"granted\":true}}\n",
            "{\"order\":\"answer\",\"round\":-1,\"answer\":\"logs\"}\n",
            "{\"order\":\"answer\",\"round\":1,\"answer\":\"logs\"} {\"order\":\"stop\"}\n",
        ] {
            let said = told(&mut peer, line.as_bytes());
            assert!(is_refused(said.clone(), "this is no message to a run"), "{line}: {said:?}");
        }
        let not_utf8 = told(&mut peer, b"{\"order\":\"note\",\"text\":\"\xff\"}\n");
        assert!(is_refused(not_utf8.clone(), "this is no message to a run"), "{not_utf8:?}");
        // A line without an end is not awaited: its peer is disconnected.
        let endless = told(&mut peer, &[b'x'; 40 * 1024]);
        assert!(is_refused(endless.clone(), "at most 16384 bytes"), "{endless:?}");
        assert_eq!(told(&mut peer, b"{\"order\":\"stop\"}\n"), None);
        let mut half = come();
        told(&mut half, b"{\"order\":\"st");
        drop(half);
        let crowd: Vec<_> = (0..16).map(|_| come()).map(|mut peer| (told(&mut peer, b""), peer)).collect();
        assert!(crowd.iter().filter(|(said, _)| *said == Some(Said::Ready { answers: true })).count() >= 15);
        let mut late = come();
        let said = told(&mut late, b"");
        assert!(is_refused(said.clone(), "16 others speak to this run already"), "{said:?}");
    })
    .await
    .unwrap();
    let mut peer = loop {
        match Peer::connect(&folder).await {
            Ok(peer) => break peer,
            // The other peers are still disconnecting.
            Err(ControlError::Refused { .. }) => tokio::task::yield_now().await,
            Err(error) => panic!("{error}"),
        }
    };
    peer.tell(&Order::Answer { round: 1, answer: "logs".to_owned() }).await.unwrap();
    assert_eq!(recorded(finished.await.unwrap(), &folder).exit_code(), 0);
}

/// A command of the run must not answer the question that holds it back, nor end the run in the person's
/// name.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_has_started_is_not_heard() {
    let house = House::new();
    let (_artoo, run, _listening) = asking(&house, AnsweredAt::Socket);
    let folder = run.folder().to_owned();
    let finished = tokio::spawn(run.finished());
    until(&folder, MessageKind::ClarificationRequested).await;
    // A refused peer may find the connection closed before it sends the order.
    let script = "import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n\
                  try: s.sendall(b'{\"order\":\"stop\"}\\n')\nexcept OSError: pass\nprint(s.recv(4096).decode())";
    let socket = folder.join("control");
    #[expect(clippy::disallowed_methods, reason = "a process of this one, as a command of a run is")]
    let child = std::process::Command::new("python3").args(["-c", script]).arg(&socket).output();
    let Ok(child) = child else {
        artoo_test_needs::without("python3", "this test needs it");
        return;
    };
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(said.contains("what a run has started cannot speak for the person"), "{said}");
    let mut peer = Peer::connect(&folder).await.unwrap();
    peer.tell(&Order::Answer { round: 1, answer: "logs".to_owned() }).await.unwrap();
    assert_eq!(recorded(finished.await.unwrap(), &folder).exit_code(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_with_a_long_path_is_no_obstacle() {
    let mut house = House::new();
    let long = house.folder.path().join("a".repeat(90)).join("b".repeat(90));
    std::fs::create_dir_all(&long).unwrap();
    let deep = tempfile::tempdir_in(&long).unwrap();
    let shallow = std::mem::replace(&mut house.folder, deep);
    let (_artoo, run, _listening) = asking(&house, AnsweredAt::Socket);
    let folder = run.folder().to_owned();
    let finished = tokio::spawn(run.finished());
    let mut peer = Peer::connect(&folder).await.unwrap();
    peer.tell(&Order::Stop {}).await.unwrap();
    assert_eq!(recorded(finished.await.unwrap(), &folder).exit_code(), 130);
    drop(house);
    drop(shallow);
}
