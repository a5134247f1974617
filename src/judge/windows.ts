import { oneLine } from '../core/text.ts';
import type { ViewSection } from '../trajectory/view.ts';

/** A record in parts of at most `size` characters, cut between turns where that can be done. Not cut = one part. */
export const windowsOf = (sections: readonly ViewSection[], size: number): string[] => {
  const parts: string[] = [];
  let open = '';
  for (const { text } of sections) {
    if (open !== '' && open.length + text.length + 1 > size) {
      parts.push(open);
      open = '';
    }
    open = open === '' ? text : `${open}\n${text}`;
    while (open.length > size) {
      const at = (open.charCodeAt(size) & 0xfc00) === 0xdc00 ? size - 1 : size;
      parts.push(open.slice(0, at));
      open = open.slice(at);
    }
  }
  return open === '' && parts.length > 0 ? parts : [...parts, open];
};

/** One line a turn: what a judge of a part must know of the others. */
export const planOf = (sections: readonly ViewSection[]): string =>
  sections
    .map((s) => {
      const heads = s.text.split('\n').filter((line) => /^\s*\[/.test(line));
      return `${s.thread} turn ${s.turn ?? '(before the first)'}: ${oneLine(heads.join(' '), 200)}`;
    })
    .join('\n');
