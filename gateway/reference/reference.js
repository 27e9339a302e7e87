// Shows the OpenAPI document of the gateway that serves this page, and lets each operation be tried.
// Everything is written with textContent: nothing of the document or of an answer is ever read as HTML.
"use strict";

const DEEPEST = 8;
const SHOWN_BYTES = 200000;
const METHODS = ["get", "post", "put", "patch", "delete"];
const byId = (id) => document.getElementById(id);
let described = {};

function made(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  const { text, ...rest } = options;
  Object.assign(element, rest);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

function resolved(schema) {
  let found = schema || {};
  for (let depth = 0; found.$ref && depth < DEEPEST; depth += 1) {
    found = found.$ref.split("/").slice(1).reduce((part, name) => part[name], described);
  }
  return found;
}

function alternatives(schema) {
  return schema.anyOf || schema.oneOf || schema.allOf || [];
}

function typeOf(schema, depth = 0) {
  const found = resolved(schema);
  if (depth > DEEPEST) return "...";
  if (found.const !== undefined) return JSON.stringify(found.const);
  if (found.enum) return found.enum.map((one) => JSON.stringify(one)).join(" | ");
  if (alternatives(found).length) return [...new Set(alternatives(found).map((one) => typeOf(one, depth + 1)))].join(" | ");
  if (found.type === "array") return `list of ${typeOf(found.items, depth + 1)}`;
  if (found.type === "object" && found.additionalProperties && !found.properties) {
    return found.additionalProperties === true ? "object" : `object of ${typeOf(found.additionalProperties, depth + 1)}`;
  }
  return found.type || "any";
}

const BOUNDS = {
  minLength: "at least", maxLength: "at most", minimum: "from", maximum: "to", minItems: "at least", maxItems: "at most",
  pattern: "matches", default: "default",
};

function boundsOf(schema) {
  const found = resolved(schema);
  return Object.entries(BOUNDS)
    .filter(([name]) => found[name] !== undefined && found[name] !== null)
    .map(([name, word]) => `${word} ${typeof found[name] === "object" ? JSON.stringify(found[name]) : found[name]}`)
    .join(", ");
}

function objectsIn(schema, depth = 0) {
  const found = resolved(schema);
  if (depth > DEEPEST) return [];
  if (found.properties) return [found];
  const inner = [...alternatives(found)];
  if (found.items) inner.push(found.items);
  if (found.additionalProperties && typeof found.additionalProperties === "object") inner.push(found.additionalProperties);
  return inner.flatMap((one) => objectsIn(one, depth + 1));
}

function fieldsOf(schema, seen = []) {
  const list = made("ul", { className: "fields" });
  for (const object of objectsIn(schema)) {
    if (seen.includes(object) || seen.length > DEEPEST) continue;
    for (const [name, field] of Object.entries(object.properties)) {
      const must = (object.required || []).includes(name);
      const row = made("li", {}, made("span", { className: "name", text: name }), " ");
      row.append(made("span", { className: "type", text: typeOf(field) }), " ");
      if (must) row.append(made("span", { className: "must", text: "required " }));
      const note = [resolved(field).description, boundsOf(field)].filter(Boolean).join("; ");
      if (note) row.append(made("span", { className: "note", text: note }));
      if (objectsIn(field).length) row.append(fieldsOf(field, [...seen, object]));
      list.append(row);
    }
  }
  return list;
}

function exampleOf(schema, depth = 0) {
  const found = resolved(schema);
  if (found.const !== undefined) return found.const;
  if (found.default !== undefined) return found.default;
  if (found.enum) return found.enum[0];
  if (depth > DEEPEST) return null;
  if (alternatives(found).length) return exampleOf(alternatives(found)[0], depth + 1);
  if (found.properties) {
    const wanted = Object.entries(found.properties).filter(([name]) => (found.required || []).includes(name));
    return Object.fromEntries(wanted.map(([name, field]) => [name, name === "projectId" ? byId("project").value : exampleOf(field, depth + 1)]));
  }
  return { string: "", integer: 0, number: 0, boolean: false, array: [], object: {} }[found.type] ?? null;
}

function jsonBody(content) {
  const entry = Object.entries(content || {}).find(([type]) => type.includes("json"));
  return entry && entry[1].schema;
}

function parameterFields(parameters) {
  return parameters.map((one) => {
    const input = made("input", { name: one.name, required: one.required && one.in === "path", autocomplete: "off" });
    input.dataset.place = one.in;
    if (one.name === "project_id") input.value = byId("project").value;
    return made("label", { text: `${one.name} (${one.in})` }, input);
  });
}

function requestOf(path, method, form) {
  let target = path;
  const query = new URLSearchParams();
  const headers = {};
  for (const input of form.querySelectorAll("input[data-place]")) {
    if (input.dataset.place === "path") target = target.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.value && input.dataset.place === "query") query.set(input.name, input.value);
    else if (input.value && input.dataset.place === "header") headers[input.name] = input.value;
  }
  const key = byId("key").value.trim();
  if (key) headers.Authorization = `Bearer ${key}`;
  const body = form.querySelector("textarea");
  if (body) headers["Content-Type"] = "application/json";
  const asked = query.toString();
  return { target: asked ? `${target}?${asked}` : target, method: method.toUpperCase(), headers, body: body ? body.value : undefined };
}

