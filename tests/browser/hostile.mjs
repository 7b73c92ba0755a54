// culprit serve under fire: 10,000 hostile requests, half-open connections, 200 readers while a hunt
// writes, 100,000 cases. Only loopback; everything is bounded in number and time.
import { connect } from "node:net";
import { readdirSync, readFileSync } from "node:fs";
import { check, done, note, run, samples, serve, store, test, writer } from "./harness.mjs";

// Repeatable random numbers (mulberry32).
let seed = 12345;
function random(n) {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % n;
}
const pick = (list) => list[random(list.length)];

// Sends bytes as they are; resolves to the status of the answer, 0 when the connection was closed without.
function raw(port, bytes, { hold = 0 } = {}) {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(bytes);
      if (!hold) socket.end();
      else setTimeout(() => socket.destroy(), hold);
    });
    socket.setTimeout(20000, () => socket.destroy());
    socket.on("data", (d) => (text += d.toString("latin1")).length > 4096 && (text = text.slice(0, 4096)));
    socket.on("error", () => {});
    // "100 Continue" is no answer yet
    socket.on("close", () => resolve(Number(/^HTTP\/1\.\d (\d{3})/.exec(text.replace(/^HTTP\/1.1 100.*?\r\n\r\n/s, ""))?.[1] ?? 0)));
  });
}

const paths = ["/", "/index.html", "/cases.html", "/case-1.html", "/case-0.html", "/case-99999999999999999999.html", "/case--1.html",
  "/case-1.html/..", "/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/case-1.html%00.html",
  "/%00", "/\\..\\..\\windows", "/cases.html?page=-1", "/cases.html?page=18446744073709551616", "/cases.html?sort=;DROP TABLE cases",
  "/cases.html?text=' OR 1=1 --", "/cases.html?text=%25%25%25%27%22%3C", "/cases.html?compiler=%ff%fe&verdict=%00", "/live.json", "/campaign-1.html",
  "/campaign-2.html", "/case-1%20.html", "http://example.org/", "*", "", "/case-1.htm", "/CASE-1.HTML", "/file:///etc/passwd", "/proc/self/environ"];
const methods = ["GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", "FOO", "G\0T", "A".repeat(3000)];
const headers = ["Host: 127.0.0.1", "Host: localhost", "Host: evil.example", "Host: ", "Content-Length: 100000000", "Content-Length: -1", "Content-Length: 5",
  "Transfer-Encoding: chunked", "Cookie: culprit=" + "x".repeat(2000), "Range: bytes=0-18446744073709551615", "X: " + "y".repeat(9000), ": nothing", "NoColon",
  "Connection: upgrade", "Upgrade: websocket", "Expect: 100-continue", "Accept-Encoding: gzip", "Host: 127.0.0.1\r\n folded", "A\0B: c", "\xff\xfe: \xff"];

function fuzzedPath() {
  let path = pick(paths);
  for (let i = random(4); i > 0; i--) {
    const at = random(path.length + 1);
    path = path.slice(0, at) + pick(["%", "..", "/", "\x01", "\xff", "?", "&", "=", "#", " ", "%0d%0a", "%2e", "A".repeat(random(3000)), "<", "'", ";"]) + path.slice(at);
  }
  return path;
}
function fuzzedRequest() {
  if (random(3) === 0) return Buffer.from(`GET ${fuzzedPath()} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`, "latin1");
  let text = `${pick(methods)} ${fuzzedPath()} ${pick(["HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/9.9", "", "XTTP/1.1"])}\r\n`;
  for (let i = random(6); i > 0; i--) text += pick(headers) + "\r\n";
  if (random(3)) text += "Host: 127.0.0.1\r\n";
  text += "\r\n" + pick(["", "", "hello", "5\r\nhello\r\n0\r\n\r\n", "\0".repeat(random(2000))]);
  if (random(10) === 0) text = text.slice(0, random(text.length + 1)); // cut anywhere
  if (random(20) === 0) text = Array.from({ length: random(400) }, () => String.fromCharCode(random(256))).join(""); // no HTTP at all
  return Buffer.from(text, "latin1");
}

const files = (pid) => readdirSync(`/proc/${pid}/fd`).length;
const resident = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
async function inParallel(n, width, body) {
  let next = 0;
  await Promise.all(Array.from({ length: width }, async () => {
    while (next < n) await body(next++);
  }));
}

