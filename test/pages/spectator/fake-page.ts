/** As much of a browser as the page's scripts touch before they have rows to show: elements with text, and events. */

import { vi } from 'vitest';

class FakeElement {
  textContent = '';
  hidden = false;
  readonly classList = { add: () => undefined };
  readonly children: FakeElement[] = [];
}

export interface FakePage {
  textOf(id: string): string | null;
  /** To the document and to the window alike. */
  dispatch(type: string): void;
}

/** Until `vi.unstubAllGlobals`. */
export function fakePage(WebSocket: unknown): FakePage {
  const elements = new Map<string, FakeElement>();
  const elementOf = (id: string): FakeElement => {
    const element = elements.get(id) ?? new FakeElement();
    elements.set(id, element);
    return element;
  };
  const events = new EventTarget();
  const addEventListener = events.addEventListener.bind(events);
  vi.stubGlobal('WebSocket', WebSocket);
  vi.stubGlobal('HTMLElement', FakeElement);
  vi.stubGlobal('addEventListener', addEventListener);
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run, 0));
  vi.stubGlobal('document', { hidden: false, body: new FakeElement(), getElementById: elementOf, addEventListener });
  return {
    textOf: (id) => elementOf(id).textContent,
    dispatch: (type) => void events.dispatchEvent(new Event(type)),
  };
}
