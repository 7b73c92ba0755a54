// The pages in a real browser: every view of exported and served sites opened, what must be seen is seen,
// links lead somewhere, nothing is on the console, axe finds nothing, all of it in light and dark, on a
// phone, without script, and with content that wants to break out.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { check, done, note, packageDir, run, samples, serve, store, test, work, writer } from "./harness.mjs";

const require = createRequire(join(packageDir, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const shots = join(packageDir, "screenshots");
mkdirSync(shots, { recursive: true });

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});

// Opens url, hands the page to body, and fails on anything the console or the page complained about.
async function visit(url, options, body) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && complaints.push(m.text()));
  page.on("pageerror", (e) => complaints.push(String(e)));
  page.on("dialog", (d) => (complaints.push(`dialog: ${d.message()}`), d.dismiss()));
  page.on("requestfailed", (r) => complaints.push(`failed: ${r.url()}`));
  await page.goto(url);
  const result = await body(page);
  await context.close();
  check(complaints.length === 0, `${url}: ${complaints.join("; ")}`);
  return result;
}

async function audit(page, rules) {
  await page.evaluate(axe);
  const result = await page.evaluate((options) => window.axe.run(document, { resultTypes: ["violations"], ...options }),
    rules ? { runOnly: { type: "rule", values: rules } } : {});
  const words = result.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target + " " + n.failureSummary).join(" | ")}`);
  check(words.length === 0, `${page.url()}: ${words.join("\n")}`);
}

// The one place outside that a page may lead to: the compiler's own sources.
const isSource = (link) => /^https:\/\/(gcc\.gnu\.org|github\.com\/llvm)\//.test(link);

const headings = (page) => page.$$eval("h1,h2,h3,h4", (all) => all.map((h) => Number(h.tagName[1])));
function inOrder(levels) {
  return levels.filter((l) => l === 1).length === 1 && levels[0] === 1 && levels.every((l, i) => i === 0 || l <= levels[i - 1] + 1);
}

const file = store("samples.db", "samples", samples);
const site = join(work, "site");
run("report", "--store", file, "-o", site);
const names = readdirSync(site).filter((n) => n.endsWith(".html"));

await test("every page of a report opens, in light and dark, and axe finds nothing", async () => {
  check(names.length >= 6, `only ${names}`);
  for (const name of names)
    for (const colorScheme of ["light", "dark"])
      await visit(`file://${site}/${name}`, { colorScheme }, async (page) => {
        check(inOrder(await headings(page)), `${name}: headings ${await headings(page)}`);
        for (const d of await page.$$("details")) await d.evaluate((e) => (e.open = true));
        await audit(page, colorScheme === "dark" ? ["color-contrast"] : undefined);
        await page.screenshot({ path: join(shots, `${name}-${colorScheme}.png`), fullPage: true });
      });
});

await test("all links of a report lead to a page or a place that is there", async () => {
  for (const name of names)
    await visit(`file://${site}/${name}`, {}, async (page) => {
      const links = await page.$$eval("a[href]", (all) => all.map((a) => a.getAttribute("href")));
      check(links.length > 2, `${name} has few links`);
      for (const link of links) {
        if (isSource(link)) continue;
        const [target, anchor] = link.split("#");
        if (target) check(existsSync(join(site, target)), `${name} leads to ${target}`);
        else check(await page.$(`[id="${anchor}"]`), `${name} leads to #${anchor}`);
      }
    });
});

const full = `file://${site}/case-3.html`; // the sample that has everything

await test("the difference is visible", () =>
  visit(full, {}, async (page) => {
    const marks = await page.$$eval("#pair mark", (all) => all.map((m) => ({ text: m.textContent, width: m.getBoundingClientRect().width })));
    check(marks.some((m) => m.text.includes("keep ^ 0x7fff") && m.width > 20), JSON.stringify(marks));
    check(!marks.some((m) => m.text.includes("int main")), "what is equal is not marked");
    const [left, right] = await page.$$eval("#pair .sides > *", (all) => all.map((e) => e.getBoundingClientRect().x));
    check(right > left + 200, "side by side");
  }));

