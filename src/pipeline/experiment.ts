import { basename, dirname, resolve } from 'node:path';
import { z } from 'zod';
import { BenchError } from '../core/errors.ts';
import type { Problem } from '../core/problem.ts';
import { parseAmount, parseDuration } from '../core/units.ts';
import { readYaml, schemaProblems, type YamlFile } from '../core/yaml.ts';
import { SANDBOX_KINDS } from '../environment/schema.ts';
import { readText } from '../host/files.ts';
import { readJudge } from './judge-specs.ts';
import { DEFAULT_PROVIDERS, readModel } from './models.ts';
import type { Experiment, ProviderSpec, VariantSpec } from './schema.ts';

const duration = z.union([z.string(), z.number()]).transform((v, ctx): number => {
  const ms = parseDuration(v);
  if (ms !== null) return ms;
  ctx.addIssue({ code: 'custom', message: `"${v}" is no duration; write 90s, 30m or 1h` });
  return z.NEVER;
});
const amount = z.union([z.string(), z.number()]).transform((v, ctx): number => {
  const n = parseAmount(v);
  if (n !== null) return n;
  ctx.addIssue({ code: 'custom', message: `"${v}" is no amount; write 300, 20k or 5M` });
  return z.NEVER;
});
const settings = z.record(z.string(), z.unknown());
const price = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cacheRead: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
});
const model = z.union([
  z.string(),
  z.strictObject({
    id: z.string(),
    small: z.string().optional(),
    subagent: z.string().optional(),
    settings: settings.optional(),
  }),
]);
const provider = z.strictObject({
  protocol: z.enum(['anthropic', 'openai-chat', 'openai-responses', 'gemini']),
  base_url: z.url(),
  key_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable; a key itself is never written here')
    .optional(),
  concurrency: z.int().positive().optional(),
  rpm: z.number().positive().optional(),
});
const variant = z.strictObject({
  id: z.string().min(1),
  files: z.record(z.string(), z.string()).optional(),
  append_system_prompt: z.string().optional(),
  settings: settings.optional(),
});
const judge = z.strictObject({
  id: z.string().min(1),
  model: z.string().min(1),
  granularity: z.enum(['checklist', 'category', 'check']).default('category'),
  samples: z.int().positive().default(1),
  settings: settings.default({}),
});
const limits = z.strictObject({
  wall: duration.default(30 * 60_000),
  first_call: duration.default(60_000),
  silence: duration.default(10 * 60_000),
  calls: amount.default(300),
  tokens: amount.nullable().default(null),
  cost: amount.nullable().default(null),
});

/** The experiment file as its author writes it (docs/formats/experiment.md). */
const experimentFile = z.strictObject({
  experiment: z.literal(1, { error: 'must be 1 (the version of this format)' }),
  name: z.string().min(1).optional(),
  dataset: z.strictObject({
    source: z.string().min(1),
    include: z.array(z.string()).default([]),
    exclude: z.array(z.string()).default([]),
    limit: z.int().positive().nullable().default(null),
  }),
  scaffolds: z.array(z.string()).default([]),
  models: z.array(model).min(1, 'name at least one model, e.g. script/careful or anthropic/<name>'),
  variants: z.array(variant).default([]),
  providers: z.record(z.string(), provider).default({}),
  panel: z.enum(['hybrid', 'paper', 'programs']).default('hybrid'),
  judges: z.array(judge).default([]),
  repeats: z.int().positive().default(1),
  sandbox: z.enum(SANDBOX_KINDS).nullable().default(null),
  network: z.enum(['proxy', 'open']).default('proxy'),
  concurrency: z.int().positive().default(2),
  seed: z.int().default(1),
  limits: limits.prefault({}),
  max_cost: amount.nullable().default(null),
  min_coverage: z.number().min(0).max(1).default(0),
  strict_version: z.boolean().default(false),
  prices: z.record(z.string(), price).default({}),
});
type ExperimentSource = z.input<typeof experimentFile>;

