/** Several values for each key, each once, where nearly every key has one: that one is kept without a set around it. */

export class MultiMap<Key, Value extends object> {
  private readonly values = new Map<Key, Value | Set<Value>>();

  /** How many keys have values. */
  get size(): number {
    return this.values.size;
  }

  keys(): Iterable<Key> {
    return this.values.keys();
  }

  /** In the order they were added. */
  get(key: Key): readonly Value[] {
    const found = this.values.get(key);
    if (found === undefined) return [];
    return found instanceof Set ? [...found] : [found];
  }

  has(key: Key, value: Value): boolean {
    const found = this.values.get(key);
    return found instanceof Set ? found.has(value) : found === value;
  }

  add(key: Key, value: Value): void {
    const found = this.values.get(key);
    if (found === undefined) this.values.set(key, value);
    else if (found instanceof Set) found.add(value);
    else if (found !== value) this.values.set(key, new Set([found, value]));
  }

  /** Whether the key had the value. */
  delete(key: Key, value: Value): boolean {
    const found = this.values.get(key);
    if (!(found instanceof Set)) return found === value && this.values.delete(key);
    const hadIt = found.delete(value);
    const [first] = found;
    if (found.size === 1 && first !== undefined) this.values.set(key, first);
    return hadIt;
  }
}
