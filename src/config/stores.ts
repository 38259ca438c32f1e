/** Which stores a process uses: nothing configured, a database alone, or the full set. Nothing in between. */

import { PREFIX, ROLES, type Settings } from './settings.js';

/**
 * `embedded`: a PostgreSQL that is started here. `database`: that of the operator.
 * Both have the database as the log and the ranking in memory. `full`: PostgreSQL, Redis and Kafka.
 */
export type Stores =
  | { readonly kind: 'embedded'; readonly dataDir: string }
  | { readonly kind: 'database'; readonly databaseUrl: string }
  | {
      readonly kind: 'full';
      readonly databaseUrl: string;
      readonly redisUrl: string;
      readonly brokers: readonly string[];
    };

/** `null` where the combination is refused; the sentence why is added to `problems`. */
export function chooseStores(settings: Settings, problems: string[]): Stores | null {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, KAFKA_BROKERS: brokers } = settings;
  if (databaseUrl !== undefined && redisUrl !== undefined && brokers !== undefined) {
    return { kind: 'full', databaseUrl, redisUrl, brokers };
  }
  if (redisUrl !== undefined || brokers !== undefined) {
    problems.push(missingStores(settings));
    return null;
  }
  const left = ROLES.filter((role) => !settings.ROLES.includes(role));
  if (left.length > 0) {
    const why = 'without Redis the ranking is in the memory of one process, which must do everything';
    problems.push(`${PREFIX}ROLES leaves out ${left.join(', ')}: ${why}`);
  }
  return databaseUrl === undefined
    ? { kind: 'embedded', dataDir: settings.DATA_DIR }
    : { kind: 'database', databaseUrl };
}

function missingStores(settings: Settings): string {
  const names = ['DATABASE_URL', 'REDIS_URL', 'KAFKA_BROKERS'] as const;
  const set = names.filter((name) => settings[name] !== undefined);
  const missing = names.filter((name) => settings[name] === undefined);
  const list = (some: readonly string[]) => some.map((name) => PREFIX + name).join(' and ');
  const choices = 'set all three, the database alone, or none of them (embedded PostgreSQL)';
  return `${list(set)} ${set.length > 1 ? 'need' : 'needs'} ${list(missing)} as well: ${choices}`;
}
