// The address of a view: #view?state. It holds everything that is needed to open the view again, and
// browsers do not send it to any server.

// Half of a character cannot be encoded.
const wellFormed = (text) => text.replace(/\p{Surrogate}/gu, "\ufffd");
// A comma needs no encoding, and permutations are easier to read with it.
const encode = (text) => encodeURIComponent(wellFormed(text)).replaceAll("%2C", ",");

// Writes the state of a view into the address; values that are null are left out. Returns the query,
// by which the view recognizes its own address.
export function writeAddress(view, values) {
  const query = Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}=${encode(value)}`)
    .join("&");
  history.replaceState(null, "", `#${view}?${query}`);
  return query;
}

export const readQuery = (query) => Object.fromEntries(new URLSearchParams(query));

// Copies the address without its search part, which may hold an access token.
export function startCopyButton(button, note) {
  button.addEventListener("click", async () => {
    const address = `${location.origin}${location.pathname}${location.hash}`;
    try {
      await navigator.clipboard.writeText(address);
      note.textContent = "Copied.";
    } catch {
      note.textContent = "The browser does not allow it: copy the address of this page instead.";
    }
    setTimeout(() => {
      note.textContent = "";
    }, 4000);
  });
}
