import type { Problem } from '../core/problem.ts';
import { fieldName } from '../core/yaml.ts';

/** Where a row was read, and how strictly: our `own` instances may not have what a published row is forgiven. */
export interface Place {
  own: boolean;
  /** Where a field of the row stands. */
  at(path: readonly PropertyKey[]): { file: string; line?: number };
}

/** A place in one file whose lines are known by path. */
export const inFile = (
  file: string,
  own: boolean,
  lineOf: (path: readonly PropertyKey[]) => number | undefined,
): Place => ({
  own,
  at(path) {
    const line = lineOf(path);
    return line === undefined ? { file } : { file, line };
  },
});

/** A problem at a field of a row. */
export const problemAt = (
  place: Place,
  path: readonly PropertyKey[],
  kind: string,
  severity: Problem['severity'],
  message: string,
): Problem => ({
  kind,
  severity,
  message,
  ...place.at(path),
  ...(path.length === 0 ? {} : { field: fieldName(path) }),
});
