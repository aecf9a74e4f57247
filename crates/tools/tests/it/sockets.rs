//! Unix sockets of other programs: reached only if the user named them, and only with consent.

use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use artoo_consent::{Answer, Consent};
use artoo_sandbox::{Network, Support, probe};
use artoo_test_needs::{Ability, has, skip};
use artoo_types::{EffectKind, ToolCall};
use serde_json::json;

use crate::consents::{Person, person};
use crate::fixture::{Scene, can_confine, program};

/// A service with the socket `docker.sock`, another one beside it, and a program `docker` that uses the first.
struct Services {
    scene: Scene,
    docker: UnixListener,
    other: UnixListener,
    socket: PathBuf,
    person: Arc<Person>,
}

impl Services {
    /// `None`, with a notice, where this machine cannot hold sockets.
    fn new(answer: Answer) -> Option<Self> {
        if !can_confine() || !has("python3") {
            return None;
        }
        if !matches!(probe(), Support::Enforced { abi: 6.., .. }) {
            skip(Ability::Scopes, "Landlock is older than version 6");
            return None;
        }
        let mut scene = Scene::new();
        let person = Arc::new(person(answer));
        scene.cx.consent = Arc::clone(&person) as Arc<dyn Consent>;
        let path = |name: &str| scene.outside.join(name);
        let [docker, other] = ["docker.sock", "other.sock"].map(|name| {
            let listener = UnixListener::bind(path(name)).unwrap();
            listener.set_nonblocking(true).unwrap();
            listener
        });
        let socket = path("docker.sock");
        program(&path("bin/docker"), &dial(&socket));
        let folders = format!("{}:/usr/local/bin:/usr/bin:/bin", path("bin").display());
        scene.cx.environment.insert("PATH".into(), folders.into());
        Some(Self { scene, docker, other, socket, person })
    }

    async fn shell(&self, command: &str, background: bool) -> ToolCall {
        self.scene.call("shell", json!({ "command": command, "background": background })).await
    }

    /// Whether somebody has reached the named service, and the other one, since the last call.
    fn reached(&self) -> (bool, bool) {
        (self.docker.accept().is_ok(), self.other.accept().is_ok())
    }

    /// The sockets of the questions since the last call, with what they control.
    fn asked(&self) -> Vec<(String, String)> {
        let effects = self.person.heard().into_iter().flat_map(|question| question.effects);
        effects
            .filter(|effect| effect.kind == EffectKind::Privilege)
            .map(|effect| (effect.what, effect.why))
            .collect()
    }

    fn other_socket(&self) -> PathBuf {
        self.socket.with_file_name("other.sock")
    }
}

fn dial(socket: &Path) -> String {
    format!(
        "python3 -c \"from socket import *; socket(AF_UNIX).connect('{}'); print('through')\"",
        socket.display()
    )
}

const CONTROL: &str = "it can control Docker: start containers that read and change any file of this machine";

#[tokio::test]
async fn without_a_name_no_command_reaches_a_socket_and_none_is_asked_about() {
    let Some(mut services) = Services::new(Answer::Yes) else { return };
    services.scene.cx.limits.job_grace = Duration::from_secs(60);
    for network in [Network::Denied, Network::Granted] {
        services.scene.cx.network = network;
        for background in [false, true] {
            for command in ["docker ps".to_owned(), dial(&services.socket)] {
                let call = services.shell(&command, background).await;
                assert!(!call.output.shown.contains("through"), "{command}: {call:?}");
                let hint = call.failure.as_ref().and_then(|failure| failure.hint.clone()).unwrap_or_default();
                // Who asks for the program is told why it cannot work here.
                let is_told = hint.contains("`docker` works through the socket");
                assert_eq!(is_told, command == "docker ps", "{command}: {call:?}");
                assert_eq!(services.reached(), (false, false), "{command}");
            }
        }
        assert_eq!(services.asked(), []);
    }
}

#[tokio::test]
async fn a_named_socket_is_reached_after_a_yes_and_no_other() {
    for (answer, is_yes) in [(Answer::Yes, true), (Answer::No { reason: "not this".to_owned() }, false)] {
        for background in [false, true] {
            let Some(mut services) = Services::new(answer.clone()) else { return };
            services.scene.cx.sockets = vec![services.socket.clone()].into();
            // The words name a program that is known to use it.
            let call = services.shell("docker ps", background).await;
            assert_eq!(services.asked(), [(services.socket.display().to_string(), CONTROL.to_owned())]);
            assert_eq!(services.reached(), (is_yes, false), "{call:?}");
            // They leave open what the command does.
            let call = services.shell(&dial(&services.socket), background).await;
            assert_eq!(services.asked(), [(services.socket.display().to_string(), CONTROL.to_owned())]);
            assert_eq!(services.reached(), (is_yes, false), "{call:?}");
            // A yes is for that socket.
            let call = services.shell(&dial(&services.other_socket()), background).await;
            assert_eq!(services.reached(), (false, false), "{call:?}");
        }
    }
}

#[tokio::test]
async fn reading_is_not_asked_about_where_a_socket_is_named() {
    let Some(mut services) = Services::new(Answer::No { reason: "not this".to_owned() }) else { return };
    services.scene.cx.sockets = vec![services.socket.clone()].into();
    services.scene.file("a.txt", "a\n");
    for command in ["ls", "cat a.txt", "grep -c b a.txt", "cat missing.txt", "echo x > $WORKSPACE/new.txt"] {
        services.shell(command, false).await;
        assert_eq!(services.person.heard(), [], "{command}");
    }
}
