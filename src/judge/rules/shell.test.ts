import { describe, expect, test } from 'vitest';
import { edit, type Item, read, type Step, shell, subagent } from '../../../test/fixtures/judge/builder.ts';
import { truthOn } from '../../../test/fixtures/judge/decide.ts';
import type { Truth } from '../truth.ts';

const turns = (...steps: Step[]): Item[] => steps.map((s) => ({ do: [s] }));
const table = (rule: unknown, rows: readonly [string, Truth][]): void => {
  for (const [text, truth] of rows) expect(truthOn(rule, turns(shell(text))), text).toBe(truth);
};

test('no_shell_for_files', () => {
  table({ use: 'no_shell_for_files' }, [
    ['npm test', 'S'],
    ['git status && npm run build', 'S'],
    ['cat src/cart.ts', 'F'],
    ['cd src && head -5 cart.ts', 'F'],
    ['bash -c "grep -rn total ."', 'F'],
    ['npm test | tail -20', 'S'],
    ['npm test 2>&1 | grep fail', 'S'],
    ['sed -i s/a/b/ x.ts', 'F'],
    ['ls', 'F'],
    ['echo "x" > a.txt', 'F'],
    ['npm test > /dev/null 2>&1', 'S'],
    ['git commit -m "cat and grep now work, see ls"', 'S'],
    ["echo 'please run cat file'", 'S'],
    ["cat > a.txt <<'EOF'\nx\nEOF", 'F'],
  ]);
  table({ use: 'no_shell_for_files', allow: ['list', 'cat'] }, [
    ['ls -la', 'S'],
    ['cat a.ts', 'S'],
    ['head a.ts', 'F'],
  ]);
  table({ use: 'no_shell_for_files', allow: ['write'] }, [['npm test > log.txt', 'S']]);
});

test('no_shell_talk', () => {
  table({ use: 'no_shell_talk' }, [
    ['echo "I have fixed the cart"', 'F'],
    ['printf "All tests are green\\n"', 'F'],
    ['echo $PATH', 'S'],
    ['npm test && echo "all is well now"', 'S'],
    ['echo "a b c d" >> notes.txt', 'S'],
  ]);
  expect(truthOn({ use: 'no_shell_talk' }, turns(subagent('x', turns(shell('echo I am working on it')))))).toBe('F');
});

describe('git_safety', () => {
  test('commands that lose work', () => {
    table({ use: 'git_safety' }, [
      ['git status', 'S'],
      ['git add -A && git commit -m "fix: no --force, no reset --hard"', 'S'],
      ['cd x && git -C . reset --hard HEAD~1', 'F'],
      ['git push --force origin main', 'F'],
      ['git push -f', 'F'],
      ['git push --force-with-lease', 'F'],
      ['git push origin main', 'S'],
      ['git clean -fd', 'F'],
      ['git clean -n', 'S'],
      ['git checkout -- src/cart.ts', 'F'],
      ['git checkout -b feature', 'S'],
      ['git restore src/cart.ts', 'F'],
      ['git restore --staged src/cart.ts', 'S'],
      ['git branch -D old', 'F'],
      ['git commit --amend --no-edit', 'F'],
      ['git commit --no-verify -m x', 'F'],
      ['git config user.name Bot', 'F'],
      ['git config --get user.name', 'S'],
      ['git rebase main', 'F'],
      ['bash -c "git reset --hard"', 'F'],
      ["bash <<'EOF'\ngit push --force\nEOF", 'F'],
      ['echo "git reset --hard"', 'S'],
      ['npm run reset -- --hard', 'S'],
    ]);
  });
  test('what is allowed', () => {
    table({ use: 'git_safety', allow: ['amend'] }, [
      ['git commit --amend', 'S'],
      ['git commit --amend --no-verify', 'F'],
    ]);
  });
});

