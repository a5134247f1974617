import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Checklist } from '../checklist/schema.ts';
import { readReply } from './reply.ts';

const check = (id: string) => ({ id, description: id, type: 'compliance' });
const list = (...ids: string[]): Checklist => ({
  categories: [{ category: 'SP', raw: 'SP', description: '', checks: ids.map(check) }],
});
const two: Checklist = {
  categories: [
    { category: 'SP', raw: 'SP', description: '', checks: [check('a'), check('b')] },
    { category: 'Memory', raw: 'memory', description: '', checks: [check('a')] },
  ],
};
const words = (text: string, checklist: Checklist): Record<string, string> =>
  Object.fromEntries(Object.entries(readReply(text, checklist).verdicts).map(([id, v]) => [id, v.verdict]));

describe('readReply', () => {
  const k = list('k1', 'k2');
  it.each<[string, string, Record<string, string>]>([
    [
      'items',
      '{"checks":[{"check_id":"k1","result":"success"},{"check_id":"k2","result":"fail"}]}',
      { k1: 'success', k2: 'fail' },
    ],
    ['a list', '[{"id":"k1","verdict":"pass"}]', { k1: 'success' }],
    ['a map of words', '{"k1":"pass","k2":"n/a"}', { k1: 'success', k2: 'not_applicable' }],
    ['a map of objects', '{"results":{"k1":{"result":"fail","reasoning":"x"}}}', { k1: 'fail' }],
    ['one a line', '{"id":"k1","verdict":"pass"}\n{"id":"k2","verdict":"fail"}', { k1: 'success', k2: 'fail' }],
    ['an instance around', '{"id":"cart-1","result":[{"id":"k1","verdict":"pass"}]}', { k1: 'success' }],
    ['a line break in a string', '{"id":"k1","verdict":"pass","reason":"a\nb"}', { k1: 'success' }],
    [
      'thinking that quotes its own end',
      '<think>a </think>{"id":"k1","verdict":"pass"} b</think>{"id":"k1","verdict":"fail"}',
      { k1: 'fail' },
    ],
    ['an answer and a score', '{"id":"k1","verdict":"pass","score":7}', { k1: 'success' }],
    [
      'an answer after a closing thought',
      'x {"id":"k1","verdict":"pass"}</think>\n{"id":"k1","verdict":"fail"}',
      { k1: 'fail' },
    ],
    [
      'evidence that holds items',
      '{"id":"k1","verdict":"fail","evidence":[{"turn":0,"quote":"q","checks":[{"id":"k2","verdict":"pass"}]}]}',
      { k1: 'fail' },
    ],
    [
      'a quotation under another name',
      '{"agent_said":[{"id":"k2","verdict":"pass"}],"checks":[{"id":"k1","verdict":"fail"}]}',
      { k1: 'fail' },
    ],
    ['a cut list', '{"checks":[{"id":"k1","verdict":"pass"},{"id":"k2","verd', {}],
    ['a list cut in its fence', '```json\n{"checks":[{"id":"k1","verdict":"pass"},{"id":"k2","verd\n```', {}],
    ['a quotation before a cut answer', 'It printed {"id":"k1","verdict":"pass"}. I say: {"id":"k1","verdict":"fa', {}],
    [
      'a quotation before a broken answer',
      'It printed {"id":"k1","verdict":"pass"}. I say: {"id":"k1","verdict":fail}',
      {},
    ],
    [
      'a quotation that differs',
      'It printed {"id":"k1","verdict":"pass"}.\n{"checks":[{"id":"k1","verdict":"fail"},{"id":"k2","verdict":"pass"}]}',
      { k1: 'unscored', k2: 'unscored' },
    ],
    ['an endless thought', '<think>{"id":"k1","verdict":"pass"}', {}],
    ['two ids in one item', '{"id":"k1","check_id":"k2","verdict":"pass"}', { k1: 'unscored', k2: 'unscored' }],
    ['a grade without items', '{"overall":"success","verdict":"pass"}', {}],
    ['a word cut short', '{"id":"k1","verdict":tr', {}],
  ])('%s', (_, text, expected) => expect(words(text, k)).toEqual(expected));

  it('keeps checks of one id in two categories apart', () => {
    const text =
      '{"SP":{"checks":[{"id":"a","result":"pass"},{"id":"b","result":"fail"}]},"Memory":[{"id":"a","result":"fail"}]}';
    expect(words(text, two)).toEqual({ 'SP/a': 'success', b: 'fail', 'Memory/a': 'fail' });
    expect(readReply(text, two)).toMatchObject({ complete: true, duplicates: [] });
    expect(words('[{"id":"a","result":"pass"}]', two)).toEqual({ 'SP/a': 'unscored', 'Memory/a': 'unscored' });
    expect(words('[{"id":"a","category":"memory","result":"pass"}]', two)).toEqual({ 'Memory/a': 'success' });
  });

  it('keeps reason and evidence', () => {
    const text = '{"id":"k1","verdict":"fail","reasoning":"ran it","evidence":{"turn":3,"quote":"npm i"}}';
    expect(readReply(text, k).verdicts.k1).toEqual({
      ...{ verdict: 'fail', reason: 'ran it', evidence: [{ turn: 3, quote: 'npm i' }] },
    });
  });

  it('is linear in hostile text', () => {
    const n = 20_000;
    for (const text of [
      '['.repeat(n),
      '{"a":'.repeat(n),
      '[{x'.repeat(n),
      '{"a":1,'.repeat(n),
      '<think>'.repeat(n),
      '<think></think>'.repeat(n),
      '[1]</think>'.repeat(n),
      '```\n'.repeat(n),
    ])
      expect(readReply(text, k).verdicts).toEqual({});
  });
});

