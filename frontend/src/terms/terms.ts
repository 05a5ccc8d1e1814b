// Entry point of page_texts.py.

import { component } from "../kit/component.ts";
import { type PageTexts, TermsPanel } from "./panel.ts";

export default component<object, PageTexts>((parent) => new TermsPanel(parent));
