/** A tag: all lists of one board and season. They share one hash slot, one epoch, one seq and one change stream. */

export interface Tag {
  readonly boardId: string;
  readonly seasonId: string;
}

/** `arena:s12`; names cannot hold a colon, so two tags never share a name. */
export function tagName(tag: Tag): string {
  return `${tag.boardId}:s${tag.seasonId}`;
}
