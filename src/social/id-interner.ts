/** Player ids as small integers while somebody holds them: an id kept in many lists is stored once. */

export class IdInterner {
  private readonly numbers = new Map<string, number>();
  private readonly ids: string[] = [];
  private readonly holders: number[] = [];
  private readonly free: number[] = [];

  /** How many different ids are held. */
  get size(): number {
    return this.numbers.size;
  }

  /** The numbers of `ids`, in their order. The list holds each of them until it is released. */
  hold(ids: readonly string[]): Int32Array {
    return Int32Array.from(ids, (id) => this.holdOne(id));
  }

  /** Gives up a list that `hold` gave, once; numbers that nobody holds any more are given to other ids. */
  release(list: Int32Array): void {
    for (const number of list) this.releaseOne(number);
  }

  /** The ids of a list that is still held. */
  idsOf(list: Int32Array): string[] {
    return Array.from(list, (number) => this.ids[number] ?? '');
  }

  private holdOne(id: string): number {
    const known = this.numbers.get(id);
    if (known !== undefined) {
      this.holders[known] = (this.holders[known] ?? 0) + 1;
      return known;
    }
    const number = this.free.pop() ?? this.ids.length;
    this.numbers.set(id, number);
    this.ids[number] = id;
    this.holders[number] = 1;
    return number;
  }

  private releaseOne(number: number): void {
    const left = (this.holders[number] ?? 0) - 1;
    if (left < 0) throw new RangeError(`number ${number} is held by no list: it was released twice`);
    this.holders[number] = left;
    if (left > 0) return;
    this.numbers.delete(this.ids[number] ?? '');
    this.ids[number] = '';
    this.free.push(number);
  }
}
