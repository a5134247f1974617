import { detectAll } from 'tinyld';
import { wordsOfLanguage } from './prose.ts';

/* The words no sentence goes without: they tell short texts apart, where statistics over letters guess. */
const FUNCTION_WORDS: Readonly<Record<string, string>> = {
  en: 'the a an and or of to in is are was were be been it this that these those for on with as at by from not but i you we they he she have has had will would can could should do does did if then so which what there here my your our its now all no let me please add fix make use write create update implement explain how why run test tests file files code added updated removed fixed changed created modified implemented improved summary changes done next steps error errors handling running reading looking checking found new passed',
  es: 'el la los las un una unos y o de del en es son fue que por para con como pero no se su sus lo al más este esta estos ya hay ha he muy sin sobre también cuando si todo',
  fr: "le la les un une des et ou de du en est sont était que qui pour avec dans sur par mais ne pas se sa son ses ce cette ces je nous vous il elle au aux plus j'ai c'est tout été",
  de: 'der die das ein eine einen und oder von zu in ist sind war nicht mit für auf als bei aus dem den des im ich wir sie es wird werden haben hat kann auch nur noch aber wenn dass jetzt',
  pt: 'o a os as um uma e ou de do da dos das em no na é são foi que por para com como mas não se seu sua mais este esta isso já há também quando eu ao pelo',
  it: 'il lo la i gli le un una e o di del della in è sono che per con come ma non si suo sua più questo questa ho ha al alla nel anche quando dei delle',
  nl: 'de het een en of van te in is zijn was niet met voor op als bij uit ik we wij ze hij zij dat die dit deze er heb heeft kan ook maar nog naar nu',
  pl: 'i w na z do nie się to jest są że jak o po za przez dla ale od który która czy już tylko tak może',
  tr: 've bir bu da de için ile ne gibi daha çok en var yok ama olarak şu o ben biz',
  vi: 'là và của có không cho các một những trong được với này đã tôi bạn để từ khi sẽ',
};
const TABLE = new Map(Object.entries(FUNCTION_WORDS).map(([l, words]) => [l, new Set(words.split(' '))]));

interface Count {
  han: number;
  kana: number;
  hangul: number;
  words: string[];
}

const MARK =
  /\p{Script=Han}|[\p{Script=Hiragana}\p{Script=Katakana}]|\p{Script=Hangul}|[\p{L}\p{M}]+(?:['’][\p{L}]+)*/gu;

const count = (text: string): Count => {
  const c: Count = { han: 0, kana: 0, hangul: 0, words: [] };
  const spaced = text.replace(/\p{Script=Han}|[\p{Script=Hiragana}\p{Script=Katakana}]|\p{Script=Hangul}/gu, (sign) => {
    if (/\p{Script=Han}/u.test(sign)) c.han++;
    else if (/\p{Script=Hangul}/u.test(sign)) c.hangul++;
    else c.kana++;
    return ' ';
  });
  for (const word of spaced.match(MARK) ?? []) c.words.push(word.toLowerCase().replaceAll('’', "'"));
  return c;
};

const byFunctionWords = (words: readonly string[]): string | null => {
  const scores = [...TABLE]
    .map(([language, table]) => ({ language, hits: words.filter((w) => table.has(w)).length }))
    .sort((a, b) => b.hits - a.hits);
  const [best, second] = scores;
  const least = words.length <= 8 ? 1 : 2;
  if (best === undefined || best.hits < least || best.hits / words.length < 0.12) return null;
  return best.hits > (second?.hits ?? 0) ? best.language : null;
};

/** A language as ISO 639-1; `null` = too little to tell by, `latin` = enough text in Latin letters, no clear answer. */
export type Detected = string | null;

const OTHER_SCRIPTS = new Set([
  'zh',
  'ja',
  'ko',
  'ru',
  'uk',
  'bg',
  'sr',
  'ar',
  'fa',
  'he',
  'hi',
  'th',
  'el',
  'ka',
  'hy',
  'bn',
  'ta',
  'ur',
]);

/** Whether a text of language `detected` is in one of the wanted languages; null when that cannot be told. */
export const isInLanguage = (detected: string, wanted: readonly string[]): boolean | null =>
  detected === 'latin' && wanted.some((w) => !OTHER_SCRIPTS.has(w)) ? null : wanted.includes(detected);

/**
 * The language of a text's prose: code, addresses, paths, quotations and identifiers do not count. Under `minimum.words`
 * words and `minimum.signs` East Asian signs there is too little to tell. A sign stands for two thirds of a word, and
 * names of things in Latin letters do not make a Chinese text English until they outweigh it.
 */
export const languageOf = (
  text: string,
  minimum: { words: number; signs: number } = { words: 5, signs: 8 },
): Detected => {
  const { han, kana, hangul, words } = count(wordsOfLanguage(text));
  const signs = han + kana + hangul;
  if (words.length < minimum.words && signs < minimum.signs) return null;
  if (signs >= minimum.signs && signs / 1.5 >= 0.6 * words.length) {
    if (hangul > han + kana) return 'ko';
    return kana >= 0.1 * (han + kana) ? 'ja' : 'zh';
  }
  if (words.length < minimum.words) return null;
  const latin = words.filter((w) => /\p{Script=Latin}/u.test(w)).length;
  const byWords = latin > words.length / 2 ? byFunctionWords(words) : null;
  if (byWords !== null) return byWords;
  const guesses = detectAll(words.slice(0, 400).join(' '));
  const [first, second] = guesses;
  if (first === undefined) return 'latin';
  const clear = words.length >= 8 && first.accuracy >= 1.5 * (second?.accuracy ?? 0);
  return latin <= words.length / 2 || clear ? first.lang : 'latin';
};
