/** What a scripted model answers to the side calls that scaffolds make on their own, by kind; a script may say otherwise. */
const DEFAULTS: Readonly<Record<string, string>> = {
  title: 'Working on the task',
  warmup: 'Ready.',
  git_history: 'README.md',
  paths: '<is_displaying_contents>\nfalse\n</is_displaying_contents>\n\n<filepaths>\n</filepaths>',
  command_prefix: 'none',
  fetch: 'The page was read.',
  quota: '.',
  compaction:
    '<analysis>\nThe conversation was long.\n</analysis>\n\n<summary>\nThe task is being worked on as the user asked; what was done so far stands, and the next step follows.\n</summary>',
};

/** The answer to a side call. */
export const auxiliaryAnswer = (answers: Readonly<Record<string, string>>, kind: string | undefined): string => {
  const name = kind ?? 'other';
  if (Object.hasOwn(answers, name)) return answers[name] as string;
  return Object.hasOwn(DEFAULTS, name) ? (DEFAULTS[name] as string) : 'Done.';
};
