import { Command, Option } from 'commander';
import { VERSION } from '../core/version.ts';
import { analysisCommands } from './commands/analysis.ts';
import { benchmarkCommands } from './commands/benchmark.ts';
import { datasetCommands } from './commands/dataset.ts';
import { judgeCommands } from './commands/judge.ts';
import { machineCommands } from './commands/machine.ts';
import { recordCommands } from './commands/record.ts';
import { resultCommands } from './commands/results.ts';
import { ruleCommands } from './commands/rule.ts';
import { runCommands } from './commands/run.ts';
import { scaffoldCommands } from './commands/scaffold.ts';
import type { CommandGroup, Session } from './group.ts';
import type { Io } from './io.ts';

const GROUPS: readonly CommandGroup[] = [
  runCommands,
  benchmarkCommands,
  datasetCommands,
  judgeCommands,
  resultCommands,
  analysisCommands,
  recordCommands,
  ruleCommands,
  scaffoldCommands,
  machineCommands,
];

/** Every option can be given as OCTOBENCH_<NAME> too; a flag wins over it. */
const withEnvironment = (command: Command): void => {
  for (const option of command.options) {
    if (option.long === undefined || option.envVar !== undefined) continue;
    option.env(
      `OCTOBENCH_${option.long
        .replace(/^--(no-)?/, '')
        .replaceAll('-', '_')
        .toUpperCase()}`,
    );
  }
  for (const child of command.commands) withEnvironment(child);
};

const settle = (command: Command): void => {
  command.exitOverride().showSuggestionAfterError(true).allowExcessArguments(false);
  command.configureHelp({ showGlobalOptions: false });
  for (const child of command.commands) settle(child);
};

/** The whole command line. Parsing throws; nothing in it ends the process. */
export const buildProgram = (io: Io, session: Session): Command => {
  const program = new Command('octobench')
    .description('Tells whether coding agents follow the rules they are given, with evidence for each verdict.')
    .version(`octobench ${VERSION}`, '-V, --version')
    .configureOutput({ writeOut: (t) => io.out(t), writeErr: () => undefined, getOutHelpWidth: () => io.width })
    .addOption(new Option('--no-color', 'plain output (NO_COLOR works too)').hideHelp());
  for (const group of GROUPS) group(program, io, session);
  settle(program);
  withEnvironment(program);
  return program;
};
