import { expect, test } from 'vitest';
import { sampleReport } from '../../test/fixtures/report/sample.ts';
import { paperTables } from '../metrics/paper-tables.ts';
import { experimentResults } from '../metrics/results.ts';
import type { Table } from '../metrics/schema.ts';
import { writeTable } from './tables.ts';

const table: Table = {
  id: 'table-3',
  title: 'By 100% of_them',
  columns: [
    { title: 'Model', kind: 'text' },
    { title: 'ISR', group: 'Claude Code', kind: 'share' },
    { title: 'CSR', group: 'Claude Code', kind: 'share' },
    { title: 'n', kind: 'count' },
  ],
  rows: [
    ['a, "quoted" | b_c', { value: 0.28111, std: 0.01, best: true }, { value: null, std: null }, 7],
    ['=cmd()', { value: 0 }, 0.5, null],
  ],
};

test('CSV: one number a cell, per cent, empty where there is no data, no formula', () => {
  expect(writeTable(table, 'csv')).toBe(
    'Model,Claude Code ISR,Claude Code ISR std,Claude Code CSR,Claude Code CSR std,n\r\n' +
      '"a, ""quoted"" | b_c",28.11,1.00,,,7\r\n' +
      "'=cmd(),0.00,,50.00,,\r\n",
  );
});

test('Markdown: bars and stars escaped, the best in bold', () => {
  const lines = writeTable(table, 'markdown').split('\n');
  expect(lines[2]).toBe('| Model | Claude Code ISR | Claude Code CSR | n |');
  expect(lines[3]).toBe('| --- | ---: | ---: | ---: |');
  expect(lines[4]).toBe('| a, "quoted" \\| b\\_c | **28.11 ± 1.00** |  | 7 |');
});

test('LaTeX: special characters escaped, groups over their columns', () => {
  const text = writeTable(table, 'latex');
  expect(text).toContain('\\caption{By 100\\% of\\_them}');
  expect(text).toContain(' & \\multicolumn{2}{c}{Claude Code} &  \\\\');
  expect(text).toContain('\\textbf{28.11 $\\pm$ 1.00}');
  expect(text).toContain('a, "quoted" | b\\_c');
});

test('JSON gives the table back', () => {
  expect(JSON.parse(writeTable(table, 'json'))).toEqual(table);
});

test("the paper's tables: by judge, by scaffold, and one a scaffold by category", () => {
  const { data } = sampleReport();
  const second = data.rollouts.map((r) => ({
    ...r,
    rows: r.rows.flatMap((row) => [
      row,
      { ...row, judge: 'other', verdict: row.check === 'SP_no_emoji' ? ('success' as const) : row.verdict },
    ]),
  }));
  const tables = paperTables(experimentResults(second));
  expect(tables.map((t) => t.id)).toEqual(['table-2', 'table-3', 'table-12']);
  const [byJudge, byScaffold, byCategory] = tables;
  expect(byJudge?.columns.map((c) => `${c.group ?? ''} ${c.title}`.trim())).toEqual([
    'Model',
    'program ISR',
    'program CSR',
    'other ISR',
    'other CSR',
    'Overall average ISR',
    'Overall average CSR',
  ]);
  expect(byScaffold?.columns[1]?.group).toBe('claude-code@2.0.69');
  const sp = byCategory?.columns.findIndex((c) => c.group === 'SP') ?? -1;
  expect(byCategory?.rows.map((r) => r[sp])).toEqual([
    { value: 1, std: 0, best: true },
    { value: 0.75, std: Math.SQRT1_2 / 2 },
  ]);
});
