import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  bytesOf,
  decode,
  minimal,
  names,
  play,
  Session,
  said,
  send,
  TOOLS,
  TWO_QUERIES,
} from '../../../test/fixtures/recording/scripted.ts';
import type { DecodedReply } from '../../wire/schema.ts';
import type { AttemptEnd } from '../schema.ts';
import { UpstreamError } from './error.ts';

test('a session of three queries is played turn by turn, with ids, thinking and the dialect’s own tools', async () => {
  const session = new Session(play(TWO_QUERIES)).ask('Fix the cart');
  const first = await session.turn();
  expect(first.blocks.map((b) => b.type)).toEqual(['thinking', 'text', 'tool_call', 'tool_call']);
  expect(first.blocks[2]).toMatchObject({ name: 'Read', input: { file_path: '/work/repo/src/cart.ts' } });
  expect(first.stop).toBe('tool_use');
  expect(names(await session.turn())).toEqual(['Edit']);
  const end = await session.turn();
  expect([said(end), end.stop]).toEqual(['First done.', 'end_turn']);
  expect(said(await session.ask('And?').turn())).toBe('Just an answer.');
  expect(names(await session.ask('Test it').turn())).toEqual(['Bash']);
  expect(said(await session.turn())).toBe('Third done.');
});

test('the same request gets the same answer, streamed or whole, whatever came between', async () => {
  const session = new Session(play(TWO_QUERIES)).ask('Fix');
  const early = session.body();
  const first = await bytesOf(await send(session.model, early));
  await session.turn();
  await session.turn();
  await session.turn();
  expect(await bytesOf(await send(session.model, early))).toEqual(first);
  const whole = await decode(await send(session.model, { ...(early as object), stream: undefined }));
  expect(whole).toMatchObject({ outcome: 'complete', events: 0 });
  expect(whole.blocks).toEqual((await decode(await send(session.model, early))).blocks);
});

test('after a compaction the script goes on where it was', async () => {
  const session = new Session(play(TWO_QUERIES)).ask('Fix');
  await session.turn();
  await session.turn();
  const compact = await decode(
    await send(session.model, {
      model: 'm',
      stream: true,
      tools: [],
      system: 'x',
      messages: [...session.messages, { role: 'user', content: 'Your task is to create a detailed summary of it' }],
    }),
  );
  const summary = said(compact);
  expect(summary).toContain('<summary>');
  session.messages.splice(0);
  session.ask(`This session is being continued. ${summary}`);
  expect(said(await session.turn())).toBe('First done.');
  expect(said(await session.ask('And?').turn())).toBe('Just an answer.');
  // Kilo keeps the summary as an assistant's message.
  session.messages.splice(0);
  await decode(
    await send(session.model, {
      model: 'm',
      stream: true,
      tools: [],
      messages: [{ role: 'user', content: 'Your task is to create a detailed summary' }],
    }),
  );
  session.messages.push({ role: 'user', content: 'What did we do?' }, { role: 'assistant', content: summary });
  expect(names(await session.ask('Test it').turn())).toEqual(['Bash']);
});

test('side calls have answers that scaffolds can read, and the script’s own word where it has one', async () => {
  const model = play('script: 1\nqueries: [[{ say: a }]]\nauxiliary: { warmup: Warm. }');
  const side = async (system: string, user: string): Promise<string> =>
    said(
      await decode(
        await send(model, { model: 's', stream: true, tools: [], system, messages: [{ role: 'user', content: user }] }),
      ),
    );
  expect(await side('x', 'Warmup')).toBe('Warm.');
  expect(await side('You are an expert at analyzing git history', 'x')).toMatch(/^\S+$/);
  expect(await side('Extract any file paths that this command reads', 'cat a')).toContain('<filepaths>');
  const count = await send(model, { messages: [] }, 'anthropic', '/v1/messages/count_tokens?beta=true');
  expect(JSON.parse((await bytesOf(count)).toString())).toEqual({ input_tokens: expect.any(Number) });
});

test('a subagent plays its own lines, found by the prompt it was given', async () => {
  const yaml = `script: 1
queries:
  - - do: [ { subagent: { type: explore, prompt: Find all users of cart } } ]
    - say: Main done.
subagents:
  explore: [ { do: [ { search: { pattern: cart } } ] }, { say: Nobody uses it. } ]
`;
  const model = play(yaml);
  const main = new Session(model).ask('Go');
  const started = await main.turn(() => ({ text: 'Nobody uses it.' }));
  expect(names(started)).toEqual(['Task']);
  const agent = new Session(model).ask('Find all users of cart');
  agent.tools = TOOLS.filter((t) => t !== 'Task');
  agent.system = 'You are an agent for Claude Code';
  expect(names(await agent.turn())).toEqual(['Grep']);
  expect(said(await agent.turn())).toBe('Nobody uses it.');
  expect(said(await main.turn())).toBe('Main done.');
  const stranger = new Session(model).ask('Something else');
  stranger.tools = agent.tools;
  stranger.system = agent.system;
  expect((await stranger.turn()).error?.status).toBe(400);
});

