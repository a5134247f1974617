import { BenchError } from '../core/errors.ts';
import { readText, writeAtomic } from '../host/files.ts';

const STARTER = `# An octobench experiment. Run it with: octobench run -c FILE
# Every field is described in docs/formats/experiment.md.
experiment: 1

dataset:
  source: ./benchmark            # or a .jsonl file, or hf:owner/name@revision
  include: ["*"]                 # globs over instance ids

# Agent CLIs. Leave it out to run each row on the scaffold it names.
scaffolds: [claude-code@2.0.69]

# Models under test, as provider/name. Keys are read from the environment (ANTHROPIC_API_KEY, ...).
models:
  - anthropic/NAME-OF-A-MODEL

repeats: 1
concurrency: 2
limits: { wall: 30m, calls: 300 }
# prices: { NAME-OF-A-MODEL: { input: 3, output: 15 } }   # per million tokens; needed for max_cost
# max_cost: 20
`;

/** Writes a commented experiment file. @throws BenchError('usage') when there is a file already and `force` is not set */
export const initExperiment = async (file: string, force: boolean): Promise<void> => {
  if (!force && (await readText(file)) !== null) {
    throw new BenchError('usage', 'init', `${file} is there already; choose another name, or --force to write over it`);
  }
  await writeAtomic(file, STARTER);
};
