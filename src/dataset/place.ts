import type { Problem } from '../core/problem.ts';
import { fieldName } from '../core/yaml.ts';

/** Where a row was read, and how strictly: our `own` instances may not have what a published row is forgiven. */
export interface Place {
  file: string;
  own: boolean;
  lineOf(path: readonly PropertyKey[]): number | undefined;
}

/** A problem at a field of a row. */
export const problemAt = (
  place: Place,
  path: readonly PropertyKey[],
  kind: string,
  severity: Problem['severity'],
  message: string,
): Problem => {
  const line = place.lineOf(path);
  return {
    kind,
    severity,
    message,
    file: place.file,
    ...(line === undefined ? {} : { line }),
    ...(path.length === 0 ? {} : { field: fieldName(path) }),
  };
};
