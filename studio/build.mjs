// Bundles src/ into the module that the Python package ships. The first line of the bundle holds a hash of the sources,
// so that a test can tell without npm whether bundle and sources agree.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const here = new URL(".", import.meta.url);
const names = readdirSync(new URL("src/", here)).sort();
const digest = createHash("sha256");
for (const name of names) {
  digest.update(name + "\0");
  digest.update(readFileSync(new URL(`src/${name}`, here)));
}
digest.update(readFileSync(new URL("package-lock.json", here)));
const result = await build({
  entryPoints: [new URL("src/studio.ts", here).pathname],
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "inline",
  loader: { ".css": "text" },
  write: false,
});
const licence = readFileSync(new URL("node_modules/uplot/LICENSE", here), "utf8").trim();
const head = `// sources sha256:${digest.digest("hex")}\n/*! Contains uPlot.\n${licence}\n*/\n`;
writeFileSync(new URL("../src/jounce/studio/static/studio.js", here), head + result.outputFiles[0].text);
