// The script that runs before Streamlit has loaded: it keeps the history, watches the navigation, and tells Streamlit
// where its server is.

import { watchNavigation } from "./kit/leave.ts";
import { keepSteps } from "./kit/steps.ts";

keepSteps();
watchNavigation();
// Without this, Streamlit first asks below the page's own path, gets a 404, and waits for a tenth of a second. A
// version that no longer looks here would only lose that time.
Object.assign(globalThis, { __streamlit: { BACKEND_BASE_URL: new URL(".", location.href).href } });
