import { CATEGORIES } from '../checklist/schema.ts';
import { PRIMARY_CATEGORIES } from './schema.ts';

/* Published rows spell the same thing in several ways; the raw spelling is kept beside what these functions say. */

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');

const spellings = (names: readonly string[], more: Record<string, string>): ReadonlyMap<string, string> =>
  new Map([...names.map((n) => [bare(n), n] as const), ...Object.entries(more)]);

const PRIMARY = spellings(PRIMARY_CATEGORIES, {
  skills: 'Skill',
  skillmd: 'Skill',
  memorybank: 'Memory',
  systemprompt: 'SP',
  uq: 'User Query',
});

const CHECKED = spellings(CATEGORIES, {
  systemprompt: 'SP',
  claudemd: 'Agents.md',
  skill: 'Skill.md',
  toolschemas: 'Tool schema',
});

/** The paper's name of a primary category; an unknown one stays as it is. */
export const primaryCategory = (raw: string): string => PRIMARY.get(bare(raw)) ?? raw;

/** The paper's name of a check category: every `Memory bank…` is Memory; an unknown one (`testing`) stays as it is. */
export const checkCategory = (raw: string): string =>
  /^\s*memory\b/i.test(raw) ? 'Memory' : (CHECKED.get(bare(raw)) ?? raw);

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['claudecode', 'claude-code'],
  ['kilo-dev', 'kilo'],
]);

/** The id of a scaffold from the name it has in a row. */
export const scaffoldId = (raw: string): string => ALIASES.get(raw.trim().toLowerCase()) ?? raw.trim().toLowerCase();

/** An image without its registry host: the same image pulled from two registries is one environment. */
export const environmentOf = (image: string): string => {
  const [host, ...rest] = image.split('/');
  return rest.length > 0 && host !== undefined && (/[.:]/.test(host) || host === 'localhost') ? rest.join('/') : image;
};
