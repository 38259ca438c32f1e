/** An SQL text and its parameters, which are collected while the text is put together. */

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export class Binder {
  readonly values: unknown[] = [];

  /** How the text names the value: `$3::bigint`. */
  add(type: string, value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}
