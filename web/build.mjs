// Builds what the gateway serves: `node build.mjs FOLDER`. The same sources give the same bytes wherever the folder is.
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [, , outdir] = process.argv;
const PRIVATE = /^_[a-zA-Z]/; // members that are nobody else's have short names in what is served

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

await build({ ...shared, format: "esm", entryPoints: { "web-sdk": "packages/web-sdk/src/index.ts" } });
// A plain script, so that `<script src>` is enough and no name of ours gets into the page.
await build({ ...shared, format: "iife", entryPoints: { "agent-widget": "packages/web-sdk/src/widget/index.ts" } });

// The widget's languages, each a file that is read by whoever needs it.
const languages = join(shared.absWorkingDir, "packages/web-sdk/src/widget/languages");
for (const name of readdirSync(languages)) {
  writeFileSync(join(outdir, `agent-widget.${name}`), JSON.stringify(JSON.parse(readFileSync(join(languages, name), "utf8"))));
}
