import type { Dialect, SourceSpan } from '../scaffolds/dialect.ts';
import type { Block, ToolResult } from '../wire/schema.ts';

/** Stretches of a tool result that the scaffold put there for the model; a dialect that fails on hostile text sees none. */
const resultSpans = (text: string, dialect: Dialect): SourceSpan[] => safely(() => dialect.spans(text, 'tool_result'));

/** What `run` gives, or nothing when it throws. */
export const safely = (run: () => SourceSpan[]): SourceSpan[] => {
  try {
    return run();
  } catch {
    return [];
  }
};

/** A text without some stretches of it; blank lines left at the seams go too. */
const cutSpans = (text: string, spans: readonly SourceSpan[]): string => {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    if (start > at) parts.push(text.slice(at, start));
    at = Math.max(at, end);
  }
  parts.push(text.slice(at));
  return parts.map((part, i) => (i === parts.length - 1 ? part : part.replace(/\n{1,2}$/, ''))).join('');
};

/** A result as the tool gave it: reminders that the scaffold added are cut out. */
export const cleanResult = (result: ToolResult, dialect: Dialect): ToolResult => {
  const blocks = result.blocks.map((block): Block => {
    if (block.type !== 'text') return block;
    const reminders = resultSpans(block.text, dialect).filter((span) => span.label === 'system_reminder');
    return reminders.length === 0 ? block : { ...block, text: cutSpans(block.text, reminders) };
  });
  return blocks.every((block, i) => block === result.blocks[i]) ? result : { ...result, blocks };
};
