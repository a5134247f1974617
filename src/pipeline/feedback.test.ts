import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Check, Checklist } from '../checklist/schema.ts';
import { type FailedCheck, feedbackOf, withFeedback } from './feedback.ts';
import { holdsLiteral, ruleLiterals } from './feedback-literals.ts';

const LONG = process.env.OCTOBENCH_LONG === '1';
const check = (id: string, description: string, verify?: unknown): Check => ({
  id,
  description,
  type: 'compliance',
  ...(verify === undefined ? {} : { verify: { json: verify, at: null } }),
});
const listOf = (checks: Check[]): Checklist => ({
  categories: [{ category: 'Agents.md', raw: 'Agents.md', description: '', checks }],
});
const failed = (c: Check, quote?: string): FailedCheck => ({
  check: c,
  category: 'Agents.md',
  evidence: quote === undefined ? [] : [{ thread: 'main', turn: 2, quote }],
});

test('says what was wanted, where it stood and what happened', () => {
  const c = check('x', 'Check whether the assistant never read a file in the shell.', {
    never: { command: any(), does: ['read'], in: 'all' },
  });
  const text = feedbackOf([failed(c, 'cat greeting.txt')], listOf([c]), []);
  expect(text).toContain('The assistant never read a file in the shell');
  expect(text).toContain("the project's instruction file");
  expect(text).toContain('What happened: cat greeting.txt');
});
const any = (): string => 'any';

describe('literals of rules', () => {
  const c = check('x', 'Check whether the assistant named the file farewell.txt.', {
    use: 'created',
    path: 'farewell.txt',
  });

  test('are not given away', () => {
    const text = feedbackOf([failed(c)], listOf([c]), ['Add a file.']);
    expect(text).not.toContain('farewell.txt');
    expect(text).toContain("An instruction of the project's instruction file was not followed.");
  });
  test('may be said when the agent was told them', () => {
    expect(feedbackOf([failed(c)], listOf([c]), ['Add a file farewell.txt.'])).toContain('farewell.txt');
  });
  test('of one check are not given away by the words on another', () => {
    const other = check('y', 'Check whether the assistant left farewell.txt alone.');
    expect(feedbackOf([failed(other)], listOf([other, c]), [])).not.toContain('farewell.txt');
  });
  test('are what the author wrote, and the plain parts of patterns; not the words of the rule language', () => {
    const found = ruleLiterals({
      every: { command: 'git', sub: 'commit', in: 'all' },
      must: { commit_title: { regex: '^(feat|fix)(\\([a-z]+\\))?: ' }, text: { words: '<=300' } },
    });
    expect([...found]).toEqual(expect.arrayContaining(['git', 'feat', 'fix', '300', '<=300']));
    expect([...ruleLiterals({ never: { action: ['write'], does: ['read'], in: 'all' } })]).toEqual([]);
  });
  test('are found as words: en is no part of then', () => {
    expect(holdsLiteral('then', 'en')).toBe(false);
    expect(holdsLiteral('Say it in EN.', 'en')).toBe(true);
    expect(holdsLiteral('a.b--x', '--x')).toBe(true);
  });
});

test('no literal of a verify occurs in the feedback unless it occurs in the sources', () => {
  const words =
    'farewell.txt review attempt instructions follow them 3 -- Wanted: pnpm ## request What happened the'.split(' ');
  const word = fc.oneof(fc.constantFrom(...words), fc.string({ minLength: 1, maxLength: 6 }));
  const sentence = fc.array(word, { maxLength: 8 }).map((w) => w.join(' '));
  const rule = fc.oneof(
    word.map((w) => ({ some: { change: w } })),
    fc.tuple(word, word).map((w) => ({ never: { say: 'any', text: { has: w } } })),
    word.map((w) => ({ every: { command: w }, must: { args: [w] } })),
    fc.nat(20).map((n) => ({ last: { say: 'any' }, must: { text: { words: n } } })),
  );
  const checks = fc.array(fc.record({ description: sentence, rule, quote: fc.option(sentence) }), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(checks, fc.array(sentence, { maxLength: 3 }), (made, sources) => {
      const list = made.map((m, i) => check(`c${i}`, `Check whether the assistant ${m.description}`, m.rule));
      const text = feedbackOf(
        list.map((c, i) => failed(c, made[i]?.quote ?? undefined)),
        listOf(list),
        sources,
      );
      for (const { rule: own } of made) {
        for (const literal of ruleLiterals(own)) {
          if (sources.some((s) => holdsLiteral(s, literal))) continue;
          expect(holdsLiteral(text ?? '', literal)).toBe(false);
        }
      }
    }),
    { numRuns: LONG ? 20_000 : 300 },
  );
});

test('feedback stands after the first query', () => {
  expect(withFeedback(['Do it.', 'And that.'], 'Careful.')).toEqual(['Do it.\n\nCareful.', 'And that.']);
});
