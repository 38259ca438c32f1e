/** The page's own elements, found or the page does not start. */

/** Throws where index.html lacks the element: page and script are of one build. */
export function byId<E extends HTMLElement>(id: string, kind: new () => E): E {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`index.html has no ${kind.name} with id ${id}`);
  return element;
}

export function newElement(tag: 'li' | 'span' | 'bdi', className: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  return element;
}

/** Writing the same text again would still cost a layout. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
