import { Option } from 'commander';
import { oneLine } from '../../core/text.ts';
import type { CommandGroup } from '../group.ts';
import { onInterrupt } from '../interrupt.ts';
import { ENV_FILE, environmentOf, JSON_OPTION, positive } from '../options.ts';

const PROTOCOLS = ['anthropic', 'openai-chat', 'openai-responses', 'gemini'] as const;

const FORMATS = ['reference', 'atif', 'claude-transcript'];

interface ProxyFlags {
  upstream: string;
  protocol: (typeof PROTOCOLS)[number];
  keyEnv?: string;
  listen: string;
  out: string;
  envFile?: string;
}

const addProxy: CommandGroup = (program, io) => {
  program
    .command('proxy')
    .description('record any agent: a proxy in front of one provider, its calls as a trajectory on exit (Ctrl-C)')
    .requiredOption('--upstream <provider|url>', 'anthropic, openai, google, or a base URL')
    .addOption(new Option('--protocol <name>', 'what a base URL speaks').choices(PROTOCOLS).default('anthropic'))
    .option('--key-env <name>', 'environment variable that holds the key of a base URL')
    .option('--listen <host:port>', 'where to listen', '127.0.0.1:0')
    .requiredOption('--out <dir>', 'directory to write the recording to')
    .addOption(ENV_FILE())
    .action(async (flags: ProxyFlags) => {
      const { recordAgent } = await import('../../pipeline/proxy.ts');
      const env = await environmentOf(io.env, flags.envFile);
      const session = await recordAgent({
        ...flags,
        keyEnv: flags.keyEnv ?? null,
        env,
        onCall: (c) =>
          io.err(
            oneLine(
              `call ${c.call}  ${c.model ?? '-'}  ${c.status ?? '-'}  ${c.end}  ${c.ms} ms  ${c.bytes} bytes`,
              io.width,
            ),
          ),
      });
      io.out(`base URL  ${session.baseUrl}\nAPI key   ${session.token}\nCtrl-C ends the recording.`);
      const interrupt = onInterrupt({ ...io, err: () => undefined });
      await new Promise<void>((resolve) => interrupt.drain.addEventListener('abort', () => resolve(), { once: true }));
      const done = await session.close();
      interrupt.release();
      const foreign = done.unknownTokens > 0 ? `, ${done.unknownTokens} requests with other keys refused` : '';
      io.out(`${done.calls} calls recorded in ${done.dir}${foreign}. Next: octobench show ${done.key} -e ${done.dir}`);
    });
};

/** `import`, `proxy`, `decode`. */
export const recordCommands: CommandGroup = (program, io, session) => {
  program
    .command('import')
    .description("import recorded calls of another tool as an experiment's rollouts, to be judged and reported")
    .argument(
      '<file>',
      "the reference toolkit's raw call log, a trajectory in ATIF, or a transcript that Claude Code keeps",
    )
    .addOption(new Option('-f, --format <name>', 'what wrote the file; default: told by its content').choices(FORMATS))
    .requiredOption('-o, --output <dir>', 'directory of the experiment to write')
    .addOption(JSON_OPTION())
    .action(async (file: string, flags: { output: string; format?: string; json?: boolean }) => {
      const { importLog } = await import('../../pipeline/import.ts');
      const imported = await importLog(file, flags.output, flags.format ?? null);
      io.out(flags.json === true ? JSON.stringify(imported.json, null, 1) : imported.text);
    });
  addProxy(program, io, session);
  program
    .command('decode')
    .description('print the decoded form of a captured reply')
    .argument('<file>', 'the bytes of the reply: an event stream or JSON')
    .addOption(new Option('-p, --protocol <name>', 'what it speaks').choices(PROTOCOLS).default('anthropic'))
    .option('--status <n>', 'its HTTP status', positive, 200)
    .action(async (file: string, flags: { protocol: string; status: number }) => {
      const { decodeFile } = await import('../../pipeline/decode.ts');
      io.out(JSON.stringify(await decodeFile(file, flags.protocol, flags.status), null, 1));
    });
};
