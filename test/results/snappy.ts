/** Snappy's raw format with literals only: enough to be a producer whose codec the server does not know. */

export function snappyLiterals(bytes: Buffer): Buffer {
  const parts: Buffer[] = [varint(bytes.length)];
  for (let start = 0; start < bytes.length; start += 60) {
    const literal = bytes.subarray(start, start + 60);
    parts.push(Buffer.from([(literal.length - 1) << 2]), literal);
  }
  return Buffer.concat(parts);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
