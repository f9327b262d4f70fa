"use strict";
// Sorts and filters the tables, hands out the data that the page carries, draws timelines, and keeps the chosen scheme.
// Everything is readable without it. Data from the run becomes text nodes and attributes only, never markup.
(() => {
  const data = (() => {
    const element = document.getElementById("data");
    return element ? JSON.parse(element.textContent) : {};
  })();
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  // --- light and dark ---
  const SCHEMES = ["auto", "light", "dark"];
  const stored = {
    get() { try { return localStorage.getItem("parade-scheme"); } catch { return null; } },
    set(value) { try { localStorage.setItem("parade-scheme", value); } catch { /* a page may have no storage */ } },
  };
  const schemeButton = document.getElementById("scheme");
  const showScheme = (scheme) => {
    if (scheme === "auto") delete document.documentElement.dataset.scheme;
    else document.documentElement.dataset.scheme = scheme;
    schemeButton.textContent = { auto: "◐ auto", light: "○ light", dark: "● dark" }[scheme];
    schemeButton.dataset.now = scheme;
  };
  showScheme(SCHEMES.includes(stored.get()) ? stored.get() : "auto");
  schemeButton.addEventListener("click", () => {
    const next = SCHEMES[(SCHEMES.indexOf(schemeButton.dataset.now) + 1) % SCHEMES.length];
    showScheme(next);
    stored.set(next);
  });

  // --- tables ---
  const value = (cell) => {
    const text = cell ? cell.dataset.v ?? cell.textContent.trim() : "";
    const number = text === "" ? NaN : Number(text);
    return Number.isNaN(number) ? text : number;
  };
  const isNumber = (x) => typeof x === "number";
  const compare = (a, b) => isNumber(a) && isNumber(b) ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
  // Numbers before texts (`TO`, `3 failing`), and what is empty last, whichever way the column is sorted.
  const rank = (x) => (isNumber(x) ? 0 : x === "" || x === "–" ? 2 : 1);

  // Rows that a long table shows at first: thousands of them would make every click slow.
  const FIRST_ROWS = 200;

  const rowsOf = (count) => `${count} ${count === 1 ? "row" : "rows"}`;

  class SortedTable {
    constructor(block) {
      this.block = block;
      this.table = block.querySelector("table");
      this.body = this.table.tBodies[0];
      this.rows = Array.from(this.body.rows);
      this.order = this.rows;
      this.texts = null;
      this.own = "";
      this.limit = FIRST_ROWS;
      this.heads = Array.from(this.table.tHead.rows[this.table.tHead.rows.length - 1].cells);
      if (this.rows.length > 1) this.heads.forEach((head, index) => this.makeSortable(head, index));
      if (this.rows.length > 3) this.addFilter();
      if (this.rows.length > FIRST_ROWS) this.addMore();
    }

    addMore() {
      this.more = make("button", { type: "button", class: "more" });
      this.more.addEventListener("click", () => { this.limit = this.limit * 5; this.show(); });
      this.block.querySelector(".scroll").after(this.more);
      window.addEventListener("beforeprint", () => { this.limit = Infinity; this.show(); });
      this.show();
    }

    makeSortable(head, index) {
      const button = make("button", { type: "button", class: "sort" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => this.sortBy(index));
    }

    sortBy(index) {
      const head = this.heads[index];
      const next = { ascending: "descending", descending: "none" }[head.getAttribute("aria-sort")] ?? "ascending";
      this.heads.forEach((other) => other.removeAttribute("aria-sort"));
      if (next !== "none") head.setAttribute("aria-sort", next);
      this.order = next === "none" ? this.rows : this.ordered(index, next === "descending" ? -1 : 1);
      this.show();
    }

    ordered(index, direction) {
      const keyed = this.rows.map((row) => [value(row.cells[index]), row]);
      keyed.sort(([a], [b]) => rank(a) - rank(b) || direction * compare(a, b));
      return keyed.map(([, row]) => row);
    }

    addFilter() {
      const label = `Filter rows: ${this.table.caption ? this.table.caption.textContent : ""}`;
      this.input = make("input", { type: "search", placeholder: "filter rows", "aria-label": label });
      this.count = make("span", { class: "count", role: "status" });
      this.input.addEventListener("input", () => { this.own = this.input.value; this.show(); });
      this.block.querySelector(".bar").append(this.input, this.count);
    }

    // Puts the rows that match into the table, in their order, as many as the limit allows; gives back how many match.
    show() {
      const words = `${allFilter.value} ${this.own}`.toLowerCase().split(/\s+/).filter(Boolean);
      if (words.length) this.texts ??= new Map(this.rows.map((row) => [row, row.textContent.toLowerCase()]));
      const matches = this.order.filter((row) => words.every((word) => this.texts.get(row).includes(word)));
      this.body.replaceChildren(...matches.slice(0, this.limit));
      if (this.count) {
        const sums = this.table.tBodies.length > 1 ? "; sums are over all" : "";
        this.count.textContent = words.length ? `${matches.length} of ${rowsOf(this.rows.length)}${sums}` : "";
      }
      if (this.more) {
        this.more.hidden = matches.length <= this.limit;
        this.more.textContent = `${this.limit} of ${rowsOf(matches.length)} are shown: show more`;
      }
      return matches.length;
    }
  }

  // On paper nothing can be opened: folds and long tables are shown whole, and afterwards as they were.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = Array.from(document.querySelectorAll("details:not([open])"));
    folded.forEach((fold) => { fold.open = true; });
    tables.forEach((table) => { table.kept = table.limit; table.limit = Infinity; table.show(); });
  });
  addEventListener("afterprint", () => {
    folded.forEach((fold) => { fold.open = false; });
    tables.forEach((table) => { table.limit = table.kept; table.show(); });
  });

  const allFilter = document.getElementById("filter-all");
  const allCount = document.getElementById("filter-count");
  const tables = Array.from(document.querySelectorAll(".block"), (block) => new SortedTable(block));
  let waiting = 0;
  allFilter.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const shown = tables.map((table) => table.show()).reduce((sum, rows) => sum + rows, 0);
      allCount.textContent = allFilter.value.trim() ? rowsOf(shown) : "";
    }, 60);
  });

  // --- raw data ---
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-csv]");
    const text = link && data.csv ? data.csv[link.dataset.csv] : undefined;
    if (text === undefined) return;
    event.preventDefault();
    const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    make("a", { href: address, download: `${link.dataset.csv}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  });

  // --- timelines ---
  const SVG = "http://www.w3.org/2000/svg";
  const draw = (parent, name, attributes, text) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, attribute] of Object.entries(attributes)) element.setAttribute(key, attribute);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  };
  const LEFT = 150, RIGHT = 990, LANE = 20, TOP = 26, BOTTOM = 34, WIDTH = 1000;

  const tickStep = (span) => {
    const raw = span / 8, magnitude = 10 ** Math.floor(Math.log10(raw));
    return [1, 2, 5, 10].map((factor) => factor * magnitude).find((step) => step >= raw);
  };

  const drawAxis = (svg, span, x, bottom) => {
    const step = tickStep(span);
    for (let tick = 0; tick <= span + step / 1000; tick += step) {
      draw(svg, "line", { x1: x(tick), x2: x(tick), y1: TOP, y2: bottom, class: "rule" });
      draw(svg, "text", { x: x(tick), y: bottom + 15, class: "faint", "text-anchor": "middle" }, String(+tick.toPrecision(6)));
    }
    draw(svg, "text", { x: (LEFT + RIGHT) / 2, y: bottom + 30, class: "faint", "text-anchor": "middle" }, "seconds");
  };

  const cut = (text, letters) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);

  const drawTimeline = (place, trial) => {
    const bottom = TOP + LANE * trial.lanes.length, span = Math.max(trial.seconds, 1e-6);
    const x = (seconds) => LEFT + (RIGHT - LEFT) * seconds / span;
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${bottom + BOTTOM}`);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `Timeline of ${trial.label}: ${trial.bars.length / 5} executions on ${trial.lanes.length} workers`);
    drawAxis(svg, span, x, bottom);
    trial.lanes.forEach((lane, index) => {
      const label = draw(svg, "text", { x: LEFT - 8, y: TOP + LANE * index + 14, class: "ink", "text-anchor": "end" }, cut(lane, 22));
      draw(label, "title", {}, lane);
    });
    trial.stages.forEach(([start, purpose], index) => {
      draw(svg, "line", { x1: x(start), x2: x(start), y1: 4, y2: bottom, class: "stage" });
      const room = ((trial.stages[index + 1] ?? [span])[0] - start) / span * (RIGHT - LEFT) / 6.6;
      draw(svg, "text", { x: x(start) + 4, y: 15, class: "faint" }, cut(purpose, Math.max(2, Math.floor(room) - 1)));
    });
    for (let at = 0; at < trial.bars.length; at += 5) {
      const [lane, start, length, outcome, name] = trial.bars.slice(at, at + 5);
      const bar = draw(svg, "rect", {
        x: x(start / 1000), y: TOP + LANE * lane + 3, height: LANE - 6,
        width: Math.max(0.75, x((start + length) / 1000) - x(start / 1000)), class: `run ${data.outcomes[outcome]}`,
      });
      draw(bar, "title", {}, `${data.names[name]}\n${data.outcomes[outcome].replace("_", " ")}, ${length / 1000} s from ${start / 1000} s on`);
    }
    place.replaceChildren(svg);
  };

  const chooser = document.getElementById("timeline-trial");
  if (chooser && data.timelines && data.timelines.length) {
    const place = document.getElementById("timeline-plot"), note = document.getElementById("timeline-note");
    data.timelines.forEach((trial, index) => chooser.append(make("option", { value: index }, `${trial.label} · ${trial.verdict}`)));
    const show = () => {
      const trial = data.timelines[chooser.value];
      drawTimeline(place, trial);
      // Caption and files are those of the first.
      place.parentElement.querySelector("figcaption").hidden = chooser.value !== "0";
      note.textContent = `${trial.trial}${trial.left_out ? ` · ${trial.left_out} executions are not drawn` : ""}`;
    };
    chooser.addEventListener("change", show);
    chooser.closest("[hidden]")?.removeAttribute("hidden");
    show();
  }
  document.getElementById("tools").hidden = false;

  // --- tables that are wider than their box say so ---
  const boxes = document.querySelectorAll(".scroll");
  const markWider = (box) => box.classList.toggle("wider", box.scrollWidth > box.clientWidth + 1);
  const watcher = new ResizeObserver((entries) => entries.forEach((entry) => markWider(entry.target)));
  boxes.forEach((box) => { markWider(box); watcher.observe(box); });
})();
