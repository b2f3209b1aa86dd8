// Requests that follow the reader's typing.

// Sends one request at a time. Of those that come while it runs, only the last one is sent: the
// others are out of date. `send` must not fail.
export function latestOnly(send) {
  let running = false;
  let next = null;
  return async (value) => {
    next = { value };
    if (running) return;
    running = true;
    while (next) {
      const { value: newest } = next;
      next = null;
      await send(newest, () => next === null);
    }
    running = false;
  };
}
