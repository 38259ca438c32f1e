import { describe, expect, it } from 'vitest';
import { clientAddress, countedAddress, trustedProxies } from '../../src/gateway/client-address.js';

const isTrusted = trustedProxies(['10.0.0.0/8', '192.0.2.7', '2001:db8:ffff::/48']);
const PROXY = '10.1.2.3';

describe('clientAddress', () => {
  it('is that of the connection where no proxy is trusted, whatever it claims', () => {
    expect(clientAddress('198.51.100.4', '203.0.113.9', trustedProxies([]))).toBe('198.51.100.4');
    expect(clientAddress('198.51.100.4', '203.0.113.9', isTrusted)).toBe('198.51.100.4');
  });

  it('is what a trusted proxy saw', () => {
    expect(clientAddress(PROXY, '203.0.113.9', isTrusted)).toBe('203.0.113.9');
    expect(clientAddress('2001:db8:ffff::1', '2001:db8:1::5', isTrusted)).toBe('2001:db8:1::5');
  });

  it('is the last that is not itself a trusted proxy: what stands before it the client may have written', () => {
    expect(clientAddress(PROXY, '1.1.1.1, 203.0.113.9, 192.0.2.7,10.9.9.9', isTrusted)).toBe('203.0.113.9');
    expect(clientAddress(PROXY, 'nonsense, 203.0.113.9', isTrusted)).toBe('203.0.113.9');
  });

  it('is the first of the chain where all of it is trusted', () => {
    expect(clientAddress(PROXY, '10.0.0.5, 10.0.0.6', isTrusted)).toBe('10.0.0.5');
  });

  it.each(['', ' ', 'unknown', '203.0.113.9, unknown', '203.0.113.9,', '999.1.1.1', '203.0.113.9; drop', '[::1'])(
    'is that of the proxy itself where the header is missing or malformed: %j',
    (header) => expect(clientAddress(PROXY, header, isTrusted)).toBe(PROXY),
  );

  it('is read without the port that some proxies add', () => {
    expect(clientAddress(PROXY, '203.0.113.9:4711', isTrusted)).toBe('203.0.113.9');
    expect(clientAddress(PROXY, '[2001:db8::1]:4711', isTrusted)).toBe('2001:db8::1');
  });

  it('has one form: IPv4 unwrapped from IPv6, IPv6 at its shortest', () => {
    expect(clientAddress('0000:0000:0000:0000:0000:ffff:c633:6404', '', isTrusted)).toBe('198.51.100.4');
    expect(clientAddress('::ffff:10.1.2.3', '::FFFF:203.0.113.9', isTrusted)).toBe('203.0.113.9');
    expect(clientAddress('2001:0db8:0000:0000:0000:0000:0000:000A', '', isTrusted)).toBe('2001:db8::a');
  });

  it('stays what it is where the system names none', () => {
    expect(clientAddress('', '203.0.113.9', isTrusted)).toBe('');
  });
});

describe('countedAddress', () => {
  it('is an IPv4 address as it is', () => {
    expect(countedAddress('198.51.100.4')).toBe('198.51.100.4');
  });

  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['2001:db8:1::4:5:6:7', '2001:db8:1:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
    ['::1.2.3.4', '0:0:0:0::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
  ])('is the /64 of %s', (address, network) => expect(countedAddress(address)).toBe(network));
});
