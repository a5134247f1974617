import type { Command, CommandDoes } from '../scaffolds/dialect.ts';

/* What a simple command does: one table. Environments add the commands of their own tests (`tests:`). */

type Facts = Pick<Command, 'name' | 'sub' | 'args' | 'stdin' | 'stdout' | 'reads' | 'writes' | 'via'>;
type Rule = CommandDoes[] | ((c: Facts) => CommandDoes[]);

const has = (c: Facts, ...options: string[]): boolean =>
  c.args.some((a) => options.some((o) => a === o || (o.startsWith('--') && a.startsWith(`${o}=`))));
const hasShort = (c: Facts, letter: string): boolean => c.args.some((a) => new RegExp(`^-[A-Za-z]*${letter}`).test(a));
const words = (list: string): string[] => list.split(' ');
const each = (list: string, rule: Rule): [string, Rule][] => words(list).map((name) => [name, rule]);

// A filter reads files when it is given some; else it works on what a pipe brings.
const filter = (c: Facts): CommandDoes[] => (c.reads.length > 0 || c.stdin === 'file' ? ['read'] : []);

const GIT: Readonly<Record<string, CommandDoes[]>> = {
  commit: ['commit'],
  push: ['push', 'network'],
  fetch: ['network'],
  pull: ['network', 'write'],
  clone: ['network', 'write'],
  rm: ['delete'],
  clean: ['delete'],
  mv: ['move'],
  apply: ['edit'],
  am: ['edit', 'commit'],
  merge: ['commit', 'write'],
  rebase: ['commit', 'write'],
  'cherry-pick': ['commit', 'write'],
  revert: ['commit', 'write'],
  checkout: ['write'],
  switch: ['write'],
  restore: ['write'],
  reset: ['write'],
  stash: ['write'],
  grep: ['search'],
  'ls-files': ['list'],
  status: ['probe'],
  log: ['probe'],
  diff: ['probe'],
  show: ['probe'],
  branch: ['probe'],
  'rev-parse': ['probe'],
  blame: ['probe'],
};

/** Scripts of package managers and targets of build tools, by what they are called. */
const SCRIPTS: readonly [RegExp, CommandDoes][] = [
  [/^(t|test|tst|tests|check-tests|e2e|spec|coverage)([:._-].*)?$/, 'test'],
  [/^(lint|eslint|clippy|vet)([:._-].*)?$/, 'lint'],
  [/^(type-?check|types|tsc|check-types)([:._-].*)?$/, 'typecheck'],
  [/^(format|fmt|prettier)([:._-].*)?$/, 'format'],
  [/^(build|compile|bundle|package|assemble)([:._-].*)?$/, 'build'],
  [/^(i|install|ci|add|sync|remove|uninstall|update|upgrade|get|download|mod|restore)$/, 'install'],
];
const NETWORKED = new Set<CommandDoes>(['install']);

const script = (c: Facts): CommandDoes[] => {
  if (c.sub === null && c.args.length > 0) return probing(c);
  if (c.sub === null) return c.name === 'make' ? ['build'] : /^(yarn|pnpm)$/.test(c.name) ? ['install', 'network'] : [];
  if (c.name === 'cargo' && c.sub === 'check') return ['typecheck'];
  const found = SCRIPTS.find(([pattern]) => pattern.test(c.sub ?? ''))?.[1];
  // `yarn jest` runs the program itself.
  const program = RULES.get(c.sub);
  if (found === undefined && Array.isArray(program)) return program;
  if (found === undefined) return PROBES.test(c.sub) ? ['probe'] : ['opaque'];
  return NETWORKED.has(found) ? [found, 'network'] : [found];
};
const PROBES = /^(ls|list|view|info|outdated|version|why|config|show|help|search|freeze|env|tree|metadata)$/;

const probing = (c: Facts): CommandDoes[] => (isVersionQuestion(c) ? ['probe'] : []);
const isVersionQuestion = (c: Facts): boolean =>
  c.args.length > 0 && c.args.every((a) => /^(--version|-v|-V|--help|-h|version)$/.test(a));

