"use strict";
// Filters the clauses, and opens clauses and columns, from the data in this page. Text is inserted as text nodes, so it cannot become markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const box = byId("box"), matrix = byId("matrix"), form = byId("filters");
  const ids = Object.keys(data.clauses);
  const PASS = data.states.indexOf("pass");
  // Failures first, then divergences as listed, then what did not run. A state is an index of data.states.
  const RANK = ["fail", "error", "diverges as listed", "untested", "not applicable", "pass"].map((state) => data.states.indexOf(state));
  const LONG = 200; // of a reason in the summary of a clause; the programs have the whole reasons
  const byRank = (a, b) => RANK.indexOf(a) - RANK.indexOf(b);

  function make(tag, kind, ...content) {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    element.append(...content.filter((part) => part !== null && part !== ""));
    return element;
  }

  /** Returns the text with `…` as code elements. Text with double backticks is returned unchanged. */
  function coded(text) {
    if (text.includes("``")) return [text];
    return text.split("`").map((part, at) => at % 2 ? make("code", "", part) : part);
  }

  const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const stateKey = (state, more) => make("span", `key ${data.classes[state]}`, `${data.signs[state]} ${more === undefined ? data.states[state] : more}`);

  /** Returns the items in groups of equal keys, in the order of their first items. */
  function groups(items, key) {
    const found = new Map();
    for (const item of items) {
      const name = key(item);
      if (!found.has(name)) found.set(name, []);
      found.get(name).push(item);
    }
    return [...found.values()];
  }

  /** Names columns: "dotnet 8.0.4, 9.0.11; hooks 0.1.0". */
  const where = (columns) => groups(columns, (column) => data.columns[column].runtime)
    .map((mine) => `${data.columns[mine[0]].runtime} ${mine.map((column) => data.columns[column].version).join(", ")}`).join("; ");

  /** Returns a table of two aligned traces: the events of the expected and of the actual trace, one after the other. */
  function traces(events) {
    const head = make("tr", "", ...["#", "expected", "got"].map((word) => make("th", "", word)));
    const body = [];
    let first = -1;
    for (let at = 0; at < events.length; at += 2) {
      const pair = [events[at], events[at + 1]], differs = pair[0] !== pair[1], here = differs && first < 0;
      if (here) first = at;
      const label = make("th", "", String(at / 2 + 1), here ? make("span", "here", "first difference") : null);
      label.scope = "row";
      const cells = pair.map((event) => make("td", event < 0 ? "none" : "", event < 0 ? "" : data.lines[event]));
      body.push(make("tr", (differs ? "differs" : "") + (here ? " first" : ""), label, ...cells));
    }
    for (const cell of head.children) cell.scope = "col";
    return make("table", "traces", make("thead", "", head), make("tbody", "", ...body));
  }

  /** Returns the description of runs that have the same state, reason and trace, and that trace beside the expected one. */
  function outcome(runs, asked) {
    const [, state, , reason, row, rows] = runs[0];
    const variants = groups(runs, ([column]) => column).map((mine) => {
      const named = mine.map((run) => data.lines[run[2]]).filter((variant) => variant);
      return [mine[0][0], named.join(", ")];
    });
    const on = groups(variants, (item) => item[1])
      .map((mine) => where(mine.map((item) => item[0])) + (mine[0][1] ? ` (${mine[0][1]})` : "")).join("; ");
    const why = [data.lines[row], data.lines[reason]].filter((part) => part).join(": ");
    const head = make("p", "outcome", stateKey(state), " ", make("b", "", on), why ? ` · ${why}` : "");
    if (runs.some((run) => run[0] === asked)) head.classList.add("asked");
    return rows < 0 ? [head] : [head, traces(data.rows[rows])];
  }

  /** Returns a details element of a program. The content is created when the element is opened. */
  function programDetails(program, asked) {
    const results = new Map();
    program.total.forEach((total, column) => { if (total) results.set(column, PASS); });
    for (const [column, state] of program.runs) if (byRank(state, results.get(column)) < 0) results.set(column, state);
    const states = [...results.values()], seen = [...new Set(states)].sort(byRank);
    const keys = seen.map((state) => stateKey(state, `${data.states[state]} ${states.filter((other) => other === state).length}`));
    const details = make("details", "", make("summary", "", make("b", "", program.name), " ", ...keys));
    details.addEventListener("toggle", () => fill());
    function fill() {
      if (details.childElementCount > 1) return;
      const expected = make("ol", "trace", ...program.expect.map((event) => make("li", "", data.lines[event])));
      details.append(make("p", "dim", program.about), make("div", "sides",
        make("div", "", make("h3", "", "Program"), make("pre", "", program.steps.join("\n"))),
        make("div", "", make("h3", "", "Expected trace"), expected)));
      const order = groups(program.runs, (run) => [run[1], ...run.slice(3)].join()).sort((a, b) => byRank(a[0][1], b[0][1]));
      if (order.length) details.append(make("h3", "", "Runs that do not pass"));
      for (const runs of order) details.append(...outcome(runs, asked));
    }
    details.fill = fill;
    return details;
  }

  /** Returns the states of a clause: each with the columns that have it, and the reason. */
  function states(clause) {
    const cells = clause.cells.map((cell, column) => [column, ...cell]);
    const found = groups(cells, ([, state, , , reason]) => `${state} ${reason}`).sort((a, b) => byRank(a[0][1], b[0][1]));
    return make("ul", "", ...found.map((mine) => {
      const [, state, passed, total, reason] = mine[0];
      const runs = mine.length === 1 && total ? ` ${passed} of ${count(total, "run")}` : "";
      const text = data.lines[reason], why = text ? make("span", "dim", ` · ${text.length > LONG ? `${text.slice(0, LONG)}…` : text}`) : null;
      if (why) why.title = text;
      return make("li", "", stateKey(state), " ", make(state === PASS ? "span" : "b", "", where(mine.map((cell) => cell[0]))), runs ? make("span", "dim", runs) : null, why);
    }));
  }

  function panel(title, close, ...content) {
    const heading = make("h2", "", title), button = make("button", "close", "Close");
    button.type = "button";
    button.addEventListener("click", close);
    heading.id = "panel-title";
    const inner = make("div", "panel", button, heading, ...content), cell = make("td", "", inner), row = make("tr", "behind", cell);
    inner.id = "panel";
    inner.setAttribute("role", "region");
    inner.setAttribute("aria-labelledby", heading.id);
    cell.colSpan = data.columns.length + 1;
    return row;
  }

  // One clause or column is open at a time.
  let opened = null;

  function close() {
    if (!opened) return;
    const { button, row } = opened;
    opened = null;
    if (row.contains(document.activeElement)) button.focus({ preventScroll: true });
    row.remove();
    button.setAttribute("aria-expanded", "false");
    button.removeAttribute("aria-controls");
    button.closest("tr").classList.remove("open");
    setHash("");
  }

  function open(button, row, after) {
    close();
    opened = { button, row };
    after(row);
    button.setAttribute("aria-expanded", "true");
    button.setAttribute("aria-controls", "panel");
  }

  function setHash(id) {
    if (location.hash.slice(1) === id) return;
    history.replaceState(null, "", id ? `#${id}` : location.href.split("#")[0]);
  }

  function openClause(id, asked = -1) {
    const clause = data.clauses[id];
    // First come runs in the column that was asked for, by state, those that the cell's reason names, and the clause's own programs.
    const named = ([column, state, , , row]) => {
      const reason = data.lines[clause.cells[column][3]].split("; ");
      return clause.cells[column][0] === state && data.lines[row] !== "" && reason.includes(data.lines[row]);
    };
    const placeOf = (run) => (run[0] === asked ? -100 : 0) + 10 * RANK.indexOf(run[1]) - (named(run) ? 2 : 0);
    const place = (program) => Math.min(10 * RANK.length, ...program.runs.map(placeOf)) - (program.name.startsWith(`${id}-`) ? 1 : 0);
    const line = byId(id), button = line.querySelector("button");
    if (line.hidden) { form.reset(); filter(); }
    const programs = clause.programs.map((number) => data.programs[number]).sort((a, b) => place(a) - place(b));
    const shown = programs.map((program) => programDetails(program, asked));
    const row = panel(`${id} · ${clause.level} · ${clause.holds}`, close,
      make("p", "", ...coded(clause.text)),
      clause.note ? make("p", "dim", ...coded(clause.note)) : null,
      make("h3", "", "Runtimes"), states(clause),
      make("h3", "", shown.length ? "Programs, with the numbers of results" : "No program tests this clause"), ...shown);
    open(button, row, () => line.after(row));
    line.classList.add("open");
    // The first program that the column that was asked for does not pass is open, else the first with a trace that differs.
    const first = programs.findIndex((program) => program.runs.some((run) => run[0] === asked));
    const unfolded = first < 0 ? programs.findIndex((program) => program.runs.some((run) => run[5] >= 0)) : first;
    if (unfolded >= 0) { shown[unfolded].fill(); shown[unfolded].open = true; }
    setHash(id);
    box.scrollTo({ top: line.offsetTop - matrix.tHead.offsetHeight });
  }

  function openColumn(number, button) {
    const column = data.columns[number], dl = make("dl", "figures");
    const figures = {
      Version: column.full,
      Device: column.device,
      Contract: column.contract,
      ...(column.pytorch ? { Expected: `PyTorch ${column.pytorch}` } : {}),
    };
    for (const [name, value] of Object.entries(figures)) dl.append(make("dt", "", name), make("dd", "", value));
    const counts = data.states.map((_, state) => ids.filter((id) => data.clauses[id].cells[number][0] === state).length);
    const keys = RANK.filter((state) => counts[state]).flatMap((state) => [stateKey(state, `${data.states[state]} ${counts[state]}`), " "]);
    const row = panel(`${column.runtime} ${column.version}`, close, dl, make("p", "", "Clauses: ", ...keys));
    open(button, row, () => matrix.tBodies[0].prepend(row));
    box.scrollTo({ top: 0 });
  }

  matrix.addEventListener("click", (event) => {
    if (event.target.closest(".panel")) return;
    const button = event.target.closest("button"), cell = event.target.closest(".clauses tr[id] > td");
    if (cell) openClause(cell.parentElement.id, cell.cellIndex - 1);
    else if (button && opened && opened.button === button) close();
    else if (button && button.dataset.clause) openClause(button.dataset.clause);
    else if (button) openColumn(Number(button.dataset.column), button);
  });

  // A cell's title is made when the pointer is on it: 3,000 of them would double the page.
  matrix.addEventListener("pointerover", (event) => {
    const cell = event.target.closest(".clauses tr[id] > td");
    if (!cell || cell.title) return;
    const column = cell.cellIndex - 1, [state, passed, total, reason] = data.clauses[cell.parentElement.id].cells[column];
    const runs = total ? `, ${passed} of ${count(total, "run")}` : "", why = data.lines[reason] ? `: ${data.lines[reason]}` : "";
    cell.title = `${data.columns[column].runtime} ${data.columns[column].version}, ${cell.parentElement.id}: ${data.states[state]}${runs}${why}`;
  });

  matrix.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && opened) {
      const { button } = opened;
      close();
      button.focus({ preventScroll: true });
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], button = event.target.closest("[data-clause]");
    if (!step || !button) return;
    const buttons = Array.from(matrix.querySelectorAll("tr:not([hidden]) > th > [data-clause]")).filter((other) => !other.closest("tbody").hidden);
    const next = buttons[buttons.indexOf(button) + step];
    if (next) { event.preventDefault(); next.focus(); }
  });

  /** Returns, for each clause, its own text and the text of each column. Both are made at the first search. */
  const texts = (() => {
    let made = null;
    return () => {
      made = made || ids.map((id) => {
        const clause = data.clauses[id], programs = clause.programs.map((number) => data.programs[number]);
        const chapter = byId(id).closest("tbody").rows[0].textContent;
        const own = [id, clause.level, clause.text, clause.note, chapter, ...programs.flatMap((program) => [program.name, program.about])];
        const columns = data.columns.map((column, number) => {
          const [state, , , reason] = clause.cells[number], lines = new Set([reason]);
          for (const program of programs) for (const run of program.runs) if (run[0] === number) for (const at of [2, 3, 4]) lines.add(run[at]);
          const words = [`${column.runtime} ${column.version}`, column.full, data.states[state], ...[...lines].map((line) => data.lines[line])];
          return words.join("\n").toLowerCase();
        });
        return [own.join("\n").toLowerCase(), columns];
      });
      return made;
    };
  })();

  /** Shows the clauses that have a chosen level, and a cell that has a chosen state and, with the clause itself, all words of the text. */
  function filter() {
    const chosen = new FormData(form), levels = chosen.getAll("level"), wanted = chosen.getAll("state").map(Number);
    const terms = byId("query").value.toLowerCase().split(/\s+/).filter((term) => term);
    const all = !levels.length && !wanted.length && !terms.length;
    const fitting = new Set();
    let shown = 0;
    ids.forEach((id, number) => {
      const clause = data.clauses[id], row = byId(id), [own, columns] = terms.length ? texts()[number] : ["", []];
      const rest = terms.filter((term) => !own.includes(term));
      const fits = clause.cells.map(([state], column) =>
        (!wanted.length || wanted.includes(state)) && rest.every((term) => columns[column].includes(term)));
      const show = fits.includes(true) && (!levels.length || levels.includes(clause.level));
      if (!show && opened && opened.button === row.querySelector("button")) close();
      row.hidden = !show;
      shown += show ? 1 : 0;
      fits.forEach((fit, column) => {
        row.cells[column + 1].classList.toggle("aside", show && !fit);
        if (show && fit) fitting.add(column);
      });
    });
    for (const body of matrix.querySelectorAll(".clauses")) body.hidden = !body.querySelector("tr[id]:not([hidden])");
    byId("nothing").hidden = shown > 0;
    byId("everything").hidden = all;
    byId("status").textContent = all ? count(ids.length, "clause") : `${shown} of ${count(ids.length, "clause")}`;
    if (shown && fitting.size < data.columns.length) showColumn(Math.min(...fitting));
  }

  /** Scrolls the box sideways, if necessary, so that a column is beside the first one, which stays. */
  function showColumn(number) {
    const head = matrix.tHead.rows[1].cells[number], left = head.offsetLeft - matrix.tHead.rows[0].cells[0].offsetWidth;
    if (left < box.scrollLeft || head.offsetLeft + head.offsetWidth > box.scrollLeft + box.clientWidth) box.scrollLeft = left;
  }

  function openHash() {
    const id = location.hash.slice(1);
    if (!Object.hasOwn(data.clauses, id)) return;
    if (!opened || opened.button.dataset.clause !== id) openClause(id);
    byId(id).scrollIntoView();
  }

  // Panels are as wide as the box, wherever the table is scrolled to, and rows are scrolled to below the table's head.
  new ResizeObserver(() => {
    box.style.setProperty("--box", `${box.clientWidth}px`);
    box.style.scrollPaddingTop = `${matrix.tHead.offsetHeight}px`;
  }).observe(matrix);

  byId("query").addEventListener("input", filter);
  form.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  window.addEventListener("hashchange", openHash);
  form.hidden = false;
  filter();
  openHash();
})();
