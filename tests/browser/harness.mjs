// What the tests of the pages share: TAP, stores made by make-store, a server of their own.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [culprit, makeStore, sources, packages] = process.argv.slice(2);
export const samples = join(sources, "tests/report/samples");
export const packageDir = packages;
export const work = mkdtempSync(join(tmpdir(), "culprit-browser-"));
const children = new Set();

let count = 0, failed = 0;
export async function test(name, body) {
  count++;
  try {
    await body();
    console.log(`ok ${count} - ${name}`);
  } catch (e) {
    failed++;
    console.log(`not ok ${count} - ${name}`);
    for (const line of String(e?.stack ?? e).split("\n").slice(0, 12)) console.log(`# ${line}`);
  }
}
export function done() {
  console.log(`1..${count}`);
  for (const child of children) child.kill("SIGKILL");
  rmSync(work, { recursive: true, force: true });
  process.exit(failed ? 1 : 0);
}
export function check(condition, words) {
  if (!condition) throw new Error(words);
}
export function note(text) {
  console.log(`# ${text}`);
}

export function run(...argv) {
  const r = spawnSync(culprit, argv, { encoding: "utf8" });
  check(r.status === 0, `culprit ${argv.join(" ")} ended with ${r.status}: ${r.stderr}`);
  return r.stdout;
}
export function store(name, ...words) {
  const file = join(work, name);
  const r = spawnSync(makeStore, [file, ...words], { encoding: "utf8" });
  check(r.status === 0, `make-store: ${r.stderr}`);
  return file;
}
export function writer(file, seconds) {
  const child = spawn(makeStore, [file, "write", String(seconds)]);
  children.add(child);
  let out = "", err = "";
  child.stdout.on("data", (d) => (out += d));
  child.stderr.on("data", (d) => (err += d));
  return new Promise((resolve) => child.on("exit", (status) => resolve({ status, written: Number(out), err })));
}
// A running `culprit serve`: its address, pid, and stop(), which resolves to its exit status.
export async function serve(file, ...options) {
  const child = spawn(culprit, ["serve", "--store", file, "--port", "0", ...options]);
  children.add(child);
  let err = "";
  child.stderr.on("data", (d) => (err += d));
  const url = await new Promise((resolve, reject) => {
    child.stdout.once("data", (d) => resolve(String(d).trim()));
    child.once("exit", () => reject(new Error(`serve ended: ${err}`)));
  });
  const exit = new Promise((resolve) => child.on("exit", (status, signal) => resolve(signal ?? status)));
  const stop = () => (child.kill("SIGTERM"), exit);
  return { url, pid: child.pid, stop, port: Number(new URL(url).port), stderr: () => err, alive: () => child.exitCode === null };
}
