// Files that the server no longer has, because it was started anew or removed them after a while.

import { request, upload } from "./api.js";

// Uploads files again; each gets its new id. A file has the content that was uploaded (`blob`) or
// its name in the example set (`exampleName`). Returns a map from files to errors. Copies that the
// server still has are not deleted here: it removes them later by itself.
export async function uploadAgain(files) {
  const problems = new Map();
  let example = null;
  for (const file of files) {
    try {
      if (file.blob) file.id = (await upload(file.name, file.blob)).id;
      else {
        example ??= await uploadExample();
        file.id = example.get(file.exampleName);
      }
    } catch (error) {
      if (!error.status && !error.isUnreadable) throw error; // the server does not answer
      problems.set(file, error);
    }
  }
  return problems;
}

async function uploadExample() {
  const { systems, references, source } = await request("POST", "/api/example");
  return new Map([...systems, ...references, source].map(({ name, file }) => [name, file]));
}
