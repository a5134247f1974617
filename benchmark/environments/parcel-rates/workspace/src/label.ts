import { type Address, addressLines } from './address.ts';
import { spokenTracking } from './tracking.ts';
import type { Zone } from './zones.ts';

/** What is printed on a parcel. Weight in grams. */
export interface Label {
  readonly tracking: string;
  readonly from: Address;
  readonly to: Address;
  readonly zone: Zone;
  readonly weightGrams: number;
  readonly signature: boolean;
}

/** Characters in a line of the label printer. */
const WIDTH = 44;

const rule = '-'.repeat(WIDTH);

/** Grams as the scales show them, in kilograms with one digit, rounded up. */
export const kilograms = (grams: number): string => {
  const tenths = Math.ceil(grams / 100);
  return `${Math.floor(tenths / 10)}.${tenths % 10} kg`;
};

/** Two texts at the ends of a line; the left one gives way. */
export const spread = (left: string, right: string): string => {
  const room = WIDTH - right.length - 1;
  const cut = left.length > room ? `${left.slice(0, room - 1)}…` : left;
  return `${cut}${' '.repeat(WIDTH - cut.length - right.length)}${right}`;
};

/** Breaks a text into lines of at most the printer's width, between words where there are any. */
export const wrap = (text: string): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = '';
    }
    let rest = word;
    while (rest.length > WIDTH) {
      lines.push(rest.slice(0, WIDTH));
      rest = rest.slice(WIDTH);
    }
    line = line === '' ? rest : `${line} ${rest}`;
  }
  return line === '' ? lines : [...lines, line];
};

/** The lines of a label, the weight in kilograms. */
export const labelLines = (label: Label): string[] => [
  spread(`ZONE ${label.zone}`, kilograms(label.weightGrams)),
  rule,
  ...addressLines(label.to).flatMap(wrap),
  rule,
  ...wrap(`from ${addressLines(label.from).join(', ')}`),
  ...(label.signature ? ['SIGNATURE ON DELIVERY'] : []),
  spread(spokenTracking(label.tracking), 'parcel-rates'),
];
