import { describe, expect, it } from 'vitest';
import { chooseSandbox } from './providers.ts';
import { SANDBOX_KINDS, type SandboxKind, type SandboxProvider } from './schema.ts';

const having = (...kinds: SandboxKind[]): Record<SandboxKind, SandboxProvider> =>
  Object.fromEntries(
    SANDBOX_KINDS.map((kind) => [
      kind,
      {
        kind,
        check: async () => (kinds.includes(kind) ? null : `no ${kind} here`),
        withSandbox: async () => Promise.reject(new Error('not used')),
      },
    ]),
  ) as unknown as Record<SandboxKind, SandboxProvider>;

describe('the sandbox of an experiment', () => {
  it.each([
    [true, ['docker', 'bubblewrap', 'local'], 'bubblewrap', null],
    [true, ['docker', 'local'], 'local', 'Sandbox local, since no bubblewrap here.'],
    [false, ['docker', 'bubblewrap', 'local'], 'docker', null],
    [false, ['bubblewrap', 'local'], 'bubblewrap', 'Sandbox bubblewrap, since no docker here.'],
  ] as const)('is, with scripts %s and %j, %s', async (scripts, kinds, kind, note) => {
    const chosen = await chooseSandbox(null, scripts, having(...kinds));
    expect({ kind: chosen.provider.kind, note: chosen.note }).toEqual({ kind, note });
  });

  it('is never local for real models unless asked for, and then says so', async () => {
    await expect(chooseSandbox(null, false, having('local'))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('--sandbox local'),
    });
    expect((await chooseSandbox('local', false, having('local'))).note).toContain('without isolation');
    expect((await chooseSandbox('local', true, having('local'))).note).toBeNull();
  });

  it('is the one asked for or none', async () => {
    await expect(chooseSandbox('docker', true, having('bubblewrap', 'local'))).rejects.toThrow(
      'sandbox docker: no docker here',
    );
  });
});