/** What flags and environment lay over an experiment file; undefined = not given. */
export interface Overrides {
  dataset?: string;
  include?: string[];
  exclude?: string[];
  limit?: number;
  scaffolds?: string[];
  models?: string[];
  /** LLM judges instead of the file's: `[id=]provider/model`. */
  judges?: string[];
  repeats?: number;
  concurrency?: number;
  sandbox?: string;
  seed?: number;
  maxCost?: number;
  timeout?: string;
  strictVersion?: boolean;
}

const SECRET = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;

/** Expands `${VAR}` in every string. A variable that is not set, or whose name says it is a secret, is a problem. */
const expand = (
  value: unknown,
  env: NodeJS.ProcessEnv,
  path: PropertyKey[],
  tell: (path: PropertyKey[], message: string) => void,
): unknown => {
  if (typeof value === 'string') {
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => {
      if (SECRET.test(name)) tell(path, `\${${name}} looks like a secret; name the variable with key_env instead`);
      else if (env[name] === undefined) tell(path, `\${${name}} is not set in the environment`);
      return env[name] ?? whole;
    });
  }
  if (Array.isArray(value)) return value.map((v, i) => expand(v, env, [...path, i], tell));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, expand(v, env, [...path, k], tell)]));
  }
  return value;
};

const overlay = (source: ExperimentSource, over: Overrides): ExperimentSource => ({
  ...source,
  dataset: {
    ...source.dataset,
    ...(over.dataset === undefined ? {} : { source: over.dataset, include: [], exclude: [] }),
    ...(over.include === undefined ? {} : { include: over.include }),
    ...(over.exclude === undefined ? {} : { exclude: over.exclude }),
    ...(over.limit === undefined ? {} : { limit: over.limit }),
  },
  ...(over.scaffolds === undefined ? {} : { scaffolds: over.scaffolds }),
  ...(over.models === undefined ? {} : { models: over.models }),
  ...(over.judges === undefined ? {} : { judges: over.judges.map(readJudge) }),
  ...(over.repeats === undefined ? {} : { repeats: over.repeats }),
  ...(over.concurrency === undefined ? {} : { concurrency: over.concurrency }),
  ...(over.sandbox === undefined ? {} : { sandbox: over.sandbox as 'local' }),
  ...(over.seed === undefined ? {} : { seed: over.seed }),
  ...(over.maxCost === undefined ? {} : { max_cost: over.maxCost }),
  ...(over.timeout === undefined ? {} : { limits: { ...source.limits, wall: over.timeout } }),
  ...(over.strictVersion === undefined ? {} : { strict_version: over.strictVersion }),
});

const refuse = (file: string, problems: Problem[]): never => {
  throw new BenchError('input', 'experiment', `${file} is not a usable experiment file`, { problems });
};

type Parsed = z.output<typeof experimentFile>;

const variantsOf = async (parsed: Parsed, base: string, file: string, yaml: YamlFile): Promise<VariantSpec[]> => {
  const problems: Problem[] = [];
  const specs: VariantSpec[] = [];
  for (const [i, v] of parsed.variants.entries()) {
    const files: Record<string, string> = {};
    for (const [target, source] of Object.entries(v.files ?? {})) {
      const text = await readText(resolve(base, source));
      if (text === null) {
        const line = yaml.lineOf(['variants', i, 'files', target]);
        problems.push({
          kind: 'missing_file',
          severity: 'error',
          message: `there is no file ${source}`,
          file,
          field: `variants[${i}].files.${target}`,
          ...(line === undefined ? {} : { line }),
        });
      } else files[target] = text;
    }
    specs.push({ id: v.id, files, appendSystemPrompt: v.append_system_prompt ?? '', settings: v.settings ?? {} });
  }
  if (problems.length > 0) refuse(file, problems);
  return specs.length > 0 ? specs : [{ id: 'base', files: {}, appendSystemPrompt: '', settings: {} }];
};

const providersOf = (parsed: Parsed, env: NodeJS.ProcessEnv): ProviderSpec[] => {
  const given = Object.entries(parsed.providers).map(
    ([id, p]): ProviderSpec => ({
      id,
      protocol: p.protocol,
      baseUrl: p.base_url,
      keyEnv: p.key_env ?? null,
      concurrency: p.concurrency ?? null,
      rpm: p.rpm ?? null,
    }),
  );
  const known = new Set(given.map((p) => p.id));
  return [...given, ...DEFAULT_PROVIDERS(env).filter((p) => !known.has(p.id))];
};

