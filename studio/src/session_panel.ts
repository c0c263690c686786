// The Session panel: the screen as a file, a link, a script, a command and one HTML file.

import type { App, Panel } from "./app";
import { h } from "./dom";
import type { Message, SystemInfo, View } from "./messages";
import { linkOfSession } from "./session";

/** Hand a file to the reader. */
export function download(name: string, content: BlobPart, kind: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: kind }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export class SessionPanel implements Panel {
  readonly name = "session";
  readonly title = "Session";
  readonly element: HTMLElement;
  private python = h("pre", { tabindex: 0, "data-text": "python" });
  private command = h("pre", { tabindex: 0, "data-text": "command" });
  private said = h("span", { class: "said", role: "status" });
  private what = h("select", { "aria-label": "which picture", "data-select": "picture" });
  private chosen = "";
  private about = h("p");
  private modelButton = h("button", { "data-do": "model", onclick: () => this.saveModel() }, "save the model");
  private model = { name: "", text: "" };

  constructor(private app: App) {
    const file = h("input", { type: "file", accept: ".json,application/json", "data-do": "load" });
    file.addEventListener("change", () => void this.load(file));
    this.what.addEventListener("change", () => {
      this.chosen = this.what.value;
      this.ask();
    });
    const copy = (source: HTMLElement, name: string) =>
      h("button", { "data-copy": name, onclick: () => void this.copy(source.textContent ?? "", name) }, "copy");
    const button = (key: string, text: string, act: () => void) => h("button", { "data-do": key, onclick: act }, text);
    this.element = h(
      "section", { class: "panel session", "aria-label": "Session" },
      h("div", { class: "cards" },
        h("div", { class: "card" }, h("h2", {}, "File"), h("p", {}, "Everything on the screen: data, no code."),
          button("save", "save the session", () => this.save()), h("label", { class: "file" }, "open a session", file)),
        h("div", { class: "card" }, h("h2", {}, "Link"), h("p", {}, "The same, for a window of this studio."),
          button("link", "copy the link", () => void this.copy(this.link(), "link"))),
        h("div", { class: "card" }, h("h2", {}, "One HTML file"), h("p", {}, "The motion with its time history; opens without a server."),
          button("film", "save as one HTML", () => this.film())),
        h("div", { class: "card" }, h("h2", {}, "Model"), this.about, this.modelButton),
      ),
      h("div", { class: "row" }, h("label", { class: "check" }, "as a script: ", this.what), this.said),
      h("div", { class: "code" }, h("h2", {}, "Python"), copy(this.python, "python"), this.python),
      h("div", { class: "code" }, h("h2", {}, "Command"), copy(this.command, "command"), this.command),
    );
    app.link.on("scripts", (content) => this.scripts(content));
    app.link.on("film", (content, [bytes]) => this.filmed(content, bytes));
  }

  system(info: SystemInfo): void {
    this.chosen = "";
    this.about.textContent = info.unsaid
      ? "No text can hold this model: sessions name it and open beside its own file only."
      : info.model
        ? "Your own, in the session as text of its equations. As a file, for every command:"
        : "The equations as a TOML file, to change them or for the command line:";
  }

  theme(): void {}

  redraw(): void {}

  knob(done: boolean): void {
    if (done) this.ask();
  }

  activate(): void {
    const known = this.app.panels.map((panel) => panel.name)
      .filter((name) => name === "motion" || (name in this.app.session && (this.app.session as any)[name]));
    this.chosen = known.includes(this.chosen) ? this.chosen : known.includes(this.app.before) ? this.app.before : "motion";
    this.what.replaceChildren(...known.map((name) => h("option", { value: name }, name)));
    this.what.value = this.chosen;
    this.ask();
  }

  private ask(): void {
    this.app.link.ask("scripts", "scripts", { session: { ...this.app.snapshot(), panel: this.chosen } });
  }

  private scripts(content: Message): void {
    this.app.clearError("scripts");
    this.python.textContent = content.python;
    this.command.textContent = content.command;
    this.model = { name: content.model_name, text: content.model ?? "" };
    this.modelButton.disabled = !this.model.text;
    this.element.dataset.serial = String(Number(this.element.dataset.serial ?? 0) + 1);
  }

  private say(text: string): void {
    this.said.textContent = text;
  }

  private async copy(text: string, name: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = h("textarea");
      area.value = text;
      this.element.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    this.say(`${name} copied`);
  }

  link(): string {
    return location.href.split("#")[0] + linkOfSession({ ...this.app.snapshot(), panel: this.chosen });
  }

  private save(): void {
    const session = { ...this.app.snapshot(), panel: this.chosen };
    download(`${session.system}.studio.json`, JSON.stringify(session, null, 2) + "\n", "application/json");
    this.say("session saved");
  }

  private saveModel(): void {
    download(this.model.name, this.model.text, "application/toml");
    this.say(`${this.model.name} saved`);
  }

  private async load(input: HTMLInputElement): Promise<void> {
    const file = input.files?.[0];
    input.value = "";
    if (!file) return;
    if (file.size > 1 << 20) {
      this.app.showError({ type: "error", panel: "session", message: `${file.name} has ${file.size} bytes; a session has at most ${1 << 20}` });
      return;
    }
    try {
      this.app.restore(JSON.parse(await file.text()));
    } catch (error) {
      this.app.showError({ type: "error", panel: "session", message: `${file.name} is no session: ${error}` });
    }
  }

  private film(): void {
    this.say("making the file …");
    this.app.link.ask("film", "film", { session: { ...this.app.snapshot(), panel: "motion" } });
  }

  private filmed(content: Message, bytes: View): void {
    download(content.name, bytes as Uint8Array<ArrayBuffer>, "text/html");
    this.say(`${content.name} saved, ${(bytes.length / 1024).toFixed(0)} kB`);
  }
}
