import { printable } from '../core/text.ts';
import { showDuration } from '../core/units.ts';
import { monotonic } from '../host/clock.ts';
import type { Progress } from '../pipeline/schema.ts';
import type { Io } from './io.ts';

interface Counts {
  total: number;
  done: number;
  failed: number;
  retried: number;
  calls: number;
  running: Map<string, number>;
}

const REDRAW_MS = 100;
const MARK: Record<string, string> = { finished: 'done', timed_out: 'time', limit_reached: 'limit' };

/** Time left from the pace so far; unknown before the first rollout ended. */
const left = (c: Counts, already: number, elapsed: number): string => {
  const ended = c.done + c.failed - already;
  const open = c.total - c.done - c.failed;
  return ended < 1 || open < 1 ? '' : `, about ${showDuration((elapsed / ended) * open)} left`;
};

const eventLine = (event: Progress, c: Counts): string | null => {
  switch (event.type) {
    case 'stage':
    case 'note':
      return event.text;
    case 'planned':
      return `${event.total} rollouts${event.already > 0 ? `, ${event.already} of them already done` : ''}`;
    case 'ended': {
      const reason = event.reason === null ? '' : ` (${event.reason})`;
      const again = event.retried ? ', trying again' : '';
      return `[${c.done + c.failed}/${c.total}] ${MARK[event.outcome] ?? event.outcome}${reason}${again} ${event.key} in ${showDuration(event.ms)}`;
    }
    case 'judged': {
      const open = event.unscored > 0 ? `, ${event.unscored} unscored` : '';
      return `      judged ${event.key}: ${event.fail} of ${event.checks} checks broken${open}`;
    }
    default:
      return null;
  }
};

const count = (event: Progress, c: Counts): void => {
  if (event.type === 'planned') {
    c.total = event.total;
    c.done = event.already;
  } else if (event.type === 'started') c.running.set(event.key, 0);
  else if (event.type === 'call') {
    c.running.set(event.key, event.calls);
    c.calls++;
  } else if (event.type === 'ended') {
    c.running.delete(event.key);
    if (event.retried) c.retried++;
    else if (MARK[event.outcome] === undefined) c.failed++;
    else c.done++;
  }
};

/** Shows an experiment's progress on stderr: a line an event, and below them, on a terminal, one line that is redrawn. */
export const progressTo = (io: Io, quiet: boolean): { show: (event: Progress) => void; end: () => void } => {
  const c: Counts = { total: 0, done: 0, failed: 0, retried: 0, calls: 0, running: new Map() };
  const from = monotonic();
  let already = 0;
  let drawn = 0;
  const clear = (): void => {
    if (io.live && drawn > 0) process.stderr.write('\r\u001b[2K');
  };
  const draw = (force: boolean): void => {
    const at = monotonic();
    if (!io.live || c.total === 0 || (!force && at - drawn < REDRAW_MS)) return;
    drawn = at;
    const parts = [
      `${c.done} done`,
      `${c.running.size} running`,
      `${c.failed} failed`,
      `${c.retried} retried`,
      `${c.calls} calls`,
    ];
    const line = `${parts.join(', ')} of ${c.total}${left(c, already, at - from)}`;
    process.stderr.write(`\r\u001b[2K${line.slice(0, Math.max(20, io.width - 1))}`);
  };
  return {
    show: (event) => {
      count(event, c);
      if (event.type === 'planned') already = event.already;
      const line = quiet ? null : eventLine(event, c);
      if (line !== null) {
        clear();
        io.err(printable(line));
      }
      if (!quiet) draw(line !== null);
    },
    end: clear,
  };
};
