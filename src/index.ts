export { BenchError } from './core/errors.ts';
export { safeName } from './core/ids.ts';
export type { Problem } from './core/problem.ts';
