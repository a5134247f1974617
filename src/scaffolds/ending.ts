import type { ToolResult } from '../wire/schema.ts';
import type { ActionDraft } from './dialect.ts';
import { resultText } from './reading.ts';
import { withoutReminders } from './reminders.ts';

/** How a call ended, as its result tells. */
export interface Ending {
  /** Null = no result. */
  ok: boolean | null;
  /** The tool did not try: unknown tool or arguments, an unread file, no permission. */
  refused: boolean;
  /** What it said, reminders cut off. */
  text: string;
}

/** Reads a result; `refusal` is how this scaffold words a refusal (told as an error or not). */
export const endingOf = (result: ToolResult | null, refusal: RegExp): Ending => {
  if (result === null) return { ok: null, refused: false, text: '' };
  const text = withoutReminders(resultText(result));
  const refused = refusal.test(text);
  return { ok: result.isError !== true, refused: refused && result.isError === true, text };
};

/** The fields that every action has. */
export const draftOf = (kind: ActionDraft['kind'], end: Ending): ActionDraft => ({
  kind,
  ok: end.ok,
  ...(end.refused ? { refused: true as const } : {}),
});
