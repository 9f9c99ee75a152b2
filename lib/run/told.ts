import { type EventWord, eventWords } from './step.ts';

/** Which event types a run was told under, one bit a word: a number costs a retained run nothing. */
export type Told = number;

export const toldNothing: Told = 0;

const bitOf = (word: EventWord): number => 1 << eventWords.indexOf(word);

/** Whether the word was told. */
export function wasTold(told: Told, word: EventWord): boolean {
  return (told & bitOf(word)) !== 0;
}

/** The same with these words told as well. */
export function alsoTold(told: Told, words: readonly EventWord[]): Told {
  return words.reduce((bits, word) => bits | bitOf(word), told);
}
