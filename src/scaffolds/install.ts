import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import { sleep } from '../host/clock.ts';
import { exec } from '../host/exec.ts';
import { readText, writeJson } from '../host/files.ts';
import type { NpmPackage, Scaffold } from './scaffold.ts';

/** A scaffold in the cache. Paths are absolute, on this machine. */
export interface Installed {
  id: string;
  version: string;
  /** The folder that holds `node_modules`; mounted read-only. */
  root: string;
  /** The file that is run. */
  entry: string;
  runtime: NpmPackage['runtime'];
  bytes: number;
  /** sha256 of the entry file. */
  digest: string;
  /** The package's integrity as npm verified it. */
  integrity: string | null;
}

export interface InstallOptions {
  cacheDir: string;
  onProgress?: (text: string) => void;
  signal?: AbortSignal;
  env?: NodeJS.ProcessEnv;
}

const MARKER = 'installed.json';
const NPM_LIMIT_MS = 15 * 60_000;

/** Where octobench keeps what it downloads: `OCTOBENCH_CACHE`, else the user's cache folder. */
export const defaultCacheDir = (env: NodeJS.ProcessEnv): string =>
  env.OCTOBENCH_CACHE || join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'octobench');

const folderOf = (cacheDir: string): string => join(cacheDir, 'scaffolds');

/** The install that stands in a folder, or null when there is none or its entry is gone or was changed in size. */
const readInstalled = async (root: string): Promise<Installed | null> => {
  const marker = parseJson((await readText(join(root, MARKER))) ?? '');
  if (!isObject(marker) || marker.version !== 1 || !isObject(marker.installed)) return null;
  const { entry, entryBytes, ...rest } = marker.installed as unknown as Installed & { entryBytes: number };
  const path = join(root, entry);
  const size = await stat(path).then(
    (s) => s.size,
    () => null,
  );
  return size === entryBytes ? { ...rest, root, entry: path } : null;
};

/**
 * The scaffold at an exact version in the cache, installed from npm when it is not there yet. Several processes may ask at once.
 * @throws BenchError('unavailable') with what to do, when npm, the registry or the version cannot be had
 */
export const installScaffold = async (
  scaffold: Scaffold,
  version: string,
  options: InstallOptions,
): Promise<Installed> => {
  const folder = folderOf(options.cacheDir);
  const name = `${scaffold.id}@${version}`;
  const target = join(folder, name);
  const there = await readInstalled(target);
  if (there !== null) return there;
  await mkdir(folder, { recursive: true });
  const unlock = await lock(join(folder, `.${name}.lock`), options.signal);
  try {
    const meanwhile = await readInstalled(target);
    if (meanwhile !== null) return meanwhile;
    options.onProgress?.(`installing ${name} from npm`);
    return await installInto(folder, target, scaffold, version, options);
  } finally {
    await unlock();
  }
};

