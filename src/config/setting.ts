/** The building blocks of settings: each turns the text of one environment variable into a checked value. */

import { z } from 'zod';
import { nearestName } from './nearest-name.js';

/** A setting whose `parse` answers `undefined` for text that breaks the rule; the rule reads on after the setting's name. */
export function setting<T>(rule: string, parse: (text: string) => T | undefined) {
  return z.string().transform((text, context) => {
    const value = parse(text.trim());
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: rule });
    return z.NEVER;
  });
}

export function matching(rule: string, pattern: RegExp) {
  return setting(rule, (text) => (pattern.test(text) ? text : undefined));
}

/** A whole number in decimal digits, both ends included. */
export function wholeNumber(min: number, max: number) {
  return setting(`must be a whole number from ${min} to ${max}`, (text) => {
    const value = Number(text);
    return /^-?\d{1,15}$/.test(text) && value >= min && value <= max ? value : undefined;
  });
}

/** One of a few words; a mistyped one is answered with the nearest. */
export function oneOf<const Word extends string>(words: readonly Word[]) {
  return z.string().transform((text, context): Word => {
    const word = words.find((candidate) => candidate === text.trim());
    if (word !== undefined) return word;
    context.addIssue({ code: 'custom', message: unknownWord(text.trim(), words) });
    return z.NEVER;
  });
}

/** A comma list of at least one word, repeats dropped. */
export function listOf<const Word extends string>(words: readonly Word[]) {
  return z.string().transform((text, context): readonly Word[] => {
    const asked = splitList(text);
    const wrong = asked.find((word) => !words.some((candidate) => candidate === word));
    if (wrong === undefined && asked.length > 0) return words.filter((word) => asked.includes(word));
    context.addIssue({ code: 'custom', message: unknownWord(wrong ?? '', words) });
    return z.NEVER;
  });
}

/** A comma list of at least one item, each of which must pass `isRight`. */
export function listWhere(rule: string, isRight: (item: string) => boolean) {
  return setting(rule, (text): readonly string[] | undefined => {
    const items = splitList(text);
    return items.length > 0 && items.every(isRight) ? items : undefined;
  });
}

/** A URL with a host and one of the schemes. */
export function urlOf(schemes: readonly string[]) {
  const starts = schemes.map((scheme) => `${scheme}://`).join(' or ');
  return setting(`must be a URL that starts with ${starts}`, (text) => {
    const isRight = URL.canParse(text) && schemes.some((scheme) => text.startsWith(`${scheme}://`));
    return isRight ? text : undefined;
  });
}

function splitList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== ''))];
}

function unknownWord(word: string, words: readonly string[]): string {
  const nearest = nearestName(word.toLowerCase(), words);
  return `must be out of ${words.join(', ')} (nearest: ${nearest})`;
}
