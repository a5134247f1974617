import { describe, expect, it } from 'vitest';
import type { Command } from '../scaffolds/dialect.ts';
import { parseCommands, type ShellContext } from './shell.ts';

const WORKSPACE = '/w';
const parse = (command: string, context: Partial<ShellContext> = {}): Command[] =>
  parseCommands(command, {
    cwd: WORKSPACE,
    workspace: WORKSPACE,
    ok: true,
    output: 'out',
    background: false,
    ...context,
  });
const names = (command: string): string[] =>
  parse(command).map((c) => [c.name, c.sub].filter((x) => x !== null).join(' '));
const only = (command: string, context?: Partial<ShellContext>): Command => {
  const all = parse(command, context);
  expect(all).toHaveLength(1);
  return all[0] as Command;
};

describe('which commands run', () => {
  it.each([
    ['cd x && git -C . reset --hard', ['cd', 'git reset']],
    ['bash -c "rm -rf /"', ['rm']],
    [`sh -lc 'git push -f && echo done'`, ['git push', 'echo']],
    ['eval "git push -f"', ['git push']],
    ["cat <<'EOF' | sh\nrm -rf /tmp/z\nEOF", ['cat', 'rm']],
    ["bash <<'X'\ngit clean -fdx\nX", ['git clean']],
    ['echo "rm -rf x" | bash', ['echo', 'rm']],
    ['find . -name "*.log" | xargs -n 1 rm -f', ['find', 'rm']],
    ['find . -name x -exec git rm {} \\; -exec touch y +', ['find', 'git rm', 'touch']],
    ['echo "git reset --hard"', ['echo']],
    ["grep 'rm -rf' a.sh", ['grep']],
    ['for f in a b; do npm run lint "$f"; done', ['npm lint']],
    ['if git diff --quiet; then git commit -m x; fi', ['git diff', 'git commit']],
    ['X=$(git log -1) && echo "$(date)"', ['git log', 'date', 'echo']],
    ['diff <(sort a) <(sort b)', ['sort', 'sort', 'diff']],
    ['sudo -u root env A=1 timeout 5 npx --yes vitest run', ['vitest']],
    ['python -m pytest -q', ['pytest']],
    ['CI=1 pnpm exec eslint .', ['eslint']],
    ['uv run --with x pytest', ['pytest']],
    ['(cd a; ls); ls', ['cd', 'ls', 'ls']],
    ['', []],
    ['# only a comment', []],
  ])('%s', (command, expected) => {
    expect(names(command)).toEqual(expected);
  });

  it('what cannot be parsed or told is opaque', () => {
    expect(parse('echo "a" && (').some((c) => c.does.includes('opaque'))).toBe(true);
    expect(only('bash -c "$CODE"').does).toEqual(['opaque']);
    expect(only('eval $CODE').does).toEqual(['opaque']);
    expect(only('$TOOL run').does).toEqual(['opaque']);
    expect(only('curl https://x.y/i.sh').does).toEqual(['network']);
    expect(parse('curl https://x.y/i.sh | sh').map((c) => c.does)).toEqual([['network'], ['opaque']]);
    expect(only('python script.py').does).toEqual(['opaque']);
    expect(only('node --version').does).toEqual(['probe']);
  });

  it('never throws, whatever the text', () => {
    for (const text of [
      '"'.repeat(999),
      '('.repeat(5000),
      `${'$('.repeat(400)}x`,
      '\ud83d',
      '\u0000',
      '`'.repeat(99),
      'a'.repeat(300_000),
    ])
      expect(() => parse(text)).not.toThrow();
  });
});

describe('where they run', () => {
  it('follows cd, and not out of a subshell, a pipe or a condition', () => {
    expect(parse('cd x && ls; (cd /y && ls); ls').map((c) => c.cwd)).toEqual(['/w', '/w/x', '/w/x', '/y', '/w/x']);
    expect(parse('cd a | cat; ls').at(-1)?.cwd).toBe('/w');
    expect(parse('if true; then cd a; fi; ls').at(-1)?.cwd).toBeNull();
    expect(parse('cd "$D"; ls').at(-1)?.cwd).toBeNull();
    expect(parse('cd; ls').at(-1)?.cwd).toBe('~');
    expect(only('git -C sub status').cwd).toBe('/w/sub');
    expect(parse('ls', { cwd: null })[0]?.cwd).toBeNull();
  });

  it('paths are those of the workspace', () => {
    expect(parse('cd src && cat a.ts ../b.ts /etc/hosts ~/c > /w/out.txt').at(-1)).toMatchObject({
      reads: ['src/a.ts', 'b.ts', '/etc/hosts', '~/c'],
      writes: ['out.txt'],
      stdout: 'file',
    });
    expect(only('sed -i "s/a/b/" x.ts')).toMatchObject({ does: ['edit'], reads: ['x.ts'], writes: ['x.ts'] });
    expect(only('grep -rn foo src lib')).toMatchObject({ does: ['search'], reads: ['src', 'lib'] });
    expect(only('cp a b/c')).toMatchObject({ reads: ['a'], writes: ['b/c'] });
    expect(only('echo hi > "$F"').writes).toEqual([]);
    expect(only('git rm --cached .env')).toMatchObject({ does: ['delete'], writes: ['.env'] });
  });
});

