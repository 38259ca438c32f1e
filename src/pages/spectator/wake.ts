/** The moments after which a socket that looks open may be dead: the network is back, or the page is looked at again. */

export function onWake(run: () => void): void {
  addEventListener('online', run);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) run();
  });
}