function commandFor(request) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const headers = Object.entries(request.headers).map(([name, value]) => `-H ${quoted(`${name}: ${name === "Authorization" ? "Bearer $KEY" : value}`)}`);
  const parts = ["curl", "-X", request.method, quoted(location.origin + request.target), ...headers];
  if (request.body !== undefined) parts.push("-d", quoted(request.body));
  return parts.join(" ");
}

async function send(request, told) {
  const { target, ...options } = request;
  told.textContent = commandFor(request);
  const shown = made("pre", { text: "waiting ..." });
  told.after(shown);
  while (shown.nextSibling) shown.nextSibling.remove();
  try {
    const answer = await fetch(target, { ...options, credentials: "omit", redirect: "manual" });
    let text = await answer.text();
    try { text = JSON.stringify(JSON.parse(text), null, 2); } catch { /* shown as it is */ }
    const headers = ["content-type", "x-request-id", "retry-after"].filter((name) => answer.headers.has(name));
    shown.textContent = [`${answer.status} ${answer.statusText}`, ...headers.map((name) => `${name}: ${answer.headers.get(name)}`), "", text.slice(0, SHOWN_BYTES)].join("\n");
  } catch (error) {
    shown.textContent = `No answer: ${error.message}`;
  }
}

function tryForm(path, method, operation, parameters) {
  const form = made("form", {}, ...parameterFields(parameters));
  const schema = jsonBody(operation.requestBody && operation.requestBody.content);
  if (schema) form.append(made("textarea", { value: JSON.stringify(exampleOf(schema), null, 2), ariaLabel: "Body", spellcheck: false }));
  form.append(made("button", { type: "submit", text: "Send" }));
  const told = made("pre", { text: "" });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(requestOf(path, method, form), told);
  });
  return made("div", {}, made("h3", { text: "Try it" }), form, told);
}

function inside(path, method, operation, parameters) {
  const parts = [];
  if (operation.description) parts.push(made("p", { text: operation.description }));
  const security = (operation.security || []).flatMap((one) => Object.keys(one));
  parts.push(made("p", { className: "note", text: security.length ? `Credentials: ${security.join(", ")}` : "No credentials" }));
  if (parameters.length) {
    const rows = parameters.map((one) => made("li", {}, made("span", { className: "name", text: one.name }), " ",
      made("span", { className: "type", text: `${typeOf(one.schema)} in ${one.in}` }), " ",
      made("span", { className: "note", text: [one.description, boundsOf(one.schema)].filter(Boolean).join("; ") })));
    parts.push(made("h3", { text: "Parameters" }), made("ul", { className: "fields" }, ...rows));
  }
  for (const [type, content] of Object.entries((operation.requestBody || {}).content || {})) {
    parts.push(made("h3", { text: `Body: ${type}` }), fieldsOf(content.schema));
  }
  for (const [status, answer] of Object.entries(operation.responses)) {
    const types = Object.entries(answer.content || {});
    const opened = made("details", {}, made("summary", { text: `${status} ${answer.description || ""} ${types.map(([type]) => type).join(", ")}` }));
    for (const [, content] of types) if (content.schema) opened.append(fieldsOf(content.schema));
    parts.push(opened);
  }
  return [...parts, tryForm(path, method, operation, parameters)];
}

function shownOperation(path, method, item) {
  const operation = item[method];
  const parameters = [...(item.parameters || []), ...(operation.parameters || [])].map(resolved);
  const summary = made("summary", {}, made("span", { className: `method ${method}`, text: method.toUpperCase() }),
    made("span", { className: "path", text: path }), made("span", { className: "says", text: operation.summary || "" }));
  const details = made("details", { className: "operation", id: operation.operationId || "" }, summary);
  details.dataset.words = `${method} ${path} ${operation.summary || ""} ${operation.description || ""}`.toLowerCase();
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(...inside(path, method, operation, parameters));
  });
  return details;
}

function show() {
  const groups = new Map();
  for (const [path, item] of Object.entries(described.paths)) {
    for (const method of METHODS.filter((one) => item[one])) {
      const tag = (item[method].tags || ["other"])[0];
      if (!groups.has(tag)) groups.set(tag, made("section", {}, made("h2", { text: tag })));
      groups.get(tag).append(shownOperation(path, method, item));
    }
  }
  byId("operations").replaceChildren(...groups.values());
}

function filter() {
  const words = byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const section of document.querySelectorAll("main > section")) {
    let left = 0;
    for (const one of section.querySelectorAll("details.operation")) {
      one.hidden = !words.every((word) => one.dataset.words.includes(word));
      left += one.hidden ? 0 : 1;
    }
    section.hidden = left === 0;
  }
}

async function begin() {
  try {
    described = await (await fetch("/openapi.json", { credentials: "omit" })).json();
  } catch (error) {
    byId("operations").textContent = `The document cannot be read: ${error.message}`;
    return;
  }
  byId("title").textContent = `${described.info.title} ${described.info.version}`;
  show();
  byId("find").addEventListener("input", filter);
}

begin();
