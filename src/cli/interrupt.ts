import type { Io } from './io.ts';

/** First Ctrl-C: running rollouts go on to their end and no new one starts. Second: they are stopped. */
export const onInterrupt = (io: Io): { drain: AbortSignal; stop: AbortSignal; release: () => void } => {
  const drain = new AbortController();
  const stop = new AbortController();
  const again = (signal: NodeJS.Signals): void => {
    if (!drain.signal.aborted && signal === 'SIGINT') {
      io.err(
        '\nStopping: running rollouts go on to their end. Ctrl-C again stops them now; "octobench resume" goes on later.',
      );
      drain.abort();
      return;
    }
    drain.abort();
    stop.abort();
  };
  process.on('SIGINT', again);
  process.on('SIGTERM', again);
  return {
    drain: drain.signal,
    stop: stop.signal,
    release: () => {
      process.off('SIGINT', again);
      process.off('SIGTERM', again);
    },
  };
};
