import { describe, expect, it } from 'vitest';
import { emptyExperiment } from './experiment.ts';
import { judgeLimits, modelJudges, readJudge } from './judge-specs.ts';
import { DEFAULT_PROVIDERS } from './models.ts';
import type { Experiment, JudgeSpec } from './schema.ts';

const experiment = (judges: JudgeSpec[], panel: Experiment['panel'] = 'hybrid'): Experiment => ({
  ...emptyExperiment('x'),
  ...{ providers: DEFAULT_PROVIDERS({}), judges, panel },
});
const judge = (id: string, model = 'anthropic/m'): JudgeSpec => ({ ...readJudge(`${id}=${model}`) });

describe('judges by flag', () => {
  it.each([
    ['first=openai/a', 'first', 'openai/a'],
    ['openai/some-model', 'openai-some-model', 'openai/some-model'],
    ['x=router/maker/name', 'x', 'router/maker/name'],
  ])('%s', (text, id, model) => {
    const spec = readJudge(text);
    expect(spec.model).toBe(model);
    expect(spec.id.startsWith(id)).toBe(true);
    expect(modelJudges(experiment([{ ...spec, model: 'openai/a' }]))[0]).toMatchObject({ name: 'a' });
  });
  it.each(['', 'first', 'first=', '=openai/a'])('%j names no judge', (text) => expect(() => readJudge(text)).toThrow());
});

describe('judges of an experiment', () => {
  it.each<[string, JudgeSpec[], Experiment['panel']?]>([
    ['an id twice', [judge('a'), judge('a')]],
    ['the id of programs', [judge('program')]],
    ['the id of people', [judge('human')]],
    ['an id that is a path', [judge('../a')]],
    ['a script', [judge('a', 'script/careful')]],
    ['a provider that nobody knows', [judge('a', 'nobody/x')]],
    ['none for the panel of the paper', [], 'paper'],
  ])('%s is refused', (_, judges, panel) => expect(() => modelJudges(experiment(judges, panel))).toThrow());

  it('settings that are none leave the defaults', () => {
    const odd = { ...judge('a'), settings: { window: -1, max_output_tokens: 'many' } };
    expect(judgeLimits(odd)).toEqual(judgeLimits(judge('a')));
    expect(judgeLimits({ ...judge('a'), settings: { window: 1000 } }).window).toBe(1000);
  });
});
