import { describe, expect, it } from 'vitest';
import type { Engine } from './docker.ts';
import { ensureImage, mapImage } from './image.ts';

describe('image map', () => {
  const map = {
    'minimaxai/': 'mirror.example/minimax/',
    'minimaxai/feedfeed:': 'mirror.example/feed:',
    'docker.io/': '',
  };
  it.each([
    ['minimaxai/other:1', 'mirror.example/minimax/other:1'],
    ['minimaxai/feedfeed:tag', 'mirror.example/feed:tag'],
    ['docker.io/library/node', 'library/node'],
    ['ghcr.io/minimaxai/x', 'ghcr.io/minimaxai/x'],
  ])('%s is taken from %s', (from, to) => expect(mapImage(from, map)).toBe(to));
});

/** An engine with some images, that counts pulls. */
const engineWith = (images: Record<string, object>, used = 0) => {
  const pulls: string[] = [];
  const engine = {
    getImage: (name: string) => ({
      inspect: async () => {
        if (images[name] === undefined) throw Object.assign(new Error('no such image'), { statusCode: 404 });
        return images[name];
      },
    }),
    df: async () => ({ LayersSize: used }),
    pull: async (name: string) => {
      pulls.push(name);
      throw new Error('dial tcp: no route to host');
    },
  };
  return { engine: engine as unknown as Engine, pulls };
};
const here = { Id: 'sha256:1', RepoDigests: ['mirror.example/a@sha256:9'], Size: 5, Config: { Env: ['A=1'] } };

describe('an image', () => {
  it('that is here is pinned by its content, under the name it was asked for', async () => {
    const { engine, pulls } = engineWith({ 'mirror.example/a:1': here });
    expect(await ensureImage(engine, 'a:1', { map: { a: 'mirror.example/a' } })).toEqual({
      reference: 'a:1',
      id: 'sha256:1',
      digest: 'mirror.example/a@sha256:9',
      bytes: 5,
      env: ['A=1'],
    });
    expect(pulls).toEqual([]);
  });

  it('that cannot be had says what to do', async () => {
    const { engine, pulls } = engineWith({});
    await expect(ensureImage(engine, 'b:1')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/b:1 cannot be pulled.*no route/),
    });
    expect(pulls).toEqual(['b:1']);
    await expect(ensureImage(engine, 'octobench/base:bookworm-node24')).rejects.toThrow(/engine\.sh/);
  });

  it('is not pulled over the disk budget', async () => {
    const { engine, pulls } = engineWith({}, 5e9);
    await expect(ensureImage(engine, 'b:1', { diskBudget: 4e9 })).rejects.toThrow('images take 5.0 GB of 4.0 GB');
    expect(pulls).toEqual([]);
  });
});
