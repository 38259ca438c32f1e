/** Lines that tell a waiting person what the stack is doing; on stderr, so that stdout stays for results. */
export function report(line: string): void {
  process.stderr.write(`stack: ${line}\n`);
}
