import { describe, expect, it } from 'vitest';
import { wilson } from '../stats/proportion.ts';
import { calibrate } from './calibrate.ts';
import { verdictChanges } from './changes.ts';
import { familyOf } from './families.ts';
import { checksNamed, withHumanVerdict } from './human.ts';
import type { LlmJudge, Verdict, VerdictFile, VerdictValue } from './schema.ts';

const verdict = (check: string, value: VerdictValue, by: Verdict['by'], category = 'SP'): Verdict => ({
  ...{ check, category, verdict: value, by, reason: '', evidence: [] },
});
const llm: LlmJudge = {
  ...{ model: 'one/m', prompt: 'p', promptDigest: 'd', granularity: 'category', settings: {}, ownFamily: false },
};
const file = (judge: string, verdicts: Verdict[], more: Partial<VerdictFile> = {}): VerdictFile => ({
  ...{ version: 1, judge, fingerprint: '', samples: [{ sample: 0, verdicts }] },
  ...more,
});

describe('calibrate', () => {
  const truth = file('program', [
    verdict('a', 'fail', 'program'),
    verdict('b', 'fail', 'program'),
    verdict('c', 'success', 'program', 'Memory'),
    verdict('d', 'not_applicable', 'program'),
    verdict('e', 'unscored', 'program'),
    verdict('f', 'fail', 'program'),
  ]);
  const judged = file(
    'x',
    [
      verdict('a', 'fail', 'llm'),
      verdict('b', 'success', 'llm'),
      verdict('c', 'success', 'llm', 'Memory'),
      verdict('e', 'fail', 'llm'),
    ],
    { llm },
  );
  judged.samples[0]?.verdicts.push(verdict('f', 'unscored', 'llm'));
  if (judged.samples[0] !== undefined) judged.samples[0].also = [verdict('d', 'fail', 'llm')];

  it('counts what the judge says where somebody knew, by category, unscored apart', () => {
    const [all, memory] = calibrate([[truth, judged]]);
    expect(all).toMatchObject({
      ...{ judge: 'x', against: 'program', category: null, unscored: 1 },
      sensitivity: { hits: 1, of: 2, value: 0.5, interval: wilson(0.5, 2) },
      specificity: { hits: 1, of: 1 },
      notApplicable: { hits: 0, of: 1, value: 0 },
    });
    expect(memory).toMatchObject({ category: 'Memory', sensitivity: { of: 0, value: null, interval: null } });
  });

  it("does not take the program's word in a judge's column for the judge's", () => {
    expect(calibrate([[truth, file('x', [verdict('a', 'fail', 'program')], { llm })]])).toEqual([]);
  });
});

describe('people', () => {
  const entry = (word: VerdictValue) => ({
    ...{ at: '2026-01-01T00:00:00Z', who: 'ann', check: 'a', category: 'SP', verdict: word, why: 'read it' },
  });
  it('may change their mind; the history keeps every word', () => {
    const twice = withHumanVerdict(withHumanVerdict(null, 'human', entry('fail')), 'human', entry('success'));
    expect(twice.samples[0]?.verdicts).toMatchObject([
      { check: 'a', verdict: 'success', by: 'human', reason: 'ann: read it' },
    ]);
    expect(twice.history?.map((h) => h.verdict)).toEqual(['fail', 'success']);
  });
  it('name a check by its category where several have the id', () => {
    const one = (category: string) => ({
      category,
      raw: category,
      description: '',
      checks: [{ id: 'a', description: '', type: null }],
    });
    const checklist = { categories: [one('SP'), one('Memory')] };
    expect(checksNamed(checklist, 'a')).toHaveLength(2);
    expect(checksNamed(checklist, 'Memory/a')).toEqual([{ category: 'Memory', check: 'a' }]);
    expect(checksNamed(checklist, 'b')).toEqual([]);
  });
});

it('changes between versions of a judge are listed', () => {
  const before = file('x', [verdict('a', 'fail', 'llm'), verdict('b', 'fail', 'llm')]);
  const next = file('x', [verdict('a', 'success', 'llm'), verdict('b', 'fail', 'llm'), verdict('c', 'fail', 'llm')]);
  expect(verdictChanges(before, next)).toMatchObject([
    { check: 'a', from: 'fail', to: 'success' },
    { check: 'c', from: null, to: 'fail' },
  ]);
  expect(verdictChanges(null, next)).toEqual([]);
});

it.each([
  ['anthropic/claude-x-4', 'claude'],
  ['router/anthropic/claude-x', 'claude'],
  ['openai/gpt-9', 'gpt'],
  ['openai/o3-mini', 'gpt'],
  ['google/gemini-x', 'gemini'],
  ['somebody/Unheard-Of', 'unheard-of'],
])('%s is of the family %s', (model, family) => expect(familyOf(model)).toBe(family));
