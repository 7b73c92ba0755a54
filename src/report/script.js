// What the pages gain with a script; all of them can be read without it.
"use strict";
// 1. Tables of a static page are sorted by their headings; a served page sorts through its links.
for (const head of document.querySelectorAll("table[data-sort] th")) {
  const link = head.querySelector("a");
  if (link) continue;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = head.textContent;
  head.replaceChildren(button);
  button.addEventListener("click", () => {
    const table = head.closest("table"), body = table.tBodies[0], at = head.cellIndex;
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (row) => row.cells[at].dataset.key ?? row.cells[at].textContent;
    const numeric = head.classList.contains("num");
    const rows = [...body.rows].sort((a, b) =>
      numeric ? key(a) - key(b) : key(a).localeCompare(key(b)));
    if (!up) rows.reverse();
    body.append(...rows);
  });
}
// 2. Buttons that copy or download a text of the page; they are hidden where no script shows them.
const textOf = (name) => document.querySelector(`textarea[data-text="${name}"]`)?.defaultValue ?? "";
const arm = (button) => {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = textOf(button.dataset.text), said = button.textContent;
    if (button.dataset.file) {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      link.download = button.dataset.file;
      link.click();
      URL.revokeObjectURL(link.href);
      return;
    }
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    } catch {
      button.textContent = "select and copy by hand";
    }
    setTimeout(() => (button.textContent = said), 1500);
  });
};
const armAll = () => document.querySelectorAll("button.tool[hidden]").forEach(arm);
armAll();
// 3. A page from a file searches its own table.
const search = document.querySelector("input[data-filter]");
if (search) {
  search.closest("form").hidden = false;
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const row of document.querySelectorAll("table[data-sort] tbody tr"))
      row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  });
}
// 4. A served page follows the store: when its generation changes, the marked parts are refetched.
const live = document.body.dataset.live;
if (live) {
  let seen = null, busy = false;
  const state = document.querySelector("#live-state");
  const refresh = async () => {
    const answer = await fetch(location.href, { credentials: "same-origin" });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-part]")) {
      const other = fresh.querySelector(`[data-part="${part.dataset.part}"]`);
      if (other && other.innerHTML !== part.innerHTML) part.replaceChildren(...other.childNodes);
    }
    armAll();
  };
  const ask = async () => {
    if (busy || document.hidden) return;
    busy = true;
    try {
      const answer = await fetch(live, { credentials: "same-origin" });
      const { generation } = await answer.json();
      if (seen !== null && generation !== seen) await refresh();
      seen = generation;
      if (state) state.textContent = "live", state.className = "live";
    } catch {
      if (state) state.textContent = "the server does not answer", state.className = "soft";
    }
    busy = false;
  };
  ask();
  setInterval(ask, 2000);
}
