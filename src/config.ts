/** The checked configuration of a process, read once from its environment; classes get values, never the environment. */

import { readFileSync } from 'node:fs';
import { nearestName } from './config/nearest-name.js';
import { withSecretFiles } from './config/secret-files.js';
import {
  allNames,
  isSecret,
  type LogLevel,
  PREFIX,
  type Role,
  type Settings,
  settingsSchema,
  TEST_PREFIX,
} from './config/settings.js';
import { chooseStores, type Stores } from './config/stores.js';
import { StartRefusedError } from './domain/errors.js';

export type { LogLevel, Role } from './config/settings.js';
export type { Stores } from './config/stores.js';

export interface Config {
  readonly stores: Stores;
  readonly roles: readonly Role[];
  /** Where players connect. Port 0: any free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Where health and metrics are served. Port 0: any free one. */
  readonly admin: { readonly host: string; readonly port: number };
  /** `null`: the built-in boards file. */
  readonly boardsFile: string | null;
  readonly databaseSchema: string;
  readonly redisPrefix: string;
  readonly kafka: {
    readonly topic: string;
    /** Used only when the topic is created, as is the replication factor (-1: the broker's default). */
    readonly partitions: number;
    readonly replicationFactor: number;
    readonly groupPrefix: string;
  };
  readonly tokens: TokenConfig;
  /** `null`: `POST /v1/results` is closed. */
  readonly ingestToken: string | null;
  readonly logLevel: LogLevel;
  /** How long boards of rule `sum` remember results. */
  readonly dedupMs: number;
  /** How old the checkpoints of truth may grow. */
  readonly checkpointMs: number;
  /** How often boards are compared with truth; 0: never. */
  readonly reconcileMs: number;
  readonly tickMs: number;
  /** `null`: any. */
  readonly allowedOrigins: readonly string[] | null;
  /** Addresses and networks (`10.0.0.0/8`) whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly limits: Limits;
  /** Gateway processes that share the port; 1: this process is all. */
  readonly workers: number;
  /** How long a stopping gateway lets its clients go elsewhere. */
  readonly drainMs: number;
}

export interface TokenConfig {
  /** `null` in the demo, which makes its own, where all keys come from the JWK set, and in processes without the gateway role. */
  readonly secret: string | null;
  readonly jwksUrl: string | null;
  /** `null`: any. */
  readonly issuer: string | null;
  readonly audience: string | null;
  /** How long after its end a token can still be refreshed, and counts at HELLO, for clocks that differ. */
  readonly graceMs: number;
  readonly isAnonymousAllowed: boolean;
}

/** What clients may take; each is refused politely first where the protocol has a way to, then closed. */
export interface Limits {
  readonly sockets: number;
  readonly socketsPerAddress: number;
  /** Of the process in 1 s. */
  readonly connects: number;
  /** In 10 s. */
  readonly connectsPerAddress: number;
  readonly sessionsPerPlayer: number;
  /** Of a session. */
  readonly topics: number;
  /** Lists beside those of the current seasons that a process shows at a time. */
  readonly lists: number;
  /** Of a session in 10 s. */
  readonly frames: number;
  readonly bytes: number;
}

