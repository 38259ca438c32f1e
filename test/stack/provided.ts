/** The addresses that the global set-up hands to every test file, by name and type. */
export interface StackAddresses {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Comma-separated. */
  readonly kafkaBrokers: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    stack: StackAddresses;
  }
}
