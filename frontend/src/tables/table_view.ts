// @ts-nocheck
// Entry point of live_table.py: tables that change cell by cell, without being built anew.

import { element, whenStyled } from "../kit/dom.ts";
import { following } from "../kit/follow.ts";
import { reader } from "../kit/reader.ts";

class TablesView {
  constructor(parent) {
    this.line = element("p", { className: "line" });
    this.problem = element("p", { className: "problem", role: "alert", "data-testid": "table-problem" });
    this.grid = element("div", { className: "tables" });
    this.element = element("div", { className: "view lesson table-view" }, this.line, this.problem, this.grid);
    parent.append(this.element);
    whenStyled(parent, this.element, () => {});
  }

  show({ line, problem, tables }) {
    for (const [node, text] of [
      [this.line, line],
      [this.problem, problem],
    ]) {
      setText(node, text);
      node.hidden = !text;
    }
    this.grid.hidden = !tables.length; // what was shown last stays behind a problem, so that nothing is built anew
    if (tables.length) fill(this.grid, tables, buildTable, (node, table) => node.show(table));
  }

  remove() {
    this.element.remove();
  }
}

function buildTable() {
  const lead = element("p", { className: "lead" });
  const caption = element("p", { className: "caption" });
  const head = element("tr", {});
  const body = element("tbody", {});
  const table = element("table", {}, element("thead", {}, head), body);
  const scroller = element("div", { className: "table-scroll", tabIndex: 0, role: "region" }, table);
  const box = element("div", { className: "table" }, lead, caption, scroller);
  box.show = (content) => {
    table.setAttribute("data-testid", content.name);
    lead.setAttribute("data-testid", `${content.name}-lead`);
    setText(lead, content.lead);
    lead.hidden = !content.lead;
    setText(caption, content.caption);
    for (const node of [table, scroller]) node.setAttribute("aria-label", content.caption);
    fill(
      head,
      content.columns,
      () => element("th", { scope: "col" }),
      (node, text, n) => {
        const look = /\btext\b/.test(content.rows[0][n].look) ? "text" : "";
        if (node.className !== look) node.className = look;
        setText(node, text);
      },
    );
    fill(
      body,
      content.rows,
      () => element("tr", {}),
      (row, cells) => {
        fill(
          row,
          cells,
          (n) => (n ? element("td") : element("th", { scope: "row" })),
          (node, { text, look, share }) => {
            if (node.className !== look) node.className = look;
            if (node.share !== share) node.style.setProperty("--share", `${100 * share}%`);
            node.share = share;
            setText(node, text);
          },
        );
      },
    );
  };
  return box;
}

// As many children as there are things, each showing its own.
function fill(parent, things, build, update) {
  while (parent.children.length > things.length) parent.lastChild.remove();
  while (parent.children.length < things.length) parent.append(build(parent.children.length));
  things.forEach((thing, n) => update(parent.children[n], thing, n));
}

function setText(node, text) {
  if (node.textContent !== text) node.replaceChildren(element("bdi", { textContent: text }));
}

export default following(TablesView, (bytes) => reader(bytes).readJson());
