"use strict";
// Shows the details of a cell of the matrix from the data in this page. Text is inserted as text nodes, so it cannot become markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byColumn = new Map();
  data.runs.forEach((run) => {
    for (const clause of data.programs[run.program].clauses) {
      const key = `${clause} ${run.column}`;
      if (!byColumn.has(key)) byColumn.set(key, []);
      byColumn.get(key).push(run);
    }
  });

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

  /** Returns a table of the expected and the actual trace of a run. For a run without rows, both are the expected trace. */
  function traces(run, program) {
    const rows = run.rows || program.expect.map((line) => [line, line, true]);
    const first = rows.findIndex((row) => !row[2]);
    const head = make("tr", "", ...["#", "expected", "got"].map((word) => make("th", "", word)));
    const body = rows.map(([left, right, same], number) => {
      const label = make("th", "", String(number + 1), number === first ? make("span", "here", "first difference") : null);
      const row = make("tr", (same ? "" : "differs") + (number === first ? " first" : ""), label);
      for (const side of [left, right]) row.append(make("td", side === null ? "none" : "", side === null ? "" : side));
      return row;
    });
    return make("table", "traces", make("thead", "", head), make("tbody", "", ...body));
  }

  /** Returns a details element of a run. The content is created when the element is opened. */
  function runDetails(run) {
    const program = data.programs[run.program];
    const state = make("span", `key ${data.classes[run.state]}`, `${data.signs[run.state]} ${data.states[run.state]}`);
    const words = [run.variant, run.row, run.reason].filter((part) => part).join(" · ");
    const details = make("details", "", make("summary", "", make("b", "", program.name), " ", state, words ? ` ${words}` : ""));
    details.addEventListener("toggle", () => {
      if (!details.open || details.childElementCount > 1) return;
      details.append(make("p", "dim", program.about));
      details.append(make("pre", "", program.steps.join("\n")));
      // A failed run without rows has no trace: the runtime raised, or the program has no expected trace.
      if (run.rows || data.states[run.state] === "pass") details.append(traces(run, program));
    });
    return details;
  }

  /** Returns the table row with the details of a cell. */
  function detailsRow(button) {
    const clause = button.dataset.clause, known = data.clauses[clause], column = Number(button.dataset.column);
    const runs = byColumn.get(`${clause} ${column}`) || [];
    const cell = document.createElement("td");
    cell.colSpan = data.columns.length + 1;
    cell.append(make("h3", "", `${clause} (${known.level}) on ${data.columns[column]}`), make("p", "", ...coded(known.text)));
    if (known.note) cell.append(make("p", "dim", ...coded(known.note)));
    if (button.title.includes(":")) cell.append(make("p", "dim", button.title));
    // Failing runs first, then errors, divergences as listed and passing runs. A state is an index of data.states.
    const rank = (run) => [3, 0, 1, 2, 4, 5][run.state];
    const drawn = [...runs].sort((a, b) => rank(a) - rank(b)).map(runDetails);
    cell.append(...(drawn.length ? drawn : [make("p", "dim", "No program names this clause.")]));
    if (drawn.length) drawn[0].open = true;
    const row = make("tr", "behind", cell);
    row.dataset.clause = clause;
    return row;
  }

  document.getElementById("matrix").addEventListener("click", (event) => {
    const button = event.target.closest("button.cell");
    if (!button) return;
    const row = button.closest("tr"), open = button.getAttribute("aria-expanded") === "true";
    for (const other of row.querySelectorAll("button.cell")) other.setAttribute("aria-expanded", "false");
    if (row.nextElementSibling && row.nextElementSibling.className === "behind") row.nextElementSibling.remove();
    if (open) return;
    button.setAttribute("aria-expanded", "true");
    row.after(detailsRow(button));
  });
})();
