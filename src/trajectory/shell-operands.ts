import type { Argument } from './shell-words.ts';

/* Which operands of a command are files that it reads, and which it changes. */

interface Operands {
  reads: string[];
  writes: string[];
}

type Shape =
  | 'read' // every operand
  | 'write'
  | 'script' // the first operand is a program or pattern, the others are read
  | 'script-write'
  | 'copy' // the last is written, the others read
  | 'move' // all change
  | 'link';

const SHAPES = new Map<string, Shape>();
const shape = (kind: Shape, names: string): void => {
  for (const name of names.split(' ')) SHAPES.set(name, kind);
};
shape(
  'read',
  'cat head tail less more bat batcat nl tac od xxd hexdump strings zcat view wc sort uniq cut tr paste column',
);
shape(
  'read',
  'diff cmp comm md5sum sha256sum sha1sum fold fmt rev stat file source . python python3 node ruby php bash sh zsh',
);
shape('read', 'ls tree find fd patch');
shape('script', 'awk gawk sed grep egrep fgrep zgrep rg ag ack jq yq');
shape('write', 'tee touch truncate mkdir rm rmdir unlink shred');
shape('copy', 'cp install rsync');
shape('move', 'mv');
shape('link', 'ln');
shape('write', 'prettier black isort gofmt rustfmt clang-format autopep8 yapf');

/** Options of these programs that take the next word; what is not listed stands alone. */
const VALUES: Readonly<Record<string, RegExp>> = {
  head: /^-[nc]$/,
  tail: /^-[nc]$/,
  cut: /^-[dfcb]$/,
  sort: /^-[kto]$/,
  grep: /^-[ABCmef]$|^--(include|exclude|context)$/,
  egrep: /^-[ABCmef]$/,
  rg: /^-[ABCmefgtT]$|^--(glob|type|max-count|context)$/,
  ag: /^-[ABCmG]$/,
  sed: /^-[ef]$|^--expression$/,
  awk: /^-[Fvf]$/,
  jq: /^--(indent|tab)$/,
  mkdir: /^-m$/,
  truncate: /^-[sr]$/,
  tree: /^-[LIP]$/,
  python: /^-[cWX]$/,
  python3: /^-[cWX]$/,
  node: /^-[epr]$|^--(eval|print|require|import)$/,
  find: /^-(name|iname|path|type|maxdepth|mindepth|mtime|size|newer|regex|exec|execdir|ok|perm|user)$/,
};
/** The pattern or program is given by an option, so that the first operand is a file already. */
const GIVEN = /^(-e|-f|--expression|--regexp|--file|-c|--eval|-p|--print|--files)$/;

const operandsOf = (name: string, args: readonly Argument[]): { words: Argument[]; given: boolean } => {
  const withValue = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
  const words: Argument[] = [];
  let given = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as Argument;
    if (arg.text === '--') {
      words.push(...args.slice(i + 1));
      break;
    }
    if (!arg.text.startsWith('-') || arg.text === '-') {
      words.push(arg);
      continue;
    }
    given ||= GIVEN.test(arg.text);
    if (withValue?.test(arg.text)) i++;
    // What follows the tests of `find` is no path.
    else if (name === 'find') break;
  }
  return { words, given };
};

const fixed = (words: readonly Argument[]): string[] =>
  words.filter((w) => w.fixed && w.text !== '-' && w.text !== '').map((w) => w.text);

/** Operands that are files, as written; those that only a run could tell are left out. */
export const fileOperands = (name: string, sub: string | null, args: readonly Argument[]): Operands => {
  if (name === 'git') return gitOperands(sub, args);
  if (name === 'dd') return ddOperands(args);
  const kind = SHAPES.get(name);
  if (kind === undefined) return { reads: [], writes: [] };
  const { words, given } = operandsOf(name, args);
  const inPlace = args.some((a) => /^(-[a-zA-Z]*i|--in-place|--write|--fix)/.test(a.text));
  switch (kind) {
    case 'read':
      return { reads: fixed(given ? [] : words), writes: [] };
    case 'script': {
      const files = fixed(given ? words : words.slice(1));
      return name === 'sed' && inPlace ? { reads: files, writes: files } : { reads: files, writes: [] };
    }
    case 'copy':
    case 'link':
      return { reads: fixed(words.slice(0, -1)), writes: fixed(words.slice(-1)) };
    case 'move':
      return { reads: [], writes: fixed(words) };
    default:
      return {
        reads: [],
        writes: fixed(name === 'prettier' && !inPlace && !args.some((a) => a.text === '-w') ? [] : words),
      };
  }
};

const GIT_WRITES = new Set(['rm', 'mv', 'restore', 'checkout', 'clean']);

const gitOperands = (sub: string | null, args: readonly Argument[]): Operands => {
  if (sub === null || !GIT_WRITES.has(sub)) return { reads: [], writes: [] };
  const dashes = args.findIndex((a) => a.text === '--');
  if (dashes >= 0) return { reads: [], writes: fixed(args.slice(dashes + 1)) };
  // Without `--` a word of `checkout` may be a branch.
  return { reads: [], writes: sub === 'checkout' ? [] : fixed(args.filter((a) => !a.text.startsWith('-'))) };
};

const ddOperands = (args: readonly Argument[]): Operands => {
  const value = (key: string): string[] =>
    args.flatMap((a) => (a.fixed && a.text.startsWith(key) ? [a.text.slice(key.length)] : []));
  return { reads: value('if='), writes: value('of=') };
};
