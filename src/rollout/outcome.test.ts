import { describe, expect, it } from 'vitest';
import { type CallSketch, callsOf, type Reply } from '../../test/fixtures/rollout/calls.ts';
import type { SessionEnd, StepEnd } from '../environment/schema.ts';
import type { AttemptEnd } from '../recording/schema.ts';
import { claudeCode } from '../scaffolds/claude-code/scaffold.ts';
import { readExchanges } from './exchanges.ts';
import { decideOutcome, type OutcomeEvidence } from './outcome.ts';
import type { Stopper } from './schema.ts';

const OPENED = 1_000_000;
const LIMITS = { wallMs: 30_000, firstCallMs: 5_000, silenceMs: 10_000 };

interface Case {
  calls: CallSketch[];
  /** Exit codes (or signals), one a step that was run; null = still running when the session ended. */
  exits?: (number | string | null)[];
  session?: Partial<SessionEnd>;
  stopped?: Stopper;
  /** ms since the log was opened. */
  endedAt?: number;
  endpointEnd?: AttemptEnd;
  queries?: number;
  steps?: Partial<StepEnd>[];
}

const evidenceOf = (c: Case): OutcomeEvidence => {
  const exits = c.exits ?? [0];
  const endedAt = c.endedAt ?? 5000;
  const steps = exits.map((exit, step): StepEnd => {
    const span = endedAt / exits.length;
    return {
      step,
      code: typeof exit === 'number' ? exit : null,
      signal: typeof exit === 'string' ? exit : null,
      startedAt: OPENED + step * span,
      endedAt: OPENED + (step + 1) * span,
      stdout: '',
      stderr: '',
      dropped: 0,
      ...c.steps?.[step],
    };
  });
  return {
    exchanges: readExchanges(callsOf(c.calls), claudeCode.classify),
    execution: {
      session: { steps, end: c.stopped === undefined ? 'exited' : 'aborted', message: null, ...c.session },
      stopped: c.stopped ?? null,
      startedAt: OPENED,
      endedAt: OPENED + endedAt,
    },
    endpointEnd: c.endpointEnd ?? null,
    logOpenedAt: OPENED,
    queries: c.queries ?? exits.length,
    limits: LIMITS,
  };
};

const outcome = (c: Case): string => {
  const { outcome: o, reason, message } = decideOutcome(evidenceOf(c));
  if (o !== 'finished') expect(message, 'every other outcome says why').toBeTruthy();
  return reason === null ? o : `${o}(${reason})`;
};

