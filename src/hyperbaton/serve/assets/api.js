// Requests to the server. Errors have the server's own line as their message.

const TOKEN_HEADER = "X-Hyperbaton-Form-Token";
const GONE = "The server does not answer. Is hyperbaton serve still running?";

let token = "";

// What the server offers, and the token that other requests need.
export async function loadInfo() {
  const info = await send("GET", "/api/info");
  token = info.form_token;
  return info;
}

export async function request(method, path, body, signal) {
  try {
    return await send(method, path, body, signal);
  } catch (error) {
    if (error.status !== 403) throw error;
    await loadInfo(); // the server was started anew, with another token
    return send(method, path, body, signal);
  }
}

async function send(method, path, body, signal) {
  const headers = method === "GET" ? {} : { [TOKEN_HEADER]: token };
  const options = { method, headers, signal, cache: "no-store" };
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response, text;
  try {
    response = await fetch(path, options);
    text = await response.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(GONE);
  }
  return decode(response.status, text);
}

function decode(status, text) {
  let content = null;
  try {
    content = text ? JSON.parse(text) : null;
  } catch {
    // an answer that is not the server's own; the status says enough
  }
  if (status < 400) return content;
  const error = new Error(content?.error ?? `The server answered with status ${status}.`);
  error.status = status;
  throw error;
}

// Uploads a file. XMLHttpRequest, since fetch does not report the progress of an upload.
export async function upload(name, blob, onProgress = () => {}, signal = undefined) {
  try {
    return await sendFile(name, blob, onProgress, signal);
  } catch (error) {
    if (error.message === GONE) await checkReadable(name, blob);
    if (error.status !== 403) throw error;
    await loadInfo();
    return sendFile(name, blob, onProgress, signal);
  }
}

// Browsers do not read a file that has changed on disk since it was chosen. The upload then fails
// in the same way as one to a server that does not answer.
async function checkReadable(name, blob) {
  try {
    await blob.slice(0, 1).arrayBuffer();
  } catch {
    const error = new Error(`${name} was changed or removed on your disk. Choose it again.`);
    error.isUnreadable = true;
    throw error;
  }
}

function sendFile(name, blob, onProgress, signal) {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    const finish = () => {
      try {
        resolve(decode(sending.status, sending.responseText));
      } catch (error) {
        reject(error);
      }
    };
    sending.open("POST", `/api/files?name=${encodeURIComponent(name)}`);
    sending.setRequestHeader(TOKEN_HEADER, token);
    sending.setRequestHeader("Content-Type", "application/octet-stream");
    sending.upload.addEventListener("progress", ({ loaded, total }) =>
      onProgress(total ? loaded / total : 0),
    );
    sending.addEventListener("load", finish);
    sending.addEventListener("error", () => reject(new Error(GONE)));
    sending.addEventListener("abort", () =>
      reject(new DOMException("The upload was stopped.", "AbortError")),
    );
    signal?.addEventListener("abort", () => sending.abort());
    sending.send(blob);
  });
}
