import type { CommandGroup } from '../group.ts';
import { JSON_OPTION } from '../options.ts';

/** `scaffold list|install`, `cache prune`. */
export const scaffoldCommands: CommandGroup = (program, io) => {
  const scaffold = program.command('scaffold').description('agent CLIs: what is known, what is installed');
  scaffold
    .command('list')
    .description('known scaffolds and versions, and which are installed with their sizes')
    .addOption(JSON_OPTION())
    .action(async (flags: { json?: boolean }) => {
      const { listScaffolds } = await import('../../pipeline/scaffolds.ts');
      const list = await listScaffolds(io.env);
      io.out(flags.json === true ? JSON.stringify(list.json, null, 1) : list.text);
    });
  scaffold
    .command('install')
    .description('install agent CLIs from npm at the exact version into the cache')
    .argument('<name[@version]...>', 'e.g. claude-code@2.0.69')
    .action(async (refs: string[]) => {
      const { installScaffolds } = await import('../../pipeline/scaffolds.ts');
      for (const line of await installScaffolds(refs, io.env, (text) => io.err(text))) io.out(line);
    });
  program
    .command('cache')
    .description('what octobench keeps on this machine')
    .command('prune')
    .description('remove installed scaffolds')
    .argument('[name[@version]...]', 'only these; default: all')
    .action(async (refs: string[]) => {
      const { pruneCache } = await import('../../pipeline/scaffolds.ts');
      for (const line of await pruneCache(refs, io.env)) io.out(line);
    });
};
