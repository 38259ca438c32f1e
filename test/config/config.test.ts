import { describe, expect, it } from 'vitest';
import { maskConfig } from '../../src/config/mask-config.js';
import { readConfig } from '../../src/config.js';
import { StartRefusedError } from '../../src/domain/errors.js';

const SECRET = '0123456789abcdef0123456789abcdef';
const DATABASE_URL = 'postgres://rank:pw@db:5432/rank';
const FULL = {
  RANKCAST_TOKEN_SECRET: SECRET,
  RANKCAST_DATABASE_URL: DATABASE_URL,
  RANKCAST_REDIS_URL: 'redis://:pw@redis:6379/0',
  RANKCAST_KAFKA_BROKERS: 'k1:9092, [::1]:9093,',
};

type Environment = Record<string, string | undefined>;

function withSecret(env: Environment): Environment {
  return { RANKCAST_TOKEN_SECRET: SECRET, ...env };
}

function refusal(env: Environment, readFile?: (path: string) => string): string {
  try {
    readConfig(env, readFile === undefined ? {} : { readFile });
  } catch (error) {
    expect(error).toBeInstanceOf(StartRefusedError);
    return (error as StartRefusedError).message;
  }
  throw new Error('it was not refused');
}

const DEFAULT_TOKENS = {
  secret: SECRET,
  jwksUrl: null,
  issuer: null,
  audience: null,
  graceMs: 25_000,
  isAnonymousAllowed: true,
};
const DEFAULT_LIMITS = {
  sockets: 18_000,
  socketsPerAddress: 2_000,
  connects: 1_000,
  connectsPerAddress: 1_000,
  sessionsPerPlayer: 10,
  topics: 32,
  lists: 1_000,
  frames: 60,
  bytes: 65_536,
};

