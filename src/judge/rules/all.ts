import { absolutePaths } from './absolute-paths.ts';
import { branchName } from './branch-name.ts';
import { claimsTested } from './claims-tested.ts';
import { commitMessage } from './commit-message.ts';
import { created } from './created.ts';
import { editExisting } from './edit-existing.ts';
import { fileNames } from './file-names.ts';
import { finalText } from './final-text.ts';
import { finishLast } from './finish-last.ts';
import { forbiddenOpeners } from './forbidden-openers.ts';
import { gitSafety } from './git-safety.ts';
import { memoryBankRead } from './memory-bank-read.ts';
import { noClosingQuestion } from './no-closing-question.ts';
import { noColonBeforeCall } from './no-colon-before-call.ts';
import { noCommitUnlessAsked } from './no-commit-unless-asked.ts';
import { noEmoji } from './no-emoji.ts';
import { noGuessedUrls } from './no-guessed-urls.ts';
import { noLeak } from './no-leak.ts';
import { noNewDependency } from './no-new-dependency.ts';
import { noNewDocs } from './no-new-docs.ts';
import { noParallelEdits } from './no-parallel-edits.ts';
import { noQuestions } from './no-questions.ts';
import { noShellForFiles } from './no-shell-for-files.ts';
import { noShellTalk } from './no-shell-talk.ts';
import { noTimeEstimates } from './no-time-estimates.ts';
import { oneCallAMessage } from './one-call-a-message.ts';
import { onlyChanges } from './only-changes.ts';
import { packageManager } from './package-manager.ts';
import { planMode } from './plan-mode.ts';
import { protectedPaths } from './protected.ts';
import { ran } from './ran.ts';
import { readBeforeEdit } from './read-before-edit.ts';
import { readFirst } from './read-first.ts';
import { remembered } from './remembered.ts';
import { replyLanguage } from './reply-language.ts';
import type { NamedRule } from './rule.ts';
import { skillFirst } from './skill-first.ts';
import { skillUsed } from './skill-used.ts';
import { subagentType } from './subagent-type.ts';
import { todoAfterReminder } from './todo-after-reminder.ts';
import { todoLimits } from './todo-limits.ts';
import { todoOneActive } from './todo-one-active.ts';
import { todoUsed } from './todo-used.ts';
import { validArguments } from './valid-arguments.ts';

/** Every named rule. */
export const RULES: readonly NamedRule[] = [
  readBeforeEdit,
  noShellForFiles,
  noShellTalk,
  gitSafety,
  noCommitUnlessAsked,
  commitMessage,
  protectedPaths,
  onlyChanges,
  noNewDocs,
  created,
  absolutePaths,
  validArguments,
  oneCallAMessage,
  noParallelEdits,
  todoUsed,
  todoOneActive,
  todoLimits,
  todoAfterReminder,
  noLeak,
  noEmoji,
  replyLanguage,
  forbiddenOpeners,
  noClosingQuestion,
  noColonBeforeCall,
  finalText,
  skillUsed,
  skillFirst,
  subagentType,
  ran,
  packageManager,
  finishLast,
  noQuestions,
  planMode,
  memoryBankRead,
  editExisting,
  branchName,
  fileNames,
  noNewDependency,
  remembered,
  claimsTested,
  noGuessedUrls,
  readFirst,
  noTimeEstimates,
];

const byName = new Map(RULES.map((r) => [r.name, r]));

export const findNamedRule = (name: string): NamedRule | undefined => byName.get(name);