await test("matrix, suspects, lines and the tree of causes are visible", () =>
  visit(full, {}, async (page) => {
    const cells = await page.$$eval("#verdicts .matrix tbody td", (all) => all.map((c) => c.textContent));
    check(cells.length === 20 && cells.filter((c) => c === "wrong").length === 3, cells.join());
    const widths = await page.$$eval("#suspects details.suspect .bar rect", (all) => all.map((r) => r.getBoundingClientRect().width));
    check(widths.length >= 8 && widths[0] > widths[4] && widths[4] > 5, widths.join());
    await page.click("#suspects details.suspect summary");
    check(await page.isVisible("#suspects details.suspect[open] .lines td.code"), "a click on a file shows its lines");
    const boxes = await page.$$eval("svg.tree .node", (all) => all.map((n) => n.getBoundingClientRect()).map((r) => [r.x, r.y, r.width, r.height]));
    check(boxes.length === 4 && boxes.every((b) => b[2] > 100 && b[3] > 30), JSON.stringify(boxes));
    const tree = await page.textContent("svg.tree");
    for (const words of ["digit % base", " was ", "carry > 0", "printf writes 7"]) check(tree.includes(words), words);
    // boxes do not overlap
    for (const [i, a] of boxes.entries())
      for (const b of boxes.slice(i + 1))
        check(a[0] + a[2] <= b[0] || b[0] + b[2] <= a[0] || a[1] + a[3] <= b[1] || b[1] + b[3] <= a[1], "boxes overlap");
    await (await page.$("svg.tree")).screenshot({ path: join(shots, "tree.png") });
  }));

await test("without script everything can be read", () =>
  visit(full, { javaScriptEnabled: false }, async (page) => {
    for (const part of ["#pair mark", "#verdicts .matrix", "#suspects .bar", "svg.tree .node", "#reproduce pre"])
      check(await page.isVisible(part), part);
    await page.click("#suspects details.suspect summary");
    check(await page.isVisible("#suspects .lines td.code"), "lines");
  }));

await test("the keyboard reaches and opens what the mouse does", () =>
  visit(full, {}, async (page) => {
    await page.keyboard.press("Tab");
    check((await page.evaluate(() => document.activeElement.textContent)).startsWith("Skip"), "the first stop skips the head");
    const reached = new Set();
    for (let i = 0; i < 200; i++) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const e = document.activeElement, style = getComputedStyle(e);
        return { tag: e.tagName, name: e.textContent.slice(0, 40), ring: style.outlineStyle !== "none" };
      });
      if (at.tag === "BODY") break;
      check(at.ring, `${at.tag} ${at.name} shows no focus`);
      reached.add(at.tag);
    }
    for (const tag of ["A", "SUMMARY", "PRE"]) check(reached.has(tag), `${tag} is not reached`);
    await page.focus("#suspects details.suspect summary");
    await page.keyboard.press("Enter");
    check(await page.isVisible("#suspects .lines td.code"), "Enter opens a file");
  }));

await test("a phone shows every page without sideways scrolling, and paper takes it", async () => {
  for (const name of names)
    await visit(`file://${site}/${name}`, { viewport: { width: 390, height: 844 }, isMobile: true }, async (page) => {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      const who = await page.$$eval("main *", (all) => all.filter((e) => e.getBoundingClientRect().right > 391 && !e.closest(".scroll, .lines, pre"))
        .slice(0, 3).map((e) => `${e.tagName}.${e.className}`));
      check(wide <= 390, `${name} is ${wide} px wide: ${who}`);
      const thin = await page.$$eval("td pre", (all) => all.map((e) => e.getBoundingClientRect().width).filter((w) => w < 150));
      check(thin.length === 0, `${name}: a program in a column of ${thin} px`);
      await page.screenshot({ path: join(shots, `${name}-phone.png`), fullPage: true });
      if (name === "case-3.html") check((await page.pdf()).length > 20000, "a PDF of it");
    });
});