describe('the configuration', () => {
  it('has a default for everything but the secret', () => {
    expect(readConfig(withSecret({ PATH: '/bin', RANKCAST_TEST_MOCK_KAFKA: '1' }))).toEqual({
      stores: { kind: 'embedded', dataDir: '.rankcast/data' },
      roles: ['intake', 'truth', 'ranking', 'gateway', 'seasons'],
      listen: { host: '0.0.0.0', port: 8080 },
      admin: { host: '127.0.0.1', port: 9464 },
      boardsFile: null,
      databaseSchema: 'rankcast',
      redisPrefix: 'lb',
      kafka: { topic: 'match-results', partitions: 12, replicationFactor: -1, groupPrefix: 'rankcast' },
      tokens: DEFAULT_TOKENS,
      ingestToken: null,
      logLevel: 'info',
      dedupMs: 21_600_000,
      checkpointMs: 3_600_000,
      reconcileMs: 86_400_000,
      tickMs: 10,
      allowedOrigins: null,
      trustedProxies: [],
      limits: DEFAULT_LIMITS,
      workers: 1,
      drainMs: 10_000,
    });
  });

  it('needs nothing in the demo, which listens on the loopback address unless told otherwise', () => {
    expect(readConfig({}, { isDemo: true })).toMatchObject({ tokens: { secret: null }, listen: { host: '127.0.0.1' } });
    const open = readConfig({ RANKCAST_HOST: '0.0.0.0' }, { isDemo: true });
    expect(open.listen.host).toBe('0.0.0.0');
  });

  it('reads every setting', () => {
    const config = readConfig({
      ...FULL,
      RANKCAST_ROLES: 'gateway, intake,gateway',
      RANKCAST_HOST: '::1',
      RANKCAST_PORT: '0',
      RANKCAST_ADMIN_HOST: 'admin.internal',
      RANKCAST_ADMIN_PORT: '65535',
      RANKCAST_BOARDS_FILE: 'boards.yaml',
      RANKCAST_DATABASE_SCHEMA: 'games',
      RANKCAST_REDIS_PREFIX: 'prod.lb',
      RANKCAST_KAFKA_TOPIC: 'results',
      RANKCAST_KAFKA_PARTITIONS: '3',
      RANKCAST_KAFKA_REPLICATION_FACTOR: '2',
      RANKCAST_KAFKA_GROUP_PREFIX: 'blue',
      RANKCAST_INGEST_TOKEN: 'let-me-in',
      RANKCAST_LOG_LEVEL: 'debug',
      RANKCAST_DEDUP_HOURS: '48',
      RANKCAST_CHECKPOINT_MINUTES: '5',
      RANKCAST_TICK_MS: '1000',
      RANKCAST_ALLOWED_ORIGINS: 'https://a.example, http://localhost:5173',
      RANKCAST_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      RANKCAST_TOKEN_JWKS_URL: 'https://id.example/keys',
      RANKCAST_TOKEN_ISSUER: 'https://id.example',
      RANKCAST_TOKEN_AUDIENCE: 'rankcast',
      RANKCAST_TOKEN_GRACE_SEC: '5',
      RANKCAST_ANONYMOUS: 'refused',
      RANKCAST_LIMIT_SOCKETS: '1',
      RANKCAST_LIMIT_SOCKETS_PER_ADDRESS: '2',
      RANKCAST_LIMIT_CONNECTS: '7',
      RANKCAST_LIMIT_CONNECTS_PER_ADDRESS: '3',
      RANKCAST_LIMIT_SESSIONS_PER_PLAYER: '4',
      RANKCAST_LIMIT_TOPICS: '5',
      RANKCAST_LIMIT_LISTS: '7',
      RANKCAST_LIMIT_FRAMES: '6',
      RANKCAST_LIMIT_BYTES: '4096',
      RANKCAST_WORKERS: '2',
      RANKCAST_DRAIN_SEC: '0',
    });
    expect(config).toEqual({
      stores: {
        kind: 'full',
        databaseUrl: DATABASE_URL,
        redisUrl: FULL.RANKCAST_REDIS_URL,
        brokers: ['k1:9092', '[::1]:9093'],
      },
      roles: ['intake', 'gateway'],
      listen: { host: '::1', port: 0 },
      admin: { host: 'admin.internal', port: 65535 },
      boardsFile: 'boards.yaml',
      databaseSchema: 'games',
      redisPrefix: 'prod.lb',
      kafka: { topic: 'results', partitions: 3, replicationFactor: 2, groupPrefix: 'blue' },
      tokens: {
        secret: SECRET,
        jwksUrl: 'https://id.example/keys',
        issuer: 'https://id.example',
        audience: 'rankcast',
        graceMs: 5_000,
        isAnonymousAllowed: false,
      },
      ingestToken: 'let-me-in',
      logLevel: 'debug',
      dedupMs: 48 * 3_600_000,
      checkpointMs: 300_000,
      reconcileMs: 86_400_000,
      tickMs: 1000,
      allowedOrigins: ['https://a.example', 'http://localhost:5173'],
      trustedProxies: ['10.0.0.0/8', '::1'],
      limits: {
        sockets: 1,
        socketsPerAddress: 2,
        connects: 7,
        connectsPerAddress: 3,
        sessionsPerPlayer: 4,
        topics: 5,
        lists: 7,
        frames: 6,
        bytes: 4_096,
      },
      workers: 2,
      drainMs: 0,
    });
  });

  it('refuses several workers without Redis', () => {
    expect(() => readConfig(withSecret({ RANKCAST_WORKERS: '2' }))).toThrow(
      'RANKCAST_WORKERS is 2: without Redis the ranking is in the memory of one process',
    );
  });

  it('takes an empty value for no value', () => {
    expect(readConfig(withSecret({ RANKCAST_REDIS_URL: '', RANKCAST_PORT: ' ' })).listen.port).toBe(8080);
  });

  it('refuses an unknown name with the nearest valid one', () => {
    expect(refusal(withSecret({ RANKCAST_REDIS_ULR: 'redis://x' }))).toBe(
      'the configuration is wrong: RANKCAST_REDIS_ULR is not a setting (did you mean RANKCAST_REDIS_URL?)',
    );
  });

  it('names everything that is wrong in one sentence', () => {
    const message = refusal({ RANKCAST_PRT: '1', RANKCAST_TICK_MS: '0', RANKCAST_LOG_LEVEL: 'warning' });
    expect(message).toContain('RANKCAST_PRT is not a setting (did you mean RANKCAST_PORT?)');
    expect(message).toContain('RANKCAST_TICK_MS must be a whole number from 1 to 1000, not "0"');
    expect(message).toContain('RANKCAST_LOG_LEVEL must be out of trace, debug, info, warn');
    expect(message).toContain('(nearest: warn), not "warning"');
    expect(message).not.toContain('\n');
  });

  it.each([
    ['RANKCAST_PORT', '80a'],
    ['RANKCAST_PORT', '-1'],
    ['RANKCAST_PORT', '65536'],
    ['RANKCAST_PORT', '1e3'],
    ['RANKCAST_TICK_MS', '1001'],
    ['RANKCAST_ROLES', 'gateway,rankin'],
    ['RANKCAST_ROLES', ','],
    ['RANKCAST_HOST', 'no host'],
    ['RANKCAST_KAFKA_BROKERS', 'kafka'],
    ['RANKCAST_KAFKA_BROKERS', 'kafka:99999'],
    ['RANKCAST_KAFKA_TOPIC', 'a/b'],
    ['RANKCAST_KAFKA_PARTITIONS', '0'],
    ['RANKCAST_KAFKA_REPLICATION_FACTOR', '0'],
    ['RANKCAST_DATABASE_SCHEMA', 'pg_mine'],
    ['RANKCAST_DATABASE_SCHEMA', 'a"b'],
    ['RANKCAST_REDIS_PREFIX', 'a{b}'],
    ['RANKCAST_ALLOWED_ORIGINS', 'https://a.example/path'],
    ['RANKCAST_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['RANKCAST_TRUSTED_PROXIES', 'proxy.example'],
    ['RANKCAST_TOKEN_JWKS_URL', 'id.example/keys'],
    ['RANKCAST_ANONYMOUS', 'yes'],
    ['RANKCAST_LIMIT_BYTES', '4095'],
    ['RANKCAST_WORKERS', '0'],
  ])('refuses %s=%s and shows the value', (name, value) => {
    const message = refusal({ ...FULL, [name]: value });
    expect(message).toContain(name);
    expect(message).toContain(JSON.stringify(value));
  });

  it.each([
    ['RANKCAST_TOKEN_SECRET', 'too-short-secret'],
    ['RANKCAST_DATABASE_URL', 'mysql://user:hunter2@db/x'],
    ['RANKCAST_REDIS_URL', 'http://user:hunter2@redis'],
  ])('refuses %s without showing it', (name, value) => {
    const message = refusal({ ...FULL, [name]: value });
    expect(message).toContain(name);
    expect(message).not.toContain(value);
    expect(message).not.toContain('hunter2');
  });

  it('needs the secret only where the gateway is', () => {
    expect(refusal({})).toContain('RANKCAST_TOKEN_SECRET is missing');
    const env = { ...FULL, RANKCAST_TOKEN_SECRET: undefined, RANKCAST_ROLES: 'truth' };
    expect(readConfig(env).tokens.secret).toBeNull();
  });
});

describe('the choice of stores', () => {
  it('takes a database alone', () => {
    const { stores } = readConfig(withSecret({ RANKCAST_DATABASE_URL: DATABASE_URL }));
    expect(stores).toEqual({ kind: 'database', databaseUrl: DATABASE_URL });
  });

  it('takes another folder for the embedded database', () => {
    const { stores } = readConfig(withSecret({ RANKCAST_DATA_DIR: 'here' }));
    expect(stores).toEqual({ kind: 'embedded', dataDir: 'here' });
  });

  it.each([
    [['REDIS_URL'], 'RANKCAST_REDIS_URL needs RANKCAST_DATABASE_URL and RANKCAST_KAFKA_BROKERS as well'],
    [['KAFKA_BROKERS'], 'RANKCAST_KAFKA_BROKERS needs RANKCAST_DATABASE_URL and RANKCAST_REDIS_URL as well'],
    [['DATABASE_URL', 'REDIS_URL'], 'RANKCAST_DATABASE_URL and RANKCAST_REDIS_URL need RANKCAST_KAFKA_BROKERS as well'],
    [['DATABASE_URL', 'KAFKA_BROKERS'], 'RANKCAST_DATABASE_URL and RANKCAST_KAFKA_BROKERS need RANKCAST_REDIS_URL'],
    [['REDIS_URL', 'KAFKA_BROKERS'], 'RANKCAST_REDIS_URL and RANKCAST_KAFKA_BROKERS need RANKCAST_DATABASE_URL'],
  ])('refuses %j alone and names what is missing', (names, sentence) => {
    const entries = Object.entries(FULL).filter(([name]) => names.includes(name.slice('RANKCAST_'.length)));
    expect(refusal(withSecret(Object.fromEntries(entries)))).toContain(sentence);
  });

  it('refuses a share of the roles where the ranking is in memory', () => {
    const message = refusal(withSecret({ RANKCAST_DATABASE_URL: DATABASE_URL, RANKCAST_ROLES: 'intake,gateway' }));
    expect(message).toContain('RANKCAST_ROLES leaves out truth, ranking, seasons');
    expect(readConfig({ ...FULL, RANKCAST_ROLES: 'intake,gateway' }).roles).toEqual(['intake', 'gateway']);
  });
});

describe('secrets in files', () => {
  const files: Record<string, string> = { '/run/secret': `${SECRET}\n`, '/run/empty': '\n' };
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error('no such file');
    return text;
  };

  it('are read without the line end', () => {
    expect(readConfig({ RANKCAST_TOKEN_SECRET_FILE: '/run/secret' }, { readFile }).tokens.secret).toBe(SECRET);
  });

  it('are refused where they cannot be read, are empty, or are given twice', () => {
    const name = 'RANKCAST_TOKEN_SECRET_FILE';
    expect(refusal({ [name]: '/run/none' }, readFile)).toContain(`${name} names /run/none, which cannot be read`);
    expect(refusal({ [name]: '/run/empty' }, readFile)).toContain(`${name} names /run/empty, which is empty`);
    expect(refusal(withSecret({ [name]: '/run/secret' }), readFile)).toContain(`RANKCAST_TOKEN_SECRET or ${name}, not`);
  });

  it('exist for secrets only', () => {
    expect(refusal(withSecret({ RANKCAST_PORT_FILE: '/run/port' }))).toContain('RANKCAST_PORT_FILE is not a setting');
  });
});

describe('the masked configuration', () => {
  it('holds no secret, and no user or password of a URL', () => {
    const env = { ...FULL, RANKCAST_DATABASE_URL: `${DATABASE_URL}?password=pw`, RANKCAST_INGEST_TOKEN: 'let-me-in' };
    const masked = maskConfig(readConfig(env));
    expect(masked).toMatchObject({ tokens: { secret: '***' }, ingestToken: '***', listen: { port: 8080 } });
    expect(masked.stores).toEqual({
      kind: 'full',
      databaseUrl: 'postgres://***:***@db:5432/rank?password=***',
      redisUrl: 'redis://:***@redis:6379/0',
      brokers: ['k1:9092', '[::1]:9093'],
    });
    expect(JSON.stringify(masked)).not.toMatch(/pw|let-me-in|0123456789/);
  });

  it('leaves what is not set as it is', () => {
    const masked = maskConfig(readConfig({}, { isDemo: true }));
    expect(masked).toMatchObject({ tokens: { secret: null }, ingestToken: null, stores: { kind: 'embedded' } });
  });
});
