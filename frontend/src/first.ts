// What the page begins with, before Streamlit: the history is kept, and the navigation watched, while it still loads; and
// it is told where its server is.

import { watchNavigation } from "./kit/leave.ts";
import { keepSteps } from "./kit/steps.ts";

keepSteps();
watchNavigation();
// Else, and where a version no longer looks here, Streamlit first asks below the page's own path, is told 404, and waits for
// a tenth of a second.
Object.assign(globalThis, { __streamlit: { BACKEND_BASE_URL: new URL(".", location.href).href } });
