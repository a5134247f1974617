import { parseEnv } from 'node:util';
import { InvalidArgumentError, Option } from 'commander';
import { BenchError } from '../core/errors.ts';
import { readText } from '../host/files.ts';

/** Option parsers: a value that is none ends with exit code 2 and says what is wanted. */
export const positive = (text: string): number => {
  const n = Number(text);
  if (Number.isInteger(n) && n > 0) return n;
  throw new InvalidArgumentError('It must be a whole number above 0.');
};
export const whole = (text: string): number => {
  const n = Number(text);
  if (Number.isInteger(n) && n >= 0) return n;
  throw new InvalidArgumentError('It must be a whole number.');
};
export const money = (text: string): number => {
  const n = Number(text);
  if (Number.isFinite(n) && n > 0) return n;
  throw new InvalidArgumentError('It must be a number above 0.');
};
export const share = (text: string): number => {
  const n = Number(text);
  if (text !== '' && n >= 0 && n <= 1) return n;
  throw new InvalidArgumentError('It must be a number from 0 to 1.');
};
export const collect = (text: string, before: string[] | undefined): string[] => [
  ...(before ?? []),
  ...text.split(',').filter((x) => x !== ''),
];

export const JSON_OPTION = (): Option => new Option('--json', 'machine-readable output on stdout');
export const ENV_FILE = (): Option =>
  new Option('--env-file <file>', 'read environment variables (API keys) from a file; those already set win');

/** The environment with a file's variables beneath it. @throws BenchError('usage') when there is no such file */
export const environmentOf = async (env: NodeJS.ProcessEnv, file: string | undefined): Promise<NodeJS.ProcessEnv> => {
  if (file === undefined) return env;
  const text = await readText(file);
  if (text === null) throw new BenchError('usage', 'cli', `there is no file ${file}`);
  return { ...parseEnv(text), ...env };
};
