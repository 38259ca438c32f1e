/** Values of options: what is wrong is named in one sentence. */

import { parseArgs } from 'node:util';
import type { Rule } from '../../src/domain/rules.js';

export interface Range {
  readonly min: number;
  readonly max: number;
  /** Default true. */
  readonly isWhole?: boolean;
}

const RULES: readonly Rule[] = ['best', 'sum', 'latest'];

/** Each option takes a value; those that are not given have their default. Throws an `Error` for any other. */
export function parseOptions<Name extends string>(
  args: readonly string[],
  defaults: Readonly<Record<Name, string>>,
): Readonly<Record<Name, string>> {
  const names = Object.keys(defaults) as Name[];
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string', default: defaults[name] } as const]));
  const { values } = parseArgs({ args: [...args], options });
  return { ...defaults, ...(values as Partial<Record<Name, string>>) };
}

/** Throws an `Error` that a person understands. */
export function readNumber(name: string, text: string, { min, max, isWhole = true }: Range): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? 'whole number' : 'number';
  throw new Error(`--${name} must be a ${kind} from ${min} to ${max}, not ${JSON.stringify(text)}`);
}

/** Throws an `Error` that a person understands. */
export function readRule(text: string): Rule {
  return readChoice('rule', text, RULES);
}

/** Throws an `Error` that a person understands. */
export function readChoice<Choice extends string>(name: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((candidate) => candidate === text);
  if (choice !== undefined) return choice;
  throw new Error(`--${name} must be ${choices.join(' or ')}, not ${JSON.stringify(text)}`);
}
