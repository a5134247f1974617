import { describe, expect, it } from 'vitest';
import { type BwrapPlan, bwrapArguments } from './bwrap-args.ts';

const plan = (over: Partial<BwrapPlan> = {}): string =>
  bwrapArguments({
    asRoot: true,
    features: { size: true },
    network: 'proxy',
    system: { binds: ['/usr', '/etc/ssl'], links: [{ path: '/bin', target: 'usr/bin' }] },
    mounts: [['/host/node', '/opt/node']],
    writable: [['/host/w', '/workspace/cart']],
    environment: { A: 'b c' },
    cwd: '/workspace/cart',
    temporaryBytes: 100,
    ...over,
  }).join(' ');

describe('bubblewrap arguments', () => {
  it('unshare everything and drop every capability', () => {
    for (const flag of ['pid', 'net', 'ipc', 'uts']) expect(plan()).toContain(`--unshare-${flag} `);
    expect(plan()).toContain('--die-with-parent --new-session --cap-drop ALL');
    expect(plan({ asRoot: false })).toContain('--cap-drop ALL --unshare-user --uid 1000 --gid 1000 ');
  });

  it('keep the network only when it is asked for', () => {
    expect(plan({ network: 'open' })).not.toContain('--unshare-net');
  });

  it('open the folders above a mount, and cover a read-only one', () => {
    expect(plan()).toContain('--perms 0755 --dir /workspace --bind /host/w /workspace/cart');
    expect(plan({ writable: [['/host/w', '/usr/src/app/x']] })).toContain(
      '--tmpfs /usr/src --perms 0755 --dir /usr/src/app --bind /host/w /usr/src/app/x',
    );
    const two = plan({
      writable: [
        ['/host/w', '/usr/src/w'],
        ['/host/v', '/usr/src/v'],
      ],
    });
    expect(two.match(/--tmpfs \/usr\/src /g)).toHaveLength(1);
  });

  it('limit /tmp where bubblewrap can', () => {
    expect(plan()).toContain('--perms 1777 --size 100 --tmpfs /tmp');
    expect(plan({ features: { size: false } })).toContain('--perms 1777 --tmpfs /tmp');
  });
});
