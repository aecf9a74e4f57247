//! Clients that others wrote: `acpx`, and the Python SDK.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::fixture::{REQUEST, Scene, deleting, notes};
use crate::mock_model::{counting, schema, shown};
use crate::process::{Said, say};

/// A program of the test tools, with the variables that `artoo` needs; both have the home of the scene.
#[expect(clippy::disallowed_methods, reason = "a client of artoo is under test, and no run starts it")]
fn client(scene: &Scene, program: &str, arguments: &[&str]) -> Command {
    let artoo = scene.artoo(&[]);
    let mut command = Command::new(artoo_test_needs::programs().join(program));
    command.env_clear().current_dir(scene.folder());
    for (name, value) in artoo.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command.env("PATH", artoo_test_needs::path()).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What starts the agent, as one text.
fn agent() -> String {
    format!("{} acp", env!("CARGO_BIN_EXE_artoo"))
}

fn acpx(scene: &Scene, arguments: &[&str]) -> Said {
    let agent = agent();
    let usual = ["--agent", &agent, "--format", "json", "--json-strict", "--ttl", "1"];
    say(&mut client(scene, "acpx", &[&usual, arguments].concat()))
}

#[test]
fn acpx_shows_the_plan_and_allows_or_denies_a_change() {
    if !artoo_test_needs::has("acpx") {
        return;
    }
    let scene = deleting();
    let denied = acpx(&scene, &["--deny-all", "exec", REQUEST]).ended(5);
    assert!(notes(&scene).exists());
    assert!(denied.out.contains("session/request_permission"), "{}", denied.out);
    let allowed = acpx(&scene, &["--approve-all", "exec", REQUEST]).ended(0);
    for part in ["\"plan\"", "Remove the notes and count the rest", "tool_call_update", "\"end_turn\""] {
        assert!(allowed.out.contains(part), "no {part} in\n{}", allowed.out);
    }
    assert!(!notes(&scene).exists());
}

#[test]
fn acpx_goes_on_with_a_session_in_another_process() {
    if !artoo_test_needs::has("acpx") {
        return;
    }
    let scene = Scene::new(counting());
    acpx(&scene, &["--approve-all", "sessions", "new", "--name", "w"]).ended(0);
    acpx(&scene, &["--approve-all", "prompt", "-s", "w", "How many .txt files are in docs?"]).ended(0);
    let again = acpx(&scene, &["--approve-all", "prompt", "-s", "w", "And once more?"]).ended(0);
    assert!(again.out.contains("\"end_turn\""), "{}", again.out);
    let calls = scene.server().calls();
    let knows = calls
        .iter()
        .any(|call| schema(call).starts_with("resolved") && shown(call).contains("How many .txt"));
    assert!(knows, "the second request knows of the first one");
    acpx(&scene, &["sessions", "close", "w"]).ended(0);
}

/// A client in Python: two prompts at once in two sessions, a change that is denied, a cancelled prompt.
const PYTHON: &str = r#"
import asyncio, os, sys, acp
from acp.schema import AllowedOutcome, ClientCapabilities, DeniedOutcome, RequestPermissionResponse

class Client:
    def __init__(self): self.kinds, self.asked = [], 0
    def on_connect(self, agent): pass
    async def session_update(self, session_id, update, **_): self.kinds.append(update.session_update)
    async def request_permission(self, session_id, tool_call, options, **_):
        self.asked += 1
        no = next(option for option in options if option.kind == "reject_once")
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=no.option_id))

async def main(request, *command):
    client = Client()
    async with acp.spawn_agent_process(client, *command, env=dict(os.environ), cwd=os.getcwd(), transport_kwargs={"limit": 1 << 24}) as (agent, process):
        await agent.initialize(protocol_version=acp.PROTOCOL_VERSION, client_capabilities=ClientCapabilities())
        one, two = [await agent.new_session(cwd=os.getcwd(), mcp_servers=[]) for _ in range(2)]
        ask = lambda session: agent.prompt(session_id=session.session_id, prompt=[acp.text_block(request)])
        both = await asyncio.gather(ask(one), ask(two))
        print("stops", [answer.stop_reason for answer in both], "asked", client.asked)
        again = await asyncio.gather(ask(one), ask(one), return_exceptions=True)
        print("again", sorted(type(answer).__name__ for answer in again))
        print("kinds", sorted(set(client.kinds)))
    print("exit", process.returncode)
asyncio.run(main(*sys.argv[1:]))
"#;

#[test]
fn the_python_sdk_asks_twice_at_once() {
    if !artoo_test_needs::has("acp-python") {
        return;
    }
    let scene = deleting();
    let script = scene.home().join("client.py");
    fs::write(&script, PYTHON).unwrap();
    let script: &Path = &script;
    let arguments = [script.to_str().unwrap(), REQUEST, env!("CARGO_BIN_EXE_artoo"), "acp"];
    let said = say(&mut client(&scene, "acp-python", &arguments)).ended(0);
    assert!(said.out.contains("stops ['end_turn', 'end_turn'] asked 2"), "{}\n{}", said.out, said.err);
    assert!(said.out.contains("again ['PromptResponse', 'RequestError']"), "{}\n{}", said.out, said.err);
    assert!(said.out.contains("'plan', 'tool_call', 'tool_call_update'"), "{}", said.out);
    assert!(said.out.contains("exit 0"), "{}", said.out);
    assert!(notes(&scene).exists());
}
