#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { showCents } from '../src/amount.js';
import { readStatement, total } from '../src/index.js';

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: statement-lines FILE');
  process.exit(2);
}
const { lines, rejected } = readStatement(readFileSync(file, 'utf8'));
for (const { date, cents, text } of lines) console.log(`${date}  ${showCents(cents).padStart(12)}  ${text}`);
for (const { line, reason } of rejected) console.error(`${file}:${line}: ${reason}`);
console.log(`total ${showCents(total(lines))}`);