const installInto = async (
  folder: string,
  target: string,
  scaffold: Scaffold,
  version: string,
  options: InstallOptions,
): Promise<Installed> => {
  const pack = scaffold.npm(version, { os: process.platform, arch: process.arch });
  const temp = join(folder, `.part-${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    await mkdir(join(temp, 'home'), { recursive: true });
    await npmInstall(pack, temp, options);
    await rm(join(temp, 'home'), { recursive: true, force: true });
    await mark(temp, scaffold.id, pack);
    // A folder without a good marker is what a crash or a full disk left.
    if ((await readInstalled(target)) === null) await rm(target, { recursive: true, force: true });
    await rename(temp, target).catch(async (e: unknown) => {
      if ((await readInstalled(target)) === null) throw e; // else another process was quicker
    });
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
  const installed = await readInstalled(target);
  if (installed === null)
    throw unavailable(`${scaffold.id}@${version} was installed, but is not complete in ${target}`);
  return installed;
};

const unavailable = (message: string, cause?: unknown): BenchError =>
  new BenchError('unavailable', 'scaffold', message, cause === undefined ? {} : { cause });

/** What npm may see of the user's environment: how to reach the registry, and nothing else of HOME. */
const npmEnv = (home: string, env: NodeJS.ProcessEnv): Record<string, string> => {
  const passed =
    /^(PATH|Path|SystemRoot|npm_config_.*|NPM_CONFIG_.*|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(https?|no|all)_proxy)$/i;
  const out: Record<string, string> = {};
  for (const [key, value] of Object.entries(env)) {
    if (
      value !== undefined &&
      passed.test(key) &&
      !/^npm_config_(prefix|global|cache|local_prefix|globalconfig)$/i.test(key)
    ) {
      out[key] = value;
    }
  }
  const userconfig = env.npm_config_userconfig ?? env.NPM_CONFIG_USERCONFIG ?? join(env.HOME || homedir(), '.npmrc');
  return { ...out, HOME: home, npm_config_userconfig: userconfig, npm_config_cache: join(home, '.npm') };
};

const npmInstall = async (pack: NpmPackage, temp: string, options: InstallOptions): Promise<void> => {
  const manifest = { name: 'installed', private: true, dependencies: { [pack.name]: pack.version } };
  await writeFile(join(temp, 'package.json'), JSON.stringify(manifest));
  const flags = ['--no-audit', '--no-fund', '--no-update-notifier', '--include=optional', '--loglevel=error'];
  const result = await exec('npm', ['install', '--prefix', temp, ...flags, `--ignore-scripts=${!pack.scripts}`], {
    cwd: temp,
    env: npmEnv(join(temp, 'home'), options.env ?? process.env),
    timeoutMs: NPM_LIMIT_MS,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  if (options.signal?.aborted === true) throw new BenchError('interrupted', 'scaffold', 'the install was interrupted');
  if (result.code === 0) return;
  throw unavailable(whyNpmFailed(pack, result.failure ?? `${result.stderr}\n${result.stdout}`, result.timedOut));
};

const whyNpmFailed = (pack: NpmPackage, said: string, timedOut: boolean): string => {
  const what = `${pack.name}@${pack.version}`;
  if (/spawn npm|ENOENT.*npm|npm.*ENOENT.*spawn/.test(said))
    return `npm is not on PATH; install Node with npm to get ${what}`;
  const code = /npm error code (\w+)/.exec(said)?.[1] ?? '';
  if (code === 'ETARGET' || code === 'E404') return `the npm registry has no ${what}; choose another version`;
  if (timedOut || /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET/.test(said)) {
    return `the npm registry cannot be reached to install ${what}; check the network, or "npm config get registry"`;
  }
  const line = said.split('\n').find((l) => /npm error (?!code)/.test(l)) ?? said.trim().split('\n')[0] ?? '';
  return `npm could not install ${what}: ${line.replace(/^npm error /, '')}`;
};

/** Writes the marker that makes a folder an install. */
const mark = async (root: string, id: string, pack: NpmPackage): Promise<void> => {
  const entry = join(root, pack.entry);
  const size = await stat(entry).then(
    (s) => s.size,
    () => null,
  );
  if (size === null) {
    throw unavailable(
      `${pack.name}@${pack.version} has no program for ${process.platform}-${process.arch} (${pack.entry} is missing); choose another version`,
    );
  }
  const lockfile = parseJson((await readText(join(root, 'package-lock.json'))) ?? '');
  const packages = isObject(lockfile) && isObject(lockfile.packages) ? lockfile.packages : {};
  const own = packages[`node_modules/${pack.name}`];
  await writeJson(join(root, MARKER), {
    version: 1,
    installed: {
      id,
      version: pack.version,
      entry: pack.entry,
      entryBytes: size,
      runtime: pack.runtime,
      bytes: await bytesOf(root),
      digest: await digestOf(entry),
      integrity: isObject(own) && typeof own.integrity === 'string' ? own.integrity : null,
    },
  });
};

const digestOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
};

/** Bytes of all files in a folder; a file with two names is counted once. */
const bytesOf = async (root: string): Promise<number> => {
  const seen = new Set<number>();
  let sum = 0;
  for (const item of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!item.isFile()) continue;
    const { ino, size, nlink } = await lstat(join(item.parentPath, item.name));
    if (nlink > 1 && seen.has(ino)) continue;
    seen.add(ino);
    sum += size;
  }
  return sum;
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (e) {
    return (e as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/**
 * Holds a lock file while an install goes on, so that nobody downloads the same twice. It saves work only: two holders at once (after
 * a crash) do no harm, since the rename decides.
 */
const lock = async (path: string, signal?: AbortSignal): Promise<() => Promise<void>> => {
  for (;;) {
    if (signal?.aborted === true) throw new BenchError('interrupted', 'scaffold', 'the install was interrupted');
    try {
      const file = await open(path, 'wx');
      await file.writeFile(String(process.pid));
      await file.close();
      return () => rm(path, { force: true });
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code !== 'EEXIST')
        throw unavailable(`cannot write to the cache: ${String(e)}`, e);
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    if (holder > 0 && !isAlive(holder)) await rm(path, { force: true });
    else await sleep(200, signal);
  }
};

const namesIn = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder).catch(() => []);
  return names.toSorted();
};

/** Installs in the cache, by name. */
export const listInstalled = async (cacheDir: string): Promise<Installed[]> => {
  const found: Installed[] = [];
  for (const name of await namesIn(folderOf(cacheDir))) {
    const installed = name.startsWith('.') ? null : await readInstalled(join(folderOf(cacheDir), name));
    if (installed !== null) found.push(installed);
  }
  return found;
};

/**
 * Removes installs that `keep` does not want, and what crashed installs left.
 * @returns what was removed, and the bytes of the installs among it
 */
export const pruneInstalled = async (
  cacheDir: string,
  keep: (installed: Installed) => boolean = () => false,
): Promise<{ removed: string[]; bytes: number }> => {
  const folder = folderOf(cacheDir);
  const removed: string[] = [];
  let bytes = 0;
  for (const name of await namesIn(folder)) {
    const part = /^\.part-(\d+)-/.exec(name);
    if (name.startsWith('.') && (part === null || isAlive(Number(part[1])))) continue;
    const installed = await readInstalled(join(folder, name));
    if (installed !== null && keep(installed)) continue;
    await rm(join(folder, name), { recursive: true, force: true });
    removed.push(name);
    bytes += installed?.bytes ?? 0;
  }
  return { removed, bytes };
};
