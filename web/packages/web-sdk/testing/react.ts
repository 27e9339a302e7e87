import { registerHooks } from "node:module";
import { Window } from "happy-dom";

export type ReactVersion = 18 | 19;

/** Have `react` and `react-dom` mean one version in this process, with a small page around them. Before they are imported. */
export function prepareReact(version: ReactVersion): Window {
  registerHooks({
    resolve: (specifier, context, next) => {
      const [name = "", ...rest] = specifier.split("/");
      const isOurs = version === 18 && (name === "react" || name === "react-dom");
      return next(isOurs ? [`${name}18`, ...rest].join("/") : specifier, context);
    },
  });
  const window = new Window({ url: "http://127.0.0.1:1/" });
  const { document } = window;
  Object.assign(globalThis, { window, document, IS_REACT_ACT_ENVIRONMENT: true });
  return window;
}

/** Take the page away, as it is on a server; returns what puts it back. */
export function withoutPage(): () => void {
  const { window, document } = globalThis;
  Reflect.deleteProperty(globalThis, "window");
  Reflect.deleteProperty(globalThis, "document");
  return () => void Object.assign(globalThis, { window, document });
}
