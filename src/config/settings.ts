/** Every `RANKCAST_` setting: its name, its rule, its default and one line about it. */

import { isIP } from 'node:net';
import { z } from 'zod';
import { listOf, listWhere, matching, oneOf, setting, urlOf, wholeNumber } from './setting.js';

export const PREFIX = 'RANKCAST_';
/** Names under it belong to the test suite and are ignored here. */
export const TEST_PREFIX = 'RANKCAST_TEST_';

export const ROLES = ['intake', 'truth', 'ranking', 'gateway', 'seasons'] as const;
/** A share of the work; a process does one or several of them. */
export type Role = (typeof ROLES)[number];

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** HS256 is only as strong as its key: RFC 7518 asks for as many bytes as the hash has. */
const MIN_SECRET_BYTES = 32;
const HOST_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i;
const BROKER = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i;
/** A topic name may have 249 characters; four are left for `.dlq`. */
const TOPIC = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,245}$/;

const host = setting('must be an IP address or a host name', (text) =>
  isIP(text) > 0 || HOST_NAME.test(text) ? text : undefined,
);
const path = setting('must be a path', (text) => (text.includes('\0') ? undefined : text));
const claim = matching('must have 1 to 200 characters without spaces', /^\S{1,200}$/);
const secret = (minBytes: number) =>
  setting(`must have at least ${minBytes} bytes`, (text) => (Buffer.byteLength(text) >= minBytes ? text : undefined));

