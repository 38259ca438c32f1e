/** A statement that may take longer than the pool's limit; the server's own `statement_timeout` is lifted apart from it. */

import type { QueryConfig } from 'pg';

interface PatientQuery extends QueryConfig {
  /** Read by pg for each query; its types only know the one of the client. */
  readonly query_timeout: number;
}

export function patientQuery(timeoutMs: number, text: string, values: readonly unknown[] = []): PatientQuery {
  return { text, values: [...values], query_timeout: timeoutMs };
}
