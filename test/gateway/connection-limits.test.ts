import { describe, expect, it } from 'vitest';
import { ConnectionLimits, type Release } from '../../src/gateway/connection-limits.js';
import { HandshakeRefusedError } from '../../src/gateway/handshake-refused-error.js';

const ROOMY = { sockets: 1_000_000, socketsPerAddress: 1_000_000, connectsPerAddress: 1_000_000 };

function refusal(limits: ConnectionLimits, address: string, now = 0): HandshakeRefusedError {
  try {
    limits.take(address, now);
  } catch (error) {
    if (error instanceof HandshakeRefusedError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('ConnectionLimits', () => {
  it('refuse above the open sockets of the server, whoever comes, until one is given back', () => {
    const limits = new ConnectionLimits({ ...ROOMY, sockets: 2 });
    const release = limits.take('198.51.100.1', 0);
    limits.take('198.51.100.2', 0);
    const refused = refusal(limits, '198.51.100.3');
    expect([refused.reason, refused.problem.status, refused.isRetryable]).toEqual(['server-full', 503, true]);
    expect(refused.message).toContain('2 sockets');
    release();
    limits.take('198.51.100.3', 0);
  });

  it('refuse above the open sockets of an address, and nobody else', () => {
    const limits = new ConnectionLimits({ ...ROOMY, socketsPerAddress: 2 });
    const release = limits.take('198.51.100.1', 0);
    limits.take('198.51.100.1', 0);
    const refused = refusal(limits, '198.51.100.1');
    expect([refused.reason, refused.problem.status]).toEqual(['address-full', 429]);
    expect(refused.message).toContain('2 open sockets');
    limits.take('198.51.100.2', 0);
    release();
    limits.take('198.51.100.1', 0);
  });

  it('refuse above the new sockets of an address in 10 s, also where they close at once, and say when to come back', () => {
    const limits = new ConnectionLimits({ ...ROOMY, connectsPerAddress: 2 });
    for (const now of [1_000, 2_000]) limits.take('198.51.100.1', now)();
    const refused = refusal(limits, '198.51.100.1', 4_500);
    expect([refused.reason, refused.problem.status, refused.retryAfterSec]).toEqual(['address-too-fast', 429, 7]);
    expect(refused.message).toContain('2 sockets of 10 s');
    limits.take('198.51.100.2', 4_500);
    expect(refusal(limits, '198.51.100.1', 10_999).retryAfterSec).toBe(1);
    limits.take('198.51.100.1', 11_000);
  });

  it('take no more in a second than the pace, whoever comes, and fill up again with time', () => {
    const limits = new ConnectionLimits({ ...ROOMY, connects: 10 });
    for (let index = 0; index < 10; index += 1) limits.take(`198.51.100.${index}`, 0);
    const refused = refusal(limits, '203.0.113.1', 50);
    expect([refused.reason, refused.problem.status, refused.retryAfterSec]).toEqual(['server-too-fast', 503, 1]);
    limits.take('203.0.113.1', 100);
    expect(refusal(limits, '203.0.113.2', 150).reason).toBe('server-too-fast');
    for (let index = 0; index < 10; index += 1) limits.take(`203.0.113.${index}`, 60_000);
    expect(refusal(limits, '198.51.100.1', 60_000).reason).toBe('server-too-fast');
  });

  it('count the addresses of one IPv6 /64 as one', () => {
    const limits = new ConnectionLimits({ ...ROOMY, socketsPerAddress: 1 });
    limits.take('2001:db8:0:1::1', 0);
    expect(refusal(limits, '2001:db8:0:1:ffff::2').reason).toBe('address-full');
    limits.take('2001:db8:0:2::1', 0);
  });

  it('give back once, however often they are told', () => {
    const limits = new ConnectionLimits({ ...ROOMY, socketsPerAddress: 2 });
    const release = limits.take('198.51.100.1', 0);
    limits.take('198.51.100.1', 0);
    for (let time = 0; time < 3; time += 1) release();
    expect(limits.openCount).toBe(1);
    limits.take('198.51.100.1', 0);
    expect(refusal(limits, '198.51.100.1').reason).toBe('address-full');
  });

  it('count nothing for those that they refuse', () => {
    const limits = new ConnectionLimits({ ...ROOMY, sockets: 1 });
    limits.take('198.51.100.1', 0);
    for (let host = 0; host < 100; host += 1) refusal(limits, `203.0.113.${host}`);
    expect([limits.openCount, limits.addressCount]).toEqual([1, 1]);
  });

  it('forget addresses that have nothing open, with the window', () => {
    const limits = new ConnectionLimits(ROOMY);
    const releases: Release[] = [];
    for (let host = 0; host < 10_000; host += 1) releases.push(limits.take(`10.0.${host >> 8}.${host & 255}`, 0));
    for (const release of releases.slice(1)) release();
    limits.take('198.51.100.1', 10_000);
    expect([limits.openCount, limits.addressCount]).toEqual([2, 2]);
  });

  it('keep a bounded memory of addresses inside one window as well', () => {
    const limits = new ConnectionLimits(ROOMY);
    for (let host = 0; host < 250_000; host += 1)
      limits.take(`2001:db8:${(host >> 16).toString(16)}:${(host & 65_535).toString(16)}::1`, 0)();
    expect(limits.addressCount).toBeLessThanOrEqual(100_000);
  });
});
