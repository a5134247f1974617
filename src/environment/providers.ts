import { bubblewrap } from './bubblewrap.ts';
import { local } from './local.ts';
import type { SandboxProvider } from './schema.ts';

/** The kinds of sandbox by name. */
export const sandboxProviders: Record<'bubblewrap' | 'local', SandboxProvider> = { bubblewrap, local };
