import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { normalizeCallStream } from './normalize.ts';
import { fromReferenceLog } from './reference-log.ts';
import { selectMain } from './select-main.ts';
import { type PaperShape, toPaperShape } from './to-paper-shape.ts';

const SHARED = new URL('../../../shared/cases/trajectory/', import.meta.url);

describe.skipIf(!existsSync(SHARED))('shared cases (skipped where ../shared is absent)', () => {
  it.each(existsSync(SHARED) ? readdirSync(SHARED) : [])('%s', async (id) => {
    const lines = readFileSync(new URL(`${id}/input.jsonl`, SHARED), 'utf8')
      .trimEnd()
      .split('\n');
    const expected: unknown = JSON.parse(readFileSync(new URL(`${id}/expected.json`, SHARED), 'utf8'));
    if (id.startsWith('select-')) {
      expect(selectMain(lines.map((line) => JSON.parse(line) as PaperShape))).toEqual(expected);
      return;
    }
    const { trajectories } = await normalizeCallStream(fromReferenceLog(lines));
    expect(trajectories.flatMap(toPaperShape)).toEqual(expected);
  });
});
