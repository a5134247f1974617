import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Table, TableCell } from '../metrics/schema.ts';
import type { ReportRollout, ReportVerdict } from '../report/schema.ts';
import { writeTable } from '../report/tables.ts';

/** A column of the verdict table: its Parquet type, and its value in one verdict of one rollout. */
interface Column {
  name: string;
  type: 'STRING' | 'INT32' | 'BOOLEAN';
  of(rollout: ReportRollout, row: ReportVerdict): string | number | boolean | null;
}

const text = (name: string, of: (r: ReportRollout, v: ReportVerdict) => string | null | undefined): Column => ({
  name,
  type: 'STRING',
  of: (r, v) => of(r, v) ?? null,
});
const count = (name: string, of: (r: ReportRollout, v: ReportVerdict) => number | null | undefined): Column => ({
  name,
  type: 'INT32',
  of: (r, v) => of(r, v) ?? null,
});

/** One row a verdict. Of the evidence the first piece is given; all of it stands in the verdict files. */
const COLUMNS: readonly Column[] = [
  text('rollout', (r) => r.key),
  text('instance', (r) => r.instance),
  text('environment', (r) => r.environment),
  text('primary_category', (r) => r.primaryCategory),
  text('scaffold', (r) => r.scaffold),
  text('model', (r) => r.model),
  text('variant', (r) => r.variant),
  count('repeat', (r) => r.repeat),
  text('outcome', (r) => r.outcome),
  { name: 'solved', type: 'BOOLEAN', of: (r) => r.solved },
  count('turns', (r) => r.turns),
  text('judge', (_, v) => v.judge),
  text('by', (_, v) => v.by),
  text('category', (_, v) => v.category),
  text('check', (_, v) => v.check),
  text('check_type', (_, v) => v.checkType),
  text('verdict', (_, v) => v.verdict),
  text('reason', (_, v) => v.reason),
  text('thread', (_, v) => v.evidence[0]?.thread),
  count('turn', (_, v) => v.evidence[0]?.turn),
  text('tool_call', (_, v) => v.evidence[0]?.toolCall),
  text('path', (_, v) => v.evidence[0]?.path),
  text('quote', (_, v) => v.evidence[0]?.quote),
];

const cell = (value: string | number | boolean | null): TableCell =>
  typeof value === 'boolean' ? String(value) : value;

/** The verdicts as CSV with a header; safe to open in a spreadsheet, control characters shown as `\u{..}`. */
export const verdictsCsv = (rollouts: readonly ReportRollout[]): string => {
  const table: Table = {
    id: 'verdicts',
    title: 'Verdicts',
    columns: COLUMNS.map(({ name, type }) => ({ title: name, kind: type === 'INT32' ? 'count' : 'text' })),
    rows: rollouts.flatMap((r) => r.rows.map((v) => COLUMNS.map((column) => cell(column.of(r, v))))),
  };
  return writeTable(table, 'csv');
};

/** The same table as Parquet, texts as they are. */
export const verdictsParquet = (rollouts: readonly ReportRollout[]): Uint8Array => {
  const rows = rollouts.flatMap((r) => r.rows.map((v) => [r, v] as const));
  const columnData = COLUMNS.map(({ name, type, of }) => ({
    name,
    type,
    nullable: true,
    data: rows.map(([r, v]) => of(r, v)),
  }));
  return new Uint8Array(parquetWriteBuffer({ columnData }));
};
