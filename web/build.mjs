// Builds what the gateway serves: `node build.mjs FOLDER`. The same sources give the same bytes wherever the folder is.
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [, , outdir] = process.argv;
const PRIVATE = /^_[a-zA-Z]/; // members that are nobody else's have short names in what is served

// What a call is made of is a file beside the others, loaded with the first call.
const voiceOnDemand = {
  name: "voice-on-demand",
  setup: ({ onResolve }) => onResolve({ filter: /\/call\.ts$/ }, ({ kind }) => (kind === "dynamic-import" ? { path: "./voice.js", external: true } : null)),
};

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
  plugins: [voiceOnDemand],
};

const sources = "packages/web-sdk/src";
await build({ ...shared, format: "esm", entryPoints: { "web-sdk": `${sources}/index.ts`, voice: `${sources}/voice/call.ts` } });
// Plain scripts: of the widget so that `<script src>` is enough and no name of ours gets into the page.
await build({ ...shared, format: "iife", entryPoints: { "agent-widget": `${sources}/widget/index.ts`, "voice-worklet": `${sources}/voice/worklet.ts` } });

// The widget's languages, each a file that is read by whoever needs it.
const languages = join(shared.absWorkingDir, "packages/web-sdk/src/widget/languages");
for (const name of readdirSync(languages)) {
  writeFileSync(join(outdir, `agent-widget.${name}`), JSON.stringify(JSON.parse(readFileSync(join(languages, name), "utf8"))));
}
