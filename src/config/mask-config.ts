/** The effective configuration as it may be printed. */

import type { Config } from '../config.js';

const MASK = '***';
const SECRET_PARAMETERS = ['password', 'sslpassword', 'user', 'token'];

/** The same shape with secrets, and the user and password of URLs, replaced by `***`. */
export function maskConfig(config: Config): Config {
  const { stores } = config;
  return {
    ...config,
    tokens: { ...config.tokens, secret: config.tokens.secret === null ? null : MASK },
    ingestToken: config.ingestToken === null ? null : MASK,
    stores: {
      ...stores,
      ...('databaseUrl' in stores ? { databaseUrl: maskUrl(stores.databaseUrl) } : {}),
      ...('redisUrl' in stores ? { redisUrl: maskUrl(stores.redisUrl) } : {}),
    },
  };
}

/** Text that is no URL is masked whole: better too little than a password. */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return MASK;
  const url = new URL(text);
  if (url.username !== '') url.username = MASK;
  if (url.password !== '') url.password = MASK;
  for (const name of SECRET_PARAMETERS) {
    if (url.searchParams.has(name)) url.searchParams.set(name, MASK);
  }
  return url.href;
}
