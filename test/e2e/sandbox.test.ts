import { describe, it } from 'vitest';
import { bubblewrap } from '../../src/environment/bubblewrap.ts';
import { local } from '../../src/environment/local.ts';
import { describeSandbox } from './sandbox-cases.ts';

describeSandbox(local, false);

const why = await bubblewrap.check();
if (why === null) describeSandbox(bubblewrap, true);
else {
  describe('sandbox bubblewrap', () => {
    if (process.env.CI_REQUIRE_SANDBOX === '1') {
      it('can be had', () => {
        throw new Error(why);
      });
    } else it.skip(`cannot be had here: ${why}`, () => undefined);
  });
}