const failed = (status: number, type = 'api_error', message = 'no'): Reply => ({ status, error: { type, message } });
const OVERLOADED = failed(529, 'overloaded_error');
const OVERFLOW = failed(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum');
const CUT: Reply = { cut: 40 };
const HANG: Reply = { none: true, end: 'client_gone' };
const main = (reply?: Reply, ...history: string[]): CallSketch => ({
  history,
  ...(reply === undefined ? {} : { reply }),
});
const side = (reply?: Reply): CallSketch => ({
  side: 'You are an expert at analyzing git history.',
  ...(reply === undefined ? {} : { reply }),
});
const TWELVE = Array.from({ length: 12 }, () => main(OVERLOADED));

const TABLE: [name: string, expected: string, c: Case][] = [
  // exit, last main reply whole
  ['one whole reply', 'finished', { calls: [main()] }],
  ['several turns and side calls', 'finished', { calls: [main(), side(), main({}, 'a'), main({}, 'a', 'b')] }],
  ['two queries', 'finished', { calls: [main(), { ...main({}, 'a'), at: 3000 }], exits: [0, 0] }],
  ['a whole reply whose client left after the end', 'finished', { calls: [main({ end: 'client_gone' })] }],
  ['a side call that failed', 'finished', { calls: [side(OVERLOADED), main()] }],
  ['a reply that was not streamed', 'finished', { calls: [main({ stream: false })] }],
  // recovered by the scaffold
  ['a 500 and then a reply (fallback)', 'finished', { calls: [main(failed(500)), main({ stream: false })] }],
  ['eleven 529 and then a reply', 'finished', { calls: [...TWELVE.slice(1), main()] }],
  ['a reset and then a reply', 'finished', { calls: [main({ none: true, end: 'upstream_reset' }), main()] }],
  ['a cut reply that was asked for again', 'finished', { calls: [main(CUT), main(), main({}, 'a')] }],
  ['a cut reply whose retry was cut once more', 'finished', { calls: [main(CUT), main(CUT), main()] }],
  ['a hang that the scaffold gave up and retried', 'finished', { calls: [main(HANG), main()] }],
  ['an overflow that was compacted', 'finished', { calls: [main({}), main(OVERFLOW, 'a'), side(), main({}, 'sum')] }],
  // time
  ['wall limit between calls', 'timed_out(wall)', { calls: [main()], exits: [null], stopped: 'wall', endedAt: 30_000 }],
  ['silence', 'timed_out(silence)', { calls: [main()], exits: [null], stopped: 'silence', endedAt: 12_000 }],
  [
    'wall limit in the middle of a reply that flows',
    'timed_out(wall)',
    {
      calls: [main(), { ...main({ ...CUT, end: 'client_gone' }, 'a'), at: 29_000, until: 29_990 }],
      exits: [null],
      stopped: 'wall',
      endedAt: 30_000,
    },
  ],
  [
    'wall limit after a reply just asked for',
    'timed_out(wall)',
    { calls: [main(), { ...main(HANG, 'a'), at: 29_500 }], exits: [null], stopped: 'wall', endedAt: 30_000 },
  ],
  // limits
  [
    'the proxy’s limit on calls, whatever the exit code',
    'limit_reached(calls)',
    { calls: [main()], exits: [1], endpointEnd: { outcome: 'limit_reached', reason: 'calls', message: '300 calls' } },
  ],
  [
    'a model that was not declared',
    'limit_reached(model_not_allowed)',
    {
      calls: [main()],
      stopped: 'endpoint',
      endpointEnd: { outcome: 'limit_reached', reason: 'model_not_allowed', message: 'gpt' },
    },
  ],
  ['output', 'limit_reached(output)', { calls: [main()], session: { end: 'aborted', limit: 'output' } }],
  ['disk', 'limit_reached(disk)', { calls: [main()], session: { end: 'aborted', limit: 'disk' } }],
  ['137 with an OOM kill', 'limit_reached(memory)', { calls: [main()], exits: [137], steps: [{ oomKilled: true }] }],
  [
    'the kernel’s word with a signal',
    'limit_reached(memory)',
    { calls: [main()], exits: ['SIGKILL'], session: { limit: 'memory' } },
  ],
  ['memory that one child ran out of', 'finished', { calls: [main()], session: { limit: 'memory' } }],
  [
    'an overflow that ended it',
    'limit_reached(context_overflow)',
    { calls: [main(), main(OVERFLOW, 'a'), main(OVERFLOW, 'a')], exits: [1] },
  ],
  [
    'an overflow after which the scaffold never exits',
    'limit_reached(context_overflow)',
    { calls: [main(OVERFLOW)], exits: [null], stopped: 'wall', endedAt: 30_000 },
  ],
  // infrastructure
  ['529 to the end', 'infra_failed(upstream_529)', { calls: TWELVE, exits: [1] }],
  ['429 to the end, exit code 0', 'infra_failed(upstream_429)', { calls: [main(failed(429, 'rate_limit_error'))] }],
  [
    '500 retried until the wall',
    'infra_failed(upstream_500)',
    { calls: [main(failed(500))], exits: [null], stopped: 'wall', endedAt: 30_000 },
  ],
  [
    '500 in back-off when silent',
    'infra_failed(upstream_500)',
    { calls: [main(), main(failed(500), 'a')], exits: [null], stopped: 'silence' },
  ],
  [
    'reset to the end',
    'infra_failed(upstream_reset)',
    { calls: [main({ none: true, end: 'upstream_reset' })], exits: [1] },
  ],
  [
    'an upstream that timed out',
    'infra_failed(upstream_stall)',
    { calls: [main({ none: true, end: 'upstream_timeout' })], exits: [1] },
  ],
  [
    'a hang until the wall',
    'infra_failed(upstream_stall)',
    { calls: [main(HANG)], exits: [null], stopped: 'wall', endedAt: 30_000 },
  ],
  [
    'a stall in the middle of a reply until the wall',
    'infra_failed(upstream_stall)',
    {
      calls: [{ ...main({ ...CUT, end: 'client_gone' }), until: 900 }],
      exits: [null],
      stopped: 'wall',
      endedAt: 30_000,
    },
  ],
  [
    'an upstream that never ends',
    'infra_failed(endless_upstream)',
    {
      calls: [{ ...main({ ...CUT, end: 'client_gone' }), until: 29_999 }],
      exits: [null],
      stopped: 'wall',
      endedAt: 30_000,
    },
  ],
  ['a cut reply that was the last (exit code 0)', 'infra_failed(truncated_reply)', { calls: [main(), main(CUT, 'a')] }],
  ['a reply that ends cleanly without its end', 'infra_failed(truncated_reply)', { calls: [main({ cut: 60 })] }],
  [
    'a cut reply that was used and built upon',
    'infra_failed(truncated_reply)',
    { calls: [main(CUT), main({}, 'part'), main({}, 'part', 'b')] },
  ],
  ['an empty reply', 'infra_failed(truncated_reply)', { calls: [main({ cut: 1e9 })] }],
  ['no call, exit code 0', 'infra_failed(no_call)', { calls: [], exits: [0] }],
  ['no call, exit code 1', 'infra_failed(no_call)', { calls: [], exits: [1] }],
  ['no call until the watchdog', 'infra_failed(no_call)', { calls: [], exits: [null], stopped: 'first_call' }],
  ['side calls only', 'infra_failed(no_call)', { calls: [side(), side()], exits: [1] }],
  [
    'a second query that hangs before its first call',
    'infra_failed(no_call)',
    { calls: [main()], exits: [0, null], stopped: 'silence', endedAt: 20_000 },
  ],
  ['a second query that ends without a call', 'infra_failed(no_call)', { calls: [main()], exits: [0, 0] }],
  [
    'a workspace that cannot be written',
    'infra_failed(workspace_not_writable)',
    { calls: [], exits: [], session: { end: 'lost', lost: 'workspace_not_writable', message: 'x' } },
  ],
  [
    'a proxy that does not answer',
    'infra_failed(proxy_unreachable)',
    { calls: [], exits: [], session: { end: 'lost', lost: 'proxy_unreachable' } },
  ],
  ['a sandbox that died', 'infra_failed(sandbox_died)', { calls: [main()], exits: [0], session: { end: 'lost' } }],
  // the scaffold
  [
    '400',
    'scaffold_failed(provider_400)',
    { calls: [main(failed(400, 'invalid_request_error', 'bad field'))], exits: [1] },
  ],
  [
    '401 retried until the wall',
    'scaffold_failed(provider_401)',
    { calls: [main(failed(401))], exits: [null], stopped: 'wall' },
  ],
  [
    '400 after which the scaffold never exits',
    'scaffold_failed(provider_400)',
    { calls: [main(failed(400, 'x', 'bad'))], exits: [null], stopped: 'silence' },
  ],
  ['exit code 1 after whole replies', 'scaffold_failed(exit_1)', { calls: [main(), main({}, 'a')], exits: [1] }],
  ['137 without an OOM kill', 'scaffold_failed(exit_137)', { calls: [main()], exits: [137] }],
  ['a signal', 'scaffold_failed(signal_SIGSEGV)', { calls: [main()], exits: ['SIGSEGV'] }],
  [
    'exit code 1 at the second query',
    'scaffold_failed(exit_1)',
    { calls: [main(), { ...main({}, 'a'), at: 3000 }], exits: [0, 1] },
  ],
  [
    'a crash in the middle of a reply',
    'scaffold_failed(exit_1)',
    { calls: [main(), main({ ...CUT, end: 'client_gone' }, 'a')], exits: [1] },
  ],
  [
    'a session whose id was never printed',
    'scaffold_failed(session_lost)',
    { calls: [main()], exits: [0], queries: 2 },
  ],
  [
    'a script that does not fit',
    'scaffold_failed(script_mismatch)',
    {
      calls: [main()],
      stopped: 'endpoint',
      endpointEnd: { outcome: 'scaffold_failed', reason: 'script_mismatch', message: 'x' },
    },
  ],
  // the user
  ['Ctrl-C', 'cancelled(interrupted)', { calls: [main()], exits: [null], stopped: 'cancelled' }],
  [
    'Ctrl-C while the sandbox died',
    'cancelled(interrupted)',
    { calls: [], exits: [], stopped: 'cancelled', session: { end: 'lost' } },
  ],
];

describe('decideOutcome', () => {
  it.each(TABLE)('%s: %s', (_, expected, c) => {
    expect(outcome(c)).toBe(expected);
  });

  it('never lets an exit code alone decide that a rollout finished or failed', () => {
    for (const code of [0, 1, 2, 126, 137]) {
      expect(outcome({ calls: [main(OVERLOADED)], exits: [code] })).toBe('infra_failed(upstream_529)');
      expect(outcome({ calls: [main(CUT)], exits: [code] })).toBe('infra_failed(truncated_reply)');
      expect(outcome({ calls: [], exits: [code] })).toBe('infra_failed(no_call)');
    }
  });

  it('does not ask what a request was for when every reply is whole, but for the last ones', () => {
    let asked = 0;
    const calls = Array.from({ length: 200 }, (_, i) => main({}, ...Array.from({ length: i }, () => 'a')));
    const evidence = evidenceOf({ calls, endedAt: 30_000 });
    const counted = evidence.exchanges.map((e) => ({
      ...e,
      role: () => {
        asked++;
        return e.role();
      },
    }));
    expect(decideOutcome({ ...evidence, exchanges: counted }).outcome).toBe('finished');
    expect(asked).toBeLessThan(5);
  });
});
