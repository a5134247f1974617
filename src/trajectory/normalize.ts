import type { Problem } from '../core/problem.ts';
import type { CallRecord } from '../recording/schema.ts';
import { protocols } from '../wire/all.ts';
import type { Normalized } from './schema.ts';
import { Session } from './session.ts';
import { trajectoriesOf } from './thread.ts';

/** Takes calls one by one, in any order, and keeps of each only what is new. */
export interface Normalizer {
  add(call: CallRecord): void;
  /** One trajectory a run of a session, sessions in the order of their first call. */
  finish(): Normalized;
}

export interface NormalizerOptions {
  /** Labels that every trajectory gets. */
  labels?: Record<string, string>;
}

// One bad record must not grow the report without bound.
const MOST_PROBLEMS = 10_000;

/**
 * From recorded calls to trajectories, by what the calls say: no scaffold is known here, and no time decides what content can.
 * Every call ends up in a thread's `calls` or in a Problem. Never throws on what a log holds.
 */
export const createNormalizer = (options: NormalizerOptions = {}): Normalizer => {
  const sessions = new Map<string, Session>();
  const problems: Problem[] = [];
  const sessionOf = (call: CallRecord): Session => {
    const kind = call.attempt !== null ? 'attempt' : call.session !== null ? 'named' : 'nameless';
    const key = call.attempt ?? call.session ?? '';
    const known = sessions.get(`${kind} ${key}`);
    if (known !== undefined) return known;
    const session = new Session(key, kind);
    sessions.set(`${kind} ${key}`, session);
    return session;
  };
  const place = (call: CallRecord): void => {
    const { method, path } = call.request;
    const endpoint = call.protocol === 'other' ? null : protocols[call.protocol].endpoint(method, path);
    if (call.protocol !== 'other' && endpoint === 'generate') sessionOf(call).add(call, protocols[call.protocol]);
    else if (endpoint === 'count_tokens') sessionOf(call).counts.push(call.id);
    else
      problems.push({ kind: 'skipped_call', severity: 'info', call: call.id, message: `no turn: ${method} ${path}` });
  };
  return {
    add: (call) => {
      try {
        place(call);
      } catch (e) {
        const message = e instanceof Error ? e.message : String(e);
        problems.push({ kind: 'unreadable_call', severity: 'error', call: call.id, message });
      }
    },
    finish: () => {
      const trajectories = [...sessions.values()].flatMap((session) => trajectoriesOf(session, options.labels ?? {}));
      return { trajectories, problems: problems.slice(0, MOST_PROBLEMS) };
    },
  };
};

/** `createNormalizer` over a list. */
export const normalizeCalls = (calls: Iterable<CallRecord>, options: NormalizerOptions = {}): Normalized => {
  const normalizer = createNormalizer(options);
  for (const call of calls) normalizer.add(call);
  return normalizer.finish();
};

/** `createNormalizer` over a stream. */
export const normalizeCallStream = async (
  calls: AsyncIterable<CallRecord>,
  options: NormalizerOptions = {},
): Promise<Normalized> => {
  const normalizer = createNormalizer(options);
  for await (const call of calls) normalizer.add(call);
  return normalizer.finish();
};