const mismatchOf = async (session: Session): Promise<{ ends: AttemptEnd | undefined; reply: DecodedReply }> => {
  const reply = await send(session.model, session.body());
  const ends = reply.ends;
  return { ends, reply: await decode(reply) };
};

test.each<[string, string, { text: string; error?: boolean }, RegExp | null]>([
  ['holds', '{ ok: true, output: { regex: "(?i)0 FAILED" } }', { text: '12 passed, 0 failed' }, null],
  [
    'wants success',
    '{ ok: true }',
    { text: 'boom', error: true },
    /`npm test` in query 0, turn 0: expected ok: true, got ok: false with output "boom"/,
  ],
  ['wants failure', '{ ok: false }', { text: 'fine' }, /expected ok: false, got ok: true/],
  ['wants a text', '{ output: "0 failed" }', { text: '1 failed' }, /expected output with "0 failed", got "1 failed"/],
  ['wants all of a list', '{ output: { has: [a, b] } }', { text: 'a' }, /expected output with "b"/],
  [
    'wants a pattern',
    '{ output: { regex: "^0 failed$", flags: m } }',
    { text: '10 failed' },
    /expected output matching/,
  ],
])('an expectation that %s', async (_, expectation, result, message) => {
  const session = new Session(
    play(`script: 1\nqueries:\n- - do: [ { run: { command: npm test, expect: ${expectation} } } ]\n  - say: Done\n`),
  ).ask('Go');
  await session.turn(() => result);
  const { ends, reply } = await mismatchOf(session);
  if (message === null) {
    expect(ends).toBeUndefined();
    expect(said(reply)).toBe('Done');
    return;
  }
  expect(ends).toMatchObject({
    outcome: 'scaffold_failed',
    reason: 'script_mismatch',
    message: expect.stringMatching(message),
  });
  expect(reply.error).toMatchObject({ status: 400, retryable: false, message: expect.stringMatching(message) });
});

test('a script that is over, and a tool that is not offered, end the attempt', async () => {
  const session = new Session(play('script: 1\nqueries: [[{ say: Done }]]')).ask('Go');
  await session.turn();
  expect((await mismatchOf(session.ask('More?'))).ends?.message).toMatch(/the script is over after 1 turns/);
  const lacking = new Session(play('script: 1\nqueries: [[{ do: [ { todo: { items: [] } } ] }, { say: x }]]')).ask(
    'Go',
  );
  lacking.tools = ['Task', 'Read'];
  expect((await mismatchOf(lacking)).ends?.message).toMatch(/no tool for "todo" among: Task, Read/);
});

test('a tool that has to be searched for first costs a turn of its own, once', async () => {
  const session = new Session(play(TWO_QUERIES, { dialect: minimal(true) })).ask('Go');
  const first = await session.turn();
  expect(first.blocks.map((b) => b.type)).toEqual(['tool_call', 'tool_call']);
  expect(names(first)).toEqual(['search_tool', 'search_tool']);
  session.tools = [...TOOLS, 'act'];
  const second = await session.turn();
  expect([said(second), names(second)]).toEqual(['I will read.', ['act', 'act']]);
  expect(names(await session.turn())).toEqual(['act']);
  const stuck = new Session(play(TWO_QUERIES, { dialect: minimal(true) })).ask('Go');
  await stuck.turn();
  expect((await mismatchOf(stuck)).ends?.message).toMatch(/did not help/);
});

test.each<[string, number, string]>([
  ['429', 429, 'rate_limit_error'],
  ['529', 529, 'overloaded_error'],
  ['500', 500, 'api_error'],
])('fault %s strikes once, then the turn is answered', async (kind, status, type) => {
  const session = new Session(play(`${TWO_QUERIES}faults: [{ at: [0, 1], kind: ${kind} }]`)).ask('Go');
  await session.turn();
  const failed = await session.turn();
  expect(failed.error).toMatchObject({ status, type, retryable: true });
  expect(names(await session.turn())).toEqual(['Edit']);
});

test('cut, reset and hang never look like an end', async () => {
  const faulty = (kind: string): Session =>
    new Session(play(`${TWO_QUERIES}faults: [{ at: [0, 0], kind: ${kind} }]`)).ask('Go');
  const cut = await send(faulty('cut').model, faulty('cut').body());
  await expect(bytesOf(cut)).rejects.toThrow(UpstreamError);
  await expect(send(faulty('reset').model, faulty('reset').body())).rejects.toThrow(UpstreamError);
  const leave = new AbortController();
  const hanging = send(faulty('hang').model, faulty('hang').body(), 'anthropic', undefined, leave.signal);
  const state = await Promise.race([
    hanging.then(
      () => 'answered',
      () => 'failed',
    ),
    wait(50).then(() => 'hanging'),
  ]);
  expect(state).toBe('hanging');
  leave.abort();
  await expect(hanging).rejects.toThrow(UpstreamError);
});
