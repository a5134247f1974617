import { importLog } from '../../pipeline/import.ts';
import type { CommandGroup } from '../group.ts';
import { JSON_OPTION } from '../options.ts';

/** `import`. */
export const recordCommands: CommandGroup = (program, io) => {
  program
    .command('import')
    .description("import recorded calls of another tool as an experiment's rollouts, to be judged and reported")
    .argument('<file>', "the reference toolkit's raw call log (JSONL)")
    .requiredOption('-o, --output <dir>', 'directory of the experiment to write')
    .addOption(JSON_OPTION())
    .action(async (file: string, flags: { output: string; json?: boolean }) => {
      const imported = await importLog(file, flags.output);
      io.out(flags.json === true ? JSON.stringify(imported.json, null, 1) : imported.text);
    });
};
