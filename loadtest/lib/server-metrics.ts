/** Reads the server's metrics page: the sums that the reckoning needs. */

/** Samples of a Prometheus text page. */
export class ServerMetrics {
  private readonly samples: { readonly name: string; readonly labels: string; readonly value: number }[] = [];

  constructor(page: string) {
    for (const line of page.split('\n')) {
      const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
      if (match === null) continue;
      const [, name = '', labels = '', value = ''] = match;
      this.samples.push({ name, labels, value: Number(value) });
    }
  }

  /** The sum over all samples of that name, of those with the label where one is given; 0 where there is none. */
  sum(name: string, label?: { readonly name: string; readonly value: string }): number {
    const wanted = label === undefined ? '' : `${label.name}="${label.value}"`;
    return this.samples
      .filter((sample) => sample.name === name && (wanted === '' || sample.labels.split(',').includes(wanted)))
      .reduce((sum, sample) => sum + sample.value, 0);
  }
}

/** What became of the results that the ranking considered, and how many of the acknowledged ones truth does not have. */
export interface Reckoning {
  readonly acknowledged: number;
  readonly applied: number;
  readonly noRecord: number;
  /** Read again, or sent again, and known to be counted. */
  readonly duplicates: number;
  /** Too old to be merged by rule sum: truth counts them. */
  readonly late: number;
  readonly rejected: number;
  readonly missingInTruth: number;
}

const RESULTS = 'rankcast_results_total';

export function reckon(metrics: ServerMetrics, acknowledged: number, missingInTruth: number): Reckoning {
  const count = (outcome: string): number => metrics.sum(RESULTS, { name: 'outcome', value: outcome });
  return {
    acknowledged,
    applied: count('applied'),
    noRecord: count('no-record'),
    duplicates: count('skipped') + count('duplicate'),
    late: count('late'),
    rejected: count('rejected'),
    missingInTruth,
  };
}

/** Acknowledged results that the ranking never considered, plus those that are missing in Postgres. */
export function countLost(reckoning: Reckoning): number {
  const { acknowledged, applied, noRecord, duplicates, late, rejected, missingInTruth } = reckoning;
  // A batch that is read again is counted again: more than acknowledged hides no loss, the brute force looks at each.
  return Math.max(0, acknowledged - applied - noRecord - duplicates - late - rejected) + missingInTruth;
}