describe('streams', () => {
  it('tells terminal, pipe, file and here-document apart', () => {
    expect(parse('cat a | grep b > c').map((c) => [c.stdin, c.stdout])).toEqual([
      ['none', 'pipe'],
      ['pipe', 'file'],
    ]);
    expect(only('cat > x.txt <<EOF\nhi\nEOF')).toMatchObject({ stdin: 'heredoc', stdout: 'file', does: ['write'] });
    expect(only('sort < a')).toMatchObject({ stdin: 'file', reads: ['a'], does: ['read'] });
    expect(only('ls > /dev/null 2>&1')).toMatchObject({ stdout: 'pipe', writes: [] });
    expect(only('make 2> err.txt')).toMatchObject({ stdout: 'terminal', writes: ['err.txt'] });
    expect(parse('{ ls; pwd; } > all.txt').map((c) => c.stdout)).toEqual(['file', 'file']);
  });
});

describe('how they went', () => {
  const ok = (command: string, result: boolean | null): (boolean | null)[] =>
    parse(command, { ok: result }).map((c) => c.ok);
  it.each<[string, boolean | null, (boolean | null)[]]>([
    ['a', true, [true]],
    ['a', false, [false]],
    ['a && b && c', true, [true, true, true]],
    ['a && b', false, [null, false]],
    ['a; b', true, [null, true]],
    ['a || b', true, [null, null]],
    ['a || b', false, [null, false]],
    ['a || b && c', true, [null, null, true]],
    ['a | b', true, [null, true]],
    ['! a', true, [null]],
    ['a & b', true, [null, true]],
    ['a &', true, [null]],
    ['(a && b)', true, [true, true]],
    ['a', null, [null]],
  ])('%s with %s', (command, result, expected) => {
    expect(ok(command, result)).toEqual(expected);
  });

  it('a call in the background tells nothing', () => {
    expect(only('npm test', { background: true })).toMatchObject({ ok: null, background: true });
  });

  it('output is that of a command alone in its call', () => {
    expect(only('ls').output).toBe('out');
    expect(parse('ls; pwd').map((c) => c.output)).toEqual([null, null]);
  });
});

describe('commit messages', () => {
  const message = (command: string, context?: Partial<ShellContext>): string | null | undefined =>
    parse(command, context).find((c) => c.sub === 'commit')?.commitMessage;

  it('from -m, a here-document and -F', () => {
    expect(message('git add -A && git commit -am "fix: a" -m body')).toBe('fix: a\n\nbody');
    expect(message(`git commit -m "$(cat <<'EOF'\nfeat: b\n\nLong.\nEOF\n)"`)).toBe('feat: b\n\nLong.');
    expect(message('git commit -F - <<EOF\nfix: c\nEOF')).toBe('fix: c');
    expect(message('git commit -F msg.txt', { written: (p) => (p === 'msg.txt' ? 'docs: d\n' : null) })).toBe(
      'docs: d',
    );
    expect(message('git commit --message="chore: e"')).toBe('chore: e');
    expect(message('M="fix: f"; git commit -m "$M"')).toBe('fix: f');
  });

  it('is unknown where an editor or an expansion writes it', () => {
    expect(message('git commit')).toBeNull();
    expect(message('git commit -m "$MSG"')).toBeNull();
    expect(message('git commit -F gone.txt')).toBeNull();
  });

  it('the title is its first line', () => {
    expect(parse(`git commit -m "fix: a\n\nb"`)[0]?.commitTitle).toBe('fix: a');
  });
});

describe('what they do', () => {
  it.each([
    ['npm test', ['test']],
    ['npm run test:unit', ['test']],
    ['yarn build', ['build']],
    ['npm install x', ['install', 'network']],
    ['go vet ./...', ['lint']],
    ['cargo fmt', ['format']],
    ['tsc --noEmit', ['typecheck']],
    ['git push --force origin main', ['push', 'network']],
    ['git commit -m x', ['commit']],
    ['ls -la', ['list']],
    ['cat a.ts', ['read']],
    ['head -20 a.ts', ['read']],
    ['rg foo', ['search']],
    ['rm -rf dist', ['delete']],
    ['mv a b', ['move']],
    ['which node', ['probe']],
    ['echo "All tests pass now"', ['talk']],
    ['echo $HOME', []],
    ['./run.sh', ['opaque']],
    ['yarn jest --coverage', ['test']],
    ['make', ['build']],
    ['./gradlew test', ['test']],
    ['/usr/bin/grep -r foo .', ['search']],
    ['./node_modules/.bin/eslint src', ['lint']],
    ['jest --version', ['probe']],
    ['npm run custom-thing', ['opaque']],
    ['prettier --write a.ts', ['format']],
    ['node --test --test-isolation=none test/*.test.ts', ['test']],
    ['node --check x.js', ['lint']],
  ])('%s', (command, does) => {
    expect(only(command).does).toEqual(does);
  });

  it('echo into a file or beside others is no talk', () => {
    expect(only('echo "a b c d" > x').does).toEqual(['write']);
    expect(parse('echo "a b c d"; ls')[0]?.does).toEqual([]);
    expect(parse('cat a | head -3').map((c) => c.does)).toEqual([['read'], []]);
  });
});
