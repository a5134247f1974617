import { z } from 'zod';
import { type NamedRule, namedRule } from './rule.ts';

/* A guess and a span of time within a few words of each other: "should take 2-3 days", "预计需要 3 小时", "Week 1-2:". */
const GUESS =
  '(estimat\\w*|takes?|taking|need|require|about|around|approximately|roughly|within|timeline|ETA|预计|预估|估计|大概|大约|大致|约|需要|耗时|用时|工期|周期|工作量)';
const UNIT = '(minutes?|mins?|hours?|hrs?|days?|weeks?|months?|分钟|个?小时|天|周|个?星期|个月|工作日|人天|人日)';
const NUMBER = '(\\d+(\\.\\d+)?|an?|one|two|three|four|five|several|a few|几|半|一|两|二|三|四|五|十|数)';
const SPAN = `${NUMBER}\\s*(([-–~～]|to|到|至)\\s*${NUMBER}\\s*)?${UNIT}`;
const ESTIMATES = [
  `${GUESS}[^.。;；\\n\\d]{0,16}${SPAN}`,
  `[(（]\\s*[~≈约]?\\s*${SPAN}\\s*[)）]`,
  `^[\\s#*-]*(week|day|month)s?\\s*\\d+(\\s*[-–]\\s*\\d+)?\\s*[:：]`,
  `^[\\s#*-]*第\\s*[\\d一二三四五]+(\\s*[-–到至]\\s*[\\d一二三四五]+)?\\s*(天|周|个月)\\s*[:：]`,
];

export const noTimeEstimates: NamedRule = namedRule({
  name: 'no_time_estimates',
  description: 'No text to the user says how long work will take.',
  notes: 'Sees spans of time beside a word of guessing, in brackets, or as a heading; how long a command ran is none.',
  params: z.strictObject({}),
  example: { use: 'no_time_estimates' },
  expand: () => ({ never: { say: { regex: ESTIMATES.map((e) => `(${e})`).join('|'), flags: 'im' }, in: 'all' } }),
});
