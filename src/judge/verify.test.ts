import { describe, expect, test } from 'vitest';
import { build, check, edit, read, shell, write } from '../../test/fixtures/judge/builder.ts';
import type { Check, Checklist } from '../checklist/schema.ts';
import type { JudgeAnswer } from './schema.ts';
import { tryRule, verify, verifyAll } from './verify.ts';
import { workspaceNeeds } from './workspace.ts';

const named = (id: string, verifyRule: unknown, more: Partial<Check> = {}): Check => ({
  ...check(verifyRule),
  id,
  ...more,
});
const listOf = (...checks: Check[]): Checklist => ({
  categories: [{ category: 'SP', raw: 'SP', description: '', checks }],
});
const answer = (verdict: JudgeAnswer['verdict']): JudgeAnswer => ({
  verdict,
  reason: 'because',
  evidence: [{ thread: 'main', turn: 0, quote: 'x' }],
});
const on = build([{ do: [read('a.ts')] }, { do: [write('b.md', '# b')] }, { say: 'Done.' }]);

describe('evidence', () => {
  test('a broken prohibition shows the events', () => {
    expect(verify(on, check({ never: { action: 'write' } }))).toMatchObject({
      verdict: 'fail',
      by: 'program',
      evidence: [{ thread: 'main', turn: 1, toolCall: 'call_1', path: 'b.md' }],
      reason: expect.stringContaining('b.md'),
    });
  });
  test('a missing act tells what was searched', () => {
    expect(verify(on, check({ some: { action: 'edit' } }))).toMatchObject({
      verdict: 'fail',
      evidence: [],
      reason: 'none found among 2 actions in main',
      events: 2,
    });
  });
  test('a success shows the first and the number seen', () => {
    const verdict = verify(on, check({ every: { action: 'any' }, must: { ok: true } }));
    expect(verdict).toMatchObject({ verdict: 'success', events: 2, evidence: [{ turn: 0, path: 'a.ts' }] });
  });
  test('a quote stands in the text it is from', () => {
    const long = `${'Line of text. '.repeat(50)}Great question! ${'More text. '.repeat(50)}`;
    const said = build([{ say: long }]);
    const [first] = verify(said, check({ never: { say: { has: 'great question' } } })).evidence;
    expect(long).toContain(first?.quote);
    expect(first?.quote).toContain('Great question');
  });
});

describe('handing on', () => {
  const justified = {
    or: [{ never: { action: 'write' } }, { judge: 'Was each justified?', facts: [{ action: 'write' }] }],
  };
  const well = { and: [{ some: { action: 'edit' } }, { judge: 'Was it done well?' }] };

  test('if the rest decides, nobody is asked', () => {
    const { verdicts, open } = verifyAll(
      build([{ do: [read('a.ts')] }]),
      listOf(named('j', justified), named('w', well)),
    );
    expect(verdicts.map((v) => v.verdict)).toEqual(['success', 'fail']);
    expect(open).toEqual([]);
  });

  test('else the question goes on, with the facts', () => {
    const { verdicts, open } = verifyAll(on, listOf(named('j', justified)));
    expect(verdicts[0]).toMatchObject({ verdict: 'unscored', by: 'program' });
    expect(open).toEqual([
      {
        check: 'j',
        question: 'Was each justified?',
        facts: [{ thread: 'main', turn: 1, toolCall: 'call_1', path: 'b.md' }],
      },
    ]);
  });

  test("an answer decides what is left, and the verdict is the judge's", () => {
    const of = (verdict: JudgeAnswer['verdict']) =>
      verify(on, named('j', justified), { answers: { j: { 'Was each justified?': answer(verdict) } } });
    expect(of('success')).toMatchObject({ verdict: 'success', by: 'llm', evidence: [{ quote: 'x' }] });
    expect(of('fail')).toMatchObject({ verdict: 'fail', by: 'llm' });
    expect(of('unscored')).toMatchObject({ verdict: 'unscored' });
  });

  test('an answer never overrules the program', () => {
    const answers = { w: { 'Was it done well?': answer('success') } };
    expect(verify(on, named('w', well), { answers })).toMatchObject({ verdict: 'fail', by: 'program' });
  });

  test('the condition of a check may be a question too', () => {
    const when = named('c', { never: { action: 'write' } }, { when: { json: { judge: 'Was it asked?' }, at: null } });
    expect(verifyAll(on, listOf(when)).open.map((q) => q.question)).toEqual(['Was it asked?']);
    const asked = (v: JudgeAnswer['verdict']) => verify(on, when, { answers: { c: { 'Was it asked?': answer(v) } } });
    expect(asked('success')).toMatchObject({ verdict: 'fail', by: 'llm' });
    expect(asked('fail')).toMatchObject({ verdict: 'not_applicable', by: 'llm' });
  });
});

