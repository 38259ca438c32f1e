/** Which board the page shows: the one in `?board=`, else the first that the server has. */

const RETRY_MS = 2_000;

/** Keeps asking until the server answers with a board: a screen is often switched on before its server. */
export async function chooseBoard(home: string): Promise<string> {
  const asked = new URLSearchParams(location.search).get('board');
  if (asked !== null && asked !== '') return asked;
  for (;;) {
    const boardId = await firstBoard(home).catch(() => null);
    if (boardId !== null) return boardId;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function firstBoard(home: string): Promise<string | null> {
  const response = await fetch(new URL('v1/boards', home));
  if (!response.ok) return null;
  const body = (await response.json()) as { boards?: { boardId?: unknown }[] };
  const boardId = body.boards?.[0]?.boardId;
  return typeof boardId === 'string' ? boardId : null;
}
