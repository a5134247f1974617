import { describe, expect, it } from 'vitest';
import { ask, assistant, callsOf, reply, result, SUB_TOOLS, use, user } from '../../test/fixtures/trajectory/calls.ts';
import { testDialect } from '../../test/fixtures/trajectory/dialect.ts';
import { withActions } from './actions.ts';
import { normalizeCalls } from './normalize.ts';
import type { Trajectory } from './schema.ts';
import { givenText, judgingView } from './view.ts';

const LONG = Array.from({ length: 3000 }, (_, i) => `line ${i}`).join('\n');
const task = use('t', 'Task', { prompt: 'Look' });
const SYSTEM = 'You are powered by the model named Big One. The exact model ID is big-1. Be good.';
const trajectory = (): Trajectory =>
  normalizeCalls(
    callsOf([
      {
        request: ask([user('<system-reminder>m1 says hi</system-reminder>', 'I like m1')], { system: SYSTEM }),
        reply: reply({ type: 'thinking', thinking: 'hm', signature: 's' }, 'Starting with m1', task),
      },
      {
        request: ask([user('Look')], { system: 'SUB', tools: SUB_TOOLS }),
        reply: reply(use('r', 'Read', { path: 'a' })),
      },
      {
        request: ask([user('Look'), assistant(use('r', 'Read', { path: 'a' })), user(result('r', LONG))], {
          system: 'SUB',
          tools: SUB_TOOLS,
        }),
        reply: reply('Found'),
      },
      {
        request: ask(
          [
            user('<system-reminder>m1 says hi</system-reminder>', 'I like m1'),
            assistant('Starting with m1', task),
            user(result('t', 'Found')),
          ],
          { system: SYSTEM },
        ),
        reply: reply('Done'),
      },
      { request: ask([user('x')], { system: 'Write a title', tools: [] }), reply: reply('A title') },
    ]),
  ).trajectories[0] as Trajectory;

describe('the judging view', () => {
  const t = trajectory();
  const view = judgingView(t);

  it('indexes turns and folds subagents under their call; auxiliary threads are left out', () => {
    expect(view.sections.map((s) => [s.thread, s.turn, s.depth])).toEqual([
      ['t0', null, 0],
      ['t0', 0, 0],
      ['t1', null, 1],
      ['t1', 0, 1],
      ['t1', 1, 1],
      ['t0', 1, 0],
    ]);
    expect(view.text).not.toContain('A title');
  });

  it('tells reasoning from what the user sees', () => {
    expect(view.text).toMatch(
      /turn 0 · reasoning, not visible to the user\]\nhm\n\[t0 · turn 0 · assistant, visible to the user\]\nStarting/,
    );
  });

  it('cuts long results in the middle, says what is left out, and shows it when asked', () => {
    const section = view.sections.find((s) => s.thread === 't1' && s.turn === 0)?.text ?? '';
    const mark = /([\d,]+) of ([\d,]+) characters left out: show\(turn=0, from=(\d+), to=(\d+), thread=t1\)/.exec(
      section,
    );
    expect(mark?.slice(1, 3)).toEqual([
      (LONG.length - 5000).toLocaleString('en-US'),
      LONG.length.toLocaleString('en-US'),
    ]);
    const shown = view.show(0, { from: Number(mark?.[3]), to: Number(mark?.[4]) }, 't1');
    expect(shown).toBe(LONG.slice(2500, -2500));
    expect(view.show(0, undefined, 't1')).toContain(LONG);
    expect(view.show(7)).toBeNull();
    expect(view.show(0, undefined, 'nope')).toBeNull();
  });

  it('never cuts a character in two', () => {
    for (const max of [10, 11]) expect(judgingView(t, { maxResult: max, maxText: max }).text.isWellFormed()).toBe(true);
    const emoji = structuredClone(t);
    for (const thread of emoji.threads)
      for (const s of thread.segments)
        for (const m of s.messages) for (const b of m.blocks) if (b.type === 'text') b.text = '😀'.repeat(50);
    for (const max of [10, 11, 12, 13])
      expect(judgingView(emoji, { maxResult: max, maxText: max }).text.isWellFormed()).toBe(true);
  });

  it('masks names of models in system and reminder blocks, never in what was said', () => {
    expect(view.text).toContain('powered by the model named [model]. The exact model ID is [model]. Be good.');
    expect(view.text).toContain('<system-reminder>[model] says hi</system-reminder>');
    expect(view.text).toContain('I like m1');
    expect(view.text).toContain('Starting with m1');
    expect(judgingView(t, { mask: false }).text).toContain('Big One');
    expect(judgingView(t, { mask: ['Be good'] }).text).not.toContain('Be good');
  });

  it('carries a mark in its headings', () => {
    const marked = judgingView(t, { mark: 'k7f3' }).text;
    expect(marked).toContain('[k7f3 t0 · turn 1 · assistant');
  });
});

describe('givenText', () => {
  it('has material by label, each piece once', () => {
    const t = withActions(trajectory(), testDialect);
    expect(givenText(t, ['query'])).toEqual(['I like m1', 'Look']);
    expect(givenText(t, ['system_prompt'], 't0')).toEqual([SYSTEM]);
  });
});