await test("a table is sorted by a click on its heading", () =>
  visit(`file://${site}/cases.html`, {}, async (page) => {
    const hits = () => page.$$eval("tbody tr", (rows) => rows.map((r) => Number(r.cells[5].dataset.key)));
    await page.click("th:has-text('hits') button");
    check(String(await hits()) === "1,3,14", `${await hits()}`);
    await page.click("th:has-text('hits') button");
    check(String(await hits()) === "14,3,1", `${await hits()}`);
  }));

await test("a single case is a page of its own", async () => {
  const one = join(work, "one");
  run("report", "--store", file, "--case", "3", "-o", one);
  check(String(readdirSync(one)) === "case-3.html", `${readdirSync(one)}`);
  await visit(`file://${one}/case-3.html`, {}, async (page) => {
    const links = await page.$$eval("a[href]", (all) => all.map((a) => a.getAttribute("href")));
    check(links.every((l) => l.startsWith("#") || isSource(l)), links.join());
  });
});

// ---- served ----

await test("served: every page opens, links answer, axe finds nothing", async () => {
  const server = await serve(file);
  const seen = new Set(["/"]), queue = ["/"];
  while (queue.length && seen.size < 60) {
    const path = queue.shift();
    await visit(new URL(path, server.url).href, {}, async (page) => {
      check(inOrder(await headings(page)), `${path}: headings`);
      if (["/", "/cases.html"].includes(path)) await audit(page); // the others are as in a report
      for (const link of await page.$$eval("a[href]", (all) => all.map((a) => a.href))) {
        const url = new URL(link);
        if (isSource(link) || url.pathname.endsWith(".json")) continue;
        check(url.origin === new URL(server.url).origin, `${path} leads outside: ${link}`);
        const next = url.pathname + url.search;
        if (!seen.has(next)) seen.add(next), queue.push(next);
      }
    });
  }
  for (const path of queue) check((await fetch(new URL(path, server.url))).status === 200, path);
  check(seen.size > 8, `only ${[...seen]}`);
  check((await server.stop()) === 0, "serve ends cleanly");
});

await test("served: filter, sort, policy", async () => {
  const server = await serve(file);
  await visit(server.url + "cases.html", {}, async (page) => {
    await page.fill("main input[name=text]", "InstCombine");
    await page.click("main button.go");
    await page.waitForURL(/text=InstCombine/); // a click does not wait for the page that it leads to
    check((await page.$$("tbody tr")).length === 1, "one case of InstCombine");
    check((await page.inputValue("main input[name=text]")) === "InstCombine", "what was asked stays");
    await page.goto(server.url + "cases.html");
    await page.click("th:has-text('hits') a");
    await page.waitForURL(/sort=count/);
    check((await page.$$eval("tbody tr", (rows) => rows.map((r) => r.cells[5].dataset.key))).join() === "14,3,1", "sorted by hits");
  });
  const answer = await fetch(server.url);
  const policy = answer.headers.get("content-security-policy");
  check(policy.includes("default-src 'none'") && !policy.includes("unsafe"), policy);
  check(answer.headers.get("x-content-type-options") === "nosniff", "nosniff");
  await server.stop();
});

await test("served: a campaign's compilers, the slowest first", async () => {
  const server = await serve(store("slow.db", "samples", samples));
  await visit(server.url + "campaign-1.html", {}, async (page) => {
    const rows = await page.$$eval("[data-part=compilers] tbody tr", (all) => all.map((r) => [...r.cells].map((c) => c.textContent)));
    check(rows.length === 2 && rows[0][0] === "gcc-11 11.3.0 <b>" && rows[1][0] === "gcc-12 12.2.0", JSON.stringify(rows));
    check(rows[0].slice(2).join() === "0.400 s,1.40 s,55 %", rows[0].join());
    check((await page.textContent(".tiles")).includes("programs per core-hour"), "rate of a core");
  });
  await server.stop();
});

