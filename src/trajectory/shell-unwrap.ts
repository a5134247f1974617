import type { Argument } from './shell-words.ts';

/** A program and its arguments, after what only starts it (sudo, env, timeout, npx, ...) was taken off into `via`. */
export interface Unwrapped {
  via: string[];
  argv: Argument[];
}

/** How many words an option list takes: `flags` of those options take a value of their own. */
const skipOptions = (argv: readonly Argument[], from: number, withValue: RegExp): number => {
  let at = from;
  while (at < argv.length) {
    const text = argv[at]?.text ?? '';
    if (text === '--') return at + 1;
    if (!text.startsWith('-') || text === '-') return at;
    at += withValue.test(text) ? 2 : 1;
  }
  return at;
};

const NONE = /(?!)/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/** Words that start a program given after them, with the options of theirs that take a value. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  sudo: /^-[ugpChrtTD]$/,
  doas: /^-[uC]$/,
  nohup: NONE,
  time: /^-[fo]$/,
  nice: /^-n$/,
  ionice: /^-[cnp]$/,
  setsid: NONE,
  stdbuf: /^-[ioe]$/,
  builtin: NONE,
  exec: /^-a$/,
  command: NONE,
  'xvfb-run': /^-[nseafwp]$/,
  npx: /^(-p|--package|-c|--call)$/,
  bunx: /^(-p|--package)$/,
};

/** Two words that start a program: `pnpm exec X`. */
const PAIRS: Readonly<Record<string, ReadonlySet<string>>> = {
  pnpm: new Set(['exec', 'dlx']),
  yarn: new Set(['exec', 'dlx']),
  npm: new Set(['exec', 'x']),
  bun: new Set(['x']),
  uv: new Set(['run']),
  poetry: new Set(['run']),
  pipenv: new Set(['run']),
  hatch: new Set(['run']),
  pdm: new Set(['run']),
  bundle: new Set(['exec']),
  corepack: new Set(['pnpm', 'yarn']),
};
const PAIR_VALUES = /^(--with|--python|-p|--package|--project|--directory|--group|--extra|--from)$/;

const PYTHON = /^python(\d+(\.\d+)*)?$/;

/** The name of a program without its folder. */
export const baseName = (text: string): string => text.slice(text.lastIndexOf('/') + 1);

const peel = (argv: readonly Argument[]): { via: string; rest: number } | null => {
  const name = baseName(argv[0]?.text ?? '');
  const second = argv[1]?.text ?? '';
  if (name === 'env') {
    let at = skipOptions(argv, 1, /^-[uCS]$/);
    while (ASSIGNMENT.test(argv[at]?.text ?? '')) at++;
    return { via: 'env', rest: at };
  }
  if (name === 'timeout') return { via: 'timeout', rest: skipOptions(argv, 1, /^-[sk]$/) + 1 };
  // `command -v X` asks where X is.
  if (name === 'command' && /^-[vV]$/.test(second)) return null;
  if (PYTHON.test(name)) return second === '-m' ? { via: `${name} -m`, rest: 2 } : null;
  if (PAIRS[name]?.has(second)) {
    const rest = name === 'corepack' ? 1 : skipOptions(argv, 2, PAIR_VALUES);
    return { via: name === 'corepack' ? name : `${name} ${second}`, rest };
  }
  const withValue = Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined;
  return withValue === undefined ? null : { via: name, rest: skipOptions(argv, 1, withValue) };
};

/** Takes wrappers off the front until the program itself is reached; a wrapper that starts nothing is the program. */
export const unwrap = (argv: readonly Argument[]): Unwrapped => {
  const via: string[] = [];
  let rest = [...argv];
  for (;;) {
    const peeled = peel(rest);
    if (peeled === null || peeled.rest >= rest.length) return { via, argv: rest };
    via.push(peeled.via);
    rest = rest.slice(peeled.rest);
  }
};

/** Words of a program that name its part: options that stand before them are skipped. */
const SUB_PROGRAMS: Readonly<Record<string, { depth: number; withValue: RegExp }>> = {
  git: { depth: 1, withValue: /^(-C|-c|--git-dir|--work-tree|--namespace)$/ },
  gh: { depth: 2, withValue: /^(-R|--repo)$/ },
  glab: { depth: 2, withValue: /^(-R|--repo)$/ },
  docker: { depth: 1, withValue: /^(-H|--host|--context|-c)$/ },
  kubectl: { depth: 1, withValue: /^(-n|--namespace|--context)$/ },
  cargo: { depth: 1, withValue: /^(--manifest-path|-C)$/ },
  go: { depth: 1, withValue: /^-C$/ },
  npm: { depth: 1, withValue: /^(--prefix|-C|-w|--workspace)$/ },
  pnpm: { depth: 1, withValue: /^(-C|--dir|--filter|-F)$/ },
  yarn: { depth: 1, withValue: /^--cwd$/ },
  bun: { depth: 1, withValue: /^--cwd$/ },
  deno: { depth: 1, withValue: NONE },
  dotnet: { depth: 1, withValue: NONE },
  pip: { depth: 1, withValue: NONE },
  pip3: { depth: 1, withValue: NONE },
  uv: { depth: 1, withValue: NONE },
  poetry: { depth: 1, withValue: NONE },
  brew: { depth: 1, withValue: NONE },
  apt: { depth: 1, withValue: NONE },
  'apt-get': { depth: 1, withValue: NONE },
  make: { depth: 1, withValue: /^(-C|-f|-j)$/ },
  mvn: { depth: 1, withValue: /^(-f|-pl)$/ },
  mvnw: { depth: 1, withValue: /^(-f|-pl)$/ },
  gradle: { depth: 1, withValue: /^-p$/ },
  gradlew: { depth: 1, withValue: /^-p$/ },
};
const RUNNERS = new Set(['npm', 'pnpm', 'yarn', 'bun', 'deno']);

/** The part of a program that is asked for, and the words after it; `folder` is what `-C` says. */
export const subCommand = (
  name: string,
  args: readonly Argument[],
): { sub: string | null; rest: Argument[]; folder: Argument | null } => {
  const program = Object.hasOwn(SUB_PROGRAMS, name) ? SUB_PROGRAMS[name] : undefined;
  if (program === undefined) return { sub: null, rest: [...args], folder: null };
  let at = skipOptions(args, 0, program.withValue);
  const before = args.slice(0, at);
  const c = before.findLastIndex((a) => a.text === '-C');
  const folder = c < 0 ? null : (before[c + 1] ?? null);
  // `npm run X` is X.
  if (RUNNERS.has(name) && /^(run|run-script|task)$/.test(args[at]?.text ?? '') && args[at + 1] !== undefined)
    at = skipOptions(args, at + 1, program.withValue);
  const words = args.slice(at, at + program.depth).filter((a) => !a.text.startsWith('-'));
  if (words.length === 0) return { sub: null, rest: args.slice(at), folder };
  return { sub: words.map((w) => w.text).join(' '), rest: args.slice(at + words.length), folder };
};
