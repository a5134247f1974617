import { EXIT } from '../failure.ts';
import type { CommandGroup } from '../group.ts';
import { JSON_OPTION } from '../options.ts';

/** `validate`. */
export const datasetCommands: CommandGroup = (program, io, session) => {
  program
    .command('validate')
    .description('read a dataset and say what is in it and what is wrong with it')
    .argument('<source>', 'a .jsonl file, a benchmark folder, or hf:owner/name[@revision]')
    .option('--runnable', 'say for each row whether it can be run here, and why not')
    .option('--strict', 'warnings count as gaps (exit code 3)')
    .addOption(JSON_OPTION())
    .action(async (source: string, flags: { runnable?: boolean; strict?: boolean; json?: boolean }) => {
      const { validateDataset } = await import('../../pipeline/validate.ts');
      const report = await validateDataset(source, {
        runnable: flags.runnable === true,
      });
      io.out(flags.json === true ? JSON.stringify(report.json, null, 1) : report.text);
      if (report.errors > 0) session.code = EXIT.usage;
      else if (flags.strict === true && report.warnings > 0) session.code = EXIT.gaps;
    });
};
