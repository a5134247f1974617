import { describe, it } from 'vitest';
import { docker } from '../../src/environment/docker-sandbox.ts';
import { describeSandbox } from './sandbox-cases.ts';

const why = await docker.check();
if (why === null) describeSandbox(docker, true);
else {
  describe('sandbox docker', () => {
    if (process.env.CI_REQUIRE_ENGINE === '1') {
      it('can be had', () => {
        throw new Error(why);
      });
    } else it.skip(`cannot be had here: ${why}`, () => undefined);
  });
}