const interpreter = (c: Facts): CommandDoes[] => (isVersionQuestion(c) ? ['probe'] : ['opaque']);

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...each('cat head tail less more bat batcat nl tac od xxd hexdump strings zcat view', filter),
  ...each('wc sort uniq cut tr paste column jq yq diff cmp comm md5sum sha256sum sha1sum fold fmt rev', filter),
  ['awk', filter],
  ['gawk', filter],
  ['sed', (c) => (hasShort(c, 'i') || has(c, '--in-place') ? ['edit'] : filter(c))],
  ['perl', (c) => (/^-[a-z]*i/.test(c.args.find((a) => /^-[a-z]*i/.test(a)) ?? '') ? ['edit'] : interpreter(c))],
  ...each('grep egrep fgrep zgrep rg ag ack locate', ['search']),
  ...each('find fd fdfind', (c) => (has(c, '-delete') ? ['search', 'delete'] : ['search'])),
  ...each('ls tree dir exa eza lsd', ['list']),
  ...each('patch ed ex', ['edit']),
  ...each('tee touch truncate mkdir ln install mktemp rsync cp dd chmod chown tar unzip zip gzip gunzip', ['write']),
  ...each('rm rmdir unlink shred', ['delete']),
  ['mv', ['move']],
  ...each('which whereis type command hash pwd whoami id uname hostname date env printenv test [ stat file du df ps', [
    'probe',
  ]),
  ...each('nproc free uptime realpath dirname basename true false lsof pgrep locale getconf', ['probe']),
  ...each('pytest jest vitest mocha ava tap rspec phpunit ctest nose2 unittest tox nox behave karma nyc c8 cypress', [
    'test',
  ]),
  ['playwright', (c) => (c.sub === 'install' || c.args[0] === 'install' ? ['install', 'network'] : ['test'])],
  ...each('eslint flake8 pylint ruff-check shellcheck golangci-lint stylelint rubocop standard xo hadolint yamllint', [
    'lint',
  ]),
  ['ruff', (c) => (c.args[0] === 'format' ? ['format'] : ['lint'])],
  ['biome', (c) => (c.args[0] === 'format' ? ['format'] : ['lint'])],
  ...each('tsc mypy pyright flow', (c) =>
    c.name === 'tsc' && !has(c, '--noEmit') ? ['typecheck', 'build'] : ['typecheck'],
  ),
  ...each('prettier black isort gofmt rustfmt clang-format autopep8 yapf', ['format']),
  ...each('webpack vite rollup esbuild parcel swc gcc g++ cc c++ clang clang++ javac rustc cmake ninja', ['build']),
  ...each('curl wget ssh scp sftp ping nc netcat telnet dig nslookup host', ['network']),
  ...each(
    'npm pnpm yarn bun make just task mvn mvnw gradle gradlew cargo go dotnet poetry uv pip pip3 rake mix',
    script,
  ),
  ...each('apt apt-get brew apk yum dnf pacman conda gem composer', (c) =>
    c.sub === 'list' ? ['probe'] : ['install', 'network'],
  ),
  ['git', (c) => (c.sub === null ? probing(c) : (GIT[c.sub] ?? []))],
  ...each('gh glab', ['network']),
  ['node', (c) => (has(c, '--test') ? ['test'] : has(c, '--check') ? ['lint'] : interpreter(c))],
  ...each(
    'python python2 python3 deno ruby php lua Rscript osascript java eval source . bash sh zsh dash ksh',
    interpreter,
  ),
]);

/** Words from which an `echo` is speech, not a probe of a variable. */
const SPEECH_WORDS = 3;

/** What a command does; `alone` = no other command in the call. Nothing known gives an empty list, except for what is opaque. */
export const doesOf = (c: Facts, alone: boolean): CommandDoes[] => {
  const does = new Set<CommandDoes>();
  if (c.name === 'echo' || c.name === 'printf') {
    const spoken = c.args
      .filter((a) => !/^-[neE]+$/.test(a))
      .join(' ')
      .split(/\s+/)
      .filter((w) => w !== '');
    if (alone && c.stdout === 'terminal' && spoken.length >= SPEECH_WORDS) does.add('talk');
  } else if (c.args.length === 1 && /^--(version|help)$/.test(c.args[0] ?? '')) {
    does.add('probe');
  } else {
    const rule = RULES.get(c.name);
    for (const word of typeof rule === 'function' ? rule(c) : (rule ?? [])) does.add(word);
  }
  if (c.stdout === 'file') does.add('write');
  // Given a path of its own to run, a program may do anything.
  if (does.size === 0 && !RULES.has(c.name) && /^(\.{1,2}\/|\/)|\.(sh|py|js|rb|pl)$/.test(c.name)) does.add('opaque');
  return [...does];
};
