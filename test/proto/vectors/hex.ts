/** Bytes as hex text and back. */

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Spaces are allowed between bytes. */
export function bytesOf(hex: string): Uint8Array {
  const digits = hex.replaceAll(' ', '');
  if (digits.length % 2 !== 0 || /[^0-9a-f]/.test(digits)) throw new Error(`not hex: ${hex.slice(0, 80)}`);
  return Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  );
}
