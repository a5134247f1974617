import { lengthOf } from '../analysis/turns.ts';
import { sha256 } from '../core/ids.ts';
import { canonicalJson } from '../core/json.ts';
import type { Instance } from '../dataset/schema.ts';
import { readText, writeJson } from '../host/files.ts';
import { type VerdictChange, verdictChanges } from '../judge/changes.ts';
import { familyOf } from '../judge/families.ts';
import { type JudgedRecord, judgeRecord, promptsOf, readRecord } from '../judge/judge-record.ts';
import { answersToRules, columnOf } from '../judge/panel.ts';
import type { JudgePrompt } from '../judge/prompt.ts';
import { PROMPT, promptDigest } from '../judge/prompts/all.ts';
import { type Question, questionsOf } from '../judge/questions.ts';
import type { VerdictFile, VerdictSample } from '../judge/schema.ts';
import { type Verified, verifyAll } from '../judge/verify.ts';
import type { VerifyContext } from '../judge/world.ts';
import type { Rollout } from '../rollout/schema.ts';
import type { Trajectory } from '../trajectory/schema.ts';
import type { JudgeLine } from './judge-calls.ts';
import { programFingerprint, readForJudging } from './judge-rollout.ts';
import { judgeLimits } from './judge-specs.ts';
import type { Experiment, JudgeSpec } from './schema.ts';
import { keepOldVerdicts, verdictPath } from './store.ts';

/** One rollout made ready for every judge: read and put to the programs once. */
export interface Subject {
  dir: string;
  rollout: Rollout;
  instance: Instance;
  trajectory: Trajectory;
  context: VerifyContext;
  programs: Verified;
  questions: Question[];
  record: JudgedRecord;
}

/** Names that judges must not see in system and reminder blocks. */
const namesToMask = (experiment: Experiment, rollout: Rollout): string[] => [
  ...new Set([experiment.name, rollout.model, rollout.model.slice(rollout.model.indexOf('/') + 1)]),
];

export const readSubject = async (
  experiment: Experiment,
  dir: string,
  rollout: Rollout,
  instance: Instance,
  setup: string[],
): Promise<Subject> => {
  const { trajectory, context } = await readForJudging(dir, rollout, instance, setup);
  const programs = verifyAll(trajectory, instance.checklist, context);
  const questions = questionsOf(instance.checklist, experiment.panel, programs);
  const record = readRecord(trajectory, namesToMask(experiment, rollout));
  return { dir, rollout, instance, trajectory, context, programs, questions, record };
};

/** The requests that a judge would get first. */
export const subjectPrompts = (subject: Subject, spec: JudgeSpec): JudgePrompt[] =>
  promptsOf(subject.record, subject.questions, {
    ...{ prompt: PROMPT, granularity: spec.granularity, window: judgeLimits(spec).window },
  });

const sampleOf = async (
  experiment: Experiment,
  subject: Subject,
  line: JudgeLine,
  sample: number,
): Promise<VerdictSample> => {
  const { programs, questions, record, trajectory, instance, context } = subject;
  const replies: string[] = [];
  const { spec } = line.judge;
  const answers = await judgeRecord(record, questions, {
    ...{ prompt: PROMPT, granularity: spec.granularity, ...judgeLimits(spec) },
    ask: line.ask(sample, (digest) => replies.push(digest)),
  });
  const given = answersToRules(questions, answers);
  const again =
    Object.keys(given).length === 0
      ? programs
      : verifyAll(trajectory, instance.checklist, { ...context, answers: given });
  const { verdicts, also } = columnOf(experiment.panel, programs, again, questions, answers);
  return { sample, verdicts, ...(also.length === 0 ? {} : { also }), replies: replies.sort() };
};

/**
 * Has one judge judge one rollout and writes its column, `verdicts/<judge>.json`. Earlier verdicts that differ are kept under
 * `verdicts/old`.
 * @returns how the verdicts differ from the judge's earlier ones
 */
export const judgeColumn = async (
  experiment: Experiment,
  subject: Subject,
  line: JudgeLine,
): Promise<{ file: VerdictFile; changes: VerdictChange[] }> => {
  const { spec, provider } = line.judge;
  const { instance, trajectory, rollout, dir } = subject;
  const samples: VerdictSample[] = [];
  for (let sample = 0; sample < spec.samples; sample++) samples.push(await sampleOf(experiment, subject, line, sample));
  const llm = {
    model: spec.model,
    prompt: PROMPT.id,
    promptDigest: promptDigest(PROMPT),
    granularity: spec.granularity,
    settings: { temperature: 1, ...spec.settings },
    ownFamily: familyOf(spec.model) === familyOf(rollout.model),
  };
  const judgedBy = [experiment.panel, provider.protocol, spec.samples, programFingerprint(instance, trajectory), llm];
  const file: VerdictFile = {
    version: 1,
    judge: spec.id,
    fingerprint: sha256(canonicalJson(judgedBy)),
    ...lengthOf(trajectory),
    samples,
    llm,
  };
  const path = verdictPath(dir, spec.id);
  const text = await readText(path);
  const changes = verdictChanges(text === null ? null : (JSON.parse(text) as VerdictFile), file);
  await keepOldVerdicts(dir, file);
  await writeJson(path, file);
  return { file, changes };
};
