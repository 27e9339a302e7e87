// As much of a browser's document as the reference page uses, and what its test asks for.
class Element {
  constructor(tag) { this.tag = tag; this.children = []; this.dataset = {}; this.listeners = {}; this.textContent = ""; }
  append(...all) { this.children.push(...all); }
  replaceChildren(...all) { this.children = all; }
  addEventListener(name, act) { this.listeners[name] = act; }
  all() { return this.children.filter((one) => one instanceof Element).flatMap((one) => [one, ...one.all()]); }
  querySelectorAll(selector) {
    return this.all().filter((one) => (selector === "input[data-place]" ? one.tag === "input" && one.dataset.place
      : selector === "details.operation" ? one.tag === "details" && one.className === "operation" : one.tag === selector));
  }
  querySelector(selector) { return this.querySelectorAll(selector)[0] || null; }
}
const fixed = { operations: new Element("main"), key: { value: "abl_key" }, project: { value: "cone" }, title: {}, find: {} };
const document = { createElement: (tag) => new Element(tag), getElementById: (id) => fixed[id] };
const location = { origin: "" };

function examine() {
  described = JSON.parse(require("fs").readFileSync(0, "utf8"));
  show();
  const operations = fixed.operations.querySelectorAll("details.operation");
  for (const one of operations) { one.open = true; one.listeners.toggle(); }
  const opened = operations.filter((one) => one.all().some((inner) => inner.tag === "form")).length;
  const hook = operations.find((one) => one.dataset.words.startsWith("get /api/projects/{project_id}/webhooks/{webhook_id} "));
  const form = hook.all().find((one) => one.tag === "form");
  form.querySelectorAll("input[data-place]").find((one) => one.name === "webhook_id").value = "wh/1";
  const request = requestOf("/api/projects/{project_id}/webhooks/{webhook_id}", "get", form);
  process.stdout.write(JSON.stringify({ operations: operations.length, opened, request }));
}
