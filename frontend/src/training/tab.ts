// Entry point of tab.py.

import { component } from "../kit/component.ts";
import { type TabContent, TabPanel, type TabView } from "./tab_panel.ts";

export default component<TabView, TabContent>((parent, settled) => new TabPanel(parent, settled), true);
