import { RE2JS } from 're2js';

/** A compiled test on a text; `find` gives the first place of it. Linear in the text, whatever the pattern (RE2). */
export interface Pattern {
  source: string;
  test(text: string): boolean;
  find(text: string): { start: number; end: number } | null;
}

const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
};

const compile = (source: string, regex: string, flags: string): Pattern => {
  const compiled = RE2JS.compile(
    regex,
    [...flags].reduce((sum, f) => sum | (FLAGS[f] ?? 0), 0),
  );
  const find = (text: string): { start: number; end: number } | null => {
    const matcher = compiled.matcher(text);
    return matcher.find() ? { start: matcher.start(), end: matcher.end() } : null;
  };
  return { source, test: (text) => find(text) !== null, find };
};

/**
 * A regular expression in RE2 syntax (no back-references, no look-around), unanchored, so that a hostile text cannot make it slow.
 * `flags` are of `i`, `m`, `s`. Gives the reason as a string when it cannot be compiled.
 */
export const regexPattern = (regex: string, flags = ''): Pattern | string => {
  const odd = [...flags].find((f) => FLAGS[f] === undefined);
  if (odd !== undefined) return `flag "${odd}" is unknown; known: i, m, s`;
  try {
    return compile(`/${regex}/${flags}`, regex, flags);
  } catch (e) {
    return e instanceof Error ? e.message : String(e);
  }
};

const quoted = (c: string): string => (/[\\^$.*+?()[\]{}|]/.test(c) ? `\\${c}` : c);

const closing = (glob: string, from: number): number => {
  for (let i = from + 1; i < glob.length; i++) if (glob[i] === ']' && i > from + 1) return i;
  return -1;
};

/** One glob as a regular expression: `**` any depth (also none), `*` and `?` within a segment, `[abc]`, `{a,b}`; dot files included. */
const globRegex = (glob: string): string => {
  let out = '';
  let braces = 0;
  for (let i = 0; i < glob.length; i++) {
    const c = glob[i] ?? '';
    if (c === '*' && glob[i + 1] === '*') {
      const start = i === 0 || glob[i - 1] === '/';
      while (glob[i + 1] === '*') i++;
      if (start && glob[i + 1] === '/') {
        out += '(?:[^/]*/)*';
        i++;
      } else if (start && i === glob.length - 1 && out.endsWith('/')) out = `${out.slice(0, -1)}(?:/.*)?`;
      else out += '.*';
    } else if (c === '*') out += '[^/]*';
    else if (c === '?') out += '[^/]';
    else if (c === '[' && closing(glob, i) > 0) {
      const end = closing(glob, i);
      const body = glob
        .slice(i + 1, end)
        .replace(/^!/, '^')
        .replace(/[\\[\]]/g, '\\$&');
      out += `[${body}]`;
      i = end;
    } else if (c === '{' && glob.indexOf('}', i) > 0) {
      out += '(?:';
      braces++;
    } else if (c === '}' && braces > 0) {
      out += ')';
      braces--;
    } else out += c === ',' && braces > 0 ? '|' : quoted(c);
  }
  return out + ')'.repeat(braces);
};

const tidy = (path: string): string => path.replace(/^(?:\.\/)+/, '').replace(/(.)\/+$/, '$1');

/** A path pattern; `./` in front and `/` behind make no difference. */
export const globPattern = (glob: string): Pattern => {
  const compiled = compile(glob, `^${globRegex(tidy(glob.trim()))}$`, 's');
  return { source: glob, test: (path) => compiled.test(tidy(path)), find: (path) => compiled.find(tidy(path)) };
};
