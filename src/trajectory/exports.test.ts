import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ask,
  assistant,
  type CallSketch,
  callsOf,
  reply,
  result,
  SUB_TOOLS,
  use,
  user,
} from '../../test/fixtures/trajectory/calls.ts';
import { checkAtif } from './check-atif.ts';
import { toMarkdown } from './export-markdown.ts';
import { toReferenceLog } from './export-reference.ts';
import { fromAtif } from './from-atif.ts';
import { fromClaudeTranscript } from './import-claude-transcript.ts';
import { normalizeCallStream, normalizeCalls } from './normalize.ts';
import { fromReferenceLog } from './reference-log.ts';
import type { Trajectory } from './schema.ts';
import { readTrajectory, writeTrajectory } from './store.ts';
import { toAtif } from './to-atif.ts';

const task = use('t', 'Task', { prompt: 'Look' });
const read = use('r', 'Read', { path: 'a' });
const sub = { system: 'SUB', tools: SUB_TOOLS };
const sketches: CallSketch[] = [
  { request: ask([user('Go')]), reply: reply({ type: 'thinking', thinking: 'hm', signature: 's' }, 'Starting', task) },
  { request: ask([user('Look')], sub), reply: reply(read) },
  {
    request: ask([user('Look'), assistant(read), user(result('r', 'no', { is_error: true }))], sub),
    reply: reply('Found ```x``` </details>'),
  },
  {
    request: ask([user('Go'), assistant('Starting', task), user(result('t', 'Found ```x``` </details>'), 'and hurry')]),
    reply: reply('Done'),
  },
  {
    request: ask([
      user('Go'),
      assistant('Starting', task),
      user(result('t', 'Found ```x``` </details>'), 'and hurry'),
      assistant('Done'),
      user('More'),
    ]),
    reply: reply('Yes'),
  },
];
const trajectory = (list = sketches): Trajectory => normalizeCalls(callsOf(list)).trajectories[0] as Trajectory;

/** What every thread said and got, without what only the wire knows. */
const essence = (t: Trajectory): unknown =>
  t.threads.map((thread) => ({
    role: thread.role,
    parent: thread.parent?.toolCall ?? null,
    messages: thread.segments.flatMap((s) =>
      s.messages.map((m) => [
        m.role,
        m.turn,
        m.query,
        m.blocks.map((b) => (b.type === 'thinking' ? { type: b.type, text: b.text } : b)),
      ]),
    ),
  }));

describe('ATIF', () => {
  it('is valid by its published rules, and nests subagents', () => {
    const atif = toAtif(trajectory());
    expect(checkAtif(JSON.parse(JSON.stringify(atif)))).toEqual([]);
    expect(atif.steps.map((s) => s.source)).toEqual(['system', 'user', 'agent', 'user', 'agent', 'user', 'agent']);
    expect(atif.steps[2]).toMatchObject({
      reasoning_content: 'hm',
      tool_calls: [{ tool_call_id: 't', function_name: 'Task' }],
      observation: { results: [{ source_call_id: 't', subagent_trajectory_ref: [{ trajectory_id: 'a1/0/t1' }] }] },
      metrics: { prompt_tokens: 10, completion_tokens: 5 },
    });
    expect(atif.subagent_trajectories?.map((s) => s.trajectory_id)).toEqual(['a1/0/t1']);
  });

  it('comes back as the same threads', () => {
    const problems: unknown[] = [];
    const back = normalizeCalls(fromAtif(JSON.stringify(toAtif(trajectory())), { onProblem: (p) => problems.push(p) }));
    expect(problems).toEqual([]);
    expect(essence(back.trajectories[0] as Trajectory)).toEqual(essence(trajectory()));
  });

  it.each<[string, (t: Record<string, unknown>) => void, string]>([
    ['a gap in step ids', (t) => (steps(t)[1] = { ...steps(t)[1], step_id: 7 }), '.steps[1].step_id'],
    [
      'a field of agents on a user step',
      (t) => (steps(t)[1] = { ...steps(t)[1], model_name: 'm' }),
      '.steps[1].model_name',
    ],
    ['an unknown field', (t) => (t.colour = 'red'), '.colour'],
    [
      'a result of no call',
      (t) => (steps(t)[2] = { ...steps(t)[2], tool_calls: [] }),
      '.steps[2].observation.results[0].source_call_id',
    ],
    ['another version', (t) => (t.schema_version = 'ATIF-v2.0'), '.schema_version'],
    ['no steps', (t) => (t.steps = []), '.steps'],
    [
      'a lost subagent',
      (t) => (t.subagent_trajectories = []),
      '.steps[2].observation.results[0].subagent_trajectory_ref[0]',
    ],
    [
      'arguments that are text',
      (t) =>
        (steps(t)[2] = { ...steps(t)[2], tool_calls: [{ tool_call_id: 't', function_name: 'f', arguments: '{}' }] }),
      '.steps[2].tool_calls[0].arguments',
    ],
  ])('the checker finds %s', (_, spoil, field) => {
    const document = JSON.parse(JSON.stringify(toAtif(trajectory()))) as Record<string, unknown>;
    spoil(document);
    expect(checkAtif(document).map((p) => p.field)).toContain(field);
  });

  it('what is no document is reported, not thrown', () => {
    for (const junk of [null, 7, '', '{', [], { steps: [null, 1, { source: 'agent', tool_calls: [3] }] }])
      expect(() => normalizeCalls(fromAtif(junk))).not.toThrow();
  });
});
const steps = (t: Record<string, unknown>): object[] => t.steps as object[];

