/*
 * Which checks may find nothing to judge, by their wording: heuristics over Chinese and English, calibrated on the published release
 * (about a fifth says if or when, about another fifth is empty unless some tool is called). For summaries only: no verdict rests on them.
 */

const SAYS_IF: readonly RegExp[] = [
  /\b(if|when(ever)?|unless|in case|provided that|otherwise)\b/i,
  /\bwhere (applicable|relevant|needed|appropriate)\b/i,
  /\bas (needed|required|applicable)\b/i,
  /如果|如有|若|假如|倘若|一旦|除非|必要时|如需|需要时|合适时/,
  /当[^，。]{1,40}时/,
  /[的等此类](情况|场景|前提)下/,
  /在?(需要|涉及|遇到|收到|存在|怀疑|出现|面对|用户)[^，。；]{0,40}[时后]/,
];

const NEEDS_A_CALL: readonly RegExp[] = [
  /\b(before|after|while|when) (using|calling|editing|writing|running|creating|committing)\b/i,
  /\b(every|each|all|any) (of )?(the )?((tool|bash|edit|write|read|todowrite|task) ?)+(calls?|uses?|commands?)\b/i,
  /\b(uses?|using|calls?|calling) (of )?the \w+ tool\b/i,
  /(使用|调用|执行|编辑|修改|写入|覆盖|创建|提交|发起)[^，。；]{0,40}(时|之前|前|后)/,
  /每(一)?次[^，。]{0,12}(调用|使用|编辑|修改)/,
  /所有的?(工具|Bash|文件)/,
];

/** How a check may turn out to have nothing to judge: `worded` = it says if or when, `tool` = it is about calls that may never be made. */
export const conditional = (description: string): 'worded' | 'tool' | null => {
  if (SAYS_IF.some((r) => r.test(description))) return 'worded';
  return NEEDS_A_CALL.some((r) => r.test(description)) ? 'tool' : null;
};
