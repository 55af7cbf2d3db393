// Builds the page: bundles the code, and puts everything into one file.
//
//     node build.mjs [page.html]
//
// The code of the engine has to be in web/engine/ (`make playground` puts it there). The engine
// itself, models and a text come into the page when `superword playground` writes it.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const engine = process.env.SUPERWORD_PAGE_ENGINE ?? join(here, "engine", "superword_wasm.js");
const output = process.argv[2] ?? join(here, "..", "python", "superword", "playground", "assets", "page.html");

if (!existsSync(engine)) {
  console.error(`There is no ${engine}. Run \`make playground\`, which builds it.`);
  process.exit(1);
}

async function bundle(entry, define = {}) {
  const built = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    alias: { engine },
    // The engine is given to the glue as bytes, so it never needs the address of its script.
    define: { "import.meta.url": '""', ...define },
    logLevel: "warning",
  });
  return built.outputFiles[0].text.trim();
}

const worker = await bundle("worker/worker.ts");
const app = await bundle("main.ts", { WORKER_CODE: JSON.stringify(worker) });
// Inside a script element, "</script" and "<!--" would end or change it.
const script = app.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const css = await build({
  stdin: {
    contents: ["base", "panels", "dialogs"].map((name) => `@import "./styles/${name}.css";`).join("\n"),
    resolveDir: join(here, "src"),
    loader: "css",
  },
  bundle: true,
  write: false,
  minify: true,
  target: ["chrome123", "firefox120", "safari17.5"],
});
const style = css.outputFiles[0].text.trim();

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
// Only this script and this style may run. Nothing can be loaded or sent.
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} 'wasm-unsafe-eval'`,
  "worker-src blob:",
  `style-src ${hash(style)}`,
  "connect-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join("; ");

const page = readFileSync(join(here, "src", "page.html"), "utf8")
  .replace("@POLICY@", () => policy)
  .replace("@STYLE@", () => style)
  .replace("@SCRIPT@", () => script);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
console.log(`${output}: ${(page.length / 1000).toFixed(0)} kB`);