describe('checklists', () => {
  test('checks of other scaffolds are left out', () => {
    const list = listOf(
      named('a', { some: { action: 'read' } }, { scaffolds: ['kilo'] }),
      named('b', { some: { action: 'read' } }),
    );
    expect(verifyAll(on, list, { scaffold: 'claude-code' }).verdicts.map((v) => v.check)).toEqual(['b']);
    expect(verifyAll(on, list, { scaffold: 'kilo' }).verdicts.map((v) => v.check)).toEqual(['a', 'b']);
  });
  test('a check without a rule has no judge here', () => {
    const { verdicts } = verifyAll(on, listOf({ id: 'x', description: 'Is it clear?', type: null }));
    expect(verdicts[0]).toMatchObject({
      verdict: 'unscored',
      category: 'SP',
      reason: expect.stringMatching(/^no_judge/),
    });
  });
});

describe('workspace', () => {
  const file = { workspace: { file: 'docs/*.md', text: { has: 'usage' }, lines: '<=3' } };
  const tests = { workspace: { run: 'npm test', output: { regex: '0 failed' } } };
  const list = listOf(named('f', file), named('t', tests), named('again', { not: file }));
  const [needFile, needRun, ...rest] = workspaceNeeds(list);

  test('what is needed is asked for once', () => {
    expect(rest).toEqual([]);
    expect([needFile?.is, needRun?.is]).toEqual(['file', 'run']);
  });
  test('not to be had is unscored', () => {
    expect(verifyAll(on, list).verdicts.map((v) => v.verdict)).toEqual(['unscored', 'unscored', 'unscored']);
  });
  test('answers decide', () => {
    const of = (text: string, output: string) => {
      const workspace = {
        [needFile?.key ?? '']: { files: [{ rel: 'docs/a.md', text }] },
        [needRun?.key ?? '']: { exit: 0, output },
      };
      return verifyAll(on, list, { workspace }).verdicts.map((v) => v.verdict);
    };
    expect(of('# Usage\nx', '3 passed, 0 failed')).toEqual(['success', 'success', 'fail']);
    expect(of('# Other', '1 failed')).toEqual(['fail', 'fail', 'success']);
    expect(of('# Usage\n1\n2\n3', '0 failed')).toEqual(['fail', 'success', 'success']);
  });
});

test('a rule can be tried without a check', () => {
  expect(tryRule(on, { never: { action: 'write' } })).toMatchObject({ truth: 'F', evidence: [{ path: 'b.md' }] });
  expect(tryRule(on, { nevr: 1 })).toMatchObject({ problems: [{ path: [] }] });
});

test('hostile texts are read in time that grows with their length', { timeout: 30_000 }, () => {
  const hostile = ['"', '`', '*', '<a', 'a@', '```\n', '- ', '( a'].map((part) => part.repeat(20_000));
  const rules = [
    { use: 'reply_language', is: 'zh' },
    { use: 'no_emoji' },
    { use: 'final_text', sentences: '<=3', words: '<=9' },
    { use: 'no_closing_question' },
    { use: 'no_leak' },
    { never: { say: { regex: '(a+)+$' } } },
  ];
  for (const text of hostile) {
    const said = build([{ say: text }, { do: [edit('a.ts'), shell('ls')] }]);
    for (const rule of rules) expect(verify(said, check(rule)).check).toBe('check');
  }
});
