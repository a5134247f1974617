import type { SourceSpan } from './dialect.ts';

/* `<system-reminder>` blocks, which Claude Code and the scaffolds after it put around what they tell the model unasked. */

const OPEN = '<system-reminder>';
const CLOSE = '</system-reminder>';

/** A stretch of a text. */
export interface Stretch {
  start: number;
  end: number;
}

/** Reminders that a text begins with, one after the other. A reminder without an end is none. */
export const leadingReminders = (text: string): Stretch[] => {
  const found: Stretch[] = [];
  const blank = /\s*/y;
  let at = 0;
  for (;;) {
    blank.lastIndex = at;
    blank.test(text);
    const start = blank.lastIndex;
    if (!text.startsWith(OPEN, start)) return found;
    const close = text.indexOf(CLOSE, start);
    if (close < 0) return found;
    at = close + CLOSE.length;
    found.push({ start, end: at });
  }
};

/**
 * Reminders that a text ends with. Only these are the scaffold's own in a tool result: a file that is read may hold the same words.
 */
export const trailingReminders = (text: string): Stretch[] => {
  const found: Stretch[] = [];
  let end = text.trimEnd().length;
  while (text.endsWith(CLOSE, end)) {
    const start = text.lastIndexOf(OPEN, end - CLOSE.length);
    if (start < 0) break;
    found.unshift({ start, end });
    end = text.slice(0, start).trimEnd().length;
  }
  return found;
};

/** Reminder stretches as spans. */
export const reminderSpans = (stretches: readonly Stretch[], part?: string): SourceSpan[] =>
  stretches.map((s) => ({ ...s, label: 'system_reminder', ...(part === undefined ? {} : { part }) }));

/** A text without the reminders it ends with, and without the blank lines before them. */
export const withoutReminders = (text: string): string => {
  const first = trailingReminders(text)[0];
  return first === undefined ? text : text.slice(0, first.start).replace(/\n{1,2}$/, '');
};

/** Spans inside a stretch, and the stretch's own label for what they leave. Spans are sorted and inside it. */
export const fillGaps = (whole: SourceSpan, inner: readonly SourceSpan[]): SourceSpan[] => {
  const { start, end, ...rest } = whole;
  const out: SourceSpan[] = [];
  let at = start;
  for (const span of inner) {
    if (span.start > at) out.push({ start: at, end: span.start, ...rest });
    out.push(span);
    at = span.end;
  }
  if (at < end) out.push({ start: at, end, ...rest });
  return out;
};
