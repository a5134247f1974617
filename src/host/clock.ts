/** Milliseconds since the epoch. */
export const now = (): number => Date.now();

/** Milliseconds of a clock that only goes forward, for durations. */
export const monotonic = (): number => performance.now();

/** Waits; ends early (without an error) when `signal` aborts. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
