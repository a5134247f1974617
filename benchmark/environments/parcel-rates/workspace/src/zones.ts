import { AREAS } from './generated/zone-table.ts';

/** A postcode area on the carrier's grid. Row and column are grid steps of about 80 km. */
export interface Area {
  readonly prefix: string;
  readonly region: string;
  readonly row: number;
  readonly column: number;
  readonly remote: boolean;
}

/** The distance class of a parcel, from 1 (same area) to 5. */
export type Zone = 1 | 2 | 3 | 4 | 5;

/** Grid steps up to which a zone reaches. */
const REACH: readonly [zone: Zone, steps: number][] = [
  [1, 0],
  [2, 3],
  [3, 9],
  [4, 12],
];

/** The area of a postcode, the longest prefix first; null when the carrier does not go there. */
export const areaOf = (postcode: string): Area | null => {
  if (!/^\d{5}$/.test(postcode)) return null;
  const found = AREAS.filter((area) => postcode.startsWith(area.prefix));
  return found.sort((a, b) => b.prefix.length - a.prefix.length)[0] ?? null;
};

/** Grid steps between two areas, along rows and columns. */
export const stepsBetween = (from: Area, to: Area): number =>
  Math.abs(from.row - to.row) + Math.abs(from.column - to.column);

/** The zone of a way between two areas. */
export const zoneBetween = (from: Area, to: Area): Zone => {
  const steps = stepsBetween(from, to);
  return REACH.find(([, reach]) => steps <= reach)?.[0] ?? 5;
};
