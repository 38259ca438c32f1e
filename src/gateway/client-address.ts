/** Whose connection it is: the address of the client behind the proxies that we believe, and what limits count of it. */

import { BlockList, isIP, SocketAddress } from 'node:net';

/** Some proxies write the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;
const MAPPED = '::ffff:';

export type TrustedProxies = (address: string) => boolean;

/** `networks`: addresses and networks (`10.0.0.0/8`), checked by the configuration. */
export function trustedProxies(networks: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

/**
 * The address of the client, in its shortest form, IPv4 also where the connection wrapped it into IPv6. `remote` is that of
 * the connection, `forwardedFor` the X-Forwarded-For of all header lines. Every proxy appends whom it saw, so the header is
 * read from its end, and only as far as proxies are trusted: what stands before that, a client could have written himself.
 * Where all are trusted, the first of them; where what is read is no address, the proxy's own.
 */
export function clientAddress(remote: string, forwardedFor: string, isTrusted: TrustedProxies): string {
  const own = canonicalAddress(remote) ?? remote;
  if (!isTrusted(own) || forwardedFor.trim() === '') return own;
  let found = own;
  for (const entry of forwardedFor.split(',').reverse()) {
    const address = forwardedAddress(entry.trim());
    if (address === null) return own;
    found = address;
    if (!isTrusted(address)) break;
  }
  return found;
}

/**
 * What is counted as one: an IPv4 address, or the /64 of an IPv6 one, which is what one household or machine has at its disposal.
 * Takes the shortest form, as `clientAddress` gives it.
 */
export function countedAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const before = [...head];
  const after = tail ?? [];
  // An IPv4 address at the end takes the room of two groups.
  const afterLength = after.length + (after.at(-1)?.includes('.') === true ? 1 : 0);
  const zeros = new Array<string>(Math.max(8 - before.length - afterLength, 0)).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

function forwardedAddress(entry: string): string | null {
  const [, bracketed, dotted] = WITH_PORT.exec(entry) ?? [];
  return canonicalAddress(bracketed ?? dotted ?? entry);
}

/** `null` where it is no address. */
function canonicalAddress(text: string): string | null {
  const version = isIP(text);
  if (version !== 6) return version === 4 ? text : null;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  const mapped = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : '';
  return isIP(mapped) === 4 ? mapped : address;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
