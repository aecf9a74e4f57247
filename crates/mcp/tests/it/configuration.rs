//! Configurations and offered files, hostile ones above all.

use artoo_mcp::{Identity, McpError, McpJson, ServerConfig, ServerTable, Transport};
use serde_json::{Value, json};

fn table(value: Value) -> Result<ServerConfig, McpError> {
    let table: ServerTable = serde_json::from_value(value).unwrap();
    table.into_config("hub".parse().unwrap(), "/home/ada".as_ref())
}

#[test]
fn a_table_is_a_program_or_an_address() {
    let config = table(json!({"command": "a", "args": ["-x", "${HOME}"], "env": {"T_TOKEN": "${T}"}, "folders": ["~/n", "/x"],
        "network": true, "call_timeout": 5})).unwrap();
    assert_eq!(config.limits.call.as_secs(), 5);
    assert_eq!(config.folders(), [std::path::Path::new("/home/ada/n"), std::path::Path::new("/x")]);
    let again: ServerTable = (&config).into();
    assert_eq!(again.into_config("hub".parse().unwrap(), "/elsewhere".as_ref()).unwrap(), config);
    let config = table(
        json!({"url": "https://a.org/mcp", "headers": {"Authorization": "Bearer ${T}", "X-Team": "blue"}}),
    )
    .unwrap();
    assert!(matches!(config.transport, Transport::Http(_)));
    for (wrong, field) in [
        (json!({}), "command"),
        (json!({"command": "a", "url": "https://a.org"}), "url"),
        (json!({"command": " "}), "command"),
        (json!({"command": "a", "headers": {"X": "y"}}), "headers"),
        (json!({"command": "a", "folders": ["notes"]}), "folders"),
        (json!({"command": "a", "env": {"A=B": "c"}}), "env"),
        (json!({"command": "a", "args": ["${"]}), "args[0]"),
        (json!({"command": "a", "args": ["${1}"]}), "args[0]"),
        (json!({"command": "a", "start_timeout": 0}), "start_timeout"),
        (json!({"url": "https://a.org", "network": true}), "network"),
        (json!({"url": "ftp://a.org"}), "url"),
        (json!({"url": "http://a.org"}), "url"),
        (json!({"url": "https://me@a.org"}), "url"),
        (json!({"url": "https://a.org", "headers": {"a b": "c"}}), "headers"),
    ] {
        match table(wrong.clone()) {
            Err(McpError::Field { field: found, .. }) => assert_eq!(found, field, "{wrong}"),
            other => panic!("{wrong}: {other:?}"),
        }
    }
    for near in [
        "http://127.0.0.1:8/mcp",
        "http://localhost/",
        "http://[::1]/",
        "http://192.168.1.7/",
        "http://nas.local/",
        "http://box/",
    ] {
        assert!(table(json!({"url": near})).is_ok(), "{near}");
    }
}

#[test]
fn no_secret_stands_in_a_configuration() {
    for secret in [
        json!({"command": "a", "env": {"HUB_TOKEN": "abc"}}),
        json!({"command": "a", "env": {"X": "ghp_0123456789abcdefghijABCDEFGHIJ012345"}}),
        json!({"command": "a", "env": {"X": "${Y:-ghp_0123456789abcdefghijABCDEFGHIJ012345}"}}),
        json!({"command": "a", "args": ["--key", "sk-ant-api03-0123456789abcdefghijABCDEFGHIJ0123456789abcdefghijABCDEFGHIJ0123456789abcdefghijABCDEFGHIJAA-0123456AA"]}),
        json!({"url": "https://a.org", "headers": {"Authorization": "Bearer abc"}}),
        json!({"url": "https://a.org", "headers": {"X-Api-Key": "abc"}}),
    ] {
        assert!(matches!(table(secret.clone()), Err(McpError::Secret { .. })), "{secret}");
    }
}

#[test]
fn a_folder_offers_servers_and_decides_nothing() {
    let read = McpJson::read(
        br#"{"mcpServers": {
            "My Files": {"command": "files", "args": ["."], "folders": ["/"], "network": true, "autoApprove": ["*"]},
            "web": {"type": "http", "url": "https://a.org/mcp"},
            "old": {"type": "sse", "url": "https://a.org/sse"},
            "odd": {"type": "pigeon"},
            "???": {"command": "x"},
            "my-files": {"command": "other"},
            "list": []
        }, "more": 1}"#,
    )
    .unwrap();
    let told: Vec<String> = read
        .servers
        .iter()
        .map(|server| match server {
            Ok(config) => config.name.to_string(),
            Err(error) => error.to_string(),
        })
        .collect();
    assert_eq!(
        told,
        [
            "`???` is no name of a server: no letter or digit of it can stay",
            "my-files",
            "the server list: `mcpServers` has something else than a table for it",
            "`my-files` is no name of a server: another server of the file has the same name here",
            "the server odd: `type` is neither stdio nor http",
            "the server old: `type` is sse, a transport that the protocol has given up; look for an address of the type http",
            "web",
        ]
    );
    assert_eq!(read.ignored, ["my-files.folders", "my-files.network", "my-files.autoApprove"]);
    let files = read.servers[1].as_ref().unwrap();
    assert_eq!((files.folders().len(), files.reach()), (0, artoo_tools::ServerReach::Nothing));
    let other = McpJson::read(br#"{"mcpServers": {}}"#).unwrap();
    assert_ne!(read.content, other.content);
}

#[test]
fn a_hostile_file_is_an_error_and_no_panic() {
    let deep = format!("{{\"mcpServers\": {{\"a\": {}1{}}}}}", "[".repeat(10_000), "]".repeat(10_000));
    let many: String =
        (0..200).map(|n| format!("\"s{n}\": {{\"command\": \"x\"}}")).collect::<Vec<_>>().join(",");
    for hostile in [
        "",
        "{}",
        "[]",
        "{\"mcpServers\": 1}",
        "\u{feff}{}",
        deep.as_str(),
        &format!("{{\"mcpServers\": {{{many}}}}}"),
    ] {
        assert!(
            matches!(McpJson::read(hostile.as_bytes()), Err(McpError::File { .. })),
            "{}",
            &hostile[..hostile.len().min(80)]
        );
    }
    assert!(McpJson::read(&vec![b' '; 2 * 1024 * 1024]).is_err() && McpJson::read(&[0xff, 0xfe]).is_err());
}

#[test]
fn who_is_another_server_has_another_identity() {
    let identity = |value: Value| Identity::of(&table(value).unwrap());
    let plain = identity(json!({"command": "a", "args": ["b"]}));
    assert_eq!(plain, identity(json!({"command": "a", "args": ["b"], "call_timeout": 9})));
    for other in [
        json!({"command": "a", "args": ["b", ""]}),
        json!({"command": "a b"}),
        json!({"command": "a", "args": ["b"], "folders": ["/x"]}),
        json!({"command": "a", "args": ["b"], "network": true}),
        json!({"command": "a", "args": ["b"], "env": {"X": "${X}"}}),
        json!({"url": "https://a.org"}),
    ] {
        assert_ne!(plain, identity(other.clone()), "{other}");
    }
}
