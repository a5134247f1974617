import { printable } from '../core/text.ts';
import { type DoctorCheck, examineEnvironment } from '../environment/doctor.ts';
import { chooseSandbox, sandboxProviders } from '../environment/providers.ts';
import { exec } from '../host/exec.ts';
import { defaultCacheDir, listInstalled } from '../scaffolds/install.ts';
import { DEFAULT_PROVIDERS } from './models.ts';

const REGISTRY_MS = 20_000;

const keys = (env: NodeJS.ProcessEnv): DoctorCheck[] => {
  const set = DEFAULT_PROVIDERS(env).filter((p) => p.keyEnv !== null && (env[p.keyEnv] ?? '') !== '');
  const names = DEFAULT_PROVIDERS(env).map((p) => p.keyEnv);
  if (set.length > 0)
    return [{ name: 'keys', ok: true, detail: `set: ${set.map((p) => p.keyEnv).join(', ')}`, mend: null }];
  const mend = `set one of ${names.join(', ')} to run real models; scripted models need none`;
  return [{ name: 'keys', ok: false, detail: 'no provider key is set', mend }];
};

const registry = async (): Promise<DoctorCheck> => {
  const said = await exec('npm', ['ping'], { timeoutMs: REGISTRY_MS });
  if (said.code === 0) return { name: 'npm registry', ok: true, detail: 'answers', mend: null };
  const mend = 'install Node with npm, or check "npm config get registry"; installed scaffolds run without it';
  return {
    name: 'npm registry',
    ok: false,
    detail: said.failure ?? (said.timedOut ? 'no answer' : 'does not answer'),
    mend,
  };
};

const scaffoldsHere = async (env: NodeJS.ProcessEnv): Promise<DoctorCheck> => {
  const found = await listInstalled(defaultCacheDir(env));
  const detail =
    found.length === 0 ? `none in ${defaultCacheDir(env)} yet` : found.map((i) => `${i.id}@${i.version}`).join(', ');
  return {
    name: 'scaffolds',
    ok: true,
    detail: `${detail}; others are installed when they are first needed`,
    mend: null,
  };
};

const verdict = async (): Promise<DoctorCheck> => {
  const can: string[] = [];
  for (const provider of Object.values(sandboxProviders))
    if ((await provider.check()) === null) can.push(provider.kind);
  const real = await chooseSandbox(null, false).then(
    ({ provider }) => provider.kind,
    () => null,
  );
  const detail = `usable: ${can.join(', ')}; real models run in ${real ?? 'none of them unless you ask for one'}`;
  return {
    name: 'sandbox',
    ok: real !== null,
    detail,
    mend: real === null ? 'start a container engine or install bubblewrap' : null,
  };
};

/** Looks at engine, sandboxes, disk, registry, keys and scaffolds, and says how to mend what is not as it should be. */
export const examine = async (env: NodeJS.ProcessEnv): Promise<{ text: string; json: unknown; ready: boolean }> => {
  const checks = [
    ...(await examineEnvironment()),
    await verdict(),
    await registry(),
    await scaffoldsHere(env),
    ...keys(env),
  ];
  const width = Math.max(...checks.map((c) => c.name.length));
  const lines = checks.flatMap((c) => [
    printable(`${c.ok ? 'ok ' : '-- '} ${c.name.padEnd(width)}  ${c.detail}`),
    ...(c.mend === null ? [] : [printable(`    ${' '.repeat(width)}  ${c.mend}`)]),
  ]);
  const ready = checks.every((c) => c.ok || !['git', 'disk', 'sandbox'].includes(c.name));
  return { text: lines.join('\n'), json: { version: 1, ready, checks }, ready };
};
