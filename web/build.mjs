// Builds what the gateway serves: `node build.mjs FOLDER`. The same sources give the same bytes wherever the folder is.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const [, , outdir] = process.argv;
const PRIVATE = /^_[a-zA-Z]/; // members that are nobody else's have short names in what is served

await build({
  absWorkingDir: fileURLToPath(new URL(".", import.meta.url)),
  entryPoints: { "web-sdk": "packages/web-sdk/src/index.ts" },
  outdir,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2020",
  charset: "utf8",
  mangleProps: PRIVATE,
  legalComments: "none",
  logLevel: "warning",
});
