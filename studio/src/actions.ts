// What events set in the motion: rows "at EVENT set NAME to VALUE", as simulate(on=...) has them.

import { h, symbol } from "./dom";
import type { SystemInfo } from "./messages";
import type { Session } from "./session";

const MOST = 8; // as many as the server takes

export class ActionList {
  readonly element = h("div", { class: "actions" });
  private info!: SystemInfo;
  private session!: Session;

  constructor(private change: () => void) {}

  show(info: SystemInfo, session: Session): void {
    [this.info, this.session] = [info, session];
    const more = h("button", { "data-do": "action", title: "let an event of the motion set a value", onclick: () => this.add() }, "+");
    more.disabled = session.on.length >= MOST;
    const list = h("datalist", { id: "jounce-events" }, ...info.happenings.map((event) => h("option", { value: event })));
    this.element.replaceChildren(
      h("h2", { title: "for the Motion panel: what an event sets. A value is a number or an expression, such as F + 10" }, "Actions ", more),
      list,
      ...session.on.map((_, k) => this.row(k)),
    );
  }

  private add(): void {
    const name = this.info.parameters[0]?.name ?? this.info.state[0].name;
    const value = this.session.parameters[name] ?? this.info.parameters[0]?.value ?? 0;
    this.session.on.push({ event: this.info.happenings[0], name, value: String(value) });
    this.show(this.info, this.session);
    this.change();
  }

  private row(k: number): HTMLElement {
    const action = this.session.on[k];
    const entry = (key: "event" | "value", title: string, list?: string) => {
      const input = h("input", { type: "text", "data-action": key, "aria-label": title, title, list, spellcheck: "false" });
      input.value = action[key];
      input.addEventListener("change", () => {
        action[key] = input.value.trim();
        if (action[key]) this.change();
      });
      return input;
    };
    const names = [...this.info.parameters, ...this.info.state].map((knob) => h("option", { value: knob.name }, symbol(knob.name)));
    const name = h("select", { "aria-label": "what is set", "data-action": "name" }, ...names);
    name.value = action.name;
    name.addEventListener("change", () => {
      action.name = name.value;
      this.change();
    });
    const gone = h("button", { "aria-label": "remove this action", title: "remove", onclick: () => {
      this.session.on.splice(k, 1);
      this.show(this.info, this.session);
      this.change();
    } }, "×");
    const event = entry("event", "when: impact:CONTACT, reset:NAME, guard:NAME:+1, plane:y=0.1:+1, ...", "jounce-events");
    return h("div", { class: "action" }, event, gone, name, h("span", {}, "="), entry("value", "a number or an expression"));
  }
}
