// Entry point of glossary.py.

import { component } from "../kit/component.ts";
import { type Glossary, TermsPanel } from "./panel.ts";

export default component<object, Glossary>((parent) => new TermsPanel(parent));