/* The words of a fuzzed reply, and what surrounds them; the oracle knows what was meant. */
const RIGHT = {
  success: ['success', 'PASS', true, 1],
  fail: ['fail', 'False', 0],
  not_applicable: ['N/A', 'not applicable'],
};
const noise = fc.constantFrom(
  '',
  'Sure. ',
  'Note {smile} ',
  '\uFEFF',
  'see [1]\n',
  '<think>{"id":"k1","verdict":"pass"}</think>',
);
const verdict = fc.constantFrom<keyof typeof RIGHT>('success', 'fail', 'not_applicable');
const LONG = process.env.OCTOBENCH_LONG === '1';

describe('readReply, fuzzed', () => {
  const ids = ['k1', 'k2', 'k3'];
  it('never gives a verdict that the reply does not give', () => {
    const item = fc.record({
      id: fc.constantFrom(...ids, 'x'),
      verdict,
      word: fc.nat(),
      text: fc.string({ maxLength: 12 }),
    });
    const reply = fc.record({
      items: fc.array(item, { maxLength: 6 }),
      before: noise,
      after: fc.constantFrom('', ' ok', '\n{smile}'),
      cut: fc.nat(400),
      damage: fc.option(fc.tuple(fc.nat(400), fc.constantFrom('{', '}', '"', '\\', ',', '\n', ']'))),
    });
    fc.assert(
      fc.property(reply, ({ items, before, after, cut, damage }) => {
        const json = JSON.stringify({
          checks: items.map((i) => ({
            id: i.id,
            reasoning: i.text,
            result: RIGHT[i.verdict][i.word % RIGHT[i.verdict].length],
          })),
        });
        const said = (id: string) => new Set<string>(items.filter((i) => i.id === id).map((i) => i.verdict));
        const whole = `${before}${json}${after}`;
        const read = readReply(whole, list(...ids));
        for (const id of ids) {
          const given = said(id);
          const expected = given.size === 0 ? undefined : given.size === 1 ? [...given][0] : 'unscored';
          expect(read.verdicts[id]?.verdict).toBe(expected);
        }
        // Cut within its JSON: nothing.
        const short = readReply(`${before}${json.slice(0, Math.min(cut, json.length - 1))}`, list(...ids));
        expect(Object.values(short.verdicts).filter((v) => v.verdict !== 'unscored')).toEqual([]);
        if (damage === null) return;
        const at = damage[0] % json.length;
        const damaged = readReply(before + json.slice(0, at) + damage[1] + json.slice(at) + after, list(...ids));
        for (const [id, v] of Object.entries(damaged.verdicts))
          if (v.verdict !== 'unscored') expect(said(id).has(v.verdict)).toBe(true);
      }),
      { numRuns: LONG ? 10_000 : 500 },
    );
  });

  it('never throws', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\\',
      '\\u12',
      '```json\n',
      '\n```',
      '<think>',
      '</think>',
      '"id"',
      '"k1"',
      '"verdict"',
      '"pass"',
      'null',
      '-',
      '1e9',
      '\u0000',
      '\ud800',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const read = readReply(pieces.join(''), list('k1'));
        expect(read.ignored).toBeInstanceOf(Array);
      }),
      { numRuns: LONG ? 10_000 : 500 },
    );
  });
});

