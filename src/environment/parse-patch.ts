/** One file of a git patch. `rel` is its path below the workspace; a deleted file keeps the path it had. */
export interface PatchFile {
  rel: string;
  status: 'added' | 'modified' | 'deleted';
  /** Whole lines without the leading sign and the line break. Empty for binary files and pure mode changes. */
  added: string[];
  removed: string[];
  binary: boolean;
}

const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/** A name as git writes it: plain, or in quotes with C escapes over its bytes (git-config, `core.quotePath`). */
const unquote = (name: string): string => {
  if (!name.startsWith('"')) return name;
  const bytes: number[] = [];
  const inner = Buffer.from(name.slice(1, -1));
  for (let i = 0; i < inner.length; i++) {
    if (inner[i] !== 92) {
      bytes.push(inner[i] ?? 0);
      continue;
    }
    const octal = inner.subarray(i + 1, i + 4).toString('latin1');
    if (/^[0-3][0-7]{2}$/.test(octal)) {
      bytes.push(Number.parseInt(octal, 8));
      i += 3;
    } else bytes.push(ESCAPES[String.fromCharCode(inner[++i] ?? 0)] ?? inner[i] ?? 0);
  }
  return Buffer.from(bytes).toString('utf8');
};

/** The name after `diff --git`: both names are the same but for their prefix, so half of the line is one of them. */
const nameOf = (header: string): string => {
  const rest = header.slice('diff --git '.length);
  const half = rest.slice(0, (rest.length - 1) / 2);
  return unquote(half).slice(2);
};

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/**
 * Reads a git patch as `Sandbox.patch` gives it (no renames; lines before the first `diff --git` are skipped). Hunks are followed by
 * their line counts, so that content which looks like a header stays content. Invalid UTF-8 becomes U+FFFD. Anything else is skipped.
 */
export const readPatch = (patch: Uint8Array | string): PatchFile[] => {
  const lines = (typeof patch === 'string' ? patch : Buffer.from(patch).toString('utf8')).split('\n');
  const files: PatchFile[] = [];
  let file: PatchFile | undefined;
  let old = 0;
  let fresh = 0;
  for (const line of lines) {
    if (file !== undefined && (old > 0 || fresh > 0)) {
      const sign = line[0];
      if (sign === '\\') continue; // "\ No newline at end of file"
      if (sign === '+') file.added.push(line.slice(1));
      else if (sign === '-') file.removed.push(line.slice(1));
      if (sign !== '+') old--;
      if (sign !== '-') fresh--;
    } else if (line.startsWith('diff --git ')) {
      file = { rel: nameOf(line), status: 'modified', added: [], removed: [], binary: false };
      files.push(file);
    } else if (file !== undefined) {
      const hunk = HUNK.exec(line);
      if (hunk !== null) {
        old = Number(hunk[1] ?? 1);
        fresh = Number(hunk[2] ?? 1);
      } else if (line.startsWith('new file mode')) file.status = 'added';
      else if (line.startsWith('deleted file mode')) file.status = 'deleted';
      else if (line === 'GIT binary patch') file.binary = true;
    }
  }
  return files;
};

/** What `Sandbox.patch` left out, with the reason, as it says before the first file. */
export const leftOut = (patch: Uint8Array): string[] => {
  const text = Buffer.from(patch.subarray(0, 64 * 1024)).toString('utf8');
  const head = text.startsWith('diff --git ') ? '' : text.split('\ndiff --git ')[0];
  return [...(head ?? '').matchAll(/^# octobench left out (.*)$/gm)].map((m) => m[1] ?? '');
};
