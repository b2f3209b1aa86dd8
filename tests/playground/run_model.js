// Runs the playground's model in Node: requests come as JSON on standard input, one list of
// [function, ...arguments]; the results are printed as JSON. Numbers are printed such that they are
// read back exactly.

const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const folder = process.argv[2];
vm.runInThisContext(fs.readFileSync(path.join(folder, "model.js"), "utf-8"));

require(path.join(folder, "core.js"))().then((core) => {
  const run = ([name, ...values]) => {
    try {
      return name === "parseValues" ? parseValues(...values) : globalThis[name](core, ...values);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { error: error.message };
    }
  };
  const results = JSON.parse(fs.readFileSync(0, "utf-8")).map(run);
  const writeBigInt = (_, value) => (typeof value === "bigint" ? String(value) : value);
  console.log(JSON.stringify(results, writeBigInt));
});