const toExperiment = async (
  parsed: Parsed,
  file: string,
  base: string,
  yaml: YamlFile,
  env: NodeJS.ProcessEnv,
): Promise<Experiment> => {
  const providers = providersOf(parsed, env);
  return {
    experiment: 1,
    name: parsed.name ?? basename(file).replace(/\.ya?ml$/, ''),
    dataset: parsed.dataset,
    scaffolds: parsed.scaffolds,
    models: parsed.models.map((m) => readModel(typeof m === 'string' ? { id: m } : m, providers)),
    variants: await variantsOf(parsed, base, file, yaml),
    providers,
    panel: parsed.panel,
    judges: parsed.judges,
    repeats: parsed.repeats,
    sandbox: parsed.sandbox,
    network: parsed.network,
    concurrency: parsed.concurrency,
    seed: parsed.seed,
    limits: {
      wallMs: parsed.limits.wall,
      firstCallMs: parsed.limits.first_call,
      silenceMs: parsed.limits.silence,
      calls: parsed.limits.calls,
      tokens: parsed.limits.tokens,
      cost: parsed.limits.cost,
    },
    maxCost: parsed.max_cost,
    minCoverage: parsed.min_coverage,
    strictVersion: parsed.strict_version,
    prices: parsed.prices as Experiment['prices'],
  };
};

/**
 * Reads an experiment file and lays flags over it.
 * @param file path of the YAML file, or null for an experiment made of flags alone
 * @returns the resolved experiment and the folder that relative paths in it start from
 * @throws BenchError('input') with every problem, each with file, line and field
 */
export const readExperiment = async (
  file: string | null,
  over: Overrides,
  env: NodeJS.ProcessEnv,
): Promise<{ experiment: Experiment; base: string }> => {
  const name = file ?? 'flags';
  const text = file === null ? 'experiment: 1\n' : await readText(file);
  if (text === null)
    throw new BenchError(
      'usage',
      'experiment',
      `there is no experiment file ${name}; give one with -c FILE (octobench init writes one)`,
    );
  const yaml = readYaml(text, name);
  if (yaml.problems.length > 0) refuse(name, yaml.problems);
  const problems: Problem[] = [];
  const expanded = expand(yaml.value, env, [], (path, message) => {
    const line = yaml.lineOf(path);
    problems.push({
      kind: 'variable',
      severity: 'error',
      message,
      file: name,
      field: path.join('.'),
      ...(line === undefined ? {} : { line }),
    });
  });
  if (problems.length > 0) refuse(name, problems);
  const given =
    typeof expanded === 'object' && expanded !== null ? overlay(expanded as ExperimentSource, over) : expanded;
  const parsed = experimentFile.safeParse(given);
  if (!parsed.success) return refuse(name, schemaProblems(parsed.error, yaml, name));
  const base = file === null ? process.cwd() : dirname(resolve(file));
  return { experiment: await toExperiment(parsed.data, name, base, yaml, env), base };
};

/** JSON Schema of the experiment file, for editors. */
export const experimentJsonSchema = (): unknown =>
  z.toJSONSchema(experimentFile, { io: 'input', unrepresentable: 'any' });

/** The experiment of imported calls: nothing was asked for, nothing is run. */
export const emptyExperiment = (name: string): Experiment => ({
  experiment: 1,
  name,
  dataset: { source: '', include: [], exclude: [], limit: null },
  scaffolds: [],
  models: [],
  variants: [],
  providers: [],
  panel: 'hybrid',
  judges: [],
  repeats: 1,
  sandbox: null,
  network: 'proxy',
  concurrency: 1,
  seed: 1,
  limits: { wallMs: 0, firstCallMs: 0, silenceMs: 0, calls: null, tokens: null, cost: null },
  maxCost: null,
  minCoverage: 0,
  strictVersion: false,
  prices: {},
});
