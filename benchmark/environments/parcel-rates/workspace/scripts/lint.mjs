// Checks the rules of CLAUDE.md that a program can check. Prints every finding, exits 1 when there is one.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = new URL('..', import.meta.url).pathname;

const filesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));

const RULES = [
  { test: /^export default/m, says: 'default export (rule 3)' },
  { test: /from '\.{1,2}\/[^']*(?<!\.ts)'/, says: 'relative import without .ts (rule 3)' },
  { test: /from '(fs|http|path|url|assert|test|crypto|os)(\/[a-z]+)?'/, says: 'built-in without node: (rule 3)' },
  { test: /\.toFixed\(/, says: 'toFixed on money (rule 1)' },
];

const findings = [];
for (const file of [...filesIn('src'), ...filesIn('test')]) {
  const text = readFileSync(join(root, file), 'utf8');
  for (const { test, says } of RULES) if (test.test(text)) findings.push(`${file}: ${says}`);
  if (file.startsWith('src/') && file !== 'src/main.ts' && /console\./.test(text)) findings.push(`${file}: console outside main`);
}
const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const name of Object.keys({ ...dependencies, ...devDependencies })) findings.push(`package.json: dependency ${name} (rule 4)`);

for (const finding of findings) console.error(finding);
console.log(findings.length === 0 ? 'lint: clean' : `lint: ${findings.length} finding(s)`);
process.exitCode = findings.length === 0 ? 0 : 1;
