#!/usr/bin/env node
// Starts the program, which lies in the package of this platform.
"use strict";

const { spawn } = require("node:child_process");
const platforms = Object.values(require("./platforms.json"));

/** The C library of this Linux: npm may have installed both packages. */
function libc() {
  const header = process.report && process.report.getReport().header;
  return header && header.glibcVersionRuntime ? "glibc" : "musl";
}

/** The program's path in the first package that is installed; that of this C library is asked first. */
function program() {
  const fit = platforms.filter(({ os, cpu }) => os === process.platform && cpu === process.arch);
  if (fit.length > 1 && libc() === "musl") fit.reverse();
  for (const { name, os } of fit) {
    try {
      return require.resolve(`@polywire/${name}/bin/polywire${os === "win32" ? ".exe" : ""}`);
    } catch {
      // Not installed: it is an optional dependency.
    }
  }
  const wanted = fit.map(({ name }) => `@polywire/${name}`).join(" or ");
  const reason = wanted
    ? `${wanted} is not installed; npm leaves it out with --no-optional or --omit=optional`
    : `there is no package for ${process.platform} on ${process.arch}`;
  process.stderr.write(`polywire: ${reason}\n`);
  process.exit(1);
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
// A terminal sends these to the program too; others send them to this process alone.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(`polywire: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
