import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { normalizeCallStream } from './normalize.ts';
import { fromReferenceLog } from './reference-log.ts';
import { selectMain } from './select-main.ts';
import { type PaperShape, toPaperShape } from './to-paper-shape.ts';

const SHARED = new URL('../../../shared/cases/trajectory/', import.meta.url);
const OWN = new URL('../../test/fixtures/trajectory/cases/', import.meta.url);

const suite = (root: URL, name: string): void => {
  describe.skipIf(!existsSync(root))(name, () => {
    const cases = existsSync(root) ? readdirSync(root) : [];
    it.each(cases)('%s', async (id) => {
      const lines = readFileSync(new URL(`${id}/input.jsonl`, root), 'utf8')
        .trimEnd()
        .split('\n');
      const expected: unknown = JSON.parse(readFileSync(new URL(`${id}/expected.json`, root), 'utf8'));
      if (id.startsWith('select-'))
        return expect(selectMain(lines.map((line) => JSON.parse(line) as PaperShape))).toEqual(expected);
      const { trajectories } = await normalizeCallStream(fromReferenceLog(lines));
      expect(trajectories.flatMap(toPaperShape)).toEqual(expected);
    });
  });
};

suite(SHARED, 'shared cases (skipped where ../shared is absent)');
suite(OWN, 'cases of the project');
