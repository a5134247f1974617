import type { Problem } from '../core/problem.ts';

export interface Selection {
  include?: readonly string[];
  exclude?: readonly string[];
  limit?: number;
}

const globToRegExp = (glob: string): RegExp => {
  const body = glob.replace(
    /[.*+?^${}()|[\]\\,]/g,
    (c) => ({ '*': '[^]*', '?': '[^]', '{': '(?:', '}': ')', ',': '|' })[c] ?? `\\${c}`,
  );
  try {
    return new RegExp(`^${body}$`);
  } catch {
    return new RegExp(`^${glob.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
  }
};

/** Whether an id matches a glob: `*` any text, `?` one character, `{a,b}` either. Ids are no paths: `*` matches `/` too. */
export const matches = (glob: string, id: string): boolean => globToRegExp(glob).test(id);

/** The items whose id is selected, in their order, and a problem for each `include` glob that matches nothing. Pure. */
export const select = <T extends { id: string }>(
  items: readonly T[],
  selection: Selection,
): { instances: T[]; problems: Problem[] } => {
  const include = selection.include ?? [];
  const exclude = selection.exclude ?? [];
  const chosen = items.filter(
    ({ id }) => (include.length === 0 || include.some((g) => matches(g, id))) && !exclude.some((g) => matches(g, id)),
  );
  const problems = include
    .filter((glob) => !items.some(({ id }) => matches(glob, id)))
    .map(
      (glob): Problem => ({ kind: 'nothing_selected', severity: 'error', message: `no instance matches "${glob}"` }),
    );
  return { instances: selection.limit === undefined ? chosen : chosen.slice(0, selection.limit), problems };
};
