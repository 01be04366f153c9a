"use strict";
// Draws two outlines, the module tree and the aligned traces, from the data in this page. Only the rows in sight exist as elements,
// so that 100,000 events cost as much as 50. All strings are set as text: nothing in a trace can become markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const text = data.strings;
  const MARKS = ["", "<", ">", "~", "≠"];
  const WORDS = ["equal", "lost", "added", "moved", "differs"];
  const SPOKEN = ["equal", "only left", "only right", "moved", "differs"];
  const PRINTED = 1000, NEAR = 3, AROUND = 12;
  const byId = (id) => document.getElementById(id);
  const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

  function make(tag, kind, content) {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    if (content) element.append(...(Array.isArray(content) ? content : [content]));
    return element;
  }

  /** Returns the text with the search terms in <mark> elements. */
  function found(content, terms) {
    const lower = content.toLowerCase();
    if (!terms.length || lower.length !== content.length) return [content];
    const parts = [];
    for (let at = 0; at < content.length;) {
      let start = -1, length = 0;
      for (const term of terms) {
        const place = lower.indexOf(term, at);
        if (place >= 0 && (start < 0 || place < start)) [start, length] = [place, term.length];
      }
      if (start < 0) { parts.push(content.slice(at)); break; }
      if (start > at) parts.push(content.slice(at, start));
      parts.push(make("mark", "", content.slice(start, start + length)));
      at = start + length;
    }
    return parts;
  }

  /** A list of foldable nodes. Only the nodes in sight exist as elements. */
  class Outline {
    constructor(box, columns, fill, act) {
      this.box = box;
      this.columns = columns;
      this.fill = fill;
      this.act = act;
      this.head = box.querySelector(".head");
      this.space = box.appendChild(make("div", "space"));
      this.space.setAttribute("role", "rowgroup");
      this.total = columns.depth.length;
      this.open = new Uint8Array(this.total);
      for (const node of columns.open) this.open[node] = 1;
      this.outer = new Int32Array(this.total).fill(-1);
      for (let node = 0, ends = []; node < this.total; node++) {
        while (ends.length && ends[ends.length - 1][1] <= node) ends.pop();
        if (ends.length) this.outer[node] = ends[ends.length - 1][0];
        if (columns.size[node]) ends.push([node, node + columns.size[node]]);
      }
      this.keep = null;
      this.before = null;
      this.active = 0;
      this.drawn = new Map();
      this.waiting = false;
      box.addEventListener("scroll", () => this.later());
      box.addEventListener("keydown", (event) => this.key(event));
      box.addEventListener("click", (event) => this.click(event));
      new ResizeObserver(() => { this.measure(); this.later(); }).observe(box);
      this.measure();
      this.rebuild();
    }

    measure() {
      const height = parseFloat(getComputedStyle(this.box).getPropertyValue("--row"));
      if (height === this.height) return;
      const top = this.height ? this.box.scrollTop / this.height : 0;
      this.height = height;
      if (this.shown) { this.rebuild(); this.box.scrollTop = top * height; }
    }

    /** Computes which nodes are shown: those that are outside of closed folds and pass the filter. */
    rebuild() {
      const { size } = this.columns, node = this.shown ? this.shown[this.active] : 0, shown = [];
      for (let at = 0; at < this.total;) {
        if (this.keep && !this.keep[at]) { at++; continue; }
        shown.push(at);
        at += size[at] && !this.open[at] ? size[at] : 1;
      }
      this.shown = shown;
      this.active = Math.max(0, Math.min(shown.length - 1, this.place(node)));
      this.space.style.height = `${shown.length * this.height}px`;
      this.box.setAttribute("aria-rowcount", shown.length + 1);
      this.clear();
      this.draw();
    }

    /** Returns the position of a node, or of the next shown node, among the shown nodes. */
    place(node) {
      let low = 0, high = this.shown.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.shown[middle] < node) low = middle + 1; else high = middle;
      }
      return low;
    }

    clear() {
      this.drawn.clear();
      this.space.replaceChildren();
    }

    later() {
      if (this.waiting) return;
      this.waiting = true;
      requestAnimationFrame(() => { this.waiting = false; this.draw(); });
    }

    draw() {
      if (this.box.classList.contains("printing")) return;
      const first = Math.max(0, Math.floor(this.box.scrollTop / this.height) - AROUND);
      const last = Math.min(this.shown.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / this.height) + AROUND);
      for (const [place, row] of this.drawn) if (place < first || place >= last) { row.remove(); this.drawn.delete(place); }
      for (let place = first; place < last; place++) {
        if (this.drawn.has(place)) continue;
        const row = this.row(place);
        row.style.top = `${place * this.height}px`;
        this.drawn.set(place, row);
        this.space.append(row);
      }
      this.point();
    }

    row(place) {
      const node = this.shown[place], fold = this.columns.size[node] > 0;
      const row = make("div", `row ${fold ? "fold" : "leaf"}`);
      row.id = `${this.box.id}-${node}`;
      row.dataset.place = place;
      row.setAttribute("role", "row");
      row.setAttribute("aria-level", this.columns.depth[node] + 1);
      row.setAttribute("aria-rowindex", place + 2);
      row.style.setProperty("--depth", Math.min(this.columns.depth[node], 12));
      if (fold) row.setAttribute("aria-expanded", this.open[node] === 1);
      this.fill(row, node, fold);
      for (const cell of row.children) cell.setAttribute("role", "gridcell");
      return row;
    }

    point() {
      for (const [place, row] of this.drawn) row.classList.toggle("active", place === this.active);
      const node = this.shown[this.active];
      if (node === undefined) this.box.removeAttribute("aria-activedescendant");
      else this.box.setAttribute("aria-activedescendant", `${this.box.id}-${node}`);
    }

    go(place, middle) {
      if (!this.shown.length) return;
      this.active = Math.max(0, Math.min(this.shown.length - 1, place));
      const top = this.active * this.height, seen = this.box.clientHeight - this.head.offsetHeight;
      if (middle) this.box.scrollTop = top - seen / 2;
      else if (top < this.box.scrollTop) this.box.scrollTop = top;
      else if (top + this.height > this.box.scrollTop + seen) this.box.scrollTop = top + this.height - seen;
      this.draw();
      this.act(this.shown[this.active], false);
    }

    toggle(node) {
      this.open[node] ^= 1;
      this.rebuild();
    }

    all(state) {
      this.open.fill(state);
      this.rebuild();
    }

    /** Unfolds what hides a node, and goes to it. Returns false if the filter hides the node. */
    reveal(node) {
      if (this.keep && !this.keep[node]) return false;
      for (let outer = this.outer[node]; outer >= 0; outer = this.outer[outer]) this.open[outer] = 1;
      this.rebuild();
      this.go(this.place(node), true);
      return true;
    }

    /** Shows only the nodes for which `matches` holds, with the folds around them; null shows all. Returns how many match. */
    filter(matches) {
      let number = 0, first = -1;
      if (matches) {
        this.before ??= this.open.slice();
        this.keep = new Uint8Array(this.total);
        for (let node = 0; node < this.total; node++) {
          if (!matches(node)) continue;
          if (!number++) first = node;
          for (let at = node; at >= 0 && !this.keep[at]; at = this.outer[at]) this.keep[at] = 1;
        }
        this.open.fill(1);
      } else {
        if (this.before) this.open = this.before;
        this.keep = this.before = null;
      }
      this.rebuild();
      this.box.scrollTop = 0;
      this.go(first >= 0 ? this.place(first) : this.active, first < 0);
      return number;
    }

    key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || event.target !== this.box) return;
      const node = this.shown[this.active], fold = this.columns.size[node] > 0;
      const page = Math.max(1, Math.floor(this.box.clientHeight / this.height) - 2);
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.total, End: this.total };
      if (event.key in steps) this.go(this.active + steps[event.key]);
      else if (event.key === "ArrowRight" && fold) this.open[node] ? this.go(this.active + 1) : this.toggle(node);
      else if (event.key === "ArrowLeft" && fold && this.open[node]) this.toggle(node);
      else if (event.key === "ArrowLeft" && this.outer[node] >= 0) this.go(this.place(this.outer[node]));
      else if (event.key === "Enter" || event.key === " ") this.act(node, true) || (fold && this.toggle(node));
      else if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
      event.preventDefault();
    }

    click(event) {
      const row = event.target.closest(".row:not(.head)");
      if (!row) return;
      this.active = Number(row.dataset.place);
      const node = this.shown[this.active], arrow = event.target.closest(".arrow");
      this.point();
      if (arrow && this.columns.size[node]) this.toggle(node);
      else if (!this.act(node, !String(getSelection())) && this.columns.size[node]) this.toggle(node);
    }

    /** Lays out at most PRINTED rows for printing: those around the nodes `first`, then around differences, then the top ones. */
    print(first, differs) {
      const places = [];
      let rest = this.shown.length > PRINTED ? new Uint8Array(this.shown.length) : null;
      if (rest) {
        let left = PRINTED;
        const add = (at) => { if (at >= 0 && at < rest.length && !rest[at] && left > 0) { rest[at] = 1; left--; } };
        const around = (place) => { for (let at = place - NEAR; at <= place + NEAR; at++) add(at); };
        for (const node of first) around(this.place(node));
        this.shown.forEach((node, place) => { if (differs(node)) around(place); });
        for (let place = 0; place < rest.length && left > 0; place++) add(place);
      }
      this.shown.forEach((_, place) => { if (!rest || rest[place]) places.push(place); });
      this.box.classList.add("printing");
      this.space.style.height = "";
      const rows = [];
      let next = 0;
      const gap = (number) => { if (number) rows.push(make("div", "left-out", `… ${count(number, "row")} left out …`)); };
      for (const place of places) { gap(place - next); rows.push(this.row(place)); next = place + 1; }
      gap(this.shown.length - next);
      this.clear();
      this.space.replaceChildren(...rows);
    }

    printed() {
      this.box.classList.remove("printing");
      this.rebuild();
    }
  }

  // -- The aligned traces ---------------------------------------------------------------------------------------------

  let terms = [];
  const events = data.events, modules = data.modules;
  const cellText = (cell) => cell < 0 ? [] : events.cells[cell].map((number) => text[number]);

  const firstWords = (node) => data.first.filter(([, at]) => at === node).map(([kind]) => `first difference of ${kind}, `).join("");

  function eventCell(cell) {
    if (cell < 0) return make("div", "cell none");
    const [path, type, phase, hook, values] = cellText(cell);
    const parts = [make("span", `phase ${phase === "pre" ? "in" : "out"}`, found(phase, terms)), " ", make("b", "", found(path, terms)), " ", make("i", "", found(type, terms))];
    if (hook) parts.push(" ", make("span", "dim", found(hook, terms)));
    if (values) parts.push(" ", make("span", "values", found(values, terms)));
    const made = make("div", "cell", parts);
    made.title = [path, type, phase, hook, values].filter(Boolean).join(" ");
    return made;
  }

  function fillEvent(row, node, fold) {
    if (fold) {
      const cell = make("div", "cell", [make("span", "arrow", ""), make("b", "", found(text[events.a[node]], terms)), " ", make("span", "dim", text[events.b[node]])]);
      if (events.mark[node]) cell.append(" ", make("span", "key differs", "≠ differs"));
      cell.setAttribute("aria-colspan", 3);
      row.append(cell);
      return;
    }
    const word = events.mark[node], gap = events.gap[node];
    const first = firstWords(node);
    row.classList.add(WORDS[word], first ? "first" : "later");
    const mark = make("div", "mark", (first ? "▶" : "") + MARKS[word]);
    mark.title = first + SPOKEN[word] + (gap && gap !== "0" ? ` by ${gap}` : "");
    mark.setAttribute("aria-label", mark.title);
    if (gap && gap !== "0") mark.append(" ", make("span", "gap", /^[0-9]/.test(gap) ? gap : "?"));
    row.append(eventCell(events.a[node]), mark, eventCell(events.b[node]));
  }

  function describe(node) {
    const box = byId("detail"), parts = [];
    if (events.size[node]) parts.push(make("p", "", [make("b", "", text[events.a[node]]), ` ${text[events.b[node]]}`]));
    else {
      data.names.forEach((side, index) => {
        const cell = (index ? events.b : events.a)[node];
        parts.push(make("p", "", [make("b", "", `${side}: `), cell < 0 ? "no event" : cellText(cell).filter(Boolean).join("  ")]));
      });
      const gap = events.gap[node], mark = events.mark[node];
      parts.push(make("p", "", [make("b", "", "Compared: "), firstWords(node) + SPOKEN[mark], events.a[node] < 0 || events.b[node] < 0 ? "" : gap === undefined ? "; values not recorded on both sides" : `; largest difference ${gap}`]));
      for (const number of events.notes[node] || []) {
        const note = byId(`note-${number}`);
        if (note) parts.push(make("p", "", note.querySelector(".words").textContent));
      }
    }
    box.replaceChildren(...parts);
  }

  const traces = new Outline(byId("traces"), events, fillEvent, (node) => { describe(node); return false; });

  // -- The module tree ------------------------------------------------------------------------------------------------

  function fillModule(row, node) {
    const first = modules.first[node] || [], own = modules.own[node], inside = modules.inside[node];
    const title = make("div", "cell", [make("span", "arrow", ""), make("b", "", found(text[modules.name[node]], terms)), " ", make("i", "", found(text[modules.type[node]], terms))]);
    title.title = `${text[modules.path[node]]} ${text[modules.type[node]]}`;
    const [left, right] = modules.calls[node];
    const calls = make("div", "cell number", left !== right ? `${left} | ${right}` : left ? String(left) : "");
    const gap = make("div", "cell number", modules.gap[node] || "");
    const said = make("div", "cell said");
    for (const kind of first) said.append(make("span", "key first-here", kind === "structural" ? "▶ first difference of structure" : "▶ first difference of values"), " ");
    if (own) said.append(`${count(own, "difference")} here`);
    else if (inside) said.append(make("span", "dim", `${count(inside, "difference")} inside`));
    if (first.length) row.classList.add("first");
    if (first.length || own) row.classList.add("marked");
    row.append(title, calls, gap, said);
  }

  function showModule(node, chosen) {
    if (!chosen) return false;
    const row = modules.row[node];
    if (row < 0) return false;
    jump(row);
    return true;
  }

  const tree = new Outline(byId("modules"), modules, fillModule, showModule);

  // -- Search, buttons, links -----------------------------------------------------------------------------------------

  const query = byId("query"), only = byId("only"), status = byId("status");
  const rows = events.size.filter((size) => !size).length;

  function search() {
    terms = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!terms.length && !only.checked) {
      traces.filter(null);
      tree.filter(null);
      status.textContent = "";
      return;
    }
    const fits = (content) => { const lower = content.toLowerCase(); return terms.every((term) => lower.includes(term)); };
    const cells = events.cells.map((cell) => fits(cell.map((number) => text[number]).join(" ")));
    const foundEvents = traces.filter((node) => !events.size[node] && (!only.checked || events.mark[node] > 0)
      && (cells[events.a[node]] || cells[events.b[node]]));
    const foundModules = tree.filter((node) => fits(`${text[modules.path[node]]} ${text[modules.type[node]]}`) && (!only.checked || modules.own[node] > 0));
    status.textContent = `${foundEvents.toLocaleString("en")} of ${count(rows, "row")}, ${foundModules.toLocaleString("en")} of ${count(tree.total, "module")}`;
  }

  function jump(node) {
    if (!(node >= 0 && node < traces.total)) return;
    if (!traces.reveal(node)) {
      query.value = "";
      only.checked = false;
      search();
      traces.reveal(node);
    }
    traces.box.focus({ preventScroll: true });
    traces.box.scrollIntoView({ block: "nearest" });
  }

  function step(by) {
    const differs = (node) => !events.size[node] && events.mark[node] > 0 && (!traces.keep || traces.keep[node]);
    let node = (traces.shown[traces.active] ?? 0) + by;
    if (by > 0 && !step.used && differs(node - by)) node -= by;
    step.used = true;
    while (node >= 0 && node < traces.total && !differs(node)) node += by;
    if (node >= 0 && node < traces.total) jump(node);
    else status.textContent = by > 0 ? "No difference after this row." : "No difference before this row.";
  }

  let timer = 0;
  query.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, rows > 20000 ? 150 : 30); });
  query.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); clearTimeout(timer); search(); traces.box.focus(); }
  });
  only.addEventListener("change", search);
  byId("next").addEventListener("click", () => step(1));
  byId("previous").addEventListener("click", () => step(-1));
  byId("unfold").addEventListener("click", () => traces.all(1));
  byId("fold").addEventListener("click", () => traces.all(0));
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest('a[href^="#row-"]');
    if (!link) return;
    event.preventDefault();
    jump(Number(link.getAttribute("href").slice(5)));
  });
  const asked = () => { const at = /^#row-(\d+)$/.exec(location.hash); if (at) jump(Number(at[1])); };
  addEventListener("hashchange", asked);
  addEventListener("beforeprint", () => {
    traces.print(data.first.map(([, node]) => node), (node) => !events.size[node] && events.mark[node] > 0);
    tree.print(Object.keys(modules.first).map(Number), (node) => modules.own[node] > 0);
  });
  addEventListener("afterprint", () => { traces.printed(); tree.printed(); });
  for (const [outline, node] of [[traces, data.first.length ? Math.min(...data.first.map(([, at]) => at)) : 0],
    [tree, Math.min(...Object.keys(modules.first).map(Number), tree.total)]]) {
    if (node > 0 && node < outline.total) outline.reveal(node);
  }
  if (traces.total) describe(traces.shown[traces.active]);
  document.documentElement.classList.add("drawn");
  asked();
})();
