// The button in the header that opens a room, and the room that this browser is in: it speaks with the server, and tells
// the page's other components what they need to know of it.

import {
  hearSaid,
  hearShowCode,
  type Question,
  type Said,
  setClassroom,
  type Tally,
  type TallyOf,
} from "../kit/classroom.ts";
import type { Tensor } from "../kit/codec.ts";
import type { Panel } from "../kit/component.ts";
import { csvOf } from "../kit/csv.ts";
import { element, type Labels, setFace } from "../kit/dom.ts";
import { saveBlob } from "../kit/export.ts";
import { addressOf } from "../kit/go.ts";
import type { ViewState } from "../kit/view_state.ts";
import { said } from "./address.ts";
import { type Answered, answerRows } from "./answers.ts";
import { Box, isCode } from "./box.ts";
import { Follower } from "./follower.ts";
import { forget, keepSeat, keepSecret, seatOf, secretOf } from "./kept.ts";
import { Lecturer } from "./lecturer.ts";
import { Line, type Standing } from "./line.ts";
import { type Heard, type Lost, Socket } from "./socket.ts";
import type { Rule, Rules, State } from "./state.ts";

export interface View {
  readonly code: string; // of the room that this browser is in; "": of none
  readonly address: string; // whose QR code is asked for
}
export interface Content {
  readonly address: string; // that `qr` is of
  readonly qr?: Tensor<Uint8Array> | null;
  readonly language: string; // as a link says it
}
interface Welcome {
  readonly leads: boolean;
  readonly seat: string;
  readonly state: State;
  readonly rules: Rules | null; // a lecturer's alone
  readonly question: Question | null;
  readonly tally: Tally | null;
  readonly texts: TallyOf<"token"> | null; // which only a lecturer sees for now
  readonly answer: unknown;
  readonly members: number;
  readonly answered: number;
}

export class RoomPanel implements Panel<Content> {
  readonly #root = element("div", { className: "view room", testId: "room" });
  readonly #button = element("button", { type: "button", className: "open", testId: "room-open" });
  readonly #box: Box;
  readonly #line: Line;
  readonly #held: ViewState<View>;
  readonly #stopHearing: () => void;
  #labels: Labels = {};
  #language = "en";
  #code = ""; // of the room in which this page is
  #socket: Socket | null = null;
  #leads = false;
  #lecturer: Lecturer | null = null;
  #follower: Follower | null = null;
  #lost: Lost | null = null;
  #state: State | null = null;
  #question: Question | null = null;
  #tally: Tally | null = null;
  #rules: Rules | null = null;
  #texts: TallyOf<"token"> | null = null;
  #members = 0;
  #answered = 0;
  #answer: { readonly id: string; readonly guess: unknown } | null = null; // one's own
  #counted: string | null = null;
  #refused: string | null = null;

