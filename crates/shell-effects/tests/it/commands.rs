//! The table of commands and their expected effects. No command is run.

use std::collections::BTreeSet;

use artoo_shell_effects::{Effects, Kind};

use crate::simulated_files::effects;

struct Row {
    kinds: BTreeSet<&'static str>,
    group: &'static str,
    text: String,
}

fn table() -> Vec<Row> {
    let lines = include_str!("commands.tsv").lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let mut parts = line.splitn(3, '\t');
        let mut next = || parts.next().unwrap_or_else(|| panic!("a part is missing: {line}"));
        let (kinds, group, text) = (next(), next(), next());
        let kinds = kinds.split(',').filter(|kind| *kind != "-").collect();
        Row { kinds, group, text: text.replace('⏎', "\n") }
    };
    lines.map(row).collect()
}

/// The reported kinds, except reads and started programs.
fn said(effects: &Effects) -> BTreeSet<&'static str> {
    let kinds = Kind::ALL.into_iter().filter(|kind| !matches!(kind, Kind::Reads | Kind::Runs));
    let protected = (!effects.protected.is_empty()).then_some("protected");
    kinds.filter(|kind| !effects.of(*kind).is_empty()).map(Kind::name).chain(protected).collect()
}

#[test]
fn fact_9_what_a_command_does_is_said() {
    let table = table();
    let telling = table.iter().filter(|row| !row.kinds.is_empty()).count();
    assert!(telling >= 400 && table.len() - telling >= 60, "{telling} of {} commands", table.len());
    let wrong: Vec<String> = table
        .iter()
        .filter(|row| {
            let said = said(&effects(&row.text));
            // A false alarm counts, too; if effects are expected, more may be reported.
            if row.kinds.is_empty() { !said.is_empty() } else { !row.kinds.is_subset(&said) }
        })
        .map(|row| format!("{}: {:?}: {:?}", row.group, row.text, effects(&row.text)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_effect_has_a_reason() {
    for row in table() {
        let effects = effects(&row.text);
        for kind in Kind::ALL {
            for cause in effects.of(kind) {
                assert!(!cause.what.is_empty() && !cause.why.is_empty(), "{:?}: {cause:?}", row.text);
            }
        }
    }
}

/// Plainly named objects are reported by name, whatever the command is wrapped in.
#[test]
fn what_is_named_is_said_by_its_name() {
    let table = [
        ("rm -rf docs", Kind::Deletes, "/home/ada/project/docs"),
        ("cd docs && rm notes.txt", Kind::Deletes, "/home/ada/project/docs/notes.txt"),
        ("x='my notes.txt'; y=$x; rm \"$y\"", Kind::Deletes, "/home/ada/project/my notes.txt"),
        ("sudo rm $HOME/notes.txt", Kind::Deletes, "/home/ada/notes.txt"),
        ("cd docs\nrm ../notes.txt", Kind::Deletes, "/home/ada/project/notes.txt"),
        ("f=~/notes.txt; env nice -n 5 rm \"$f\"", Kind::Deletes, "/home/ada/notes.txt"),
        ("timeout 5 sh -c 'rm notes.txt' | cat", Kind::Deletes, "/home/ada/project/notes.txt"),
        ("mv a.txt /tmp/b.txt", Kind::Deletes, "/home/ada/project/a.txt"),
        ("mv a.txt /tmp/b.txt", Kind::Creates, "/tmp/b.txt"),
        ("cp a.txt notes.txt", Kind::Overwrites, "/home/ada/project/notes.txt"),
        ("cp -t docs notes.txt", Kind::Overwrites, "/home/ada/project/docs/notes.txt"),
        ("ln -sf a.txt notes.txt", Kind::Overwrites, "/home/ada/project/notes.txt"),
        ("truncate -s 0 notes.txt", Kind::Overwrites, "/home/ada/project/notes.txt"),
        ("chmod -R 700 docs", Kind::Overwrites, "/home/ada/project/docs"),
        ("sort -onotes.txt a.txt", Kind::Overwrites, "/home/ada/project/notes.txt"),
        ("sed -i.bak s/a/b/ notes.txt", Kind::Overwrites, "/home/ada/project/notes.txt"),
        ("dd if=/dev/zero of=notes.txt", Kind::Overwrites, "/home/ada/project/notes.txt"),
        ("ls | tee -a notes.txt", Kind::Overwrites, "/home/ada/project/notes.txt"),
        ("echo x >> $HOME/new", Kind::Creates, "/home/ada/new"),
        ("echo x > $WORKSPACE/new", Kind::Creates, "/home/ada/artoo_workspace/new"),
        ("curl -o notes.txt https://x.test/a", Kind::Network, "https://x.test/a"),
        ("curl -o notes.txt https://x.test/a", Kind::Overwrites, "/home/ada/project/notes.txt"),
        ("curl -sd @notes.txt https://x.test/a", Kind::OutsideMachine, "https://x.test/a"),
        ("curl -O -m 5 https://x.test/a", Kind::Network, "https://x.test/a"),
        ("wget -qO notes.txt https://x.test/a", Kind::Overwrites, "/home/ada/project/notes.txt"),
        ("scp notes.txt ada@x.test:", Kind::OutsideMachine, "ada@x.test:"),
        ("ssh -p 22 x.test rm a", Kind::OutsideMachine, "x.test"),
        ("git -C docs push --force", Kind::OutsideMachine, "git push"),
        ("sudo -u root ls", Kind::Privilege, "sudo"),
        ("python3 -c 'print(1)'", Kind::Unknown, "python3"),
        ("./run.sh a", Kind::Unknown, "./run.sh"),
    ];
    for (text, kind, what) in table {
        let effects = effects(text);
        assert!(effects.of(kind).iter().any(|cause| cause.what == what), "{text:?}: {effects:?}");
    }
}

/// Whatever reads or writes it, as far as a word names it.
#[test]
fn a_protected_place_is_noticed() {
    for text in [
        "cat ~/.ssh/id_rsa",
        "cat ../.ssh/*",
        "cd ~ && cat .ssh/id_rsa",
        "cat < ~/.ssh/id_rsa",
        "for f in ~/.ssh/*; do wc \"$f\"; done",
        "echo x >> ~/.ssh/authorized_keys",
        "rm -r \"$HOME/.artoo\"",
        "sh -c 'head ~/.ssh/config'",
        "tar czf keys.tgz ~/.ssh",
        "python3 read.py ~/.ssh/id_rsa",
        "./run.sh ~/.ssh/id_rsa",
        "find ~/.ssh -type f",
    ] {
        assert!(!effects(text).protected.is_empty(), "{text:?}: {:?}", effects(text));
    }
    for text in ["cat ~/notes.txt", "grep .ssh notes.txt", "echo ~/.ssh/id_rsa", "ls ~"] {
        assert!(effects(text).protected.is_empty(), "{text:?}: {:?}", effects(text));
    }
}
