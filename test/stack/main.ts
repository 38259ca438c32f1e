/** `npm run stack -- up|down|status`: the real services for people, without Docker. */
import { isSameProcessAlive } from './child-process.js';
import { listAddresses, stackDown, stackUp, summarize } from './stack.js';
import { readState } from './state-file.js';

const USAGE = 'Usage: npm run stack -- up | down | status';

async function run(command: string | undefined): Promise<number> {
  switch (command) {
    case 'up': {
      const stack = await stackUp();
      print(...exports(listAddresses({ ...stack })), summarize({ ...stack }));
      return 0;
    }
    case 'down':
      await stackDown();
      print('stack=down');
      return 0;
    case 'status': {
      const { services } = await readState();
      const living = Object.fromEntries(
        Object.entries(services).filter(([, service]) => service.mark === null || isSameProcessAlive(service.mark)),
      );
      print(...exports(listAddresses(living)), `# ${summarize(living)}`);
      return Object.keys(living).length === 3 ? 0 : 1;
    }
    default:
      process.stderr.write(`${USAGE}\n`);
      return 2;
  }
}

function exports(addresses: readonly [string, string][]): string[] {
  return addresses.map(([name, value]) => `export ${name}=${value}`);
}

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

try {
  process.exitCode = await run(process.argv[2]);
} catch (error) {
  process.stderr.write(`stack: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
