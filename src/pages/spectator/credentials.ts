/** What the address of the page carries, behind the `#`: there it reaches neither a log nor another site. */

export interface Credentials {
  /** Of the screen: what the board is shown with. */
  readonly key: string | null;
  /** Of the reader, whose own place is shown beside. */
  readonly token: string | null;
}

/** `hash`: as `location.hash`. */
export function readCredentials(hash: string): Credentials {
  const fragment = new URLSearchParams(hash.slice(1));
  return { key: fragment.get('key'), token: fragment.get('token') };
}
