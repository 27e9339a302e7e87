// Builds what the gateway serves: `node build.mjs FOLDER`. The same sources give the same bytes wherever the folder is.
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const [, , outdir] = process.argv;
const PRIVATE = /^_[a-zA-Z]/; // members that are nobody else's have short names in what is served

// Files beside the others, each loaded once it is needed: what a call is made of, and what uploads.
const BESIDE = { "call.ts": "./voice.js", "attachments.ts": "./attachments.js" };
const onDemand = {
  name: "on-demand",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/(call|attachments)\.ts$/ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path: BESIDE[basename(path)], external: true } : null,
    ),
};

// Of an error of the widget a page reads the reason; the sentence beside it is for who writes programs with the SDK.
const SENTENCE = /new AgentError\(([^,]+), (?:"[^"]*"|`[^`]*`)/g;

// A close code is its number in what is served; its name is for who reads the sources.
const named = readFileSync(new URL("packages/web-sdk/src/wire.ts", import.meta.url), "utf8");
const codes = Object.fromEntries([.../CLOSE_CODES = \{(.*?)\}/s.exec(named)[1].matchAll(/(\w+): (\d+)/g)].map(([, name, code]) => [name, code]));
const shorter = (hasSentences) => ({
  name: "shorter",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8").replace(/CLOSE_CODES\.(\w+)/g, (_, name) => codes[name]);
      if (hasSentences) return { contents: text, loader: "ts" };
      if (path.endsWith("/sentences.ts")) return { contents: "export const sentenceOf = (reason) => reason", loader: "ts" };
      return { contents: text.replace(SENTENCE, "new AgentError($1, $1"), loader: "ts" };
    }),
});

const shared = {
  absWorkingDir: fileURLToPath(new URL(".", import.meta.url)),
  outdir,
  bundle: true,
  minify: true,
  target: "es2020",
  charset: "utf8",
  mangleProps: PRIVATE,
  legalComments: "none",
  logLevel: "warning",
};

const sources = "packages/web-sdk/src";
const modules = {
  "web-sdk": "index.ts",
  voice: "voice/call.ts",
  attachments: "attachments.ts",
  "agent-widget-voice": "widget/voice-bar.ts",
  "agent-widget-forms": "widget/forms.ts",
};
await build({ ...shared, plugins: [onDemand, shorter(true)], format: "esm", entryPoints: Object.fromEntries(Object.entries(modules).map(([name, path]) => [name, `${sources}/${path}`])) });
// Plain scripts: of the widget so that `<script src>` is enough and no name of ours gets into the page.
await build({ ...shared, plugins: [shorter(false)], format: "iife", entryPoints: { "agent-widget": `${sources}/widget/index.ts`, "voice-worklet": `${sources}/voice/worklet.ts` } });

// The widget's languages, each a file that is read by whoever needs it.
const languages = join(shared.absWorkingDir, "packages/web-sdk/src/widget/languages");
for (const name of readdirSync(languages)) {
  writeFileSync(join(outdir, `agent-widget.${name}`), JSON.stringify(JSON.parse(readFileSync(join(languages, name), "utf8"))));
}
