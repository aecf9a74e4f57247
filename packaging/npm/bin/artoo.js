#!/usr/bin/env node
// Starts the program of the platform's package, with the same streams, signals and exit code.
"use strict";

const { spawn } = require("node:child_process");
const { accessSync, constants: fsConstants, readFileSync } = require("node:fs");
const { constants } = require("node:os");

const PACKAGES = { "linux x64": "artoo-cli-linux-x64", "linux arm64": "artoo-cli-linux-arm64" };
const FORWARDED = ["SIGINT", "SIGQUIT", "SIGHUP", "SIGTERM", "SIGUSR1", "SIGUSR2"];

/** Ends with an error and what to do about it. */
function fail(error, hint) {
  process.stderr.write(`error: ${error}\nhint: ${hint}\n`);
  process.exit(1);
}

/** The C library of this Node; it decides which programs run here. */
function isGlibc() {
  process.report.excludeNetwork = true;
  return Boolean(process.report.getReport().header.glibcVersionRuntime);
}

/** The path of the program. */
function program() {
  if (process.env.ARTOO_BINARY) {
    return process.env.ARTOO_BINARY;
  }
  const system = `${process.platform} ${process.arch}`;
  const name = PACKAGES[system];
  if (!name) {
    fail(`artoo-cli has no program for ${system}: it is for Linux with glibc on x64 and arm64.`, "build artoo from its sources there.");
  }
  try {
    return require.resolve(`${name}/bin/artoo`);
  } catch {
    if (!isGlibc()) {
      fail(
        `artoo-cli has no program for ${system} with musl: it is for Linux with glibc.`,
        "use a system with glibc (Debian, Ubuntu, Fedora), or build artoo from its sources.",
      );
    }
    return fail(
      `the package ${name}, which has the program for ${system}, is not installed.`,
      "install artoo-cli again on this machine, with optional packages (without --omit=optional).",
    );
  }
}

/** The terminal of this process and the terminal's foreground group, from the kernel. */
function terminal() {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // The program's name, in parentheses, may contain anything.
    const [, , group, , tty, foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
    return { isThere: tty !== 0, isInForeground: tty !== 0 && foreground === group };
  } catch {
    return { isThere: false, isInForeground: false };
  }
}

/** Runs the program as a child, and ends as it ends. */
function supervise(path, args) {
  const child = spawn(path, args, { stdio: "inherit" });
  const hadTerminal = terminal().isThere;
  // What the terminal sends, it sends to the child as well. A second signal would end a run without a record.
  const isTold = (signal) => {
    switch (signal) {
      case "SIGINT":
      case "SIGQUIT":
        return terminal().isInForeground;
      case "SIGHUP":
        return hadTerminal;
      default:
        return false;
    }
  };
  for (const signal of FORWARDED) {
    process.on(signal, () => isTold(signal) || child.kill(signal));
  }
  child.on("error", (error) => cannotStart(path, error));
  child.on("exit", (code, signal) => {
    if (!signal) {
      process.exit(code);
    }
    FORWARDED.forEach((forwarded) => process.removeAllListeners(forwarded));
    process.kill(process.pid, signal);
    // For a signal that does not end this process.
    setTimeout(() => process.exit(128 + (constants.signals[signal] || 0)), 1000);
  });
}

function cannotStart(path, error) {
  fail(`cannot start ${path}: ${error.code || error.message}.`, "install artoo-cli again on this machine.");
}

const path = program();
const args = process.argv.slice(2);
if (typeof process.execve === "function") {
  try {
    // Node aborts where the replacement fails, so what can be known is asked before.
    accessSync(path, fsConstants.X_OK);
  } catch (error) {
    cannotStart(path, error);
  }
  // The program takes the place of this process, so that signals reach it alone.
  process.execve(path, ["artoo", ...args], process.env);
} else {
  supervise(path, args);
}
