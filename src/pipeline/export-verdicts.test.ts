import { parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import type { ReportRollout } from '../report/schema.ts';
import { verdictsCsv, verdictsParquet } from './export-verdicts.ts';

const HOSTILE = '=cmd|x,"quoted"\n\u001b[31mred\u202e 🎉';
const rollouts = [
  {
    key: 'k',
    instance: 'i',
    environment: 'e',
    primaryCategory: 'SP',
    scaffold: 's@1',
    model: 'm',
    variant: 'base',
    repeat: 0,
    outcome: null,
    solved: true,
    turns: null,
    rows: [
      {
        instance: 'i',
        judge: 'program',
        repeat: 0,
        check: 'x',
        category: 'SP',
        verdict: 'fail',
        reason: HOSTILE,
        evidence: [{ thread: 'main', turn: 3, quote: HOSTILE }],
      },
    ],
  },
] as unknown as ReportRollout[];

test('CSV shows what an agent wrote and lets none of it act', () => {
  const csv = verdictsCsv(rollouts);
  expect(csv.trimEnd().split('\r\n')).toHaveLength(2);
  expect(csv).toContain(`"'=cmd|x,""quoted""`);
  expect([...csv].some((c) => c === '\u001b' || c === '\u202e')).toBe(false);
});

test('Parquet holds the texts as they are, and nothing where there is nothing', async () => {
  const bytes = verdictsParquet(rollouts);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const [row] = await parquetReadObjects({ file });
  expect(row).toMatchObject({ quote: HOSTILE, turn: 3, solved: true, turns: null, outcome: null, tool_call: null });
});

test('an experiment without verdicts is a table without rows', async () => {
  expect(verdictsCsv([]).split('\r\n')).toHaveLength(2);
  expect(verdictsParquet([]).byteLength).toBeGreaterThan(0);
});