export interface ReadConfigOptions {
  /** The demo needs no setting at all, and listens on the loopback address unless told otherwise. Default false. */
  readonly isDemo?: boolean;
  /** Reads the file of a `_FILE` twin. Default: from the disk. */
  readonly readFile?: (path: string) => string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** Throws `StartRefusedError` with one sentence that names everything that is wrong. */
export function readConfig(env: Environment, options: ReadConfigOptions = {}): Config {
  const { isDemo = false, readFile = (path: string) => readFileSync(path, 'utf8') } = options;
  const problems: string[] = [];
  const given = collectGiven(env, problems);
  const settings = checkSettings(withSecretFiles(given, readFile, problems), problems);
  const stores = settings === null ? null : chooseStores(settings, problems);
  if (settings !== null && needsSecret(settings, isDemo)) {
    problems.push(
      `${PREFIX}TOKEN_SECRET is missing: set it to at least 32 random bytes, the key of player tokens ` +
        `(or ${PREFIX}TOKEN_JWKS_URL to where their public keys are)`,
    );
  }
  if (settings !== null && stores !== null && settings.WORKERS > 1 && stores.kind !== 'full') {
    const why = 'without Redis the ranking is in the memory of one process, which must do everything';
    problems.push(`${PREFIX}WORKERS is ${settings.WORKERS}: ${why}`);
  }
  if (settings === null || stores === null || problems.length > 0) {
    throw new StartRefusedError(`the configuration is wrong: ${problems.join('; ')}`);
  }
  return {
    stores,
    roles: settings.ROLES,
    listen: { host: settings.HOST ?? (isDemo ? '127.0.0.1' : '0.0.0.0'), port: settings.PORT },
    admin: { host: settings.ADMIN_HOST, port: settings.ADMIN_PORT },
    boardsFile: settings.BOARDS_FILE ?? null,
    databaseSchema: settings.DATABASE_SCHEMA,
    redisPrefix: settings.REDIS_PREFIX,
    kafka: {
      topic: settings.KAFKA_TOPIC,
      partitions: settings.KAFKA_PARTITIONS,
      replicationFactor: settings.KAFKA_REPLICATION_FACTOR,
      groupPrefix: settings.KAFKA_GROUP_PREFIX,
    },
    tokens: {
      secret: settings.TOKEN_SECRET ?? null,
      jwksUrl: settings.TOKEN_JWKS_URL ?? null,
      issuer: settings.TOKEN_ISSUER ?? null,
      audience: settings.TOKEN_AUDIENCE ?? null,
      graceMs: settings.TOKEN_GRACE_SEC * SECOND_MS,
      isAnonymousAllowed: settings.ANONYMOUS === 'allowed',
    },
    ingestToken: settings.INGEST_TOKEN ?? null,
    logLevel: settings.LOG_LEVEL,
    dedupMs: settings.DEDUP_HOURS * HOUR_MS,
    checkpointMs: settings.CHECKPOINT_MINUTES * MINUTE_MS,
    reconcileMs: settings.RECONCILE_HOURS * HOUR_MS,
    tickMs: settings.TICK_MS,
    allowedOrigins: settings.ALLOWED_ORIGINS ?? null,
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
    limits: {
      sockets: settings.LIMIT_SOCKETS,
      socketsPerAddress: settings.LIMIT_SOCKETS_PER_ADDRESS,
      connects: settings.LIMIT_CONNECTS,
      connectsPerAddress: settings.LIMIT_CONNECTS_PER_ADDRESS,
      sessionsPerPlayer: settings.LIMIT_SESSIONS_PER_PLAYER,
      topics: settings.LIMIT_TOPICS,
      lists: settings.LIMIT_LISTS,
      frames: settings.LIMIT_FRAMES,
      bytes: settings.LIMIT_BYTES,
    },
    workers: settings.WORKERS,
    drainMs: settings.DRAIN_SEC * SECOND_MS,
  };
}

/** Our settings with a value; unknown names are problems. */
function collectGiven(env: Environment, problems: string[]): Map<string, string> {
  const names = allNames();
  const given = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !name.startsWith(PREFIX) || name.startsWith(TEST_PREFIX)) continue;
    if (!names.includes(name)) {
      problems.push(`${name} is not a setting (did you mean ${nearestName(name, names)}?)`);
    } else if (value.trim() !== '') {
      given.set(name, value);
    }
  }
  return given;
}

/** `null` where a value is malformed. Values of secrets are not shown. */
function checkSettings(given: ReadonlyMap<string, string>, problems: string[]): Settings | null {
  const bare = [...given].map(([name, value]) => [name.slice(PREFIX.length), value] as const);
  const parsed = settingsSchema.safeParse(Object.fromEntries(bare));
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const name = String(issue.path[0]);
    const value = given.get(`${PREFIX}${name}`) ?? '';
    const shown = isSecret(name) ? '' : `, not ${JSON.stringify(value.slice(0, 60))}`;
    problems.push(`${PREFIX}${name} ${issue.message}${shown}`);
  }
  return null;
}

function needsSecret(settings: Settings, isDemo: boolean): boolean {
  return (
    !isDemo &&
    settings.ROLES.includes('gateway') &&
    settings.TOKEN_SECRET === undefined &&
    settings.TOKEN_JWKS_URL === undefined
  );
}