describe('the reference log', () => {
  it('comes back as the same threads', async () => {
    const lines = [...toReferenceLog(trajectory())].map((line) => JSON.stringify(line));
    const back = await normalizeCallStream(fromReferenceLog(lines));
    expect(essence(back.trajectories[0] as Trajectory)).toEqual(essence(trajectory()));
  });
});

describe('Markdown', () => {
  it('shows every turn in fences that text cannot close', () => {
    const text = toMarkdown(trajectory());
    expect(text).toContain('## Thread t1: subagent, started by call `t` of t0');
    expect(text.match(/^### Turn \d+$/gm)).toHaveLength(5);
    expect(text).toContain('````\nFound ```x``` </details>\n````');
    expect(text).toContain('Result of r, error');
  });
});

describe('transcripts of Claude Code', () => {
  const entry = (type: string, uuid: string, parent: string | null, message: unknown, more: object = {}): string =>
    JSON.stringify({
      type,
      uuid,
      parentUuid: parent,
      sessionId: 'sess',
      timestamp: '2026-01-01T00:00:00.000Z',
      message,
      ...more,
    });
  const said = (id: string, ...content: unknown[]): unknown => ({
    id,
    role: 'assistant',
    model: 'm1',
    content,
    stop_reason: null,
    usage: { input_tokens: 1, output_tokens: 2 },
  });
  const side = { isSidechain: true };

  it('give the threads of the session; a reply cut into lines is one turn', async () => {
    const problems: unknown[] = [];
    const lines = [
      JSON.stringify({ type: 'summary', summary: 'x' }),
      entry('user', 'u1', null, { role: 'user', content: 'Go' }),
      entry('assistant', 'a1', 'u1', said('m1', { type: 'text', text: 'Starting' })),
      entry('assistant', 'a2', 'a1', said('m1', task)),
      entry('user', 's1', null, { role: 'user', content: 'Look' }, side),
      entry('assistant', 's2', 's1', said('m2', { type: 'text', text: 'Found' }), side),
      'not json',
      entry('user', 'u2', 'a2', { role: 'user', content: [result('t', 'Found')] }),
      entry('assistant', 'a3', 'u2', said('m3', { type: 'text', text: 'Done' })),
    ];
    const { trajectories } = await normalizeCallStream(
      fromClaudeTranscript(lines, { onProblem: (p) => problems.push(p) }),
    );
    const t = trajectories[0] as Trajectory;
    expect([t.session, problems.length]).toEqual(['sess', 1]);
    expect(
      t.threads.map((x) => [
        x.role,
        x.parent?.toolCall,
        x.segments[0]?.messages.filter((m) => m.turn !== null).map((m) => m.blocks.length),
      ]),
    ).toEqual([
      ['main', undefined, [2, 1]],
      ['subagent', 't', [1]],
    ]);
  });
});

describe('trajectory.json', () => {
  it('is written and read; another version or no trajectory is refused', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'octobench-trajectory-'));
    try {
      const path = join(dir, 'trajectory.json');
      await writeTrajectory(path, trajectory());
      expect(await readTrajectory(path)).toEqual(JSON.parse(JSON.stringify(trajectory())));
      await writeFile(path, JSON.stringify({ ...trajectory(), version: 2 }));
      await expect(readTrajectory(path)).rejects.toMatchObject({ code: 'input', message: /version 2/ });
      await writeFile(path, '{}');
      await expect(readTrajectory(path)).rejects.toMatchObject({ code: 'input' });
      await expect(readTrajectory(join(dir, 'none.json'))).rejects.toMatchObject({ code: 'input' });
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
