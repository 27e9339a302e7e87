import assert from "node:assert/strict";
import { test } from "node:test";
import { Emitter } from "./emitter.ts";

class Bell extends Emitter<{ rung: number; broken: undefined }> {
  ring(times: number): void {
    this.emit("rung", times);
  }
}

test("listeners hear until they are taken off, and once only where they asked for that", () => {
  const bell = new Bell();
  const heard: string[] = [];
  const first = (times: number): void => void heard.push(`first ${times}`);
  bell.on("rung", first);
  const stop = bell.on("rung", (times) => heard.push(`second ${times}`));
  bell.once("rung", (times) => heard.push(`once ${times}`));
  bell.ring(1);
  bell.off("rung", first);
  bell.ring(2);
  stop();
  bell.ring(3);
  assert.deepEqual(heard, ["first 1", "second 1", "once 1", "second 2"]);
});

test("all listeners, or those of one event, can be forgotten", () => {
  const bell = new Bell();
  const heard: number[] = [];
  bell.on("rung", (times) => heard.push(times));
  bell.removeAllListeners("broken");
  bell.ring(1);
  bell.removeAllListeners("rung");
  bell.ring(2);
  bell.on("rung", (times) => heard.push(times));
  bell.removeAllListeners();
  bell.ring(3);
  assert.deepEqual(heard, [1]);
});

test("a listener that throws stops no other one, and is reported as an error of the page", (context) => {
  const reported: Array<() => void> = [];
  context.mock.method(globalThis, "queueMicrotask", (run: () => void) => reported.push(run));
  const bell = new Bell();
  const heard: number[] = [];
  bell.on("rung", () => {
    throw new Error("not mine");
  });
  bell.on("rung", (times) => heard.push(times));
  bell.ring(1);
  assert.deepEqual(heard, [1]);
  assert.throws(reported[0]!, /not mine/);
});
