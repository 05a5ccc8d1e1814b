// What the page begins with, before Streamlit: the history is kept, and the navigation watched, while it still loads.

import { watchNavigation } from "./kit/leave.ts";
import { keepSteps } from "./kit/steps.ts";

keepSteps();
watchNavigation();
