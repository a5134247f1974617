import { BenchError } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { claudeCode, claudeCodeDialects } from './claude-code/scaffold.ts';
import type { Dialect } from './dialect.ts';
import { droid, droidDialect } from './droid/scaffold.ts';
import { kilo, kiloDialects } from './kilo.ts';
import { opencode, opencodeDialect } from './opencode/scaffold.ts';
import { pi, piDialect } from './pi.ts';
import type { Scaffold } from './scaffold.ts';
import { nearestVersion } from './version.ts';

/** Every scaffold. A new one is a file or folder here and a line in this list. */
export const scaffolds: readonly Scaffold[] = [claudeCode, kilo, droid, opencode, pi];

/** Every dialect, for imports whose scaffold is not known. */
export const dialects: readonly Dialect[] = [
  claudeCodeDialects.v20,
  claudeCodeDialects.v21,
  kiloDialects.v70,
  kiloDialects.v77,
  droidDialect,
  opencodeDialect,
  piDialect,
];

/** A scaffold by id or published alias (`claudecode`), or null. */
export const findScaffold = (name: string): Scaffold | null =>
  scaffolds.find((s) => s.id === name.toLowerCase() || s.aliases.includes(name.toLowerCase())) ?? null;

/**
 * `claude-code@2.0.69` or `claude-code` -> the scaffold and the version asked for (null = its preferred one).
 * @throws BenchError('usage') for a name that is none
 */
export const parseScaffoldRef = (ref: string): { scaffold: Scaffold; version: string | null } => {
  const at = ref.lastIndexOf('@');
  const name = at > 0 ? ref.slice(0, at) : ref;
  const scaffold = findScaffold(name);
  if (scaffold !== null) return { scaffold, version: at > 0 ? ref.slice(at + 1) : null };
  const known = scaffolds.map((s) => s.id);
  throw new BenchError('usage', 'scaffold', `unknown scaffold "${name}"${suggestion(name, known)}`);
};

/**
 * The version that will run when `asked` is wanted: itself where the adapter was tested with it, else the nearest tested one.
 * @param strict refuse instead of substituting
 * @throws BenchError('unavailable') when strict and the version was not tested
 */
export const resolveVersion = (
  scaffold: Scaffold,
  asked: string | null,
  strict: boolean,
): { version: string; substitutedFor: string | null } => {
  const preferred = scaffold.versions[0] ?? '';
  if (asked === null || asked === '') return { version: preferred, substitutedFor: null };
  const wanted = asked.replace(/^v/, '');
  if (scaffold.versions.includes(wanted)) return { version: wanted, substitutedFor: null };
  if (strict) {
    throw new BenchError(
      'unavailable',
      'scaffold',
      `${scaffold.id} ${asked} is not supported (tested: ${scaffold.versions.join(', ')}); leave out --strict-version to run the nearest one`,
    );
  }
  return { version: nearestVersion(wanted, scaffold.versions) ?? preferred, substitutedFor: asked };
};
