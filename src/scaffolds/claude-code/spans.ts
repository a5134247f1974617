import type { SourceLabel, SourceSpan, TextPlace } from '../dialect.ts';
import { fillGaps, leadingReminders, reminderSpans, type Stretch, trailingReminders } from '../reminders.ts';

/* Which source each stretch of Claude Code's material belongs to; the marks are those of 2.0.69 and 2.1.332 as recorded. */

const OWN_OPENING =
  /^(x-anthropic-billing-header:|You are Claude Code, Anthropic's official CLI|You are a Claude agent, built on)/;
const OWN_PROMPT =
  /^\s*You are an (interactive CLI tool that helps users with|agent working with the user toward|agent for Claude Code)/;

/** From a mark to the end of another (or of the text). */
const between = (text: string, from: string, to: string | null): Stretch | null => {
  const start = text.lastIndexOf(from);
  if (start < 0) return null;
  const end = to === null ? text.length : text.indexOf(to, start);
  return end < 0 ? null : { start, end: to === null ? end : end + to.length };
};

const trimmed = (text: string, start: number, end: number): Stretch | null => {
  const part = text.slice(start, end);
  const from = start + part.length - part.trimStart().length;
  const to = start + part.trimEnd().length;
  return to > from ? { start: from, end: to } : null;
};

// What stands right before the appended prompt: 2.0.69, then 2.1.332.
const BEFORE_APPENDED = [
  '</claude_background_info>\n',
  'give a recommendation, not an exhaustive survey\n',
  'You are powered by the model ',
];

/** The appended prompt: where the run's own text stands, else what follows the last text of the program's own. */
const appendedIn = (text: string, end: number, hint: string | undefined): Stretch | null => {
  if (hint !== undefined && hint.trim() !== '') {
    const start = text.lastIndexOf(hint.trim());
    if (start >= 0) return { start, end: start + hint.trim().length };
  }
  for (const mark of BEFORE_APPENDED) {
    const at = text.lastIndexOf(mark, end);
    if (at >= 0) return trimmed(text, mark.endsWith('\n') ? at + mark.length : text.indexOf('\n', at), end);
  }
  return null;
};

const SKILL_LIST = 'The following skills are available for use with the Skill tool:\n\n';
/** The list of skills in a text: up to the first line that is none of it. */
const skillList = (text: string): Stretch | null => {
  const at = text.indexOf(SKILL_LIST);
  if (at < 0) return null;
  const start = at + SKILL_LIST.length;
  const end = text.indexOf('\n\n', start);
  return { start, end: end < 0 ? text.length : end };
};

const as = (stretch: Stretch | null, label: SourceLabel, part?: string): SourceSpan[] =>
  stretch === null ? [] : [{ ...stretch, label, ...(part === undefined ? {} : { part }) }];

const systemSpans = (text: string, hint: string | undefined): SourceSpan[] => {
  const whole = { start: 0, end: text.length, label: 'system_prompt' as const };
  if (OWN_OPENING.test(text)) return [{ ...whole, part: 'preamble' }];
  if (text.startsWith('# Environment\n') || text.startsWith('The following deferred tools')) {
    return fillGaps({ ...whole, label: 'environment' }, as(skillList(text), 'skill'));
  }
  if (!OWN_PROMPT.test(text)) return [{ ...whole, part: 'replaced' }];
  const status = between(text, 'gitStatus: This is the git status at the start', null);
  const env = between(text, 'Here is useful information about the environment', '</env>\n');
  const appended = appendedIn(text, status?.start ?? text.length, hint);
  const inner = [...as(env, 'environment'), ...as(appended, 'system_prompt', 'appended'), ...as(status, 'environment')];
  return fillGaps({ ...whole, part: 'preamble' }, disjoint(inner));
};

const disjoint = (spans: SourceSpan[]): SourceSpan[] => {
  const sorted = spans.toSorted((a, b) => a.start - b.start);
  return sorted.filter((span, i) => i === 0 || span.start >= (sorted[i - 1]?.end ?? 0));
};

const FILE_HEAD = /^Contents of (.+?) \(([^\n]*)\):\n\n/gm;
const MEMORY_PATH = /(^|\/)(memory|memory-bank|memories)\/|\/MEMORY\.md$/;

/** Instruction files inside a claudeMd reminder: each one's text, without its heading. */
const filesIn = (text: string, reminder: Stretch): SourceSpan[] => {
  const body = text.slice(reminder.start, reminder.end);
  const heads = [...body.matchAll(FILE_HEAD)];
  return heads.flatMap((head, i): SourceSpan[] => {
    const start = head.index + head[0].length;
    const next = heads[i + 1];
    const end = next === undefined ? endOfFiles(body, start) : next.index;
    const stretch = trimmed(body, start, end);
    if (stretch === null) return [];
    const path = head[1] ?? '';
    const memory = MEMORY_PATH.test(path) || (head[2] ?? '').includes("user's auto-memory");
    return [
      {
        start: reminder.start + stretch.start,
        end: reminder.start + stretch.end,
        label: memory ? 'memory' : 'agents_md',
        path,
      },
    ];
  });
};

// The last file ends where the reminder's own closing words start; `# gitStatus` sections may follow in it.
const endOfFiles = (body: string, from: number): number => {
  const closing = body.lastIndexOf('IMPORTANT: this context may or may not be relevant');
  if (closing >= from) return closing;
  const tag = body.lastIndexOf('</system-reminder>');
  return tag >= from ? tag : body.length;
};

const SKILL_BODY = /^Base directory for this skill: (.+)\n\n/;

const userSpans = (text: string): SourceSpan[] => {
  const skill = SKILL_BODY.exec(text);
  if (skill !== null) return [{ start: 0, end: text.length, label: 'skill', path: `${skill[1]}/SKILL.md` }];
  const reminders = leadingReminders(text);
  return reminders.flatMap((reminder) => {
    const list = skillList(text.slice(reminder.start, reminder.end));
    const skills =
      list === null ? [] : as({ start: reminder.start + list.start, end: reminder.start + list.end }, 'skill');
    return fillGaps({ ...reminder, label: 'system_reminder' }, disjoint([...filesIn(text, reminder), ...skills]));
  });
};

const toolSpans = (text: string): SourceSpan[] => {
  const list = between(text, '<available_skills>', '</available_skills>');
  return as(list, 'skill');
};

/** Source spans of a text of Claude Code (see `Dialect.spans`). */
export const claudeCodeSpans = (text: string, place: TextPlace, hints: { appended?: string } = {}): SourceSpan[] => {
  if (place === 'system') return systemSpans(text, hints.appended);
  if (place === 'tool_result') return reminderSpans(trailingReminders(text));
  return place === 'tool_description' ? toolSpans(text) : userSpans(text);
};
