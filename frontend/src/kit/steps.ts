// The steps of the browser's history, which Back takes back one by one: a page that a person opens, and a choice that they
// make, each with all that it changes in the address.
//
// Both Streamlit and our views write the address, without knowing of each other. By itself, Streamlit's front end would
// make a step of each message of a run, of which there is one for each parameter, and none of a control that is bound
// to the address. So all that is written goes through here.

import { afterRun, isRunning } from "./streamlit.ts";

const MOVES = /^(Arrow|Page|Home|End)/; // keys that go through what is there: pressed one after the other they are one act
const PATIENCE = 1000; // milliseconds until a run has begun
const MOMENT = 100; // milliseconds until the page shows that the run of a message is on, unless it is over by then

export type Step = "new" | "same"; // what `history.state` may ask for

// Called once, before anybody else writes the address.
export function keepSteps(): void {
  const { pushState, replaceState } = history;
  let hasActed = false; // since the last step a person has done something
  let isCalm = false; // and no run was on its way then: its messages would still belong to the step before
  let step = 0; // the last one, counted
  let isAnswered = true; // whether its run has come and gone
  let page = location.pathname; // of the last step
  let opens = false; // whether that run opens a page
  let moved: EventTarget | null = null; // the target of the last act, if that was to press such a key

  function act(event: Event): void {
    if (!event.isTrusted) return;
    const isMove = "key" in event && MOVES.test(String(event.key));
    const target = event.composedPath()[0];
    if (!isMove || target !== moved) {
      hasActed = true;
      isCalm ||= isAnswered && !isRunning();
    }
    moved = isMove ? target : null;
  }

  function write(
    data: { readonly step?: Step } | null,
    url: string | URL | null | undefined,
    isMessage: boolean,
  ): void {
    const to = new URL(url ?? location.href, location.href);
    const isPage = to.pathname !== location.pathname;
    const isNew = data?.step ? data.step === "new" : hasActed && (isCalm || isPage || !isMessage);
    if (to.href === location.href) {
      replaceState.call(history, data, "", url);
      return;
    }
    (isNew ? pushState : replaceState).call(history, data, "", url);
    if (isNew) begin();
    else if (data?.step) hasActed = isCalm = false;
    if (isMessage) awaitAnswer(MOMENT);
  }

  // Begins a step: what is written from now on belongs to it, until somebody acts.
  function begin(): void {
    hasActed = isCalm = isAnswered = false;
    step += 1;
    opens ||= location.pathname !== page;
    page = location.pathname;
    awaitAnswer(PATIENCE);
  }

  function awaitAnswer(patience: number): void {
    const mine = step;
    const answered = (): void => {
      if (mine !== step) return;
      isAnswered = true;
      opens = false;
    };
    afterRun(answered, patience, opens);
  }

  history.pushState = (data, _, url) => write(data, url, !data?.step); // by Streamlit, a message of a run, or a page
  history.replaceState = (data, _, url) => write(data, url, false);
  for (const name of ["pointerdown", "keydown"]) addEventListener(name, act, { capture: true, passive: true });
  addEventListener("popstate", begin, { capture: true });
}
