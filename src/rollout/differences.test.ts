import { describe, expect, it } from 'vitest';
import { type CallSketch, callsOf } from '../../test/fixtures/rollout/calls.ts';
import { claudeCode } from '../scaffolds/claude-code/scaffold.ts';
import { type Asked, findDifferences, samplingOf, userAgentOf } from './differences.ts';
import { readExchanges } from './exchanges.ts';

const asked: Asked = {
  queries: ['Fix it.', 'Now test it.'],
  systemPrompt: 'Be brief.',
  model: 'careful',
  version: '2.0.69',
  substitutedFor: null,
  settings: {},
};
const SYSTEM = ["You are Claude Code, Anthropic's official CLI for Claude.", 'Own prompt.\nBe brief.\ngitStatus: x'];
const REMINDER = '<system-reminder>\n# claudeMd\nContents of /w/CLAUDE.md (project):\n\nRules\n</system-reminder>\n';

const found = (sketches: CallSketch[], more: Partial<Asked> = {}, reported: string | null = '2.0.69 (Claude Code)') =>
  findDifferences(
    { ...asked, ...more },
    {
      exchanges: readExchanges(callsOf(sketches.map((s) => ({ system: SYSTEM, ...s }))), claudeCode.classify),
      steps: [
        { step: 0, startedAt: 5000 },
        { step: 1, startedAt: 5150 },
      ],
      logOpenedAt: 5000,
      reportedVersion: reported,
      dialect: claudeCode.dialect('2.0.69'),
    },
  );
const first: CallSketch = { at: 0, before: [REMINDER], query: 'Fix it.' };
const second: CallSketch = { at: 160, query: 'Now test it.' };

describe('findDifferences', () => {
  it('finds none where everything came as it was asked for', () => {
    expect(found([first, second])).toEqual([]);
  });

  it('does not take the scaffold’s own texts for the user’s, nor a later turn for a query', () => {
    expect(found([first, { at: 50, history: ['a'] }, { ...second, before: [REMINDER] }])).toEqual([]);
  });

  it.each([
    ['quotes', '"Fix it."', '"Fix it."'],
    ['a trailing newline', 'Fix it.\n', 'Fix it.\n'],
    ['another text', 'Fix that.', 'Fix that.'],
  ])('tells a query that came with %s', (_, sent, recorded) => {
    expect(found([{ ...first, query: sent }, second])).toEqual([
      { what: 'query', expected: 'Fix it.', recorded, query: 0 },
    ]);
  });

  it('tells a text that was added beside the query', () => {
    expect(found([first, { ...second, before: ['It is 10:00.'] }])).toEqual([
      { what: 'query', expected: 'Now test it.', recorded: 'It is 10:00.\nNow test it.', query: 1 },
    ]);
  });

  it('tells a system prompt that never arrived, another model, unknown tools', () => {
    const odd: CallSketch = { ...first, system: ['Own prompt.'], model: 'other', tools: ['Task', 'Zap', 'Abc'] };
    expect(found([odd, second])).toEqual([
      { what: 'system_prompt', expected: 'Be brief.', recorded: 'Own prompt.' },
      { what: 'model', expected: 'careful', recorded: 'other' },
      { what: 'tools', expected: 'tools known to claude-code-2.0', recorded: 'Abc, Zap' },
    ]);
  });

  it('tells sampling that was asked for and not sent', () => {
    const settings = { temperature: 0, max_output_tokens: 32_000 };
    expect(found([first, second], { settings })).toEqual([
      { what: 'sampling', expected: 'temperature 0', recorded: 'temperature undefined' },
    ]);
    expect(found([{ ...first, params: { temperature: 0 } }, second], { settings })).toEqual([]);
  });

  it('tells a version that was substituted, and one that is not what was installed', () => {
    expect(found([first, second], { substitutedFor: '2.0.71' })).toEqual([
      { what: 'version', expected: '2.0.71', recorded: '2.0.69' },
    ]);
    expect(found([first, second], {}, '2.0.70 (Claude Code)')).toEqual([
      { what: 'version', expected: '2.0.69', recorded: '2.0.70 (Claude Code)' },
    ]);
  });
});

describe('what was seen on the wire', () => {
  it('is taken from the main thread', () => {
    const side: CallSketch = { side: 'You are an expert at analyzing git history.', params: { temperature: 1 } };
    const main: CallSketch = {
      params: { thinking: { type: 'enabled', budget_tokens: 1024 }, metadata: { user_id: 'u' } },
    };
    const exchanges = readExchanges(callsOf([side, main]), claudeCode.classify);
    expect(samplingOf(exchanges)).toEqual({ max_tokens: 32_000, thinking: { type: 'enabled', budget_tokens: 1024 } });
    expect(userAgentOf(exchanges)).toBe('claude-cli/2.0.69 (external, sdk-cli)');
    expect(samplingOf([])).toEqual({});
    expect(userAgentOf([])).toBeNull();
  });
});
