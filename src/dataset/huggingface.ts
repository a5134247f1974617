import { join } from 'node:path';
import { datasetInfo, downloadFile, listFiles } from '@huggingface/hub';
import { BenchError } from '../core/errors.ts';
import { safeName } from '../core/ids.ts';
import { isObject, parseJson } from '../core/json.ts';
import { readText, writeAtomic, writeJson } from '../host/files.ts';

/** A dataset repository on a hub. */
export interface HubSource {
  /** `owner/name` */
  name: string;
  /** Branch, tag or commit as asked for; null = the default branch. */
  revision: string | null;
}

export interface HubOptions {
  cacheDir?: string;
  hubUrl?: string;
  token?: string;
}

/** The JSONL files of a repository at one commit. */
export interface HubFiles {
  /** The commit that the revision stood for. */
  revision: string;
  files: { path: string; text: string }[];
}

const SOURCE = /^hf:([\w.-]+\/[\w.-]+)(?:@(\S+))?$/;
const COMMIT = /^[0-9a-f]{40}$/;

/** `hf:owner/name[@revision]`; BenchError('input') when it is none. */
export const parseHubSource = (source: string): HubSource => {
  const found = SOURCE.exec(source);
  if (found?.[1] === undefined) {
    throw new BenchError(
      'input',
      'dataset',
      `"${source}" is no hub dataset; write hf:owner/name or hf:owner/name@revision`,
    );
  }
  return { name: found[1], revision: found[2] ?? null };
};

const access = (options: HubOptions): { hubUrl?: string; accessToken?: string } => ({
  ...(options.hubUrl === undefined ? {} : { hubUrl: options.hubUrl.replace(/\/+$/, '') }),
  ...(options.token === undefined ? {} : { accessToken: options.token }),
});

const resolve = async (source: HubSource, options: HubOptions): Promise<string> => {
  if (source.revision !== null && COMMIT.test(source.revision)) return source.revision;
  const info = await datasetInfo({
    name: source.name,
    additionalFields: ['sha'],
    ...(source.revision === null ? {} : { revision: source.revision }),
    ...access(options),
  });
  if (typeof info.sha !== 'string' || !COMMIT.test(info.sha)) throw new Error('the hub named no commit');
  return info.sha;
};

const download = async (source: HubSource, commit: string, options: HubOptions): Promise<HubFiles['files']> => {
  const repo = { type: 'dataset', name: source.name } as const;
  const paths: string[] = [];
  for await (const entry of listFiles({ repo, revision: commit, recursive: true, ...access(options) })) {
    if (entry.type === 'file' && entry.path.endsWith('.jsonl')) paths.push(entry.path);
  }
  if (paths.length === 0) throw new Error('it has no .jsonl file');
  const files: HubFiles['files'] = [];
  for (const path of paths.sort()) {
    const blob = await downloadFile({ repo, path, revision: commit, ...access(options) });
    if (blob === null) throw new Error(`${path} cannot be downloaded`);
    files.push({ path, text: new TextDecoder().decode(await blob.arrayBuffer()) });
  }
  return files;
};

const INDEX = 'index.json';

/* A cached commit: one file each, and an index that is written last, so that a torn download is none. */

const fromCache = async (dir: string): Promise<HubFiles['files'] | null> => {
  const text = await readText(join(dir, INDEX));
  const index = text === null ? undefined : parseJson(text);
  if (!isObject(index) || !Array.isArray(index.files)) return null;
  const files: HubFiles['files'] = [];
  for (const path of index.files.map(String)) {
    const content = await readText(join(dir, safeName(path)));
    if (content === null) return null;
    files.push({ path, text: content });
  }
  return files;
};

const toCache = async (dir: string, files: HubFiles['files']): Promise<void> => {
  for (const { path, text } of files) await writeAtomic(join(dir, safeName(path)), text);
  await writeJson(join(dir, INDEX), { files: files.map((f) => f.path) });
};

/**
 * The JSONL files of a hub repository. The revision is resolved to a commit, which is what is read, recorded and cached: asking for a
 * cached commit needs no network. Throws BenchError('unavailable') when the hub does not give it.
 */
export const fetchRepository = async (source: HubSource, options: HubOptions): Promise<HubFiles> => {
  try {
    const revision = await resolve(source, options);
    const dir = options.cacheDir === undefined ? null : join(options.cacheDir, 'hf', safeName(source.name), revision);
    const cached = dir === null ? null : await fromCache(dir);
    if (cached !== null) return { revision, files: cached };
    const files = await download(source, revision, options);
    if (dir !== null) await toCache(dir, files);
    return { revision, files };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const name = source.revision === null ? source.name : `${source.name}@${source.revision}`;
    throw new BenchError('unavailable', 'dataset', `cannot get ${name} from the hub: ${why}`, { cause });
  }
};
