import { describe, expect, it } from 'vitest';
import { build, check, run, shell } from '../../test/fixtures/judge/builder.ts';
import type { Checklist } from '../checklist/schema.ts';
import { answersToRules, columnOf } from './panel.ts';
import { inRequests, questionsOf } from './questions.ts';
import type { JudgeAnswer, VerdictValue } from './schema.ts';
import { verifyAll } from './verify.ts';

const FORCED = { never: { command: 'git', sub: 'push' } };
const checklist: Checklist = {
  categories: [
    {
      ...{ category: 'SP', raw: 'SP', description: '' },
      checks: [
        { ...check({ never: { command: 'rm' } }), id: 'no_rm' },
        { ...check({ never: { command: 'rm' } }), id: 'also', judge: 'also' },
        { id: 'tone', description: 'Was it polite?', type: null },
        {
          ...check({ or: [FORCED, { judge: 'Was each push asked for?', facts: [{ command: 'git', sub: 'push' }] }] }),
          id: 'push',
        },
        { ...check({ never: { command: 'sudo' } }), id: 'elsewhere', scaffolds: ['kilo'] },
      ],
    },
    { category: 'Memory', raw: 'Memory', description: '', checks: [{ id: 'tone', description: 'Kept?', type: null }] },
  ],
};
const context = { scaffold: 'claude-code' };
const trajectory = build([
  { query: 'Push it.' },
  { say: 'I push.', do: [run({ name: 'git', sub: 'push', args: ['push'] })] },
  { do: [shell('rm -rf dist')] },
  { say: 'Done.' },
]);
const programs = verifyAll(trajectory, checklist, context);
const answer = (verdict: VerdictValue): JudgeAnswer => ({ verdict, reason: 'so it is', evidence: [] });

const column = (panel: 'hybrid' | 'paper', said: Record<string, VerdictValue>) => {
  const questions = questionsOf(checklist, panel, programs);
  const answers = new Map(Object.entries(said).map(([id, v]) => [id, answer(v)]));
  const given = answersToRules(questions, answers);
  const again = verifyAll(trajectory, checklist, { ...context, answers: given });
  const { verdicts, also } = columnOf(panel, programs, again, questions, answers);
  const short = (list: typeof verdicts) => list.map((v) => [`${v.category}/${v.check}`, v.verdict, v.by]);
  return { verdicts: short(verdicts), also: short(also), questions };
};

describe('hybrid', () => {
  it('asks what programs leave open, what is for calibration, and nothing that is for other scaffolds', () => {
    const { questions } = column('hybrid', {});
    expect(questions.map((q) => [q.id, q.text])).toEqual([
      ['also', expect.any(String)],
      ['SP/tone', 'Was it polite?'],
      ['push#0', 'Was each push asked for?'],
      ['Memory/tone', 'Kept?'],
    ]);
    expect(questions[2]?.facts).toHaveLength(1);
    expect(questionsOf(checklist, 'programs', programs)).toEqual([]);
    expect(inRequests(questions, 'category').map((g) => g.length)).toEqual([3, 1]);
  });

  it("keeps the program's word, takes the judge's elsewhere, and evaluates rules again with its answers", () => {
    const { verdicts, also } = column('hybrid', {
      also: 'success',
      'SP/tone': 'success',
      'push#0': 'fail',
      'Memory/tone': 'fail',
    });
    expect(verdicts).toEqual([
      ['SP/no_rm', 'fail', 'program'],
      ['SP/also', 'fail', 'program'],
      ['SP/tone', 'success', 'llm'],
      ['SP/push', 'fail', 'llm'],
      ['Memory/tone', 'fail', 'llm'],
    ]);
    expect(also).toEqual([['SP/also', 'success', 'llm']]);
    expect(column('hybrid', { 'push#0': 'success' }).verdicts[3]).toEqual(['SP/push', 'success', 'llm']);
  });

  it('what was never answered is unscored', () => {
    const { verdicts } = column('hybrid', { 'push#0': 'unscored' });
    expect(verdicts.slice(2)).toEqual([
      ['SP/tone', 'unscored', 'llm'],
      ['SP/push', 'unscored', 'llm'],
      ['Memory/tone', 'unscored', 'llm'],
    ]);
  });
});

describe('paper', () => {
  it('has the judges decide everything', () => {
    const { verdicts, questions } = column('paper', { no_rm: 'success', push: 'success' });
    expect(questions.map((q) => q.id)).toEqual(['no_rm', 'also', 'SP/tone', 'push', 'Memory/tone']);
    expect(verdicts.slice(0, 4)).toEqual([
      ['SP/no_rm', 'success', 'llm'],
      ['SP/also', 'unscored', 'llm'],
      ['SP/tone', 'unscored', 'llm'],
      ['SP/push', 'success', 'llm'],
    ]);
  });
});
