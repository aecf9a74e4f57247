// The launcher, with a program of this test in the place of artoo. `node --test packaging/npm/test/`; further versions of Node in
// ARTOO_TEST_NODES (paths, separated by `:`) are tested as well.
"use strict";

const assert = require("node:assert/strict");
const { spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");

const SOURCE = path.resolve(__dirname, "..");
const NODES = [process.execPath, ...(process.env.ARTOO_TEST_NODES || "").split(":").filter(Boolean)];
const PLATFORM = `artoo-cli-linux-${process.arch}`;

/** A folder in which artoo-cli is installed, with this script as the program; none without a script. */
function installed(t, script) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "artoo npm "));
  t.after(() => fs.rmSync(root, { recursive: true }));
  const modules = path.join(root, "node_modules");
  fs.cpSync(SOURCE, path.join(modules, "artoo-cli"), { recursive: true });
  if (script !== undefined) {
    const program = path.join(modules, PLATFORM, "bin", "artoo");
    fs.mkdirSync(path.dirname(program), { recursive: true });
    fs.writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return path.join(modules, "artoo-cli", "bin", "artoo.js");
}

function clean(env) {
  const { ARTOO_BINARY: _, ...rest } = process.env;
  return { ...rest, ...env };
}

function run(node, launcher, args = [], options = {}) {
  return spawnSync(node, [launcher, ...args], { encoding: "utf8", env: clean(), ...options });
}

/** Replaces properties of `process` before the launcher runs. */
function as(node, launcher, changes) {
  const code = `${changes}; require(${JSON.stringify(launcher)})`;
  return spawnSync(node, ["-e", code], { encoding: "utf8", env: clean() });
}

for (const node of NODES) {
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();

  test(`${version}: arguments, streams and the exit code are those of the program`, (t) => {
    const launcher = installed(t, 'cat; for word; do echo "<$word>"; done; echo problem >&2; exit 42');
    const done = run(node, launcher, ["run", "a b", "", "$HOME", "*", "数"], { input: "from standard input\n" });
    assert.equal(done.stdout, "from standard input\n<run>\n<a b>\n<>\n<$HOME>\n<*>\n<数>\n");
    assert.deepEqual([done.stderr, done.status], ["problem\n", 42]);
    assert.equal(run(node, installed(t, "exit 0")).status, 0);
  });

  test(`${version}: the death by a signal is passed on`, (t) => {
    for (const signal of ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"]) {
      const done = run(node, installed(t, `kill -${signal.slice(3)} $$; sleep 5`));
      assert.deepEqual([done.signal, done.status], [signal, null]);
    }
  });

  test(`${version}: a signal reaches the program once, and its answer comes back`, async (t) => {
    for (const [signal, number] of [["SIGINT", 2], ["SIGTERM", 15], ["SIGHUP", 1], ["SIGQUIT", 3]]) {
      const script = `trap 'echo got; count=$((count+1))' ${number}; echo ready; while [ -z "$count" ]; do sleep 0.05; done; sleep 0.3; exit $((128+${number}+count-1))`;
      const child = spawn(node, [installed(t, script)], { env: clean(), stdio: ["ignore", "pipe", "inherit"] });
      let out = "";
      child.stdout.on("data", (data) => {
        if (!out && String(data).includes("ready")) {
          child.kill(signal);
        }
        out += data;
      });
      const [code, died] = await new Promise((resolve) => child.on("close", (...end) => resolve(end)));
      assert.deepEqual([out, code, died], ["ready\ngot\n", 128 + number, null], signal);
    }
  });

  test(`${version}: Ctrl+C at a terminal reaches the program once`, (t) => {
    const script = "trap 'echo got; count=$((count+1))' 2; echo ready; while [ -z \"$count\" ]; do sleep 0.05; done; sleep 0.5; echo count=$count; exit 130";
    const launcher = installed(t, script);
    // Python has pseudo-terminals in its standard library.
    const terminal = `
import os, pty, sys
pid, master = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
out = b""
sent = False
while True:
    try:
        read = os.read(master, 4096)
    except OSError:
        break
    if not read:
        break
    out += read
    if b"ready" in out and not sent:
        sent = True
        os.write(master, b"\\x03")
print(out.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;
    const done = spawnSync("python3", ["-c", terminal, node, launcher], { encoding: "utf8", env: clean() });
    assert.match(done.stdout, /count=1\s+130\s*$/, done.stdout + done.stderr);
  });

  test(`${version}: without the package of the platform, one sentence says what to do`, (t) => {
    const done = run(node, installed(t), ["--version"]);
    assert.equal(done.status, 1);
    assert.equal(done.stdout, "");
    assert.match(done.stderr, new RegExp(`^error: the package ${PLATFORM}, which has the program for linux ${process.arch}, is not installed\\.\nhint: .*\n$`));
  });

  test(`${version}: another system is named`, (t) => {
    const launcher = installed(t);
    const set = (name, value) => `Object.defineProperty(process, ${JSON.stringify(name)}, { value: ${value} })`;
    for (const [platform, arch] of [["darwin", "arm64"], ["win32", "x64"], ["linux", "riscv64"]]) {
      const done = as(node, launcher, `${set("platform", `"${platform}"`)}; ${set("arch", `"${arch}"`)}`);
      assert.equal(done.status, 1);
      assert.match(done.stderr, new RegExp(`^error: artoo-cli has no program for ${platform} ${arch}: `));
    }
    const musl = as(node, launcher, "process.report.getReport = () => ({ header: {} })");
    assert.match(musl.stderr, /^error: artoo-cli has no program for linux \w+ with musl: /);
  });

  test(`${version}: a program that cannot be started is told without a stack`, (t) => {
    const launcher = installed(t);
    for (const [binary, code] of [["/nowhere/artoo", "ENOENT"], [__filename, "EACCES"]]) {
      const done = run(node, launcher, [], { env: clean({ ARTOO_BINARY: binary }) });
      assert.deepEqual([done.status, done.stdout], [1, ""]);
      assert.equal(done.stderr.split("\n")[0], `error: cannot start ${binary}: ${code}.`);
      assert.equal(done.stderr.split("\n").length, 3, done.stderr);
    }
  });

  test(`${version}: ARTOO_BINARY is the program`, { skip: process.env.ARTOO_BINARY ? false : "ARTOO_BINARY names no program" }, (t) => {
    const done = run(node, installed(t), ["--version"], { env: process.env });
    assert.deepEqual([done.status, done.stderr], [0, ""]);
    assert.match(done.stdout, /^artoo \d+\.\d+\.\d+\n$/);
  });
}

test("the packages fit together", () => {
  const filled = (file) => {
    const text = fs.readFileSync(path.join(SOURCE, file), "utf8");
    return JSON.parse(text.replaceAll("{{version}}", "1.2.3").replaceAll("{{cpu}}", "arm64"));
  };
  const [main, platform] = [filled("package.json"), filled("platform/package.json")];
  assert.equal(main.optionalDependencies[platform.name], "1.2.3");
  assert.deepEqual(Object.values(main.optionalDependencies), ["1.2.3", "1.2.3"]);
  const launcher = fs.readFileSync(path.join(SOURCE, main.bin.artoo), "utf8");
  for (const name of Object.keys(main.optionalDependencies)) {
    assert.ok(launcher.includes(`"${name}"`), name);
  }
  assert.deepEqual([platform.os, platform.cpu, platform.libc], [["linux"], ["arm64"], ["glibc"]]);
  assert.equal(main.scripts, undefined, "nothing runs at installation");
});
