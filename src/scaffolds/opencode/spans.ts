import type { SourceSpan, TextPlace } from '../dialect.ts';
import { fillGaps, leadingReminders, reminderSpans, type Stretch, trailingReminders } from '../reminders.ts';

/** Name of the file through which a run's system prompt is appended: as an instruction file, the way these programs have. */
export const APPENDED_FILE = 'run-system-prompt.md';

const INSTRUCTIONS = /^Instructions from: (.+)\n/gm;
// What the programs write after the instruction files.
const AFTER = '\nSkills provide specialized instructions and workflows for specific tasks.';
const MEMORY_PATH = /(^|\/)(memory-bank|memory|memories)\//;

/** Instruction files in a text, each to the next one or to `end`. */
const filesIn = (text: string, start: number, end: number): SourceSpan[] => {
  const heads = [...text.matchAll(INSTRUCTIONS)].filter((h) => h.index >= start && h.index < end);
  return heads.flatMap((head, i): SourceSpan[] => {
    const from = head.index + head[0].length;
    const to = heads[i + 1]?.index ?? end;
    const length = text.slice(from, to).trimEnd().length;
    if (length === 0) return [];
    const path = head[1] ?? '';
    const stretch = { start: from, end: from + length };
    if (path.endsWith(APPENDED_FILE)) return [{ ...stretch, label: 'system_prompt', part: 'appended' }];
    return [{ ...stretch, label: MEMORY_PATH.test(path) ? 'memory' : 'agents_md', path }];
  });
};

const tagged = (text: string, open: string, close: string): Stretch | null => {
  const start = text.indexOf(open);
  const end = start < 0 ? -1 : text.indexOf(close, start);
  return end < 0 ? null : { start, end: end + close.length };
};

const systemSpans = (text: string): SourceSpan[] => {
  const env = tagged(text, 'You are powered by the model named', '</env>');
  const skills = tagged(text, '<available_skills>', '</available_skills>');
  const after = text.indexOf(AFTER, env?.end ?? 0);
  const inner: SourceSpan[] = [
    ...(env === null ? [] : [{ ...env, label: 'environment' as const }]),
    ...filesIn(text, env?.end ?? 0, after < 0 ? text.length : after),
    ...(skills === null ? [] : [{ ...skills, label: 'skill' as const }]),
  ];
  return fillGaps({ start: 0, end: text.length, label: 'system_prompt', part: 'preamble' }, sorted(inner));
};

const sorted = (spans: SourceSpan[]): SourceSpan[] =>
  spans.toSorted((a, b) => a.start - b.start).filter((s, i, all) => i === 0 || s.start >= (all[i - 1]?.end ?? 0));

const SKILL = /^<skill_content name="([^"]*)">/;
const ENVIRONMENT = /^\s*<environment_details>[\s\S]*<\/environment_details>\s*$/;

const resultSpans = (text: string): SourceSpan[] => {
  if (SKILL.test(text)) return [{ start: 0, end: text.length, label: 'skill' }];
  // Files of a folder's own instructions come with the first file that is read there.
  return trailingReminders(text).flatMap((r) =>
    fillGaps({ ...r, label: 'system_reminder' }, filesIn(text, r.start, r.end - '</system-reminder>'.length)),
  );
};

/** Source spans of a text of opencode or Kilo (see `Dialect.spans`). */
export const opencodeSpans = (text: string, place: TextPlace): SourceSpan[] => {
  if (place === 'system') return systemSpans(text);
  if (place === 'tool_result') return resultSpans(text);
  if (place === 'tool_description') {
    const skills = tagged(text, '<available_skills>', '</available_skills>');
    return skills === null ? [] : [{ ...skills, label: 'skill' }];
  }
  if (ENVIRONMENT.test(text)) return [{ start: 0, end: text.length, label: 'environment' }];
  return reminderSpans(leadingReminders(text));
};
