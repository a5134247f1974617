import { EXIT } from '../failure.ts';
import type { CommandGroup } from '../group.ts';
import { JSON_OPTION } from '../options.ts';

/** `doctor`, `environment build`. */
export const machineCommands: CommandGroup = (program, io, session) => {
  program
    .command('doctor')
    .description('look at engine, sandboxes, disk, registry, keys and scaffolds, and say how to mend what is missing')
    .addOption(JSON_OPTION())
    .action(async (flags: { json?: boolean }) => {
      const { examine } = await import('../../pipeline/doctor.ts');
      const found = await examine(io.env);
      io.out(flags.json === true ? JSON.stringify(found.json, null, 1) : found.text);
      if (!found.ready) session.code = EXIT.error;
    });
  program
    .command('environment')
    .description('environments of a benchmark folder')
    .command('build')
    .description('build the image of an environment with the container engine')
    .argument('<name>', 'name of the environment')
    .option('-d, --dataset <folder>', 'benchmark folder', 'benchmark')
    .addOption(JSON_OPTION())
    .action(async (name: string, flags: { dataset: string; json?: boolean }) => {
      const { buildImage } = await import('../../pipeline/environments.ts');
      const built = await buildImage(flags.dataset, name, (line) => io.err(line));
      io.out(flags.json === true ? JSON.stringify(built.json, null, 1) : built.text);
    });
};
