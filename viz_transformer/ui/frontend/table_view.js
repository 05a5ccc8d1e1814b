// Entry point of live_table.py: a table that changes cell by cell, without being built anew.

import { element, whenStyled } from "./dom.js";
import { mounting } from "./mount.js";
import { reader } from "./payload.js";

class TableView {
  constructor(parent) {
    this.lead = element("p", { className: "lead" });
    this.caption = element("p", { className: "caption" });
    this.head = element("tr", {});
    this.body = element("tbody", {});
    this.table = element("table", {}, element("thead", {}, this.head), this.body);
    this.scroller = element("div", { className: "table-scroll", tabIndex: 0, role: "region" }, this.table);
    this.element = element("div", { className: "view lesson table-view" }, this.lead, this.caption, this.scroller);
    parent.append(this.element);
    whenStyled(parent, this.element, () => {});
  }

  show({ name, lead, caption, columns, rows }) {
    this.table.setAttribute("data-testid", name);
    this.lead.setAttribute("data-testid", `${name}-lead`);
    setText(this.lead, lead);
    this.lead.hidden = !lead;
    setText(this.caption, caption);
    for (const node of [this.table, this.scroller]) node.setAttribute("aria-label", caption);
    fill(this.head, columns, (n) => element("th", { scope: "col", className: /\btext\b/.test(rows[0][n].look) ? "text" : "" }));
    fill(this.body, rows, () => element("tr", {}), (row, cells) => {
      fill(row, cells, (n) => (n ? element("td") : element("th", { scope: "row" })), (node, { text, look }) => {
        if (node.className !== look) node.className = look;
        setText(node, text);
      });
    });
  }

  remove() {
    this.element.remove();
  }
}

// As many children as there are things, each showing its own.
function fill(parent, things, build, update = setText) {
  while (parent.children.length > things.length) parent.lastChild.remove();
  while (parent.children.length < things.length) parent.append(build(parent.children.length));
  things.forEach((thing, n) => update(parent.children[n], thing));
}

function setText(node, text) {
  if (node.textContent !== text) node.replaceChildren(element("bdi", { textContent: text }));
}

export default mounting(TableView, (bytes) => reader(bytes).readJson());
