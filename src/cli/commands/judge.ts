import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { Argument } from 'commander';
import { EXIT } from '../failure.ts';
import type { CommandGroup, Session } from '../group.ts';
import { onInterrupt } from '../interrupt.ts';
import type { Io } from '../io.ts';
import { collect, ENV_FILE, environmentOf, JSON_OPTION } from '../options.ts';

interface JudgeFlags {
  dataset?: string;
  judge?: string[];
  failUnder?: string;
  envFile?: string;
  dryRun?: boolean;
  printPrompt?: boolean;
  json?: boolean;
}

const addJudge = (program: Command, io: Io, session: Session): void => {
  program
    .command('judge')
    .description('judge the rollouts of an experiment (again); nothing is run again')
    .argument('<dir>', 'directory of the experiment')
    .option('-d, --dataset <source>', 'checklists to judge by; default: those of the experiment')
    .option('--judge <[id=]provider/model>', 'add an LLM judge (repeatable)', collect)
    .option('--dry-run', 'say what the LLM judges would take, ask nothing')
    .option('--print-prompt', 'print the first requests to an LLM judge, ask nothing')
    .option('--fail-under <list>', 'exit with 100 when a figure is below: isr=0.3,csr=0.8')
    .addOption(ENV_FILE())
    .addOption(JSON_OPTION())
    .action(async (dir: string, flags: JudgeFlags) => {
      const { judgeExperiment } = await import('../../pipeline/judge.ts');
      const interrupt = onInterrupt(io);
      try {
        const report = await judgeExperiment(dir, {
          dataset: flags.dataset ?? null,
          env: await environmentOf(io.env, flags.envFile),
          failUnder: flags.failUnder ?? null,
          view: { width: io.width, color: io.color },
          onProgress: (event) => event.type === 'note' && io.err(event.text),
          judges: flags.judge ?? [],
          dryRun: flags.dryRun === true,
          printPrompt: flags.printPrompt === true,
          stop: interrupt.drain,
        });
        io.out(flags.json === true ? JSON.stringify(report.result, null, 1) : report.text);
        if (report.interrupted) session.code = EXIT.interrupted;
        else if (report.gate !== null) {
          io.err(`octobench: ${report.gate}`);
          session.code = EXIT.gate;
        } else if (report.gaps) session.code = EXIT.gaps;
      } finally {
        interrupt.release();
      }
    });
};

const addVerdict = (program: Command, io: Io): void => {
  const verdict = program.command('verdict').description("people's verdicts: a column of their own, for calibration");
  verdict
    .command('set')
    .description("enter a person's verdict on one check of a rollout; earlier ones are kept")
    .argument('<rollout>', 'directory, key, or a unique part of the key')
    .argument('<check>', 'id of the check, or category/id where several categories have it')
    .addArgument(new Argument('<verdict>').choices(['success', 'fail', 'not_applicable']))
    .requiredOption('--why <text>', 'what the verdict rests on')
    .option('--who <name>', 'whose verdict it is; default: the user')
    .option('-e, --experiment <dir>', 'where to look for the key; default: the newest experiment')
    .option('-d, --dataset <source>', 'checklists, when the experiment has none of its own (imports)')
    .addOption(JSON_OPTION())
    .action(
      async (
        rollout: string,
        check: string,
        word: 'success' | 'fail' | 'not_applicable',
        flags: { why: string; who?: string; experiment?: string; dataset?: string; json?: boolean },
      ) => {
        const { setHumanVerdict } = await import('../../pipeline/judge-human.ts');
        const { why, who = userInfo().username, experiment, dataset = null } = flags;
        const set = await setHumanVerdict({
          rollout,
          check,
          verdict: word,
          why,
          who,
          experiment,
          dataset,
          env: io.env,
        });
        io.out(flags.json === true ? JSON.stringify(set.file, null, 1) : set.text);
      },
    );
};

/** `judge`, `verdict set`, `calibrate`. */
export const judgeCommands: CommandGroup = (program, io, session) => {
  addJudge(program, io, session);
  addVerdict(program, io);
  program
    .command('calibrate')
    .description('sensitivity and specificity of LLM judges where programs or people judged too')
    .argument('<dir>', 'directory of the experiment')
    .addOption(JSON_OPTION())
    .action(async (dir: string, flags: { json?: boolean }) => {
      const { calibrateExperiment } = await import('../../pipeline/judge-calibrate.ts');
      const { text, calibration } = await calibrateExperiment(dir);
      io.out(flags.json === true ? JSON.stringify(calibration, null, 1) : text);
    });
};