await test("served: a campaign's machines, with what they did and said last", async () => {
  const server = await serve(store("machines.db", "samples", samples));
  for (const width of [390, 1400])
    await visit(server.url + "campaign-1.html", { viewport: { width, height: 900 } }, async (page) => {
      const rows = await page.$$eval("[data-part=machines] tbody tr", (all) => all.map((r) => [...r.cells].map((c) => c.textContent)));
      check(rows.length === 2, JSON.stringify(rows));
      rows.sort();
      check(rows[0].slice(0, 6).join() === "a.cluster <i>,working,64,2,22,900", rows[0].join());
      check(rows[1][1] === "ended" && rows[1][7].includes("closed the connection"), rows[1].join());
      check(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${width}: the page itself scrolls sideways`);
    });
  await server.stop();
});

await test("served: a running campaign is followed without reload", async () => {
  const live = store("live.db", "samples", samples);
  const server = await serve(live);
  await visit(server.url + "campaign-1.html", {}, async (page) => {
    await page.waitForSelector("#live-state.live");
    await page.evaluate(() => (window.same = true));
    const before = await page.textContent(".tiles .tile dd");
    await new Promise((r) => setTimeout(r, 2500));
    store("live.db", "samples", samples + "/../more");
    await page.waitForFunction((text) => document.querySelector(".tiles .tile dd").textContent !== text, before, { timeout: 15000 });
    check(await page.evaluate(() => window.same === true), "the page was not loaded again");
  });
  await server.stop();
});

await test("--listen asks for a token", async () => {
  const server = await serve(file, "--listen", "127.0.0.1");
  const plain = server.url.split("?")[0];
  check((await fetch(plain)).status === 401, "without");
  check((await fetch(plain + "?token=wrong")).status === 401, "wrong");
  check((await fetch(plain, { headers: { Authorization: `Bearer ${new URL(server.url).searchParams.get("token")}` } })).status === 200, "right, as a header");
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(server.url);
  check(page.url() === plain + "index.html" && (await page.textContent("h1")).includes("Compiler bugs"), page.url());
  await context.close();
  await server.stop();
});

// ---- what a colleague is sent ----

await test("buttons take program, command and report along; without a script there are none", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  const server = await serve(file);
  await visit(server.url + "case-3.html", { permissions }, async (page) => {
    for (const [text, word] of [["program", "int main"], ["command", "gcc-11 -O2"], ["report", "Product: gcc"]]) {
      await page.click(`button[data-text="${text}"]:not([data-file])`);
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      check(copied.includes(word), `${text}: ${copied.slice(0, 80)}`);
    }
    const [download] = await Promise.all([page.waitForEvent("download"), page.click('button[data-file="variant.c"]')]);
    const json = JSON.parse(run("show", "--store", file, "3", "--json"));
    check(readFileSync(await download.path(), "utf8") === json.reduced_variant, "the download is the program");
  });
  await visit(server.url + "case-3.html", { javaScriptEnabled: false }, async (page) => {
    check((await page.$$("button.tool:visible")).length === 0, "dead buttons are shown");
  });
  await server.stop();
});

await test("a case has an address that stays, its JSON, and a page beside another's", async () => {
  const server = await serve(file);
  await visit(server.url + "case/3", {}, async (page) => check(page.url().endsWith("/case-3.html"), page.url()));
  await visit(server.url + "campaign/1", {}, async (page) => check(page.url().endsWith("/campaign-1.html"), page.url()));
  const answer = await fetch(server.url + "case/3.json");
  check(answer.headers.get("content-type") === "application/json" && (await answer.json()).id === 3, "case/3.json");
  check((await fetch(server.url + "case/99")).status === 404, "case/99 is not there");
  await visit(server.url + "compare.html?a=1&b=3", {}, async (page) => {
    const text = await page.textContent("main");
    check(text.includes("case 1") && text.includes("vect_get_vec_defs") && text.includes("-ftree-vectorize"), "both are there");
    await audit(page);
  });
  await visit(server.url + "compare.html?a=x", {}, async (page) => check(await page.$("input[name=b]"), "asks for the other"));
  await visit(server.url, {}, async (page) => {
    await page.fill("header input[type=search]", "vectorize");
    await page.press("header input[type=search]", "Enter");
    await page.waitForURL(/text=vectorize/);
    check((await page.$$("tbody tr")).length === 1, "the search box finds one case");
  });
  await server.stop();
});

await test("on a phone the matrix keeps its first column, the pair its legend; a change is red and green", async () => {
  for (const width of [390, 800, 1400])
    for (const colorScheme of ["light", "dark"])
      await visit(`file://${site}/case-3.html`, { viewport: { width, height: 900 }, colorScheme }, async (page) => {
        check(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${width}: the page itself scrolls sideways`);
        const [before, after] = await page.evaluate(() => {
          const box = document.querySelector(".matrix").parentElement, head = document.querySelector(".matrix tbody th");
          const left = () => head.getBoundingClientRect().left;
          const first = left();
          box.scrollLeft = 1000;
          return [first, left()];
        });
        check(before === after, `${width}: the first column moved from ${before} to ${after}`);
        const numbers = await page.$$eval(".legend + .pair .cell:not(.gone) .no", (all) => all.filter((e) => e.offsetParent).map((e) => Number(e.textContent)));
        check(width > 390 || numbers.every((n, i) => n === i + 1), `the failing program's lines are numbered ${numbers}`);
        check(await page.isVisible(".legend .gone") && await page.isVisible(".legend .come"), `${width}: no legend`);
        const colour = (selector) => page.$eval(selector, (e) => getComputedStyle(e).color.match(/\d+/g).map(Number));
        const [minus, plus] = [await colour(".change .minus"), await colour(".change .plus")];
        check(minus[0] > minus[1] && plus[1] > plus[0], `- is ${minus}, + is ${plus}`);
        await page.screenshot({ path: join(shots, `case-3-${width}-${colorScheme}.png`), fullPage: true });
      });
});

// ---- hostile content ----

const hostile = store("hostile.db", "hostile");

async function harmless(page) {
  await page.waitForTimeout(50);
  check(!(await page.title()).startsWith("owned"), "a script of the content ran");
  const odd = await page.$$eval("img,iframe,object,embed,textarea:not([data-text]),script,style,[onload],[onerror],a[href^=javascript]", (all) => all.map((e) => e.outerHTML.slice(0, 60)));
  check(odd.length === 2, `elements that are not ours: ${odd}`); // our own style and script
}

await test("hostile content is text on every page of a report", async () => {
  const out = join(work, "hostile");
  run("report", "--store", hostile, "-o", out);
  for (const name of readdirSync(out).filter((n) => n.endsWith(".html")))
    await visit(`file://${out}/${name}`, {}, async (page) => {
      await harmless(page);
      if (name === "case-1.html") {
        const text = await page.textContent("#pair");
        check(text.includes("</script><script>document.title='owned'</script>\u2400</script>"), "shown as it is, the NUL as a sign");
      }
      if (name === "case-11.html") check((await page.textContent("#pair")).includes("\ufffd\ufffd\ufffd not UTF-8 \ufffd("), "bytes that are no text");
    });
  const long = statSync(join(out, "case-13.html")).size;
  check(long > 1800000, `the long lines are there: ${long} bytes`);
});

await test("hostile content is text on every served page, and in the terminal", async () => {
  const server = await serve(hostile);
  for (const path of ["", "cases.html", ...Array.from({ length: 12 }, (_, i) => `case-${i + 1}.html`), "cases.html?text=%22%3E%3Cscript%3Ealert(1)%3C/script%3E"])
    await visit(server.url + path, {}, harmless);
  await server.stop();
  for (let i = 1; i <= 12; i++) check(!/[\x00-\x08\x0b-\x1f\x7f\x9b]/.test(run("show", "--store", hostile, String(i))), `case ${i} sends controls to the terminal`);
});

note(`screenshots are in ${shots}`);
await browser.close();
done();
