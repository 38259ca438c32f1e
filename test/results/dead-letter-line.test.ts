import { describe, expect, it } from 'vitest';
import { describeLetter } from '../../src/results/dead-letter-line.js';

const LETTER = {
  source: 'kafka:match-results',
  partition: 3,
  offset: 120,
  reason: 'bad_json',
  detail: 'the record is not JSON',
  at: '2026-10-12T18:03:21.417Z',
  key: Buffer.from('pl-1'),
  value: Buffer.from('{"matchId":\n'),
  truncated: null,
};

describe('the line of a dead letter', () => {
  it('has text as text, on one line', () => {
    const line = describeLetter(LETTER);
    expect(line).not.toContain('\n');
    const { truncated: _whole, ...shown } = LETTER;
    expect(JSON.parse(line)).toEqual({ ...shown, key: 'pl-1', value: '{"matchId":\n' });
  });

  it('has what is not UTF-8 as base64 under another name, and says what is missing', () => {
    const value = Buffer.from([0xc3, 0x28, 0]);
    const line = JSON.parse(describeLetter({ ...LETTER, key: null, value, truncated: 'value=900000' }));
    expect(line).toMatchObject({ key: null, truncated: 'value=900000' });
    expect(line).not.toHaveProperty('value');
    expect(Buffer.from(line.valueBase64, 'base64')).toEqual(value);
  });

  it('keeps a byte order mark', () => {
    const value = Buffer.from('\uFEFF{}');
    expect(Buffer.from(JSON.parse(describeLetter({ ...LETTER, value })).value)).toEqual(value);
  });
});
