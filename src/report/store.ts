import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { safeName } from '../core/ids.ts';
import { writeAtomic } from '../host/files.ts';
import type { Table } from '../metrics/schema.ts';
import { figuresOf } from './charts.ts';
import { page, rolloutIds } from './page.ts';
import { rolloutBody } from './rollout.ts';
import type { LoadTrajectory, ReportData } from './schema.ts';
import { TABLE_ENDINGS, type TableFormat, writeTable } from './tables.ts';

export interface WriteOptions {
  /** Trajectories, asked for one at a time; default: none. */
  trajectory?: LoadTrajectory;
  /** Everything in `index.html`, however large. */
  singleFile?: boolean;
  /** Bytes of the page up to which everything is inlined. Default 5 MB. */
  inlineUpTo?: number;
}

export interface WrittenReport {
  /** Path of `index.html`. */
  index: string;
  /** Bytes of `index.html`. */
  bytes: number;
  /** Files beside it; empty when all is inlined. */
  trajectories: number;
}

/** Writes each table in every format: `tables/<id>.csv`, `.json`, `.md` and `.tex`. */
export const writeTables = async (dir: string, tables: readonly Table[]): Promise<void> => {
  const folder = join(dir, 'tables');
  await rm(folder, { recursive: true, force: true });
  for (const table of tables) {
    for (const [format, ending] of Object.entries(TABLE_ENDINGS)) {
      await writeAtomic(join(folder, `${safeName(table.id)}.${ending}`), writeTable(table, format as TableFormat));
    }
  }
};

const writeFigures = async (dir: string, text: string): Promise<void> => {
  const folder = join(dir, 'figures');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const { name, svg } of figuresOf(text)) await writeFile(join(folder, `${name}.svg`), `${svg}\n`);
};

/**
 * Writes `index.html`, complete in itself, into `dir`; when it would grow over the limit, the rollouts lie beside it as
 * `trajectories/<key>.js` and are loaded when opened. Tables go to `tables/`, charts to `figures/`. Replaces an earlier report. One trajectory is in memory at a time.
 */
export const writeReport = async (
  dir: string,
  data: ReportData,
  options: WriteOptions = {},
): Promise<WrittenReport> => {
  const limit = options.singleFile === true ? Number.POSITIVE_INFINITY : (options.inlineUpTo ?? 5_000_000);
  const idOf = rolloutIds(data);
  const instances = new Map(data.instances.map((i) => [i.id, i]));
  const bodyOf = async (r: ReportData['rollouts'][number]): Promise<string> =>
    rolloutBody(idOf(r), r, instances.get(r.instance), (await options.trajectory?.(r.key)) ?? null).markup;
  const index = join(dir, 'index.html');
  const folder = join(dir, 'trajectories');
  await rm(folder, { recursive: true, force: true });
  await writeTables(dir, data.tables ?? []);

  const finish = async (text: string, trajectories: number): Promise<WrittenReport> => {
    await writeFigures(dir, text);
    await writeAtomic(index, text);
    return { index, bytes: Buffer.byteLength(text), trajectories };
  };
  const inline = new Map<string, string>();
  let size = Buffer.byteLength(page(data, () => ({ inline: '' })));
  for (const r of data.rollouts) {
    const body = await bodyOf(r);
    size += Buffer.byteLength(body);
    if (size > limit) break;
    inline.set(r.key, body);
  }
  if (size <= limit) {
    return finish(
      page(data, (r) => ({ inline: inline.get(r.key) ?? '' })),
      0,
    );
  }
  await mkdir(folder, { recursive: true });
  for (const r of data.rollouts) {
    const body = inline.get(r.key) ?? (await bodyOf(r));
    // The page is written last and whole; what it loads can be made again and need not be synced file by file.
    await writeFile(
      join(folder, `${safeName(r.key)}.js`),
      `octobenchRollout(${JSON.stringify(idOf(r))},${JSON.stringify(body)});\n`,
    );
  }
  return finish(
    page(data, (r) => ({ src: `trajectories/${safeName(r.key)}.js` })),
    data.rollouts.length,
  );
};
