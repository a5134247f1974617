import { EXIT } from '../failure.ts';
import type { CommandGroup } from '../group.ts';
import { JSON_OPTION } from '../options.ts';

/** `rule list|explain|try|lint|schema`. */
export const ruleCommands: CommandGroup = (program, io, session) => {
  const print = (shown: { text: string; json: unknown }, flags: { json?: boolean }): void =>
    io.out(flags.json === true ? JSON.stringify(shown.json, null, 1) : shown.text);
  const rule = program
    .command('rule')
    .description('rules that decide checks: what there is, and what they say of a trajectory');
  rule
    .command('list')
    .description('the named rules')
    .addOption(JSON_OPTION())
    .action(async (flags: { json?: boolean }) => {
      const { rulesList } = await import('../../pipeline/rule-tools.ts');
      print(rulesList(), flags);
    });
  rule
    .command('explain')
    .description('one named rule: parameters, an example, what it expands to')
    .argument('<name>', 'e.g. read_before_edit')
    .addOption(JSON_OPTION())
    .action(async (name: string, flags: { json?: boolean }) => {
      const { ruleExplained } = await import('../../pipeline/rule-tools.ts');
      print(ruleExplained(name), flags);
    });
  rule
    .command('try')
    .description('try a rule on a recorded trajectory')
    .argument('<rule>', "flow YAML, e.g. '{ use: no_emoji }'")
    .argument('<rollout>', 'directory, key, or a unique part of the key')
    .option('-e, --experiment <dir>', 'where to look for the key; default: the newest experiment')
    .addOption(JSON_OPTION())
    .action(async (text: string, rollout: string, flags: { experiment?: string; json?: boolean }) => {
      const { ruleTried } = await import('../../pipeline/rule-tools.ts');
      print(await ruleTried(text, rollout, flags.experiment), flags);
    });
  rule
    .command('lint')
    .description('rules of a dataset that are allowed and probably not meant')
    .argument('<source>', 'a .jsonl file or a benchmark folder')
    .addOption(JSON_OPTION())
    .action(async (source: string, flags: { json?: boolean }) => {
      const { rulesLinted } = await import('../../pipeline/rule-tools.ts');
      const linted = await rulesLinted(source, io.env);
      print(linted, flags);
      if (linted.warnings > 0) session.code = EXIT.gaps;
    });
  rule
    .command('schema')
    .description('JSON Schema of verify and when, for editors')
    .action(async () => {
      const { rulesSchema } = await import('../../pipeline/rule-tools.ts');
      io.out(JSON.stringify(rulesSchema(), null, 1));
    });
};
