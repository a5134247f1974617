import type { Dialect } from '../scaffolds/dialect.ts';
import { findDifferences, samplingOf, userAgentOf } from './differences.ts';
import type { Exchange } from './exchanges.ts';
import { type AttemptPlan, systemPromptOf } from './plan.ts';
import type { Execution, Findings } from './schema.ts';

/** What the record of an attempt says of the scaffold and of what the model was really given. */
export const findingsOf = (
  plan: AttemptPlan,
  execution: Execution,
  record: {
    exchanges: readonly Exchange[];
    dialect: Dialect;
    /** `Date.now()` when the log was opened. */
    logOpenedAt: number;
    /** The version the row asked for when another one ran. */
    substitutedFor: string | null;
    solved: Findings['solved'];
  },
): Findings => {
  const prompt = systemPromptOf(plan);
  const asked = {
    queries: plan.instance.queries,
    systemPrompt: [plan.instance.systemPrompt, plan.variant.appendSystemPrompt].filter((t) => t !== '').join('\n\n'),
    model: plan.models.main,
    version: plan.installed.version,
    substitutedFor: record.substitutedFor,
    settings: { ...plan.settings, ...plan.variant.settings },
  };
  return {
    workspace: execution.workspace,
    reportedVersion: execution.reportedVersion,
    userAgent: userAgentOf(record.exchanges),
    systemPromptMode: prompt?.mode ?? null,
    differences: findDifferences(asked, {
      exchanges: record.exchanges,
      steps: execution.session.steps,
      logOpenedAt: record.logOpenedAt,
      reportedVersion: execution.reportedVersion,
      dialect: record.dialect,
    }),
    sampling: samplingOf(record.exchanges),
    files: execution.files,
    solved: record.solved,
  };
};
