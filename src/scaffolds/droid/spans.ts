import type { SourceSpan, TextPlace } from '../dialect.ts';
import { fillGaps, leadingReminders, reminderSpans, type Stretch, trailingReminders } from '../reminders.ts';

/* Which source each stretch of Droid's material belongs to; the marks are those of 0.99.0 and 0.215.0 as recorded. */

// The program's own last words, after which the appended prompt stands: 0.99.0, then 0.215.0.
const BEFORE_APPENDED = [
  'System reminders will contain relevant contextual information gathered for your consideration.\n\n',
  'the checks you ran, the ones that failed, and the ones you skipped.\n\n',
];

const appendedIn = (text: string, hint: string | undefined): Stretch | null => {
  const own = hint?.trim() ?? '';
  if (own !== '') {
    const start = text.lastIndexOf(own);
    if (start >= 0) return { start, end: start + own.length };
  }
  for (const mark of BEFORE_APPENDED) {
    const at = text.lastIndexOf(mark);
    const start = at + mark.length;
    if (at >= 0 && start < text.length) return { start, end: text.length };
  }
  return null;
};

const systemSpans = (text: string, hint: string | undefined): SourceSpan[] => {
  const appended = appendedIn(text, hint);
  return fillGaps(
    { start: 0, end: text.length, label: 'system_prompt', part: 'preamble' },
    appended === null ? [] : [{ ...appended, label: 'system_prompt', part: 'appended' }],
  );
};

const GUIDELINES = /^% cat (.+)\n<coding_guidelines>\n/gm;
const GUIDELINES_END = '\n</coding_guidelines>';
const MEMORY_PATH = /(^|\/)(memory-bank|memory|memories)\//;

const filesIn = (text: string, reminder: Stretch): SourceSpan[] =>
  [...text.slice(reminder.start, reminder.end).matchAll(GUIDELINES)].flatMap((head): SourceSpan[] => {
    const start = reminder.start + head.index + head[0].length;
    const end = text.indexOf(GUIDELINES_END, start);
    const path = head[1] ?? '';
    if (end < 0 || end > reminder.end) return [];
    return [{ start, end, label: MEMORY_PATH.test(path) ? 'memory' : 'agents_md', path }];
  });

const SKILLS = /^<system-reminder>\nAvailable skills [^\n]*\n/;
const CLOSE = '</system-reminder>';

const skillsIn = (text: string, reminder: Stretch): SourceSpan[] => {
  const head = SKILLS.exec(text.slice(reminder.start, reminder.start + 300));
  return head === null
    ? []
    : [{ start: reminder.start + head[0].length, end: reminder.end - CLOSE.length, label: 'skill' }];
};

const userSpans = (text: string): SourceSpan[] =>
  leadingReminders(text).flatMap((reminder) =>
    fillGaps({ ...reminder, label: 'system_reminder' }, [...skillsIn(text, reminder), ...filesIn(text, reminder)]),
  );

const SKILL_BODY = /<skill name="[^"]*" filePath="([^"]*)">\n?/;

const resultSpans = (text: string): SourceSpan[] => {
  const head = text.startsWith('Skill "') ? SKILL_BODY.exec(text) : null;
  if (head === null) return reminderSpans(trailingReminders(text));
  return [{ start: head.index, end: text.length, label: 'skill', path: head[1] ?? '' }];
};

/** Source spans of a text of Droid (see `Dialect.spans`). */
export const droidSpans = (text: string, place: TextPlace, hints: { appended?: string } = {}): SourceSpan[] => {
  if (place === 'system') return systemSpans(text, hints.appended);
  if (place === 'tool_result') return resultSpans(text);
  if (place !== 'tool_description') return userSpans(text);
  const start = text.indexOf('<available_skills>');
  return start < 0 ? [] : [{ start, end: text.length, label: 'skill' }];
};
