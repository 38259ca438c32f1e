import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clientFrameSchema, frameSchemas, serverFrameSchema } from '../../proto/schema.js';
import { FlowRun } from './flows/flow-run.js';
import { flows as sources } from './flows/flows.js';
import type { Flow } from './flows/steps.js';

const file = readFileSync(new URL('../../proto/vectors/flows.json', import.meta.url), 'utf8');
const { flows } = JSON.parse(file) as { flows: Flow[] };
const runs = flows.flatMap((flow) => [0, 0.999].map((random) => ({ name: flow.name, flow, random })));

describe('flows.json', () => {
  it.each(runs)('$name (random $random)', async ({ flow, random }) => {
    await new FlowRun(flow, random).play();
  });

  it('names each flow once', () => {
    expect(new Set(flows.map((flow) => flow.name)).size).toBe(sources.length);
  });

  it('sends frames of this version in their shape', () => {
    const known = new Set(Object.values(frameSchemas).map((schema) => schema.def.items[0].value as number));
    const sent = flows.flatMap((flow) => flow.steps).flatMap((step) => ('send' in step ? [step.send] : []));
    const shaped = sent.map((frame) => frame.map((field) => (isHole(field) ? 1 : field)));
    for (const frame of shaped.filter(([type]) => type !== 0 && known.has(type as number))) {
      expect(serverFrameSchema.safeParse(frame).error, JSON.stringify(frame)).toBeUndefined();
    }
    expect(clientFrameSchema.safeParse(shaped[0]).success).toBe(false);
  });
});

function isHole(field: unknown): boolean {
  return typeof field === 'object' && field !== null && !Array.isArray(field);
}
