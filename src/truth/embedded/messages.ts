/** What a caught value says, for sentences that quote it. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