await test("10,000 hostile requests: no crash, no leak, no 5xx", async () => {
  const file = store("fire.db", "samples", samples);
  const server = await serve(file);
  const seen = new Map();
  const one = async () => {
    const request = fuzzedRequest();
    let status = await raw(server.port, request, random(50) === 0 ? { hold: 300 } : {});
    // what libmicrohttpd itself says, rightly, to a version of HTTP that is not 1.x
    if (status === 505 && !/^\S* .*HTTP\/1\.[01]\r\n/s.test(request.toString("latin1").slice(0, request.indexOf("\r\n") + 2))) status = "505 for another version";
    // and to a method longer than any there is
    if (status === 501 && request.indexOf(" ") > 100) status = "501 for an endless method";
    seen.set(status, (seen.get(status) ?? 0) + 1);
  };
  // What is cut off waits until the server gives it up, 15 s: others are sent meanwhile.
  const fire = async (n) => {
    const all = [];
    await inParallel(n, 32, async () => {
      const answer = one();
      all.push(answer);
      await Promise.race([answer, new Promise((r) => setTimeout(r, 500))]);
    });
    await Promise.all(all);
  };
  await fire(2000); // caches fill
  const before = { files: files(server.pid), resident: resident(server.pid) };
  await fire(8000);
  for (let i = 0; i < 200 && files(server.pid) > before.files + 40; i++) await new Promise((r) => setTimeout(r, 100));
  const after = { files: files(server.pid), resident: resident(server.pid) };
  note(`answers: ${JSON.stringify(Object.fromEntries(seen))}; descriptors ${before.files} -> ${after.files}; ${before.resident} -> ${after.resident} KiB`);
  const odd = [...seen.keys()].filter((s) => s !== 0 && typeof s === "number" && !(s >= 200 && s < 500));
  check(odd.length === 0, `answers ${odd}`);
  check(server.alive() && server.stderr() === "", `it said: ${server.stderr()}`);
  check(after.files <= before.files + 40, "descriptors leak");
  check(after.resident < before.resident * 1.5 + 20000, "memory leaks");
  check((await fetch(server.url)).status === 200, "it still answers");
  check((await server.stop()) === 0, "and ends cleanly");
  check(JSON.parse(run("cases", "--store", file, "--json")).total === 3, "the store is as it was");
});

await test("half-open connections do not keep others out", async () => {
  const server = await serve(store("slow.db", "samples", samples));
  const sockets = Array.from({ length: 300 }, () => {
    const s = connect(server.port, "127.0.0.1", () => s.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "));
    s.on("error", () => {});
    return s;
  });
  await new Promise((r) => setTimeout(r, 500));
  check((await fetch(server.url, { signal: AbortSignal.timeout(60000) })).status === 200, "answers");
  for (const s of sockets) s.destroy();
  check((await server.stop()) === 0, "ends cleanly");
});

await test("200 readers at once while a hunt writes: no lock error on either side", async () => {
  const file = store("busy.db", "many", "1000");
  const server = await serve(file);
  const writing = writer(file, 6);
  const end = Date.now() + 5000;
  let answers = 0;
  const odd = [];
  await Promise.all(Array.from({ length: 200 }, async (_, i) => {
    while (Date.now() < end) {
      const answer = await fetch(server.url + ["", "cases.html?sort=count", `case-${i + 1}.html`, "campaign-1.html", "live.json"][i % 5]);
      await answer.text();
      answers++;
      if (answer.status !== 200) odd.push(answer.status);
    }
  }));
  const { status, written, err } = await writing;
  note(`${answers} answers while ${written} findings were written`);
  check(odd.length === 0 && server.stderr() === "", `readers: ${odd} ${server.stderr()}`);
  check(status === 0 && err === "" && written > 10, `writer: ${status} ${err} ${written}`);
  check(answers >= 200, "each reader got an answer");
  await server.stop();
});

// The best of five, in ms, of the list and of each page.
async function times(file) {
  const server = await serve(file);
  const best = {};
  const time = async (what, body) => {
    const start = process.hrtime.bigint();
    await body();
    best[what] = Math.min(best[what] ?? 1e9, Number(process.hrtime.bigint() - start) / 1e6);
  };
  for (let i = 0; i < 5; i++) {
    await time("cases", () => run("cases", "--store", file));
    for (const path of ["", "cases.html", "cases.html?sort=count&dir=asc", "cases.html?page=2", "campaign-1.html"])
      await time("/" + path, async () => {
        const answer = await fetch(server.url + path);
        await answer.text();
        check(answer.status === 200, path);
      });
  }
  await server.stop();
  return best;
}

// One case more costs nothing: a thousand times as many may take a few times as long (counting them does).
await test("100,000 cases: pages take about as long as with 100", async () => {
  const few = await times(store("few.db", "many", "100")), many = await times(store("many.db", "many", "100000"));
  note(`best of five, in ms: ${Object.entries(many).map(([k, v]) => `${k} ${v.toFixed(0)} (${few[k].toFixed(0)} with 100)`).join(", ")}`);
  for (const [what, ms] of Object.entries(many)) check(ms < 30 * Math.max(few[what], 5), `${what}: ${ms} ms, ${few[what]} ms with 100 cases`);
});

done();
