// Builds what is published, into `dist`: each entry of `exports` with its types. What entries share is there once.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const outdir = join(here, "dist");

rmSync(outdir, { recursive: true, force: true });
await build({
  absWorkingDir: here,
  entryPoints: { index: "src/index.ts", "react/index": "src/react/index.ts", "http/index": "src/http/index.ts" },
  outdir,
  bundle: true,
  splitting: true,
  chunkNames: "shared-[hash]",
  format: "esm",
  target: "es2020",
  charset: "utf8",
  external: ["react"],
  logLevel: "warning",
});
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
execFileSync(process.execPath, [compiler, "-p", join(here, "tsconfig.build.json")], { stdio: "inherit" });
for (const name of readdirSync(outdir, { recursive: true }).filter((one) => one.endsWith(".d.ts"))) {
  const path = join(outdir, name);
  writeFileSync(path, readFileSync(path, "utf8").replace(/(["']\.{1,2}\/[^"']+)\.ts(["'])/g, "$1.js$2")); // as modules are found
}