  constructor(parent: HTMLElement, held: ViewState<View>) {
    this.#held = held;
    this.#box = new Box({
      begin: () => void this.#beginRoom(),
      csv: () => this.#socket?.say({ export: true }),
      end: () => this.#socket?.say({ end: true }),
      rule: (rule, isSet) => this.#setRule(rule, isSet),
      showTexts: () => this.#socket?.say({ show: this.#question?.id }),
      removeText: (text) => this.#socket?.say({ remove: { id: this.#question?.id, text } }),
      join: (code) => this.#enter(code),
    });
    this.#line = new Line({
      mode: (mode) => this.#socket?.say({ mode }),
      letGo: (hasLetGo) => this.#follower?.letGo(hasLetGo),
      open: () => this.#openBox(),
      leave: () => this.#enter(""),
    });
    this.#root.append(this.#button, this.#box.element);
    parent.append(this.#root);
    this.#button.onclick = () => this.#openBox();
    const stops = [hearSaid((what) => this.#hear(what)), hearShowCode(() => this.#showCode())];
    this.#stopHearing = () => stops.forEach((stop) => stop());
  }

  show({ address, qr, language }: Content, labels: Labels): void {
    this.#labels = labels;
    this.#language = language;
    this.#lecturer?.look();
    setFace(this.#button, "room", labels.open, false);
    const { code } = this.#held.view;
    // The window of the notes is the lecturer's, and no place to lead a class to.
    if (code !== this.#code && !new URLSearchParams(location.search).has("notes")) this.#join(code);
    this.#box.showCode(address === this.#link() ? (qr ?? null) : null, labels);
    if (this.#box.element.open) this.#askForCode();
    this.#showAll();
  }

  remove(): void {
    this.#stopHearing();
    this.#leave();
    this.#line.remove();
    this.#root.remove();
  }

  async #beginRoom(): Promise<void> {
    this.#box.wait(true);
    try {
      const opened = await newRoom();
      keepSecret(opened.code, opened.secret);
      this.#enter(opened.code);
      this.#box.open();
    } catch {
      this.#box.say(this.#labels.not_opened);
    } finally {
      this.#box.wait(false);
    }
  }

  // "": goes out. Python keeps the code in the link.
  #enter(code: string): void {
    if (code) this.#box.element.close();
    this.#held.change({ code, address: "" });
    this.#held.commitIn(0);
    this.#join(code);
    this.#showAll();
  }

  #join(code: string): void {
    this.#leave();
    this.#code = code;
    if (!isCode(code)) return;
    const url = new URL(`room/${code}`, base());
    url.protocol = url.protocol.replace("http", "ws");
    this.#socket = new Socket(url.href, () => ({ seat: seatOf(code), secret: secretOf(code) }), {
      heard: (message) => this.#take(message),
      lost: (why) => this.#lose(why),
    });
  }

  #leave(): void {
    this.#socket?.close();
    this.#lecturer?.stop();
    this.#follower?.stop();
    this.#socket = this.#lecturer = this.#follower = null;
    this.#lost =
      this.#state =
      this.#rules =
      this.#question =
      this.#tally =
      this.#texts =
      this.#answer =
      this.#counted =
      this.#refused =
        null;
    this.#leads = false;
  }

  #lose(why: Lost): void {
    this.#lost = why;
    if (why === "gone") forget(this.#code);
    if (why === "refused" && secretOf(this.#code) !== null) {
      forget(this.#code); // by now, another room has that code
      this.#join(this.#code);
    }
    this.#showAll();
  }

  #take(message: Heard): void {
    const heard = message as {
      welcome?: Welcome;
      state?: Partial<State>;
      question?: Question | null;
      tally?: Tally;
      texts?: TallyOf<"token">;
      rules?: Rules;
      members?: number;
      answered?: { id: string; n: number };
      counted?: { id: string };
      refused?: { id: string };
      answers?: Answered[];
    };
    if (heard.welcome) this.#welcome(heard.welcome);
    if (heard.state && this.#state) {
      this.#state = { ...this.#state, ...heard.state };
      this.#follower?.take(heard.state);
    }
    if (heard.question !== undefined) this.#ask(heard.question);
    if (heard.tally) [this.#tally, this.#texts] = [heard.tally, null];
    if (heard.texts) this.#texts = heard.texts;
    if (heard.rules) this.#rules = heard.rules;
    if (heard.members !== undefined) this.#members = heard.members;
    if (heard.answered && heard.answered.id === this.#question?.id) this.#answered = heard.answered.n;
    if (heard.counted) this.#counted = heard.counted.id;
    if (heard.refused) this.#refused = heard.refused.id;
    if (heard.answers) this.#save(heard.answers);
    this.#showAll();
  }

  #welcome(welcome: Welcome): void {
    const { leads, seat, state, question, tally, answer, members, answered } = welcome;
    this.#lost = null;
    this.#leads = leads;
    this.#rules = welcome.rules;
    if (seat) keepSeat(this.#code, seat);
    this.#ask(question); // which forgets what belonged to another question
    [this.#state, this.#tally, this.#members, this.#answered] = [state, tally, members, answered];
    this.#texts = welcome.texts;
    if (question && answer !== null) this.#counted = question.id;
    if (leads) {
      this.#lecturer ??= new Lecturer(
        () => this.#address(),
        (lead) => this.#socket?.say({ lead }),
        () => this.#showAll(),
      );
      this.#lecturer.begin(state.address, isNewTab() && !led.has(this.#code));
      led.add(this.#code);
    } else {
      this.#follower ??= new Follower(
        () => this.#address(),
        () => this.#showAll(),
      );
      this.#follower.join(state, members);
      // The answer may have been lost with the connection.
      if (this.#answer && question?.open && this.#answer.id === question.id)
        this.#socket?.say({ answer: this.#answer });
    }
  }

  #ask(question: Question | null): void {
    if (question?.id !== this.#question?.id) this.#answered = 0;
    if (question?.id !== this.#question?.id || question?.open) this.#tally = this.#texts = null;
    this.#question = question;
  }

  #hear(what: Said): void {
    if ("answer" in what) {
      this.#answer = what.answer;
      this.#counted = this.#refused = null;
    }
    if ("answer" in what !== this.#leads) this.#socket?.say(what);
    this.#showAll();
  }

  // Set here at once, so that a message which comes before the room's answer does not take the tick back.
  #setRule(rule: Rule, isSet: boolean): void {
    if (this.#rules) this.#rules = { ...this.#rules, [rule]: isSet };
    this.#socket?.say({ rules: { [rule]: isSet } });
  }

  #save(answered: readonly Answered[]): void {
    const rows = answerRows(answered, this.#labels);
    if (rows.length === 1) this.#box.say(this.#labels.no_answers);
    else saveBlob(new Blob([csvOf(rows)], { type: "text/csv" }), `room-${this.#code}.csv`);
  }

  #showCode(): void {
    if (!this.#code) return;
    this.#openBox();
    this.#box.enlarge();
  }

  #openBox(): void {
    this.#box.open();
    this.#askForCode();
  }

  // Asks Python for the QR code, once it has heard of the room.
  #askForCode(): void {
    const address = this.#link();
    if (!this.#code || this.#held.view.address === address || this.#held.view.code !== this.#code) return;
    this.#held.change({ address });
    this.#held.commitIn(0);
  }

  #showAll(): void {
    const code = this.#code;
    const labels = this.#labels;
    this.#box.show(code, this.#link(), this.#leads, labels);
    this.#box.showLed(this.#leads ? this.#rules : null, this.#texts, labels);
    this.#button.classList.toggle("on", code !== "");
    if (code) this.#line.show(code, this.#standing(), labels);
    else this.#line.remove();
    const part = this.#leads ? "leads" : this.#follower?.isFollowing ? "follows" : "explores";
    const members = this.#members;
    const answered = this.#answered;
    const question = this.#question;
    const tally = this.#tally;
    const counted = this.#counted;
    const refused = this.#refused;
    setClassroom(this.#state ? { code, part, members, answered, question, tally, counted, refused } : null);
  }

  #standing(): Standing {
    const lost = this.#lost;
    const leads = this.#leads;
    const state = this.#state;
    const members = this.#members;
    const question = this.#question;
    const answered = this.#answered;
    const texts = this.#texts;
    if (!isCode(this.#code) || lost === "gone" || lost === "refused") return { is: "gone" };
    if (lost === "removed" || lost === "closed" || lost === "full") return { is: lost };
    if (!state) return { is: "coming" };
    if (lost) return { is: "lost", leads };
    if (this.#lecturer?.isTooLong) return { is: "long", mode: state.mode };
    if (leads) {
      const open = question?.open ? answered : null;
      return { is: "leading", mode: state.mode, members, answered: open, unread: texts?.answers ?? null };
    }
    if (state.mode === "pause") return { is: "paused" };
    if (state.mode === "free") return { is: "released" };
    return { is: this.#follower?.isFollowing ? "following" : "exploring" };
  }

  // The link by which a class comes in.
  #link(): string {
    const url = new URL(base());
    url.searchParams.set("room", this.#code);
    return url.href;
  }

  #address(): string {
    return said(location.href, base(), this.#language);
  }
}

// The rooms that this page has led since it was loaded: it leads on, even if it was out of one for a moment.
const led = new Set<string>();

// The address of the app.
function base(): string {
  return new URL(".", addressOf("")).href.split("?")[0];
}

// A server that has just been started says for some seconds that it loads.
async function newRoom(tries = 20): Promise<{ code: string; secret: string }> {
  const answer = await fetch(new URL("room", base()), { method: "POST" });
  const said = await answer.text();
  if (answer.status === 503 && said === "loading" && tries > 0) {
    await new Promise((done) => setTimeout(done, 1000));
    return newRoom(tries - 1);
  }
  const opened: unknown = JSON.parse(said);
  if (!answer.ok || !isOpened(opened)) throw new Error("refused");
  return opened;
}

function isOpened(opened: unknown): opened is { code: string; secret: string } {
  return typeof opened === "object" && opened !== null && "code" in opened && "secret" in opened;
}

// Otherwise the page was reloaded, or Back has led to it from elsewhere.
function isNewTab(): boolean {
  const [opened] = performance.getEntriesByType("navigation");
  return (opened as PerformanceNavigationTiming | undefined)?.type === "navigate";
}