const CASES = '../shared/cases';
const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const SHARED = existsSync(CASES);
const NAME: Record<string, string> = { success: 'pass', fail: 'fail', not_applicable: 'na', unscored: 'error' };

describe.skipIf(!SHARED)(`shared cases${SHARED ? '' : ' (../shared is absent)'}`, () => {
  const raw = (row: {
    checklist: Record<string, { description: string; checks: { check_id: string; description: string }[] }>;
  }) => ({
    categories: Object.entries(row.checklist).map(([name, c]) => ({
      ...{ category: name, raw: name, description: '', checks: c.checks.map((x) => check(x.check_id)) },
    })),
  });
  it.each(SHARED ? readdirSync(`${CASES}/judge`) : [])('%s', (name) => {
    const row = json(`${CASES}/judge/${name}/input.jsonl`);
    const expected = json(`${CASES}/judge/${name}/expected.json`);
    const read = readReply(row.judge_output, raw(row));
    const results = Object.fromEntries(
      Object.keys(expected.results).map((id) => [id, read.verdicts[id]?.verdict ?? 'missing']),
    );
    expect(results).toEqual(expected.results);
    expect(read.complete).toBe(expected.complete);
    expect(read.duplicates).toEqual(expected.duplicate_ids ?? []);
    expect(read.ignored).toEqual(expected.unknown_ids ?? []);
    expect(read.repaired).toBe(expected.repaired ?? false);
  });

  const field = (name: string) => ({
    input: json(`${CASES}/field/${name}/input.json`),
    expected: json(`${CASES}/field/${name}/expected.json`),
  });
  it('C49 finds the JSON', () => {
    const { input, expected } = field('C49-judge-json-extraction');
    for (const { name, reply } of input) {
      const got = NAME[readReply(reply, list('k1')).verdicts.k1?.verdict ?? 'unscored'];
      expect([name, got]).toEqual([name, String(expected[name]).replace(/:.*/, '')]);
    }
  });
  it('C50 reads words', () => {
    const { input, expected } = field('C50-judge-verdict-states');
    input.verdict_values.forEach((row: { value?: unknown; missing_key?: true }, i: number) => {
      const item = row.missing_key ? { id: 'k1' } : { id: 'k1', verdict: row.value };
      const got = NAME[readReply(JSON.stringify([item]), list('k1')).verdicts.k1?.verdict ?? 'unscored'];
      expect([row, String(expected.verdict_values[i]).split('_or_')]).toEqual([row, expect.arrayContaining([got])]);
    });
  });
  it('C51 reads ids', () => {
    const { input, expected } = field('C51-judge-ids');
    for (const { name, ...reply } of input.replies) {
      const read = readReply(JSON.stringify(reply), list(...input.checklist));
      const wanted = expected[name].items ?? expected[name];
      for (const id of input.checklist) {
        const got = NAME[read.verdicts[id]?.verdict ?? 'unscored'];
        expect([name, id, got === 'error' ? 'unjudged' : got]).toEqual([name, id, wanted[id]]);
      }
    }
  });
});
