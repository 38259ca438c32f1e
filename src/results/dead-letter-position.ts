/**
 * How far the letters of one partition were sent, as the group `<prefix>-dlq` keeps it.
 *
 * A replay with a reason leaves others behind, so one offset does not say what waits. The committed offset is the first
 * letter that waits; the metadata committed with it says how far all letters, and those of single reasons, were sent. Both
 * move in one commit. Nothing is written anew or marked, so nothing can be lost, and the size depends on the reasons alone.
 */

export interface LetterPosition {
  /** Below it nothing waits. */
  readonly first: number;
  /** Below it everything was sent but what was cut. */
  readonly sent: number;
  /** The same for single reasons, where they are further. */
  readonly sentOf: ReadonlyMap<string, number>;
}

const NOTHING_SENT: LetterPosition = { first: 0, sent: 0, sentOf: new Map() };

/**
 * `offset` is negative where none is committed. Without our metadata somebody set the offset by hand: it is taken at its
 * word. A position beyond the partition's end is that of another topic of this name, and counts for nothing.
 */
export function readPosition(offset: number, metadata: string | null, end: number): LetterPosition {
  if (offset < 0) return NOTHING_SENT;
  const position = parseMetadata(offset, metadata) ?? { first: offset, sent: offset, sentOf: new Map() };
  const furthest = Math.max(position.first, position.sent, ...position.sentOf.values());
  return furthest > end ? NOTHING_SENT : position;
}

export function metadataOf({ sent, sentOf }: LetterPosition): string {
  return JSON.stringify({ sent, sentOf: Object.fromEntries(sentOf) });
}

/** A cut letter is never sent: it waits for as long as the topic keeps it. */
export function isWaiting(position: LetterPosition, offset: number, reason: string, isCut: boolean): boolean {
  return isCut || offset >= Math.max(position.sent, position.sentOf.get(reason) ?? 0);
}

/** After all letters of `reason` (`null`: of every one) below `to` were sent; `first` is the first that waits now. */
export function movedTo(position: LetterPosition, reason: string | null, to: number, first: number): LetterPosition {
  const sent = reason === null ? Math.max(position.sent, to) : position.sent;
  const moved = new Map(position.sentOf);
  if (reason !== null) moved.set(reason, Math.max(moved.get(reason) ?? 0, to));
  return { first, sent, sentOf: new Map([...moved].filter(([, below]) => below > sent)) };
}

function parseMetadata(first: number, metadata: string | null): LetterPosition | undefined {
  try {
    const { sent, sentOf } = JSON.parse(metadata ?? '') as { sent: unknown; sentOf: Record<string, unknown> };
    const reasons = Object.entries(sentOf);
    if (![sent, ...reasons.map(([, below]) => below)].every(Number.isSafeInteger)) return undefined;
    return { first, sent: Number(sent), sentOf: new Map(reasons.map(([reason, below]) => [reason, Number(below)])) };
  } catch {
    return undefined;
  }
}
