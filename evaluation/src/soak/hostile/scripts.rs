//! What models, commands and persons do.

use super::{Does, Group, Kind};
use crate::soak::model::{Judge, Loop, Planner, Task};

/// A command that the executor runs.
const fn deed(name: &'static str, command: &'static str) -> Kind {
    Kind { name, group: Group::Commands, does: Does::Asks(Task::Deed(command)) }
}

/// A model that never comes to an end.
const fn endless(name: &'static str, endless: Loop) -> Kind {
    Kind { name, group: Group::Models, does: Does::Asks(Task::Endless(endless)) }
}

/// A model with another part to play.
const fn part(name: &'static str, does: Does) -> Kind {
    Kind { name, group: Group::Models, does }
}

/// A signal in the middle of the run.
const fn signal(name: &'static str, signal: &'static str) -> Kind {
    Kind { name, group: Group::Signals, does: Does::Signals(signal) }
}

/// Each command harms nothing outside of its folder even where nothing confines it.
pub(super) const KINDS: &[Kind] = &[
    Kind { name: "none", group: Group::Sound, does: Does::Nothing },
    endless("loop-same-call", Loop::Same),
    endless("loop-with-a-comment", Loop::Comment),
    endless("loop-of-two-calls", Loop::Alternating),
    endless("loop-of-missing-files", Loop::Missing),
    endless("loop-of-new-files", Loop::NewFiles),
    endless("loop-of-promises", Loop::Promises),
    endless("loop-of-unknown-tools", Loop::NoSuchTool),
    endless("loop-of-bad-arguments", Loop::BadArguments),
    part("judge-never-satisfied", Does::Judges(Judge::Never)),
    part("judge-wavering", Does::Judges(Judge::Wavering)),
    part("judge-inventive", Does::Judges(Judge::Inventive)),
    part("plan-empty", Does::Plans(Planner::Empty)),
    part("plan-huge", Does::Plans(Planner::Huge)),
    part("plan-impossible", Does::Plans(Planner::Impossible)),
    part("plan-asks", Does::Plans(Planner::Asks)),
    part("plan-contradictory", Does::Plans(Planner::Contradictory)),
    deed("leaves-setsid", "setsid sleep 3000 & echo started"),
    deed("leaves-nohup", "nohup sleep 3000 >/dev/null 2>&1 & echo started"),
    deed("leaves-double-fork", "( ( setsid sh -c 'sleep 3000; :' >/dev/null 2>&1 & ) & ); echo started"),
    deed("leaves-output-open", "sleep 3000 & echo started"),
    deed("ignores-signals", "(trap '' TERM INT HUP; sleep 3000; :) & echo started"),
    deed("forks-many", "for i in $(seq 100); do sleep 3000 & done; echo started"),
    deed("stops-itself", "(kill -STOP $$; sleep 3000) & sleep 0.1; echo started"),
    deed("fills-output", "yes 0123456789 | head -c 5000000"),
    deed("fills-one-line", "head -c 5000000 /dev/zero | tr '\\0' x"),
    deed("binary-output", "head -c 300000 /dev/urandom"),
    deed("progress-bars", "for i in $(seq 3000); do printf '\\r\\033[32m%s%%' $i; done"),
    deed(
        "odd-names",
        "mkdir -p odd && cd odd && touch -- -rf \"$(printf 'a\\nb')\" \"$(printf 'e\\033[2Jf')\" \"$(printf 'caf\\351')\" 'x y' && ls -1q",
    ),
    deed(
        "deep-folders",
        "d=deep; for i in $(seq 60); do d=$d/ddddddddddddddd; done; mkdir -p $d && echo made",
    ),
    deed(
        "locked-folder",
        "mkdir -p locked/in && touch locked/in/x && chmod 000 locked/in && chmod 555 locked; echo locked",
    ),
    deed("sparse-file", "truncate -s 4G sparse.bin; echo made"),
    deed(
        "pipe-and-socket",
        "mkfifo pipe; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")' 2>/dev/null; ls",
    ),
    deed("link-loop", "ln -s a b; ln -s b a; ln -s . self; ls -l"),
    deed("reads-input", "cat; read x; echo done"),
    deed("dies-by-signal", "kill -SEGV $$"),
    deed("temporary-files", "for i in 1 2 3; do mktemp -d; mktemp; done"),
    deed("writes-outside", "echo changed > ../outside/kept.txt; rm -rf ../outside; echo tried"),
    signal("interrupt", "INT"),
    signal("terminate", "TERM"),
    signal("hang-up", "HUP"),
    signal("quit", "QUIT"),
];
