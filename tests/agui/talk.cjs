// Holds a conversation with the official client of AG-UI: the plan comes in on stdin, what the client held goes out.
// A step: {say?, message?, runId, resume?, tools?, context?, forwardedProps?, cutAfter?, forget?}; see test_agui.py.
"use strict";
const { readFileSync } = require("node:fs");
const { HttpAgent } = require("@ag-ui/client");

const plan = JSON.parse(readFileSync(0, "utf8"));

async function taken(agent, step) {
  const told = { events: [], custom: [], interrupts: [], error: null, result: null };
  let heard = 0;
  if (step.say !== undefined) agent.addMessage({ id: step.message ?? `say-${step.runId}`, role: "user", content: step.say });
  const watching = {
    onEvent: ({ event }) => void told.events.push(event.type),
    onCustomEvent: ({ event }) => void told.custom.push([event.name, event.value]),
    onRunErrorEvent: ({ event }) => void (told.error = { code: event.code, message: event.message }),
    onRunFinishedEvent: ({ event }) => void (told.finished = event),
    onTextMessageContentEvent: () => {
      heard += 1;
      if (heard === step.cutAfter) agent.abortRun();
    },
  };
  const { runId, resume, tools, context, forwardedProps } = step;
  try {
    const done = await agent.runAgent({ runId, resume, tools, context, forwardedProps }, watching);
    told.result = done.result ?? null;
  } catch (error) {
    told.error = { status: error.status, payload: error.payload, message: String(error.message ?? error) };
  }
  if (step.forget) agent.pendingInterrupts = [];
  return { ...told, interrupts: agent.pendingInterrupts, messages: agent.messages, state: agent.state };
}

async function main() {
  const told = [];
  const { url, headers, threadId, messages } = plan;
  const agent = new HttpAgent({ url, headers, threadId, initialMessages: messages ?? [] });
  for (const step of plan.steps) told.push(structuredClone(await taken(agent, step)));
  process.stdout.write(JSON.stringify(told));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
