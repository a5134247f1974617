import { showBytes } from '../core/units.ts';
import { parseScaffoldRef, resolveVersion, scaffolds } from '../scaffolds/all.ts';
import { defaultCacheDir, installScaffold, listInstalled, pruneInstalled } from '../scaffolds/install.ts';

/** Known scaffolds and versions, and what of them is installed with its size. */
export const listScaffolds = async (env: NodeJS.ProcessEnv): Promise<{ text: string; json: unknown }> => {
  const installed = new Map((await listInstalled(defaultCacheDir(env))).map((i) => [`${i.id}@${i.version}`, i]));
  const rows = scaffolds.flatMap((s) =>
    s.versions.map((version, i) => {
      const there = installed.get(`${s.id}@${version}`);
      return {
        id: s.id,
        version,
        title: s.title,
        preferred: i === 0,
        protocols: s.protocols,
        aliases: s.aliases,
        installed: there !== undefined,
        bytes: there?.bytes ?? null,
        digest: there?.digest ?? null,
      };
    }),
  );
  const width = Math.max(...rows.map((r) => `${r.id}@${r.version}`.length));
  const lines = rows.map((r) => {
    const state = r.bytes === null ? 'not installed' : `installed, ${showBytes(r.bytes)}`;
    return `${`${r.id}@${r.version}`.padEnd(width)}  ${state.padEnd(18)}  ${r.protocols.join(', ')}${r.preferred ? '  (default)' : ''}`;
  });
  return { text: lines.join('\n'), json: { version: 1, cache: defaultCacheDir(env), scaffolds: rows } };
};

/** Installs scaffolds at exact versions. @returns a line for each. @throws BenchError for names and versions that cannot be had */
export const installScaffolds = async (
  refs: readonly string[],
  env: NodeJS.ProcessEnv,
  onProgress: (text: string) => void,
): Promise<string[]> => {
  const lines: string[] = [];
  for (const ref of refs) {
    const { scaffold, version } = parseScaffoldRef(ref);
    const exact = resolveVersion(scaffold, version, true).version;
    const installed = await installScaffold(scaffold, exact, { cacheDir: defaultCacheDir(env), onProgress, env });
    lines.push(
      `${scaffold.id}@${exact}  ${showBytes(installed.bytes)}  sha256 ${installed.digest}  ${installed.entry}`,
    );
  }
  return lines;
};

/** Removes installed scaffolds from the cache: the named ones, or all. @returns a line for each */
export const pruneCache = async (refs: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> => {
  const named = refs.map(parseScaffoldRef);
  const isNamed = (id: string, version: string): boolean =>
    named.some((n) => n.scaffold.id === id && (n.version === null || n.version === version));
  const { removed, bytes } = await pruneInstalled(
    defaultCacheDir(env),
    (i) => refs.length > 0 && !isNamed(i.id, i.version),
  );
  return removed.length === 0
    ? ['nothing to remove']
    : [...removed.map((r) => `removed ${r}`), `${showBytes(bytes)} freed`];
};