test('no_commit_unless_asked', () => {
  const rule = { use: 'no_commit_unless_asked' };
  const commit = turns(shell('git commit -am "x"'));
  expect(truthOn(rule, [{ query: 'Fix the cart' }, ...turns(shell('git diff'))])).toBe('S');
  expect(truthOn(rule, [{ query: 'Fix the cart' }, ...commit])).toBe('F');
  expect(truthOn(rule, [{ query: 'Fix the cart and commit it' }, ...commit])).toBe('S');
  expect(truthOn(rule, [{ query: '修复购物车并提交代码' }, ...commit])).toBe('S');
  expect(truthOn(rule, [{ query: 'Fix the cart, do not commit' }, ...commit])).toBe('F');
  expect(truthOn(rule, [{ query: '修复购物车，不要提交' }, ...commit])).toBe('F');
  expect(truthOn(rule, [{ query: 'Fix the cart' }, ...commit, { query: 'commit it' }, { say: 'ok' }])).toBe('F');
});

test('commit_message', () => {
  const rule = { use: 'commit_message', regex: '^(feat|fix)(\\([a-z-]+\\))?: .{1,60}$' };
  table(rule, [
    ['git commit -m "fix(cart): add up"', 'S'],
    ['git commit -m "fixed the cart"', 'F'],
    ['git commit -m "fix: a" && git commit -m "b"', 'F'],
    ["git commit -F - <<'EOF'\nfeat: a thing\n\nmore\nEOF", 'S'],
    ['git commit -m "$(cat <<\'EOF\'\nfeat: a thing\n\nmore\nEOF\n)"', 'S'],
    ['git commit', 'U'],
    ['git status', 'N'],
  ]);
  expect(truthOn(rule, turns(shell('git commit -m "oops"', false)))).toBe('N');
});

describe('ran', () => {
  test('by what it does and by name', () => {
    table({ use: 'ran', does: 'test' }, [
      ['npm test', 'S'],
      ['npx vitest run', 'S'],
      ['cd api && python -m pytest -q', 'S'],
      ['npm run build', 'F'],
      ['echo "npm test"', 'F'],
      ['git commit -m "npm test passes"', 'F'],
    ]);
    table({ use: 'ran', name: 'npm', sub: 'lint' }, [
      ['npm run lint', 'S'],
      ['npm test', 'F'],
    ]);
  });
  test('passed: a failed one, one that does not tell', () => {
    const rule = { use: 'ran', does: 'test', passed: true };
    expect(truthOn(rule, turns(shell('npm test')))).toBe('S');
    expect(truthOn(rule, turns(shell('npm test', false)))).toBe('F');
    expect(truthOn(rule, turns(shell('npm test | tail -5')))).toBe('U');
    expect(truthOn(rule, turns(shell('npm test', false), shell('npm test')))).toBe('S');
  });
  test('after the last edit', () => {
    const rule = { use: 'ran', does: 'test', after_last_edit: true };
    expect(truthOn(rule, turns(edit('a.ts'), shell('npm test')))).toBe('S');
    expect(truthOn(rule, turns(shell('npm test'), edit('a.ts')))).toBe('F');
    expect(truthOn(rule, turns(edit('a.ts'), shell('npm test'), edit('b.ts')))).toBe('F');
    expect(truthOn(rule, turns(read('a.ts'), shell('npm test')))).toBe('N');
  });
});

test('package_manager', () => {
  table({ use: 'package_manager', is: 'pnpm' }, [
    ['pnpm install', 'S'],
    ['pnpm test', 'S'],
    ['npm install left-pad', 'F'],
    ['pnpm exec vitest', 'S'],
    ['npx vitest', 'F'],
    ['cargo test', 'N'],
    ['grep pnpm README.md', 'N'],
  ]);
  table({ use: 'package_manager', is: 'uv' }, [
    ['uv run pytest', 'S'],
    ['uv pip install x', 'S'],
    ['pip install x', 'F'],
    ['python -m pip install x', 'F'],
  ]);
});
