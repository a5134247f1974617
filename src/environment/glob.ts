/** `**`, `*`, `?`, `[a-z]` and `{a,b}` as a regular expression over a whole path with `/` between names; dots are ordinary characters. */
const globPattern = (glob: string): RegExp => {
  let out = '';
  let depth = 0;
  for (let i = 0; i < glob.length; i++) {
    const c = glob[i] ?? '';
    if (c === '*' && glob[i + 1] === '*') {
      const slash = glob[i + 2] === '/';
      out += slash ? '(?:[^/]*/)*' : '.*';
      i += slash ? 2 : 1;
    } else if (c === '*') out += '[^/]*';
    else if (c === '?') out += '[^/]';
    else if (c === '[' && glob.indexOf(']', i + 2) > 0) {
      const end = glob.indexOf(']', i + 2);
      const inner = glob.slice(i + 1, end).replace(/[\\[]/g, '\\$&');
      out += `[${inner.startsWith('!') ? `^${inner.slice(1)}` : inner}]`;
      i = end;
    } else if (c === '{') {
      out += '(?:';
      depth++;
    } else if (c === '}' && depth > 0) {
      out += ')';
      depth--;
    } else if (c === ',' && depth > 0) out += '|';
    else out += c.replace(/[\\^$.|+()[\]{}*?]/g, '\\$&');
  }
  return new RegExp(`^${out}${')'.repeat(depth)}$`, 's');
};

/** A function that tells whether a path matches any of the globs. */
export const matchesAny = (globs: readonly string[]): ((path: string) => boolean) => {
  const patterns = globs.map(globPattern);
  return (path) => patterns.some((p) => p.test(path));
};
