import type { Command } from 'commander';
import type { ShowOptions } from '../../pipeline/show.ts';
import { EXIT } from '../failure.ts';
import type { CommandGroup, Session } from '../group.ts';
import type { Io } from '../io.ts';
import { JSON_OPTION, whole } from '../options.ts';

const addReport = (program: Command, io: Io, session: Session): void => {
  program
    .command('report')
    .description('write result.json and the report of an experiment from its files')
    .argument('<dir>', 'directory of the experiment')
    .option('-d, --dataset <source>', 'checklists, when the experiment has none of its own (imports)')
    .option('-o, --output <dir>', 'where to write the report; default: <dir>/report')
    .option('--single-file', 'one index.html that holds everything')
    .option('--tables-only', 'print the tables, write no report')
    .option('--fail-under <list>', 'exit with 100 when a figure is below: isr=0.3,csr=0.8')
    .addOption(JSON_OPTION())
    .action(
      async (
        dir: string,
        flags: {
          dataset?: string;
          output?: string;
          singleFile?: boolean;
          tablesOnly?: boolean;
          failUnder?: string;
          json?: boolean;
        },
      ) => {
        const { reportExperiment } = await import('../../pipeline/report.ts');
        const report = await reportExperiment(dir, {
          dataset: flags.dataset ?? null,
          output: flags.output ?? null,
          singleFile: flags.singleFile === true,
          tablesOnly: flags.tablesOnly === true,
          failUnder: flags.failUnder ?? null,
          view: { width: io.width, color: io.color },
        });
        io.out(flags.json === true ? JSON.stringify(report.result, null, 1) : report.text);
        if (report.gate !== null) {
          io.err(`octobench: ${report.gate}`);
          session.code = EXIT.gate;
        }
      },
    );
};

const addShow = (program: Command, io: Io): void => {
  program
    .command('show')
    .description('read the trajectory of a rollout, or the bytes of one of its calls')
    .argument('<rollout>', 'directory, key, or words that fit one only: "fuel-on-base careless"')
    .option('-e, --experiment <dir>', 'where to look for the key; default: the newest experiment')
    .option('--thread <id>', 'only this thread (main, or the id shown)')
    .option('--turn <n>', 'only this assistant turn', whole)
    .option('--call <n>', 'one recorded call instead', whole)
    .option('--raw', 'with --call: the bytes as they were on the wire; else nothing folded')
    .addOption(JSON_OPTION())
    .action(async (rollout: string, flags: Omit<ShowOptions, 'view'>) => {
      const { showRollout } = await import('../../pipeline/show.ts');
      const shown = await showRollout(rollout, {
        ...flags,
        view: { width: io.width, color: io.color },
      });
      if (typeof shown === 'string') io.out(shown);
      else process.stdout.write(shown);
    });
};

/** `report`, `compare`, `list`, `show`. */
export const resultCommands: CommandGroup = (program, io, session) => {
  addReport(program, io, session);
  program
    .command('compare')
    .description('compare models in pairs on the instances both have, within one experiment or across several')
    .argument('<dir...>', 'directories of experiments')
    .addOption(JSON_OPTION())
    .action(async (dirs: string[], flags: { json?: boolean }) => {
      const { compareExperiments } = await import('../../pipeline/compare.ts');
      const compared = await compareExperiments(dirs, io.env);
      io.out(flags.json === true ? JSON.stringify(compared.json, null, 1) : compared.text);
    });
  program
    .command('list')
    .description('list the experiments in a folder, or the rollouts of one experiment')
    .argument('[dir]', 'folder of experiments, or an experiment', 'experiments')
    .addOption(JSON_OPTION())
    .action(async (dir: string, flags: { json?: boolean }) => {
      const { listExperiments } = await import('../../pipeline/list.ts');
      const list = await listExperiments(dir);
      io.out(flags.json === true ? JSON.stringify(list.json, null, 1) : list.text);
    });
  addShow(program, io);
};