/** Without the prefix. An empty value counts as not set, as compose files write it. */
export const settings = {
  DATABASE_URL: urlOf(['postgres', 'postgresql'])
    .optional()
    .describe('PostgreSQL; none: an embedded server is started'),
  REDIS_URL: urlOf(['redis', 'rediss']).optional().describe('Redis; only together with the database and Kafka'),
  KAFKA_BROKERS: listWhere('must be a comma list of host:port', isBroker)
    .optional()
    .describe('Kafka bootstrap brokers; only together with the database and Redis'),
  ROLES: listOf(ROLES).default(ROLES).describe('what this process does'),
  HOST: host.optional().describe('where players connect; default 0.0.0.0, in the demo 127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(8_080).describe('port of sockets and HTTP; 0: any free one'),
  ADMIN_HOST: host.default('127.0.0.1').describe('where health and metrics are served'),
  ADMIN_PORT: wholeNumber(0, 65_535).default(9_464).describe('port of health and metrics; 0: any free one'),
  BOARDS_FILE: path.optional().describe('YAML or JSON; none: the built-in board arena'),
  DATA_DIR: path.default('.rankcast/data').describe('folder of the embedded PostgreSQL'),
  DATABASE_SCHEMA: matching(
    'must be a lower-case SQL name that does not start with pg_',
    /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/,
  )
    .default('rankcast')
    .describe('schema of all tables'),
  REDIS_PREFIX: matching('must have 1 to 32 of the characters A-Z a-z 0-9 . _ -', /^[A-Za-z0-9._-]{1,32}$/)
    .default('lb')
    .describe('first part of every Redis key'),
  KAFKA_TOPIC: matching('must be a topic name of at most 245 characters A-Z a-z 0-9 . _ -', TOPIC)
    .default('match-results')
    .describe('topic of results; its dead letters go to <topic>.dlq'),
  KAFKA_PARTITIONS: wholeNumber(1, 10_000).default(12).describe('used only when the topic is created'),
  KAFKA_REPLICATION_FACTOR: setting('must be -1 (the default of the broker) or a whole number from 1 to 100', (text) =>
    text === '-1' || /^([1-9]\d?|100)$/.test(text) ? Number(text) : undefined,
  )
    .default(-1)
    .describe('used only when the topic is created; -1: the default of the broker'),
  KAFKA_GROUP_PREFIX: matching('must have 1 to 100 of the characters A-Z a-z 0-9 . _ -', /^[A-Za-z0-9._-]{1,100}$/)
    .default('rankcast')
    .describe('the consumer groups are <prefix>-truth and <prefix>-ranking, and <prefix>-dlq'),
  TOKEN_SECRET: secret(MIN_SECRET_BYTES)
    .optional()
    .describe('HS256 secret of player tokens; the demo makes its own. This or the next, or both'),
  TOKEN_JWKS_URL: urlOf(['https', 'http'])
    .optional()
    .describe('where the public keys of player tokens are (RS256, ES256, EdDSA), as a JWK set'),
  TOKEN_ISSUER: claim.optional().describe('the `iss` that player tokens must have; none: any'),
  TOKEN_AUDIENCE: claim.optional().describe('the `aud` that player tokens must have; none: any'),
  TOKEN_GRACE_SEC: wholeNumber(0, 300)
    .default(25)
    .describe('how long after its end a token can still be refreshed on an open socket, and clocks may differ'),
  ANONYMOUS: oneOf(['allowed', 'refused'])
    .default('allowed')
    .describe('whether sockets without a token may watch the top'),
  INGEST_TOKEN: secret(1).optional().describe('bearer token of game servers; none: POST /v1/results is closed'),
  LOG_LEVEL: oneOf(LOG_LEVELS).default('info').describe('the least important lines that are written'),
  DEDUP_HOURS: wholeNumber(1, 168)
    .default(6)
    .describe('how long boards of rule sum remember results, to count copies once; older ones go by the database'),
  CHECKPOINT_MINUTES: wholeNumber(1, 10_080)
    .default(60)
    .describe('how old the checkpoints may grow from which boards are rebuilt'),
  RECONCILE_HOURS: wholeNumber(0, 168)
    .default(24)
    .describe(
      'how often the boards are compared with the database and repaired, by processes with the role truth; 0: never',
    ),
  TICK_MS: wholeNumber(1, 1_000).default(10).describe('how long a busy socket gathers changes, milliseconds'),
  ALLOWED_ORIGINS: listWhere('must be a comma list of origins such as https://game.example', isOrigin)
    .optional()
    .describe('web origins that may connect; none: any'),
  TRUSTED_PROXIES: listWhere('must be a comma list of IP addresses or networks such as 10.0.0.0/8', isNetwork)
    .optional()
    .describe(
      'proxies whose X-Forwarded-For names the address of a client; none: the address of the connection counts',
    ),
  LIMIT_SOCKETS: wholeNumber(1, 1_000_000).default(18_000).describe('open sockets of a process'),
  LIMIT_SOCKETS_PER_ADDRESS: wholeNumber(1, 1_000_000)
    .default(2_000)
    .describe('open sockets of one address; many players may share one'),
  LIMIT_CONNECTS: wholeNumber(1, 1_000_000)
    .default(1_000)
    .describe('new sockets of a process in 1 s; what a lost server leaves comes at this pace'),
  LIMIT_CONNECTS_PER_ADDRESS: wholeNumber(1, 1_000_000).default(1_000).describe('new sockets of one address in 10 s'),
  LIMIT_SESSIONS_PER_PLAYER: wholeNumber(1, 1_000)
    .default(10)
    .describe(
      'open sessions of one player in a process, and ten times as many of one overlay key; beyond it the oldest is closed',
    ),
  LIMIT_TOPICS: wholeNumber(1, 1_000).default(32).describe('windows of a session'),
  LIMIT_LISTS: wholeNumber(1, 100_000)
    .default(1_000)
    .describe('lists of days, weeks, scopes and past seasons that a process shows at a time'),
  LIMIT_FRAMES: wholeNumber(1, 10_000)
    .default(60)
    .describe('frames of a client in 10 s, enough to open all its windows at once; twice as many close it'),
  LIMIT_BYTES: wholeNumber(4_096, 10_000_000)
    .default(65_536)
    .describe('bytes of frames of a client in 10 s; twice as many close it'),
  WORKERS: wholeNumber(1, 64)
    .default(1)
    .describe('gateway processes that share the port; above 1 needs Redis. SIGHUP restarts them one by one'),
  DRAIN_SEC: wholeNumber(0, 600)
    .default(10)
    .describe('how long a stopping gateway lets its clients go elsewhere before it closes them'),
} as const;

export type SettingName = keyof typeof settings;

/** Settings that must not be printed, and that may be given as the path of a file: `RANKCAST_TOKEN_SECRET_FILE`. */
export const SECRET_SETTINGS = ['TOKEN_SECRET', 'INGEST_TOKEN', 'DATABASE_URL', 'REDIS_URL'] as const;

export const settingsSchema = z.object(settings);
export type Settings = z.output<typeof settingsSchema>;

/** Every name that may stand in the environment, with the prefix. */
export function allNames(): readonly string[] {
  const names: string[] = [...Object.keys(settings), ...SECRET_SETTINGS.map((name) => `${name}_FILE`)];
  return names.map((name) => `${PREFIX}${name}`);
}

export function isSecret(name: string): boolean {
  return SECRET_SETTINGS.some((secretName) => secretName === name);
}

function isBroker(text: string): boolean {
  const port = Number(BROKER.exec(text)?.[2]);
  return port >= 1 && port <= 65_535;
}

/** `10.0.0.0/8`, `192.0.2.1`, `fd00::/8`. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}
